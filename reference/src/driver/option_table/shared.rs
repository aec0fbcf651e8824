//! Options that the driver acts upon and clang must see as well.

use super::super::options::{Phase, Side};
use super::{Shape, Spec, option};

/// These options.
pub(in super::super) static SHARED: &[Spec] = &[
    option!("-v", Flag, "", "Print the steps as they run", |o, _, _| {
        o.verbose = true;
        Ok(())
    }),
    option!("-c", Flag, "", "Stop at objects", |o, _, _| {
        o.phase = o.phase.min(Phase::Object);
        Ok(())
    }),
    option!("-S", Flag, "", "Stop at assembly", |o, _, _| {
        o.phase = o.phase.min(Phase::Assembly);
        Ok(())
    }),
    option!("-E", Flag, "", "Stop at preprocessed text", |o, _, _| {
        o.phase = o.phase.min(Phase::Preprocess);
        Ok(())
    }),
    option!("-M", Flag, "", "List dependencies", |o, _, _| {
        o.phase = o.phase.min(Phase::Preprocess);
        Ok(())
    }),
    option!("-MM", Flag, "", "List dependencies", |o, _, _| {
        o.phase = o.phase.min(Phase::Preprocess);
        Ok(())
    }),
    option!(
        "-fsyntax-only",
        Flag,
        "",
        "Stop at diagnostics",
        |o, _, _| {
            o.phase = o.phase.min(Phase::Syntax);
            Ok(())
        }
    ),
    option!("-o", Separate, "<file>", "The output", |o, _, v| {
        o.output = Some(v.into());
        Ok(())
    }),
    option!(
        "--offload-device-only",
        Flag,
        "",
        "With -fsycl, compile the device code alone",
        |o, _, _| {
            o.offload_side = Some(Side::Device);
            Ok(())
        }
    ),
    option!(
        "--offload-host-only",
        Flag,
        "",
        "With -fsycl, compile the host code alone",
        |o, _, _| {
            o.offload_side = Some(Side::Host);
            Ok(())
        }
    ),
    option!(
        "--offload-host-device",
        Flag,
        "",
        "With -fsycl, compile both (the default)",
        |o, _, _| {
            o.offload_side = Some(Side::Both);
            Ok(())
        }
    ),
];

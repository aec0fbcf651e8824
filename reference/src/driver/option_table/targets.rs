//! Whether and for which devices there is device code.

use super::{Shape, Spec, list, option};

/// The options of this theme.
pub(super) static OPTIONS: &[Spec] = &[
    option!("-fsycl", Flag, "", "Compile SYCL device code", |o, _, _| {
        o.sycl = true;
        Ok(())
    }),
    option!(
        "-fno-sycl",
        Flag,
        "",
        "Compile for the host alone",
        |o, _, _| {
            o.sycl = false;
            Ok(())
        }
    ),
    option!(
        "-fsycl-targets=",
        Joined,
        "<T,...>",
        "Device targets: triples, architectures such as intel_gpu_pvc, or their aliases",
        |o, _, v| {
            o.targets = list("-fsycl-targets=", v)?;
            Ok(())
        }
    ),
    option!(
        "--offload-arch=",
        Joined,
        "<arch,...>",
        "Compile ahead of time for these architectures, with SPIR-V beside the Intel ones",
        |o, _, v| {
            o.offload_arch.extend(list("--offload-arch=", v)?);
            Ok(())
        }
    ),
    option!(
        "--no-offload-arch=",
        Joined,
        "<arch,...>",
        "Leave out such architectures that stand before it; all of them with 'all'",
        |o, _, v| {
            let left_out = list("--no-offload-arch=", v)?;
            o.offload_arch
                .retain(|each| !left_out.iter().any(|out| out == each || out == "all"));
            Ok(())
        }
    ),
    option!(
        "-fsycl-fixed-targets=",
        Joined,
        "<T,...>",
        "The only devices that this device code will run on",
        |o, _, v| {
            o.fixed_targets = list("-fsycl-fixed-targets=", v)?;
            Ok(())
        }
    ),
    option!(
        "-fsycl-device-config-file=",
        Joined,
        "<file>",
        "What each device supports, instead of the default description",
        |o, _, v| {
            o.device_config = Some(v.into());
            Ok(())
        }
    ),
    option!(
        "-fintelfpga",
        Flag,
        "",
        "Compile ahead of time for FPGA, with debug and dependency information",
        |o, _, _| {
            o.fpga = true;
            Ok(())
        }
    ),
    option!(
        "--offload-targets=",
        Joined,
        "<T,...>",
        "The same as -fsycl-targets=",
        |o, _, v| {
            o.targets = list("--offload-targets=", v)?;
            Ok(())
        }
    ),
    option!(
        "-fsycl-force-target=",
        Joined,
        "<T>",
        "Link device code that inputs hold for T as if it were for the target of the link",
        |o, _, v| {
            o.force_target = Some(v.to_owned());
            Ok(())
        }
    ),
    option!(
        "-fsycl-help",
        Flag,
        "",
        "The same as -fsycl-help=all",
        |o, _, _| {
            o.help_of_tools = Some("all".parse()?);
            Ok(())
        }
    ),
    option!(
        "-fsycl-help=",
        Joined,
        "<which>",
        "What an offline compiler says of its options: x86_64, fpga, gen, all",
        |o, _, v| {
            o.help_of_tools = Some(v.parse()?);
            Ok(())
        }
    ),
];

//! How sources are compiled, and which of their halves.

use super::super::options::{Note, OptionsError, Side};
use super::super::target_words::TargetWords;
use super::{Shape, Spec, option};
use crate::frontend::annotations::NAMED_SUB_GROUP_SIZES;
use crate::response::words_of;

/// What tells the headers whether the numbers of work-items fit in int (`sycl/detail/work_item.hpp`).
const IDS_FIT_IN_INT: &str = "-D__SYCL_ID_QUERIES_FIT_IN_INT__=1";
const IDS_FIT_NOWHERE: &str = "-U__SYCL_ID_QUERIES_FIT_IN_INT__";

/// The options of this theme.
pub(super) static OPTIONS: &[Spec] = &[
    option!(
        "-fsycl-device-only",
        Flag,
        "",
        "Compile the device code alone",
        |o, _, _| {
            o.side = Side::Device;
            Ok(())
        }
    ),
    option!(
        "-fsycl-host-only",
        Flag,
        "",
        "Compile the host code alone",
        |o, _, _| {
            o.side = Side::Host;
            Ok(())
        }
    ),
    option!(
        "-fsycl-host-compiler=",
        Joined,
        "<program>",
        "Compile the host code with this compiler",
        |o, _, v| {
            if v.is_empty() {
                let expected = "the name or path of a compiler";
                return Err(OptionsError::value("-fsycl-host-compiler=", v, expected));
            }
            o.host_compiler = Some(v.into());
            Ok(())
        }
    ),
    option!(
        "-fsycl-host-compiler-options=",
        Joined,
        "<words>",
        "Words for that compiler",
        |o, _, v| {
            o.host_compiler_options.extend(words_of(v));
            Ok(())
        }
    ),
    option!(
        "-Xsycl-target-frontend",
        ForTarget,
        "<words>",
        "Words for the target's device compilation",
        |o, t, v| {
            // A source in their place would be compiled twice.
            if !v.trim_start().starts_with('-') {
                let expected = "options, the first of which begins with a dash";
                return Err(OptionsError::value("-Xsycl-target-frontend", v, expected));
            }
            o.frontend.push(TargetWords::new(t, v));
            Ok(())
        }
    ),
    option!(
        "--compile-cache-dir=",
        Joined,
        "<folder>",
        "Keep what clang makes of either half in this folder, and take it from there while nothing of what it \
         was made of has changed (PLUMBLINE_COMPILE_CACHE names one for all commands)",
        |o, _, v| {
            if v.is_empty() {
                let expected = "a folder";
                return Err(OptionsError::value("--compile-cache-dir=", v, expected));
            }
            o.compile_cache = Some(v.into());
            Ok(())
        }
    ),
    option!(
        "--persistent-auto-pch=",
        Joined,
        "<folder>",
        "Keep sycl.hpp precompiled in this folder (PLUMBLINE_AUTO_PCH names one for all commands)",
        |o, _, v| {
            if v.is_empty() {
                let expected = "a folder";
                return Err(OptionsError::value("--persistent-auto-pch=", v, expected));
            }
            o.auto_pch = Some(v.into());
            Ok(())
        }
    ),
    option!(
        "-Xarch_device",
        Separate,
        "<word>",
        "A word for device compilations alone",
        |o, _, v| {
            o.device_words.push(v.into());
            Ok(())
        }
    ),
    option!(
        "-sycl-std=",
        Joined,
        "<version>",
        "The SYCL version; this toolchain implements 2020",
        |o, _, v| match v {
            "2020" => Ok(()),
            "2017" | "121" | "1.2.1" | "sycl-1.2.1" => {
                o.notes.push(Note::Warning(format!(
                    "'-sycl-std={v}' is of SYCL 1.2.1; this toolchain implements SYCL 2020"
                )));
                Ok(())
            }
            _ => Err(OptionsError::value("-sycl-std=", v, "2020")),
        }
    ),
    option!(
        "--offload-new-driver",
        Flag,
        "",
        "Write fat objects with an embedded OffloadBinary (the default)",
        |o, _, _| {
            o.new_driver = true;
            Ok(())
        }
    ),
    option!(
        "--no-offload-new-driver",
        Flag,
        "",
        "Write fat objects in clang-offload-bundler's format",
        |o, _, _| {
            o.new_driver = false;
            Ok(())
        }
    ),
    option!(
        "-fsycl-dead-args-optimization",
        Flag,
        "",
        "Leave parameters that optimization leaves no use of out of kernels (the default)",
        |o, _, _| {
            o.all_parameters = false;
            Ok(())
        }
    ),
    option!(
        "-fno-sycl-dead-args-optimization",
        Flag,
        "",
        "Let kernels have all parameters that what they capture comes to",
        |o, _, _| {
            o.all_parameters = true;
            Ok(())
        }
    ),
    option!(
        "-fsycl-default-sub-group-size=",
        Joined,
        "N|primary|automatic",
        "The sub-group size of kernels that require none by themselves; automatic, any, is the default",
        |o, _, v| {
            o.sub_group_size = sub_group_size("-fsycl-default-sub-group-size=", v)?;
            Ok(())
        }
    ),
    option!(
        "-fsycl-default-sub-group-size",
        Separate,
        "N|primary|automatic",
        "The same, with the size as the next word",
        |o, _, v| {
            o.sub_group_size = sub_group_size("-fsycl-default-sub-group-size", v)?;
            Ok(())
        }
    ),
    option!(
        "-fsycl-id-queries-fit-in-int",
        Flag,
        "",
        "Promise that all numbers of work-items fit in int: devices count in 32 bits, and spaces of more are \
         refused",
        |o, _, _| {
            o.clang.push(IDS_FIT_IN_INT.into());
            Ok(())
        }
    ),
    option!(
        "-fno-sycl-id-queries-fit-in-int",
        Flag,
        "",
        "Promise nothing of them (the default)",
        |o, _, _| {
            o.clang.push(IDS_FIT_NOWHERE.into());
            Ok(())
        }
    ),
    option!(
        "-fsycl-id-queries-range=",
        Joined,
        "int|uint|size_t",
        "The same as one of both: int promises it",
        |o, _, v| {
            let word = match v {
                "int" => IDS_FIT_IN_INT,
                "uint" | "size_t" => IDS_FIT_NOWHERE,
                _ => {
                    let expected = "int, uint or size_t";
                    return Err(OptionsError::value("-fsycl-id-queries-range=", v, expected));
                }
            };
            o.clang.push(word.into());
            Ok(())
        }
    ),
    option!(
        "-fpreview-breaking-changes",
        Flag,
        "",
        "Define __INTEL_PREVIEW_BREAKING_CHANGES; the runtime library is the same",
        |o, _, _| {
            o.clang.push("-D__INTEL_PREVIEW_BREAKING_CHANGES=1".into());
            Ok(())
        }
    ),
    option!(
        "--target",
        Separate,
        "<triple>",
        "The same as --target=<triple>",
        |o, _, v| {
            o.clang.push(format!("--target={v}").into());
            Ok(())
        }
    ),
];

/// A sub-group size as metadata has it; none for any.
fn sub_group_size(option: &'static str, value: &str) -> Result<Option<u32>, OptionsError> {
    let [_, primary] = NAMED_SUB_GROUP_SIZES;
    match value {
        "automatic" => Ok(None),
        "primary" => Ok(Some(primary)),
        number => match number.parse() {
            Ok(size) if (1..=i32::MAX as u32).contains(&size) => Ok(Some(size)),
            _ => Err(OptionsError::value(
                option,
                value,
                "a number, primary or automatic",
            )),
        },
    }
}

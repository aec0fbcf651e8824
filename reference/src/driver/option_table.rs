//! The options that the driver itself knows, as data: how each is spelled, how it takes its value,
//! and where the value goes. Everything else belongs to clang.

use super::options::{CodeSplit, FpgaLink, Options, OptionsError, Phase, Side};
use super::response::words_of;
use super::save_temps::SaveTemps;
use super::target_words::TargetWords;

/// How an option takes its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// No value.
    Flag,
    /// The value follows in the same word.
    Joined,
    /// The value is the next word.
    Separate,
    /// An optional `=TARGET` in the same word, and the value in the next.
    ForTarget,
}

/// One option of the driver.
pub(super) struct Spec {
    /// The spelling; for [`Shape::Joined`] with its `=`.
    pub name: &'static str,
    /// How it takes its value.
    pub shape: Shape,
    /// The value's name in `--help`.
    pub value: &'static str,
    /// One line for `--help`.
    pub help: &'static str,
    /// Stores target (of [`Shape::ForTarget`]) and value.
    pub apply: fn(&mut Options, Option<&str>, &str) -> Result<(), OptionsError>,
}

macro_rules! option {
    ($name:literal, $shape:ident, $value:literal, $help:literal, $apply:expr) => {
        Spec {
            name: $name,
            shape: Shape::$shape,
            value: $value,
            help: $help,
            apply: $apply,
        }
    };
}

/// Every option that does not go to clang. Of two that fit a word the first counts.
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
        "-fsycl-device-code-split",
        Flag,
        "",
        "The same as -fsycl-device-code-split=auto",
        |o, _, _| {
            o.split = Some(CodeSplit::Auto);
            Ok(())
        }
    ),
    option!(
        "-fsycl-device-code-split=",
        Joined,
        "<mode>",
        "How kernels share device images: per_kernel, per_source, off, auto",
        |o, _, v| {
            o.split = Some(v.parse()?);
            Ok(())
        }
    ),
    option!(
        "-fsycl-max-parallel-link-jobs=",
        Joined,
        "<N>",
        "How many device images the link works on at a time",
        |o, _, v| {
            let jobs = v.parse().ok().filter(|jobs| *jobs > 0);
            o.link_jobs = Some(jobs.ok_or_else(|| {
                OptionsError::value("-fsycl-max-parallel-link-jobs=", v, "a number above 0")
            })?);
            Ok(())
        }
    ),
    option!(
        "-foffload-lto=",
        Joined,
        "<kind>",
        "Optimize device code across translation units when it is linked: thin",
        |o, _, v| match v {
            "thin" => {
                o.thin_lto = true;
                Ok(())
            }
            _ => Err(OptionsError::value("-foffload-lto=", v, "thin")),
        }
    ),
    option!(
        "-fno-offload-lto",
        Flag,
        "",
        "Link device code as a whole (the default)",
        |o, _, _| {
            o.thin_lto = false;
            Ok(())
        }
    ),
    option!(
        "-Xsycl-target-backend",
        ForTarget,
        "<words>",
        "Words for the target's offline or run-time device compiler",
        |o, t, v| {
            o.backend.push(TargetWords::new(t, v));
            Ok(())
        }
    ),
    option!(
        "-Xsycl-target-linker",
        ForTarget,
        "<words>",
        "Words for the target's device linker",
        |o, t, v| {
            o.linker.push(TargetWords::new(t, v));
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
        "-Xdevice-post-link",
        Separate,
        "<words>",
        "Words for sycl-post-link",
        |o, _, v| {
            o.post_link.extend(words_of(v));
            Ok(())
        }
    ),
    option!(
        "-Xspirv-translator",
        Separate,
        "<words>",
        "Words for the SPIR-V writer",
        |o, _, v| {
            o.spirv.extend(words_of(v));
            Ok(())
        }
    ),
    option!(
        "-Xs",
        Separate,
        "<words>",
        "The same as -Xsycl-target-backend <words>; -Xs<word> passes -<word>",
        |o, t, v| {
            o.backend.push(TargetWords::new(t, v));
            Ok(())
        }
    ),
    option!(
        "-fno-sycl-device-lib=",
        Joined,
        "<L,...>",
        "Device libraries to leave out: libc, libm-fp32, libm-fp64, libm-bfloat16, all",
        |o, _, v| o.device_libraries.leave_out(v)
    ),
    option!(
        "-fsycl-device-lib=",
        Joined,
        "<L,...>",
        "Device libraries to take in again, in the same words",
        |o, _, v| o.device_libraries.take_in(v)
    ),
    option!(
        "-fsycl-link",
        Flag,
        "",
        "The same as -fsycl-link=early",
        |o, _, _| {
            o.fpga_link = Some(FpgaLink::Early);
            Ok(())
        }
    ),
    option!(
        "-fsycl-link=",
        Joined,
        "<stage>",
        "Stop the FPGA device link: early (AOCR archive) or image (AOCX archive)",
        |o, _, v| {
            o.fpga_link = Some(v.parse()?);
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
        "--sycl-link",
        Flag,
        "",
        "Link device code alone, with clang-sycl-linker",
        |o, _, _| {
            o.sycl_link = true;
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
        "-sycl-std=",
        Joined,
        "<version>",
        "The SYCL version; this toolchain implements 2020",
        |_, _, v| match v {
            "2020" => Ok(()),
            _ => Err(OptionsError::value("-sycl-std=", v, "2020")),
        }
    ),
    option!(
        "-nolibsycl",
        Flag,
        "",
        "Do not link the SYCL runtime library",
        |o, _, _| {
            o.link_runtime = false;
            Ok(())
        }
    ),
    option!(
        "--offload-compress",
        Flag,
        "",
        "Compress device images in the executable",
        |o, _, _| {
            o.compress = true;
            Ok(())
        }
    ),
    option!(
        "--spirv-writer=",
        Joined,
        "<which>",
        "What writes SPIR-V: translator, backend, auto",
        |o, _, v| match v {
            "translator" | "backend" | "auto" => {
                o.spirv_writer = Some(v.to_owned());
                Ok(())
            }
            _ => Err(OptionsError::value(
                "--spirv-writer=",
                v,
                "translator, backend or auto"
            )),
        }
    ),
    option!(
        "--driver-timing",
        Flag,
        "",
        "Print the time of each step to standard error",
        |o, _, _| {
            o.timing = true;
            Ok(())
        }
    ),
    option!(
        "-###",
        Flag,
        "",
        "Print the steps and run none of them",
        |o, _, _| {
            o.print_only = true;
            Ok(())
        }
    ),
    option!(
        "-save-temps",
        Flag,
        "",
        "Keep what each step writes, in the current folder",
        SaveTemps::keep
    ),
    option!(
        "-save-temps=",
        Joined,
        "<where>",
        "Keep it in the current folder (cwd) or beside the output (obj)",
        SaveTemps::keep
    ),
    option!(
        "--save-temps",
        Flag,
        "",
        "The same as -save-temps",
        SaveTemps::keep
    ),
    option!(
        "--save-temps=",
        Joined,
        "<where>",
        "The same as -save-temps=",
        SaveTemps::keep
    ),
];

/// Options that the driver acts upon and clang must see as well.
pub(super) static SHARED: &[Spec] = &[
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
];

/// The items of a list; an empty one is what a lost variable leaves in a build script.
fn list(option: &'static str, value: &str) -> Result<Vec<String>, OptionsError> {
    let items: Vec<_> = value.split(',').map(str::trim).collect();
    if items.contains(&"") {
        let expected = "names with commas between them, none of them empty";
        return Err(OptionsError::value(option, value, expected));
    }
    Ok(items.into_iter().map(str::to_owned).collect())
}

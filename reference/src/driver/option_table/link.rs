//! The device link, the offline compilers, and the host link.

use super::super::device_libraries::DeviceLibraries;
use super::super::options::{CodeSplit, FpgaLink, Note, Options, OptionsError};
use super::super::target_words::TargetWords;
use super::{Shape, Spec, list, option};
use crate::link::COMPRESSION_LEVELS;
use crate::post_link::command_line::without_effect;
use crate::translate::spirv::WriterChoice;

/// The options of this theme.
pub(super) static OPTIONS: &[Spec] = &[
    option!(
        "-fsycl-allow-device-image-dependencies",
        Flag,
        "",
        "Leave undefined device functions to libraries that the program loads",
        |o, _, _| {
            o.image_dependencies = true;
            Ok(())
        }
    ),
    option!(
        "-fsycl-allow-device-dependencies",
        Flag,
        "",
        "LLVM\'s name of -fsycl-allow-device-image-dependencies",
        |o, _, _| {
            o.image_dependencies = true;
            Ok(())
        }
    ),
    option!(
        "-fno-sycl-allow-device-image-dependencies",
        Flag,
        "",
        "Leave only what shared libraries of the link export (the default)",
        |o, _, _| {
            o.image_dependencies = false;
            Ok(())
        }
    ),
    option!(
        "-fno-sycl-allow-device-dependencies",
        Flag,
        "",
        "LLVM\'s name of -fno-sycl-allow-device-image-dependencies",
        |o, _, _| {
            o.image_dependencies = false;
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
        "-fsycl-device-image-split",
        Flag,
        "",
        "The same as -fsycl-device-image-split=translation_unit",
        |o, _, _| {
            o.split = Some(CodeSplit::PerSource);
            Ok(())
        }
    ),
    option!(
        "-fsycl-device-image-split=",
        Joined,
        "<mode>",
        "LLVM's name of the split: kernel, translation_unit, link_unit",
        |o, _, v| {
            o.split = Some(match v {
                "kernel" => CodeSplit::PerKernel,
                "translation_unit" => CodeSplit::PerSource,
                "link_unit" => CodeSplit::Off,
                _ => {
                    let expected = "kernel, translation_unit or link_unit";
                    return Err(OptionsError::value(
                        "-fsycl-device-image-split=",
                        v,
                        expected,
                    ));
                }
            });
            Ok(())
        }
    ),
    option!(
        "-fsycl-max-parallel-link-jobs=",
        Joined,
        "<N>",
        "How many device images the link works on at a time",
        |o, _, v| {
            o.link_jobs = Some(jobs("-fsycl-max-parallel-link-jobs=", v)?);
            Ok(())
        }
    ),
    option!(
        "--offload-jobs=",
        Joined,
        "<N>",
        "LLVM's name of -fsycl-max-parallel-link-jobs=",
        |o, _, v| {
            o.link_jobs = Some(jobs("--offload-jobs=", v)?);
            Ok(())
        }
    ),
    option!(
        "-foffload-lto=",
        Joined,
        "<kind>",
        "Optimize device code across translation units when it is linked: thin; full, the default, \
         links it as a whole",
        |o, _, v| match v {
            "thin" => {
                o.thin_lto = true;
                for note in &mut o.notes {
                    if let Note::WithoutEffect { word, because } = note
                        && word == "-fno-offload-lto"
                    {
                        *because = "'-foffload-lto=thin' follows it";
                    }
                }
                Ok(())
            }
            "full" => {
                whole_link(o, "-foffload-lto=full");
                Ok(())
            }
            _ => Err(OptionsError::value("-foffload-lto=", v, "thin or full")),
        }
    ),
    option!(
        "-foffload-lto",
        Flag,
        "",
        "The same as -foffload-lto=full",
        |o, _, _| {
            whole_link(o, "-foffload-lto");
            Ok(())
        }
    ),
    option!(
        "-fno-offload-lto",
        Flag,
        "",
        "Link device code as a whole (the default)",
        |o, _, _| {
            let word = "-fno-offload-lto";
            if !no_thin_link(o, word) {
                o.notes.push(Note::WithoutEffect {
                    word: word.to_owned(),
                    because: "device code is linked as a whole without it",
                });
            }
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
        "Words for the target's device linker; for ThinLTO's, of all targets: \
         --thinlto-cache-dir=<folder>, --thinlto-cache-policy=<policy>, --thinlto-index-only, \
         --thinlto-from=<folder>, in the meaning that clang-linker-wrapper --help gives them",
        |o, t, v| {
            let mut words = TargetWords::new(t, v);
            let is_thin = |word: &String| word.starts_with("--thinlto-");
            let (thin, others) = words.words.into_iter().partition(is_thin);
            words.words = others;
            let some = thin.is_empty() || !words.words.is_empty();
            o.linker.extend(some.then_some(words));
            o.thin_lto_words.extend::<Vec<String>>(thin);
            Ok(())
        }
    ),
    option!(
        "-Xdevice-post-link",
        ForTarget,
        "<words>",
        "Words for sycl-post-link",
        |o, t, v| {
            let words = TargetWords::new(t, v);
            let notes = words.words.iter().filter_map(|word| {
                let because = without_effect(word)?;
                let word = format!("-Xdevice-post-link {word}");
                Some(Note::WithoutEffect { word, because })
            });
            o.notes.extend(notes);
            o.post_link.push(words);
            Ok(())
        }
    ),
    option!(
        "-Xspirv-translator",
        ForTarget,
        "<words>",
        "Words for the SPIR-V writer",
        |o, t, v| {
            o.spirv.push(TargetWords::new(t, v));
            Ok(())
        }
    ),
    option!(
        "-Xcuda-ptxas",
        Separate,
        "<word>",
        "A word for ptxas, which makes machine code for targets such as nvidia_gpu_sm_90",
        |o, _, v| {
            o.ptxas.push(v.to_owned());
            Ok(())
        }
    ),
    option!(
        "-fno-sycl-device-lib=",
        Joined,
        "<L,...>",
        "Device libraries to leave out: libc, libm-fp32, libm-fp64, libm-bfloat16, all",
        |o, _, v| {
            o.notes
                .extend(DeviceLibraries::notes("-fno-sycl-device-lib=", v));
            o.device_libraries.leave_out(v)
        }
    ),
    option!(
        "-fsycl-device-lib=",
        Joined,
        "<L,...>",
        "Device libraries to take in again, in the same words",
        |o, _, v| {
            o.notes
                .extend(DeviceLibraries::notes("-fsycl-device-lib=", v));
            o.device_libraries.take_in(v)
        }
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
        "--no-offload-compress",
        Flag,
        "",
        "Leave them as they are (the default)",
        |o, _, _| {
            o.compress = false;
            Ok(())
        }
    ),
    option!(
        "--offload-compression-level=",
        Joined,
        "<N>",
        "How hard images are compressed, as zstd counts",
        |o, _, v| {
            let level = v.parse().ok();
            let level = level.filter(|level| COMPRESSION_LEVELS.contains(&i64::from(*level)));
            o.compression_level = Some(level.ok_or_else(|| {
                let expected = "a number from -131072 to 22";
                OptionsError::value("--offload-compression-level=", v, expected)
            })?);
            Ok(())
        }
    ),
    option!(
        "--spirv-writer=",
        Joined,
        "<which>",
        "What writes SPIR-V: translator, translator-22, backend, internal, auto",
        |o, _, v| match v.parse::<WriterChoice>() {
            Ok(_) => {
                o.spirv_writer = Some(v.to_owned());
                Ok(())
            }
            Err(_) => Err(OptionsError::value(
                "--spirv-writer=",
                v,
                "translator, translator-22, backend, internal or auto"
            )),
        }
    ),
    option!(
        "-fno-sycl-device-code-split",
        Flag,
        "",
        "The same as -fsycl-device-code-split=off",
        |o, _, _| {
            o.split = Some(CodeSplit::Off);
            Ok(())
        }
    ),
    option!(
        "--offloadlib",
        Flag,
        "",
        "The same as -fsycl-device-lib=all",
        |o, _, _| o.device_libraries.take_in("all")
    ),
    option!(
        "--no-offloadlib",
        Flag,
        "",
        "The same as -fno-sycl-device-lib=all",
        |o, _, _| o.device_libraries.leave_out("all")
    ),
    option!(
        "-foffload-static-lib=",
        Joined,
        "<archive>",
        "Link an archive; any archive may hold device code",
        |o, _, v| {
            o.take_input(v.into());
            Ok(())
        }
    ),
    option!(
        "-foffload-whole-static-lib=",
        Joined,
        "<archive>",
        "Link every member of an archive",
        |o, _, v| {
            o.clang.push("-Wl,--whole-archive".into());
            o.take_input(v.into());
            o.clang.push("-Wl,--no-whole-archive".into());
            Ok(())
        }
    ),
    option!(
        "-fsycl-dump-device-code=",
        Joined,
        "<folder>",
        "Write the SPIR-V modules that the link makes into this folder too",
        |o, _, v| {
            o.dump_device_code = Some(v.into());
            Ok(())
        }
    ),
    option!(
        "-reuse-exe=",
        Joined,
        "<program>",
        "Have aoc take the FPGA image out of this program where it would make the same",
        |o, _, v| {
            o.reuse_exe = Some(v.to_owned());
            Ok(())
        }
    ),
    option!(
        "-ftarget-compile-fast",
        Flag,
        "",
        "Have Intel's GPU compiler spend less time on optimization",
        |o, _, _| {
            o.implied.compile_fast = true;
            Ok(())
        }
    ),
    option!(
        "-fno-target-compile-fast",
        Flag,
        "",
        "Have it spend all that it takes (the default)",
        |o, _, _| {
            o.implied.compile_fast = false;
            Ok(())
        }
    ),
    option!(
        "-ftarget-register-alloc-mode=",
        Joined,
        "<arch:mode,...>",
        "How many registers kernels get: pvc:auto, pvc:default, pvc:large, pvc:small",
        |o, _, v| {
            for mode in list("-ftarget-register-alloc-mode=", v)? {
                o.implied.registers = Some(mode.parse()?);
            }
            Ok(())
        }
    ),
    option!(
        "-foffload-fp32-prec-div",
        Flag,
        "",
        "Have device compilers round quotients of float correctly",
        |o, _, _| {
            o.implied.correct_quotients = true;
            Ok(())
        }
    ),
    option!(
        "-fno-offload-fp32-prec-div",
        Flag,
        "",
        "Do not ask for it (the default)",
        |o, _, _| {
            o.implied.correct_quotients = false;
            Ok(())
        }
    ),
    option!(
        "-foffload-fp32-prec-sqrt",
        Flag,
        "",
        "Have device compilers round square roots of float correctly",
        |o, _, _| {
            o.implied.correct_roots = true;
            Ok(())
        }
    ),
    option!(
        "-fno-offload-fp32-prec-sqrt",
        Flag,
        "",
        "Do not ask for it (the default)",
        |o, _, _| {
            o.implied.correct_roots = false;
            Ok(())
        }
    ),
    option!(
        "-fsycl-fp32-prec-sqrt",
        Flag,
        "",
        "The same as -foffload-fp32-prec-sqrt",
        |o, _, _| {
            o.implied.correct_roots = true;
            Ok(())
        }
    ),
    option!(
        "-fno-sycl-fp32-prec-sqrt",
        Flag,
        "",
        "The same as -fno-offload-fp32-prec-sqrt",
        |o, _, _| {
            o.implied.correct_roots = false;
            Ok(())
        }
    ),
    // Behind all others that begin so: what follows it in the word is its value.
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
];

/// Of the words for kinds of links the last one counts. Whether there was one for ThinLTO before it.
fn no_thin_link(options: &mut Options, word: &str) -> bool {
    let was_thin = std::mem::take(&mut options.thin_lto);
    if was_thin {
        options.notes.push(Note::WithoutEffect {
            word: "-foffload-lto=thin".to_owned(),
            because: match word {
                "-fno-offload-lto" => "'-fno-offload-lto' follows it",
                _ => "'-foffload-lto=full' follows it",
            },
        });
    }
    was_thin
}

/// Device code is linked and optimized as a whole, which it is without a word of it.
fn whole_link(options: &mut Options, word: &str) {
    no_thin_link(options, word);
    options.notes.push(Note::WithoutEffect {
        word: word.to_owned(),
        because: "device code is linked and optimized as a whole in any case",
    });
}

/// How many images a link may work on at a time.
fn jobs(option: &'static str, text: &str) -> Result<usize, OptionsError> {
    let jobs = text.parse().ok().filter(|jobs| *jobs > 0);
    jobs.ok_or_else(|| OptionsError::value(option, text, "a number above 0"))
}

//! Options of DPC++'s driver, and of Intel's, that change nothing here, each with the reason. Build files that come from
//! there bring them, and clang knows none.

use super::super::options::{Note, OptionsError};

/// Options that change nothing for one reason.
struct Group {
    because: &'static str,
    /// Switches, each also as its opposite: `-fNAME`, `-fno-NAME`.
    switches: &'static [&'static str],
    /// Whole words.
    words: &'static [&'static str],
    /// The beginnings of those with a value, and the values there are; any when none is listed.
    values: &'static [(&'static str, &'static [&'static str])],
}

const NONE: Group = Group {
    because: "",
    switches: &[],
    words: &[],
    values: &[],
};

static TABLE: &[Group] = &[
    Group {
        because: "a kernel runs over the range that it is started with, which is never rounded",
        words: &["-fsycl-disable-range-rounding", "-fsycl-exp-range-rounding"],
        values: &[("-fsycl-range-rounding=", &["disable", "on", "force"])],
        ..NONE
    },
    Group {
        because: "how device code is optimized follows from -O alone",
        switches: &[
            "sycl-early-optimizations",
            "sycl-force-inline-kernel-lambda",
            "sycl-optimize-non-user-code",
            "sycl-remove-unused-external-funcs",
        ],
        ..NONE
    },
    Group {
        because: "kernels need no names",
        switches: &["sycl-unnamed-lambda"],
        ..NONE
    },
    Group {
        because: "what a kernel captures is passed as it needs be, whatever its layout",
        switches: &["sycl-decompose-functor", "sycl-std-layout-kernel-params"],
        ..NONE
    },
    Group {
        because: "device code of several sources is always linked together",
        switches: &["sycl-rdc", "gpu-rdc"],
        ..NONE
    },
    Group {
        because: "objects hold LLVM bitcode, and the link writes SPIR-V",
        switches: &["sycl-use-bitcode", "sycl-use-spirv-backend-for-spirv-gen"],
        values: &[("-fsycl-device-obj=", &["llvmir"])],
        ..NONE
    },
    Group {
        because: "device code is never instrumented",
        switches: &["sycl-instrument-device-code"],
        ..NONE
    },
    Group {
        because: "images keep no information that only tools read",
        switches: &["sycl-preserve-device-nonsemantic-metadata"],
        ..NONE
    },
    Group {
        because: "device images of any size are linked",
        switches: &["link-huge-device-code", "sycl-link-huge-device-code"],
        ..NONE
    },
    Group {
        because: "device libraries are linked when the program is",
        switches: &["sycl-device-lib-jit-link", "sycl-link-spirv"],
        ..NONE
    },
    Group {
        because: "device code for PTX takes its functions from this toolchain's own libraries",
        switches: &["sycl-libspirv"],
        values: &[("-fsycl-libspirv-path=", &[])],
        ..NONE
    },
    Group {
        because: "kernels are not fused when the program runs",
        switches: &["sycl-embed-ir"],
        ..NONE
    },
    Group {
        because: "the link finds out by itself which images others depend on",
        switches: &["target-export-symbols"],
        ..NONE
    },
    Group {
        because: "the integration header says all that the host has to know",
        switches: &["sycl-use-footer"],
        ..NONE
    },
    Group {
        because: "one image serves all values of specialization constants",
        switches: &["sycl-add-default-spec-consts-image"],
        ..NONE
    },
    Group {
        because: "there are no ESIMD kernels here",
        switches: &[
            "sycl-device-code-lower-esimd",
            "sycl-device-code-split-esimd",
            "sycl-esimd-build-host-code",
            "sycl-esimd-force-stateless-mem",
            "sycl-explicit-simd",
        ],
        ..NONE
    },
    Group {
        because: "a call through a pointer in device code is an error all the same",
        switches: &["sycl-allow-func-ptr"],
        values: &[("-fsycl-allow-func-ptr=", &["labels", "defined", "off"])],
        ..NONE
    },
    Group {
        because: "device code is held to SYCL's rules by errors",
        words: &[
            "-Wsycl-strict",
            "-Wno-sycl-strict",
            "-Wno-error=sycl-strict",
        ],
        ..NONE
    },
    Group {
        because: "mathematical functions on devices are as accurate as SYCL asks in any case",
        values: &[("-ffp-accuracy=", &["low", "sycl"])],
        ..NONE
    },
    Group {
        because: "quotients, roots and small numbers are the processor's own, and on devices as SYCL asks, \
                  unless '-ffast-math' asks for others",
        words: &[
            "-ftz",
            "-no-ftz",
            "-no-prec-div",
            "-no-prec-sqrt",
            "-prec-div",
            "-prec-sqrt",
        ],
        values: &[("-fp-speculation=", &["fast", "off", "safe", "strict"])],
        ..NONE
    },
    Group {
        because: "mathematical functions of the host are those of its C library",
        words: &["-fimf-use-svml"],
        values: &[
            ("-fimf-absolute-error=", &[]),
            ("-fimf-accuracy-bits=", &[]),
            ("-fimf-arch-consistency=", &[]),
            ("-fimf-domain-exclusion=", &[]),
            ("-fimf-max-error=", &[]),
            ("-fimf-precision=", &[]),
            ("-fimf-use-svml=", &[]),
        ],
        ..NONE
    },
    Group {
        because: "none of Intel's libraries are linked in any case",
        words: &[
            "-no-intel-lib",
            "-qactypes",
            "-shared-intel",
            "-static-intel",
        ],
        values: &[("-no-intel-lib=", &[])],
        ..NONE
    },
    Group {
        because: "clang decides by itself what is inlined and says nothing of how it optimizes",
        words: &["-qopt-report", "-traceback"],
        values: &[
            ("-inline-level=", &["0", "1", "2"]),
            ("-qopt-report=", &[]),
            ("-qopt-report-file=", &[]),
        ],
        ..NONE
    },
    Group {
        because: "code of the host is optimized source by source, unless '-flto' asks for more",
        words: &["-ipo", "-no-ipo"],
        ..NONE
    },
    Group {
        because: "clang's warnings have names and no numbers",
        values: &[("-diag-disable=", &[]), ("-wd", &[])],
        ..NONE
    },
    Group {
        because: "it is so here in any case",
        words: &[
            "-fno-sycl-cuda-compatibility",
            "-fno-sycl-fp64-conv-emu",
            "-fno-sycl-pstl-offload",
        ],
        ..NONE
    },
];

/// What is said of `word` when it is such an option.
///
/// # Errors
/// When it is one, and its value is none that the option has.
pub(in super::super) fn note(word: &str) -> Result<Option<Note>, OptionsError> {
    let switch = word
        .strip_prefix("-f")
        .map(|name| name.strip_prefix("no-").unwrap_or(name));
    for group in TABLE {
        let mut known = switch.is_some_and(|name| group.switches.contains(&name))
            || group.words.contains(&word);
        for (begin, values) in group.values {
            let Some(value) = word.strip_prefix(begin) else {
                continue;
            };
            // What is refused says why by itself.
            if super::refused::reason(word).is_some() {
                continue;
            }
            if !values.is_empty() && !values.contains(&value) {
                return Err(OptionsError::UnknownValue {
                    option: begin,
                    value: value.to_owned(),
                    expected: values,
                });
            }
            known = true;
        }
        if known {
            return Ok(Some(Note::WithoutEffect {
                word: word.to_owned(),
                because: group.because,
            }));
        }
    }
    Ok(None)
}

/// Their lines in `--help`.
pub(in super::super) fn help() -> String {
    let mut text =
        "\nOptions of DPC++ and Intel's compilers that are taken and change nothing (-v says why):\n".to_owned();
    for group in TABLE {
        for name in group.switches {
            text.push_str(&format!("  -f[no-]{name}\n"));
        }
        for word in group.words {
            text.push_str(&format!("  {word}\n"));
        }
        for (begin, values) in group.values {
            let values = match values {
                [] => "<value>".to_owned(),
                values => values.join("|"),
            };
            text.push_str(&format!("  {begin}{values}\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_a_switch_are_known() {
        for word in [
            "-fsycl-rdc",
            "-fno-sycl-rdc",
            "-fsycl-range-rounding=on",
            "-fsycl-allow-func-ptr",
            "-fsycl-libspirv-path=anything",
        ] {
            assert!(note(word).unwrap().is_some(), "{word}");
        }
        for word in [
            "-fsycl",
            "-fno-sycl",
            "-fsycl-force-target=spir64",
            "-frdc",
            "sycl-rdc",
        ] {
            assert_eq!(note(word), Ok(None), "{word}");
        }
    }

    #[test]
    fn values_are_checked() {
        let reason = note("-fsycl-range-rounding=bogus").unwrap_err().to_string();
        assert_eq!(
            reason,
            "invalid value 'bogus' in '-fsycl-range-rounding=': expected disable, on or force"
        );
    }
}

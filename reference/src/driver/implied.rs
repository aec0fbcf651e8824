//! What device compilers are told that the user has said in the compiler's own words: debug
//! information, registers, how long to optimize, how to round (`MODEL`, "Ahead Of Time Compilation":
//! implied options). Levels are no part of it: each module brings its own.

use std::ffi::OsString;
use std::str::FromStr;

use offload_formats::targets::{Kind, Target};

use super::clang_words::without_values;
use super::options::OptionsError;

/// The options that imply such words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Implied {
    /// `-ftarget-compile-fast`.
    pub compile_fast: bool,
    /// `-ftarget-register-alloc-mode=`.
    pub registers: Option<Registers>,
    /// `-foffload-fp32-prec-div`.
    pub correct_quotients: bool,
    /// `-foffload-fp32-prec-sqrt`.
    pub correct_roots: bool,
}

/// How many registers a kernel gets on the one architecture that lets one choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registers {
    /// As the device compiler sees fit.
    Auto,
    /// As the device compiler does without a word of it.
    Default,
    /// The many.
    Large,
    /// The few.
    Small,
}

/// The architecture of [`Registers`].
const WITH_MODES: &str = "pvc";

impl FromStr for Registers {
    type Err = OptionsError;

    fn from_str(text: &str) -> Result<Self, OptionsError> {
        match text {
            "pvc:auto" => Ok(Registers::Auto),
            "pvc:default" => Ok(Registers::Default),
            "pvc:large" => Ok(Registers::Large),
            "pvc:small" => Ok(Registers::Small),
            _ => Err(OptionsError::UnknownValue {
                option: "-ftarget-register-alloc-mode=",
                value: text.to_owned(),
                expected: &["pvc:auto", "pvc:default", "pvc:large", "pvc:small"],
            }),
        }
    }
}

impl Registers {
    /// The front end's word for it, which the runtime translates for its device.
    fn front_end_word(self) -> Option<&'static str> {
        match self {
            Registers::Auto => Some("-ftarget-register-alloc-mode=pvc:auto"),
            Registers::Default => None,
            Registers::Large => Some("-ftarget-register-alloc-mode=pvc:large"),
            Registers::Small => Some("-ftarget-register-alloc-mode=pvc:small"),
        }
    }

    /// The word of Intel's GPU compiler.
    fn gpu_word(self) -> Option<&'static str> {
        match self {
            Registers::Auto => Some("-ze-intel-enable-auto-large-GRF-mode"),
            Registers::Default => None,
            Registers::Large => Some("-ze-opt-large-register-file"),
            Registers::Small => Some("-ze-intel-128-GRF-per-thread"),
        }
    }
}

impl Implied {
    /// The build options for `target`, of which `given` are the user's own words; `clang` are the words
    /// of the command line that clang sees.
    #[must_use]
    pub(super) fn build_options(
        &self,
        clang: &[OsString],
        target: &Target,
        given: &[String],
    ) -> Vec<&'static str> {
        let (run_time, gpu) = (target.kind == Kind::Jit, target.kind == Kind::IntelGpu);
        if !run_time && !gpu && target.kind != Kind::Cpu {
            return Vec::new();
        }
        let mut options = Vec::new();
        if is_debug(clang) {
            options.push("-g");
        }
        if self.correct_quotients || self.correct_roots {
            options.push("-cl-fp32-correctly-rounded-divide-sqrt");
        }
        if self.compile_fast && run_time {
            options.push("-ftarget-compile-fast");
        }
        if self.compile_fast && gpu {
            options.push("-igc_opts 'PartitionUnit=1,SubroutineThreshold=50000'");
        }
        if run_time {
            options.extend(self.registers.and_then(Registers::front_end_word));
        }
        if gpu && (target.device == WITH_MODES || given.iter().any(|word| word == WITH_MODES)) {
            options.extend(self.registers.and_then(Registers::gpu_word));
        }
        options
    }
}

/// Whether the last word about debug information asks for some.
fn is_debug(clang: &[OsString]) -> bool {
    let about = without_values(clang).filter_map(|word| match word.to_str()? {
        "-g0" | "-ggdb0" => Some(false),
        "-g" | "-g1" | "-g2" | "-g3" | "-gline-tables-only" | "-gline-directives-only" => {
            Some(true)
        }
        word => (word.starts_with("-ggdb") || word.starts_with("-gdwarf")).then_some(true),
    });
    about.last().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use offload_formats::targets;

    fn options(implied: &Implied, line: &str, target: &str) -> Vec<&'static str> {
        let clang: Vec<OsString> = line.split(' ').map(Into::into).collect();
        implied.build_options(&clang, targets::find(target).unwrap(), &[])
    }

    #[test]
    fn the_last_word_about_debug_information_counts() {
        let none = Implied::default();
        assert_eq!(options(&none, "-g a.cpp", "spir64"), ["-g"]);
        assert_eq!(options(&none, "-ggdb3 a.cpp", "x86_64_avx2"), ["-g"]);
        assert!(options(&none, "-g -g0 a.cpp", "spir64").is_empty());
        assert!(options(&none, "-MF -g a.cpp", "spir64").is_empty());
        assert!(options(&none, "-g a.cpp", "spir64_fpga").is_empty());
        assert!(options(&none, "-g a.cpp", "ptx64").is_empty());
    }

    #[test]
    fn registers_are_a_matter_of_one_architecture() {
        let large = Implied {
            registers: Some("pvc:large".parse().unwrap()),
            ..Implied::default()
        };
        let word = "-ze-opt-large-register-file";
        assert_eq!(options(&large, "a.cpp", "intel_gpu_pvc"), [word]);
        assert!(options(&large, "a.cpp", "intel_gpu_skl").is_empty());
        assert_eq!(
            options(&large, "a.cpp", "spir64"),
            ["-ftarget-register-alloc-mode=pvc:large"]
        );
        let generic = targets::find("spir64_gen").unwrap();
        let given = ["-device", "pvc"].map(str::to_owned);
        assert_eq!(large.build_options(&[], generic, &given), [word]);
        assert!("dg2:auto".parse::<Registers>().is_err());
    }
}

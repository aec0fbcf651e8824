//! The targets of a command line: `-fsycl-targets=`, `--offload-arch=`, `-fintelfpga`, cut down by
//! `-fsycl-fixed-targets=`.

use offload_formats::targets::{self, Kind, Target, UnknownTarget};

use super::options::Options;
use super::target_words::{TargetWords, words_for};

/// A command line names a target that no device code can be made for.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// A name that is no target's.
    #[error(transparent)]
    Unknown(#[from] UnknownTarget),
    /// A target that only finished images can be linked for.
    #[error(
        "cannot compile device code for '{name}': this toolchain has no compiler for AMD's GPUs"
    )]
    NoCompiler {
        /// The target.
        name: &'static str,
    },
    /// DPC++'s target without a device.
    #[error(
        "there is no target 'native_cpu': device code runs on the CPU through OpenCL, compiled for \
         'spir64' when the program runs or for 'spir64_x86_64' ahead of time"
    )]
    NativeCpu,
    /// An architecture beside targets that none of them has.
    #[error("'--offload-arch={architecture}' is an architecture of no target of '-fsycl-targets='")]
    NoTarget {
        /// The architecture.
        architecture: String,
    },
}

/// What the targets of a command line come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceTargets {
    /// What device code is compiled for, in order; never empty.
    pub compiled: Vec<&'static Target>,
    /// What `-fsycl-fixed-targets=` names.
    pub fixed: Vec<&'static Target>,
    /// A remark for the user.
    pub warning: Option<String>,
}

impl DeviceTargets {
    /// The targets that `options` ask for; `spir64` when they name none.
    ///
    /// # Errors
    /// When a name is no target's, or a target that nothing compiles for.
    pub fn of(options: &Options) -> Result<DeviceTargets, TargetError> {
        let fixed = parse(&options.fixed_targets)?;
        let asked = match (options.targets.as_slice(), options.offload_arch.as_slice()) {
            ([], []) if options.fpga => targets::parse_list("spir64_fpga")?,
            ([], []) => Vec::new(),
            ([], architectures) => by_architecture(architectures)?,
            (names, architectures) => with_architectures(parse(names)?, architectures)?,
        };
        let asked = by_backend_words(asked, &options.backend)?;
        let targets = cut_down(asked, fixed);
        match targets.compiled.iter().find(|t| t.kind == Kind::Amd) {
            Some(target) => Err(TargetError::NoCompiler { name: target.name }),
            None => Ok(targets),
        }
    }
}

fn parse(names: &[String]) -> Result<Vec<&'static Target>, TargetError> {
    match names {
        [] => Ok(Vec::new()),
        names if names.iter().any(|name| name == "native_cpu") => Err(TargetError::NativeCpu),
        names => Ok(targets::parse_list(&names.join(","))?),
    }
}

/// The architectures that a word for NVIDIA's compiler names, as DPC++'s build files choose them.
#[must_use]
pub fn architecture_word(word: &str) -> Option<&str> {
    let options = ["--offload-arch=", "--cuda-gpu-arch=", "-march="];
    options.iter().find_map(|option| word.strip_prefix(option))
}

/// The generic NVIDIA target as the architectures that the words for it name.
fn by_backend_words(
    asked: Vec<&'static Target>,
    words: &[TargetWords],
) -> Result<Vec<&'static Target>, UnknownTarget> {
    let mut targets = Vec::new();
    for target in asked {
        let mut named = Vec::new();
        if target.kind == Kind::Nvidia && target.device.is_empty() {
            let words: Vec<String> = words_for(words, target).collect();
            let lists = words.iter().filter_map(|word| architecture_word(word));
            for name in lists.flat_map(|list| list.split(',')) {
                let found = targets::architecture(Kind::Nvidia, name);
                named.push(found.ok_or_else(|| UnknownTarget { name: name.into() })?);
            }
        }
        let specific = match named.as_slice() {
            [] => vec![target],
            _ => named,
        };
        targets.extend(specific);
    }
    Ok(each_once(targets))
}

/// Targets with architectures beside: each architecture takes the place of the generic target of its
/// kind.
fn with_architectures(
    asked: Vec<&'static Target>,
    names: &[String],
) -> Result<Vec<&'static Target>, TargetError> {
    let mut named = Vec::new();
    for name in names {
        let target = by_name(name)?;
        if !asked.iter().any(|asked| asked.kind == target.kind) {
            let architecture = name.clone();
            return Err(TargetError::NoTarget { architecture });
        }
        named.push(target);
    }
    let mut targets: Vec<&'static Target> = Vec::new();
    for target in asked {
        let own = named.iter().filter(|named| named.kind == target.kind);
        let own: Vec<&'static Target> = own.copied().collect();
        match target.device.is_empty() && !own.is_empty() {
            true => targets.extend(own),
            false => targets.push(target),
        }
    }
    Ok(each_once(targets))
}

fn each_once(targets: Vec<&'static Target>) -> Vec<&'static Target> {
    let mut once = Vec::new();
    for target in targets {
        if !once.contains(&target) {
            once.push(target);
        }
    }
    once
}

/// The architecture that `--offload-arch=` names.
fn by_name(name: &str) -> Result<&'static Target, UnknownTarget> {
    let kinds = [Kind::IntelGpu, Kind::Nvidia, Kind::Amd, Kind::Cpu];
    let mut found = kinds
        .into_iter()
        .filter_map(|kind| targets::architecture(kind, name));
    let found = found.next().or_else(|| targets::find(name));
    found.ok_or_else(|| UnknownTarget { name: name.into() })
}

/// Whether device code for the target is SPIR-V on its way.
#[must_use]
pub fn is_spirv(target: &Target) -> bool {
    !matches!(target.kind, Kind::Nvidia | Kind::Amd)
}

/// The triple that stock clang compiles for: it knows no SPIR-V sub-architectures, which only the
/// link tells apart.
#[must_use]
pub fn clang_triple(target: &Target) -> &'static str {
    if is_spirv(target) {
        "spir64-unknown-unknown"
    } else {
        target.triple()
    }
}

/// The macros by which code can tell the architectures that it is compiled for: device code its own,
/// the host's half all of them.
#[must_use]
pub fn macro_definitions(target: &Target) -> Vec<String> {
    let mut names = Vec::new();
    if target.kind == Kind::Cpu {
        names.push("INTEL_X86_64".to_owned());
    }
    if !target.device.is_empty() {
        names.push(target.name.to_uppercase());
    }
    let define = |name: String| format!("-D__SYCL_TARGET_{name}__=1");
    names.into_iter().map(define).collect()
}

/// The targets of `--offload-arch=`: ahead of time for each, and `spir64` as the back-up of the
/// Intel ones. Those that need no back-up come first, the back-up last (OFF "Compilation Process").
fn by_architecture(names: &[String]) -> Result<Vec<&'static Target>, UnknownTarget> {
    let mut found = Vec::new();
    for name in names {
        let target = by_name(name)?;
        if !found.contains(&target) {
            found.push(target);
        }
    }
    found.sort_by_key(|target| is_spirv(target));
    let backed_up = found.iter().any(|target| is_spirv(target));
    found.extend(targets::find("spir64").filter(|jit| backed_up && !found.contains(jit)));
    Ok(found)
}

/// Drops the ahead-of-time targets that are not among the fixed ones (FEAT
/// "-fsycl-fixed-targets"). What is compiled when the program runs stays.
fn cut_down(asked: Vec<&'static Target>, fixed: Vec<&'static Target>) -> DeviceTargets {
    let nothing_asked = asked.is_empty();
    let mut compiled: Vec<_> = asked
        .into_iter()
        .filter(|target| fixed.is_empty() || target.kind == Kind::Jit || fixed.contains(target))
        .collect();
    let mut warning = None;
    if compiled.is_empty() {
        compiled.extend(targets::find("spir64"));
        warning = (!nothing_asked).then(|| {
            "no target of '-fsycl-targets=' is among '-fsycl-fixed-targets='; device code is \
             compiled for spir64 alone"
                .to_owned()
        });
    }
    DeviceTargets {
        compiled,
        fixed,
        warning,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn names(line: &str) -> Vec<&'static str> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let options = Options::parse(&words).unwrap();
        let targets = DeviceTargets::of(&options).unwrap();
        targets.compiled.iter().map(|target| target.name).collect()
    }

    #[test]
    fn architectures_are_compiled_ahead_with_a_back_up_for_intel() {
        assert_eq!(
            names("-fsycl --offload-arch=pvc,sm_52 a.cpp"),
            ["nvidia_gpu_sm_52", "intel_gpu_pvc", "spir64"]
        );
        assert_eq!(
            names("-fsycl --offload-arch=sm_52 a.cpp"),
            ["nvidia_gpu_sm_52"]
        );
    }

    #[test]
    fn words_for_nvidia_s_compiler_choose_the_architecture() {
        let line = "-fsycl -fsycl-targets=nvptx64-nvidia-cuda a.cpp";
        assert_eq!(names(line), ["ptx64"]);
        for words in [
            "-Xsycl-target-backend=nvptx64-nvidia-cuda --offload-arch=sm_86",
            "-Xsycl-target-backend --cuda-gpu-arch=sm_86",
        ] {
            assert_eq!(names(&format!("{words} {line}")), ["nvidia_gpu_sm_86"]);
        }
    }

    #[test]
    fn architectures_beside_targets_take_the_place_of_generic_ones() {
        assert_eq!(
            names("-fsycl --offload-targets=spir64,nvptx64 --offload-arch=sm_80,sm_90 a.cpp"),
            ["spir64", "nvidia_gpu_sm_80", "nvidia_gpu_sm_90"]
        );
        assert_eq!(
            names("-fsycl --offload-arch=bmg_g21,graniterapids a.cpp"),
            ["intel_gpu_bmg_g21", "x86_64_avx512", "spir64"]
        );
    }

    #[test]
    fn the_default_is_spir64_and_order_is_kept() {
        assert_eq!(names("-fsycl a.cpp"), ["spir64"]);
        assert_eq!(
            names("-fsycl -fsycl-targets=spir64,intel_gpu_12_0,ptx64 a.cpp"),
            ["spir64", "intel_gpu_tgllp", "ptx64"]
        );
        assert_eq!(names("-fsycl -fintelfpga a.cpp"), ["spir64_fpga"]);
    }

    #[test]
    fn fixed_targets_cut_ahead_of_time_targets_down() {
        assert_eq!(
            names(
                "-fsycl -fsycl-targets=spir64,intel_gpu_skl,intel_gpu_pvc \
                 -fsycl-fixed-targets=intel_gpu_pvc,intel_gpu_dg1 a.cpp"
            ),
            ["spir64", "intel_gpu_pvc"]
        );
        assert_eq!(
            names("-fsycl -fsycl-targets=intel_gpu_skl -fsycl-fixed-targets=intel_gpu_pvc a.cpp"),
            ["spir64"]
        );
    }

    #[test]
    fn unknown_targets_are_named() {
        let words = ["-fsycl", "-fsycl-targets=spir65", "a.cpp"].map(OsString::from);
        let options = Options::parse(&words).unwrap();
        let error = DeviceTargets::of(&options).unwrap_err().to_string();
        assert!(error.contains("'spir65'"), "{error}");
    }
}

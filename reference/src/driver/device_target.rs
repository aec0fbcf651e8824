//! The targets of a command line: `-fsycl-targets=`, `--offload-arch=`, `-fintelfpga`, cut down by
//! `-fsycl-fixed-targets=`.

use offload_formats::targets::{self, Kind, Target, UnknownTarget};

use super::options::Options;

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
        let asked = if !options.offload_arch.is_empty() {
            by_architecture(&options.offload_arch)?
        } else if options.fpga {
            targets::parse_list("spir64_fpga")?
        } else {
            parse(&options.targets)?
        };
        let targets = cut_down(asked, fixed);
        match targets.compiled.iter().find(|t| t.kind == Kind::Amd) {
            Some(target) => Err(TargetError::NoCompiler { name: target.name }),
            None => Ok(targets),
        }
    }
}

fn parse(names: &[String]) -> Result<Vec<&'static Target>, UnknownTarget> {
    match names {
        [] => Ok(Vec::new()),
        names => targets::parse_list(&names.join(",")),
    }
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

/// The macro by which device code can tell the architecture that it is compiled for.
#[must_use]
pub fn macro_definition(target: &Target) -> Option<String> {
    let specific = !target.device.is_empty();
    specific.then(|| format!("-D__SYCL_TARGET_{}__=1", target.name.to_uppercase()))
}

/// The targets of `--offload-arch=`: ahead of time for each, and `spir64` as the back-up of the
/// Intel ones. Those that need no back-up come first, the back-up last (OFF "Compilation Process").
fn by_architecture(names: &[String]) -> Result<Vec<&'static Target>, UnknownTarget> {
    let mut found = Vec::new();
    for name in names {
        let vendors = ["", "intel_gpu_", "nvidia_gpu_", "amd_gpu_"];
        let target = vendors
            .iter()
            .find_map(|vendor| targets::find(&format!("{vendor}{name}")));
        let target = target.ok_or_else(|| UnknownTarget { name: name.clone() })?;
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

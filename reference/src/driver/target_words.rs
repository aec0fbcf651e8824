//! Words of the command line that are for the tools of one target.

use offload_formats::targets::{self, Kind, Target};

use super::TOOL;
use super::device_target::DeviceTargets;
use super::options::Options;
use crate::response::words_of;
use crate::tool::{Failure, say};

/// Words for one target's tool, or for every target's when `target` is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetWords {
    /// The target as the user named it.
    pub target: Option<String>,
    /// The words, taken apart as a shell would.
    pub words: Vec<String>,
}

impl TargetWords {
    pub(super) fn new(target: Option<&str>, value: &str) -> Self {
        TargetWords {
            target: target.map(str::to_owned),
            words: words_of(value),
        }
    }

    /// Whether the words are for `target`. Those for NVIDIA's GPUs at large are for each of them:
    /// words among them say which it is.
    #[must_use]
    pub fn is_for(&self, target: &Target) -> bool {
        let Some(name) = &self.target else {
            return true;
        };
        targets::find(name).is_some_and(|named| {
            let at_large = named.device.is_empty() && named.kind == Kind::Nvidia;
            named == target || at_large && target.kind == Kind::Nvidia
        })
    }
}

/// All words in `given` for `target`.
pub(super) fn words_for<'a>(
    given: &'a [TargetWords],
    target: &'a Target,
) -> impl Iterator<Item = String> + 'a {
    given
        .iter()
        .filter(|words| words.is_for(target))
        .flat_map(|words| words.words.iter().cloned())
}

/// Words for no particular target need a command line with one target; words for a target that the
/// command line lacks draw a warning.
///
/// # Errors
/// When words could be for several targets.
pub(super) fn check(options: &Options, targets: &DeviceTargets) -> Result<(), Failure> {
    let has_machine_code =
        |target: &&Target| target.kind == Kind::Nvidia && !target.device.is_empty();
    if !options.ptxas.is_empty() && !targets.compiled.iter().any(has_machine_code) {
        say(&format!(
            "{TOOL}: warning: '-Xcuda-ptxas' is for no target of this command: ptxas makes code for \
             targets that name an architecture, such as nvidia_gpu_sm_90\n"
        ));
    }
    let lists = [
        (&options.backend, "-Xsycl-target-backend"),
        (&options.linker, "-Xsycl-target-linker"),
        (&options.frontend, "-Xsycl-target-frontend"),
    ];
    let shared = [
        (&options.post_link, "-Xdevice-post-link"),
        (&options.spirv, "-Xspirv-translator"),
    ];
    for (list, option) in lists.into_iter().chain(shared) {
        // These tools are the same for every target.
        let needs_target = !shared.iter().any(|(_, name)| *name == option);
        for words in list {
            let known = targets.compiled.iter().any(|target| words.is_for(target));
            match &words.target {
                None if needs_target && targets.compiled.len() > 1 => {
                    return Err(Failure::Usage(format!(
                        "'{option}' with several targets needs one of them: '{option}=<target>'"
                    )));
                }
                Some(name) if !known => {
                    say(&format!(
                        "{TOOL}: warning: '{option}={name}' names no target of this command\n"
                    ));
                }
                _ => {}
            }
        }
    }
    let is_fpga = |target: &&Target| target.kind == Kind::Fpga;
    if let Some(program) = &options.reuse_exe
        && !targets.compiled.iter().any(is_fpga)
    {
        say(&format!(
            "{TOOL}: warning: '-reuse-exe={program}' is for FPGA, which is no target of this command\n"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    #[test]
    fn target_words_come_apart() {
        let words: Vec<OsString> = [
            "-fsycl",
            "-fsycl-targets=spir64_gen, intel_gpu_skl",
            "-Xsycl-target-backend=spir64_gen",
            "-device pvc -options '-a -b'",
            "-Xs",
            "-g",
            "-Xshardware",
            "-Xspirv-translator",
            "-spirv-ext=+all",
        ]
        .map(OsString::from)
        .to_vec();
        let options = Options::parse(&words).unwrap();
        assert_eq!(options.targets, ["spir64_gen", "intel_gpu_skl"]);
        let backend: Vec<_> = options
            .backend
            .iter()
            .map(|b| (b.target.as_deref(), b.words.join("|")))
            .collect();
        assert_eq!(
            backend,
            [
                (Some("spir64_gen"), "-device|pvc|-options|-a -b".to_owned()),
                (None, "-g".to_owned()),
                (None, "-hardware".to_owned()),
            ]
        );
        assert_eq!(options.spirv[0].words, ["-spirv-ext=+all"]);
        assert!(options.clang.is_empty());
    }
}

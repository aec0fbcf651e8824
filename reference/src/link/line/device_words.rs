//! Words for the tools of one target: `[KIND:][TRIPLE[-ARCH]=]WORDS`, as upstream's wrapper has it.

use std::str::FromStr;

use offload_formats::offload_binary::OffloadKind;
use offload_formats::targets::Kind;

use crate::link::{DeviceTarget, Words};

/// Words for one target, or for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceWords {
    /// The target; every one when `None`.
    pub target: Option<DeviceTarget>,
    /// Whether they are for SYCL; those for another programming model have no part in its link.
    pub for_sycl: bool,
    /// The words.
    pub words: Vec<String>,
}

impl FromStr for DeviceWords {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, text) = match text.split_once(':') {
            Some((kind, rest)) if kind.parse::<OffloadKind>().is_ok() => (Some(kind), rest),
            _ => (None, text),
        };
        let target = text
            .split_once('=')
            .and_then(|(target, rest)| Some((target_of(target)?, rest)));
        let (target, words) = match target {
            Some((target, words)) => (Some(target), words),
            None => (None, text),
        };
        Ok(DeviceWords {
            target,
            for_sycl: kind.is_none_or(|kind| kind == OffloadKind::Sycl.name()),
            words: words.parse::<Words>()?.0,
        })
    }
}

/// The target of `TRIPLE[-ARCH]`, if it is one that is known.
fn target_of(text: &str) -> Option<DeviceTarget> {
    if text.starts_with('-') {
        return None;
    }
    let mut parts = text.splitn(4, '-');
    let triple: Vec<&str> = parts.by_ref().take(3).collect();
    let target = DeviceTarget::new(&triple.join("-"), parts.next().unwrap_or_default());
    target.kind().map(|_| target)
}

impl DeviceWords {
    /// Whether the words are for `target`: those for no architecture are for all of the triple's.
    #[must_use]
    pub fn is_for(&self, target: &DeviceTarget) -> bool {
        let fits = |own: &DeviceTarget| {
            own.is_same(target) || own.arch.is_empty() && own.triple == target.triple
        };
        self.for_sycl && self.target.as_ref().is_none_or(fits)
    }
}

/// All words of `given` for `target`.
pub fn words_for<'a>(
    given: &'a [DeviceWords],
    target: &'a DeviceTarget,
) -> impl Iterator<Item = &'a String> {
    given
        .iter()
        .filter(|words| words.is_for(target))
        .flat_map(|words| &words.words)
}

/// Words for the tool of an ahead-of-time target, as that tool's own option has them: behind the name
/// of the architecture that they are for. `None` for words of other targets.
#[must_use]
pub fn as_tool_words(given: &DeviceWords, kind: Kind) -> Option<Words> {
    let target = given.target.as_ref().filter(|_| given.for_sycl)?;
    if target.kind() != Some(kind) {
        return None;
    }
    let arch = Some(target.arch.clone()).filter(|arch| !arch.is_empty());
    Some(Words(
        arch.into_iter()
            .chain(given.words.iter().cloned())
            .collect(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> DeviceWords {
        text.parse().unwrap()
    }

    #[test]
    fn kind_and_target_may_be_left_out() {
        let words = parse("sycl:spir64_gen-unknown-unknown=-device pvc -options '-a -b'");
        assert_eq!(words.target, Some(DeviceTarget::new("spir64_gen", "")));
        assert_eq!(words.words, ["-device", "pvc", "-options", "-a -b"]);
        assert_eq!(parse("-x=1 -y").target, None);
        assert_eq!(parse("-x=1 -y").words, ["-x=1", "-y"]);
        assert!(!parse("openmp:spir64=-x").for_sycl);
        let arch = parse("nvptx64-nvidia-cuda-sm_86=-O1").target.unwrap();
        assert_eq!(arch, DeviceTarget::new("nvptx64-nvidia-cuda", "sm_86"));
    }

    #[test]
    fn words_are_for_their_target_or_all_of_its_triple() {
        let sm_86 = DeviceTarget::new("nvptx64", "sm_86");
        assert!(parse("nvptx64-nvidia-cuda=-a").is_for(&sm_86));
        assert!(parse("sycl:-a").is_for(&sm_86));
        assert!(!parse("nvptx64-nvidia-cuda-sm_80=-a").is_for(&sm_86));
        assert!(!parse("cuda:-a").is_for(&sm_86));
        assert!(!parse("spir64=-a").is_for(&sm_86));
    }
}

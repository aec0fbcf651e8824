//! The words of the wrapper's line for what ThinLTO links keep for later ones and leave to other
//! processes, spelled as LLVM's linkers have them where those do.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;

use crate::llvm::cache::Policy;

/// What a ThinLTO link keeps, and leaves to other processes.
#[derive(Debug, Clone, Default, Args)]
pub struct ThinLtoOptions {
    /// Keep what a link with --sycl-thin-lto makes in this folder, and take from it what a former link
    /// made of the same units with the same options. With --save-temps and --sycl-dump-device-code
    /// images are made all the same. The linker's words may have it too, as LLVM's linkers do:
    /// -Wl,--thinlto-cache-dir=FOLDER.
    #[arg(long = "thinlto-cache-dir", value_name = "FOLDER")]
    pub cache_dir: Option<PathBuf>,
    /// How large that folder may get, in LLVM's words: prune_interval=, prune_after=, cache_size=,
    /// cache_size_bytes= and cache_size_files=, with ':' between them.
    #[arg(long = "thinlto-cache-policy", value_name = "POLICY")]
    pub cache_policy: Option<Policy>,
    /// Write the units of a link with --sycl-thin-lto, an index for each and the commands that make their
    /// images, for other processes, into OUTPUT.thinlto; and link nothing. commands.txt there has a command
    /// a line, commands.json each with the files that it reads and writes. Their paths are as the output's
    /// is given.
    #[arg(long = "thinlto-index-only")]
    pub index_only: bool,
    /// Write the lists of imports too (FILE.imports), which --thinlto-index-only does in any case.
    #[arg(long = "thinlto-emit-imports-files")]
    pub emit_imports_files: bool,
    /// OLD;NEW: where the paths of what --thinlto-index-only writes begin with OLD, they begin with NEW.
    #[arg(long = "thinlto-prefix-replace", value_name = "OLD;NEW")]
    pub prefix_replace: Option<PrefixReplace>,
    /// The folder that --thinlto-index-only wrote: its images, when all commands are done, in the place of
    /// a device link.
    #[arg(long = "thinlto-from", value_name = "FOLDER")]
    pub from: Option<PathBuf>,
    /// The first command of a unit: optimize it, with its index and the units that it imports from.
    #[arg(long = "thinlto-optimize", value_name = "UNIT")]
    pub optimize: Option<PathBuf>,
    /// The second command of a unit: make its images.
    #[arg(long = "thinlto-images", value_name = "UNIT")]
    pub images: Option<PathBuf>,
    /// The wrapper's own words, as far as images depend on them.
    #[arg(skip)]
    pub image_words: Vec<String>,
}

/// Another beginning for paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrefixReplace {
    old: String,
    new: String,
}

impl FromStr for PrefixReplace {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (old, new) = text.split_once(';').ok_or("OLD;NEW is needed")?;
        Ok(PrefixReplace {
            old: old.to_owned(),
            new: new.to_owned(),
        })
    }
}

impl ThinLtoOptions {
    /// The place for what is to be at `path`.
    #[must_use]
    pub fn place(&self, path: &Path) -> PathBuf {
        let replace = self.prefix_replace.as_ref();
        let replaced = replace.and_then(|PrefixReplace { old, new }| {
            let rest = path.to_str()?.strip_prefix(old.as_str())?;
            Some(format!("{new}{rest}").into())
        });
        replaced.unwrap_or_else(|| path.to_owned())
    }
}

/// How options begin on which no image depends.
const NOT_OF_IMAGES: &[&str] = &[
    "-v",
    "--dry-run",
    "--fpga-link",
    "--host-triple",
    "--linker-path",
    "--parallel-link-sycl",
    "--print-wrapped-module",
    "--save-temps",
    "--shared",
    "--sycl-dump-device-code",
    "--sycl-expected-targets",
    "--sycl-target-warning",
    "--thinlto-",
    "--verbose",
    "--wrapper-",
];

/// An option with its value as one word, if images depend on it.
pub(super) fn image_word(option: &OsStr, value: Option<&OsStr>) -> Option<String> {
    let option = option.to_string_lossy();
    if NOT_OF_IMAGES.iter().any(|known| option.starts_with(known)) {
        return None;
    }
    Some(match value {
        Some(value) => format!("{option}={}", value.to_string_lossy()),
        None => option.into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::WrapperOptions;

    #[test]
    fn paths_get_another_beginning() {
        let place = |replace: Option<&str>| {
            let options = ThinLtoOptions {
                prefix_replace: replace.map(|text| text.parse().unwrap()),
                ..ThinLtoOptions::default()
            };
            options.place(Path::new("out/a.thinlto"))
        };
        assert_eq!(place(None), Path::new("out/a.thinlto"));
        assert_eq!(place(Some("out/;/tmp/")), Path::new("/tmp/a.thinlto"));
        assert_eq!(place(Some(";there/")), Path::new("there/out/a.thinlto"));
        assert_eq!(place(Some("in/;/tmp/")), Path::new("out/a.thinlto"));
        assert!("out".parse::<PrefixReplace>().is_err());
    }

    #[test]
    fn the_words_that_images_depend_on_are_known() {
        let words = [
            "--sycl-thin-lto",
            "-gen-tool-arg",
            "-device pvc",
            "--linker-path=ld",
        ];
        let more = ["-v", "--thinlto-index-only", "--", "a.o", "--compress"];
        let line: Vec<_> = words.iter().chain(&more).map(Into::into).collect();
        let options = WrapperOptions::parse_words(&line).unwrap();
        assert_eq!(
            options.thinlto.image_words,
            ["--sycl-thin-lto", "--gen-tool-arg=-device pvc"]
        );
    }
}

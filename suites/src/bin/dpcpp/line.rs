//! A driver's command line, as far as the run-time compiler has something for it.

use std::path::{Path, PathBuf};

/// What is compiled or linked, in the order of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A source.
    Source(PathBuf),
    /// An object, a library, or a word for the host's linker.
    Word(String),
}

/// A command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// Sources, and what is linked.
    pub items: Vec<Item>,
    /// Whether the result is objects (`-c`).
    pub compiles_only: bool,
    /// Whether the integration header stays, in the current folder (`-save-temps`): all that shows of what is
    /// between a source and its images.
    pub keeps_header: bool,
    output: Option<PathBuf>,
    /// How the device code is split.
    split: Option<String>,
    /// Words for both compilers.
    compiler: Vec<String>,
}

const SPLIT: &str = "-fsycl-device-code-split";

impl Line {
    /// Reads the words of a command line.
    ///
    /// # Errors
    /// When one of them means something that the run-time compiler has no part in.
    pub fn parse(words: &[String]) -> Result<Self, String> {
        let mut line = Line::default();
        let mut is_sycl = false;
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || {
                let value = words.next().cloned();
                value.ok_or_else(|| format!("'{word}' lacks what belongs to it"))
            };
            match word.as_str() {
                "-fsycl" => is_sycl = true,
                "-c" => line.compiles_only = true,
                "-save-temps" => line.keeps_header = true,
                "-o" => line.output = Some(value()?.into()),
                "-D" | "-I" | "-U" | "-include" | "-isystem" => {
                    let value = value()?;
                    line.compiler.extend([word.clone(), value]);
                }
                "-L" | "-l" => line.items.push(Item::Word(format!("{word}{}", value()?))),
                // Everything made here can stand anywhere.
                "-fPIC" | "-fpic" => {}
                "-shared" | "-pthread" => line.items.push(Item::Word(word.clone())),
                SPLIT => line.split = Some("auto".to_owned()),
                _ => line.other(word)?,
            }
        }
        match is_sycl {
            true => Ok(line),
            false => Err("without -fsycl there is no device code".to_owned()),
        }
    }

    /// Takes a word that stands alone.
    fn other(&mut self, word: &str) -> Result<(), String> {
        let split = word
            .strip_prefix(SPLIT)
            .and_then(|rest| rest.strip_prefix('='));
        let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| word.starts_with(prefix));
        let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| word.ends_with(suffix));
        if let Some(mode) = split {
            self.split = Some(mode.to_owned());
        } else if starts(&["-l", "-L", "-Wl,"]) {
            self.items.push(Item::Word(word.to_owned()));
        } else if word == "-w" || starts(&["-O", "-D", "-I", "-U", "-W", "-g", "-std="]) {
            self.compiler.push(word.to_owned());
        } else if !word.starts_with('-') && ends(&[".o", ".a", ".so"]) {
            self.items.push(Item::Word(word.to_owned()));
        } else if !word.starts_with('-') && ends(&[".cpp", ".cc"]) {
            self.items.push(Item::Source(word.into()));
        } else {
            return Err(format!(
                "DPC++'s run-time compiler has nothing for '{word}'"
            ));
        }
        Ok(())
    }

    /// The words for the run-time compiler.
    pub fn device_words(&self) -> impl Iterator<Item = String> {
        let split = self.split.iter().map(|mode| format!("{SPLIT}={mode}"));
        self.compiler.iter().cloned().chain(split)
    }

    /// The words for the host's compiler.
    pub fn host_words(&self) -> &[String] {
        &self.compiler
    }

    /// The object that a source is compiled to.
    pub fn object_of(&self, source: &Path) -> PathBuf {
        let beside = || PathBuf::from(source.file_name().unwrap_or_default()).with_extension("o");
        self.output.clone().unwrap_or_else(beside)
    }

    /// The program that is linked.
    pub fn program(&self) -> &Path {
        self.output.as_deref().unwrap_or(Path::new("a.out"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Result<Line, String> {
        Line::parse(&shlex::split(words).unwrap())
    }

    #[test]
    fn words_go_where_they_belong() {
        let line = parse("-fsycl -O2 -D X a.cpp b.o -lm -fsycl-device-code-split -o p").unwrap();
        let device: Vec<String> = line.device_words().collect();
        assert_eq!(device, ["-O2", "-D", "X", "-fsycl-device-code-split=auto"]);
        assert_eq!(line.host_words(), ["-O2", "-D", "X"]);
        let word = |text: &str| Item::Word(text.to_owned());
        assert_eq!(
            line.items,
            [Item::Source("a.cpp".into()), word("b.o"), word("-lm")]
        );
        assert_eq!(line.program(), Path::new("p"));
        assert!(!line.keeps_header);
        assert!(parse("-fsycl -save-temps -c a.cpp").unwrap().keeps_header);
        let line = parse("-fsycl -c x/a.cpp").unwrap();
        assert_eq!(line.object_of(Path::new("x/a.cpp")), Path::new("a.o"));
    }

    #[test]
    fn what_it_has_no_part_in_is_refused() {
        for words in [
            "-fsycl -### a.cpp",
            "-fsycl a.cpp -fsycl-targets=x",
            "a.cpp",
            "-fsycl -o",
        ] {
            assert!(parse(words).is_err(), "{words}");
        }
    }
}

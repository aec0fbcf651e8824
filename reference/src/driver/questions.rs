//! Command lines that ask clang or the linker about themselves, or clang for work on the host's half
//! alone: no device code has a part in them.

use std::ffi::{OsStr, OsString};

use super::clang_words::without_values;
use super::link_line::linker_values;
use super::options::Options;

/// After what clang has answered these it stops, whatever else the command line says. Two dashes mean
/// the same as one.
const ANSWERED: &[&str] = &[
    "version",
    "help-hidden",
    "dumpmachine",
    "dumpversion",
    "mcpu=help",
    "mcpu=?",
    "mtune=help",
    "mtune=?",
];

/// The same, by their beginnings.
const ANSWERED_PREFIXES: &[&str] = &["print-", "autocomplete="];

/// What clang takes for a question only where there is no input.
const WITHOUT_INPUT: &[&str] = &[
    "v",
    "verbose",
    "V",
    "dumpfullversion",
    "print-multi-os-directory",
];

/// Actions of clang's that make nothing which takes device code.
const HOST_ACTIONS: &[&str] = &[
    "--analyze",
    "--precompile",
    "-emit-ast",
    "-extract-api",
    "-module-file-info",
    "-rewrite-objc",
    "-verify-pch",
];

impl Options {
    /// Whether the answer is clang's, or that of the linker without anything to link.
    #[must_use]
    pub fn asks_clang(&self) -> bool {
        let names = || without_values(&self.clang).filter_map(|word| dashless(word));
        if names().any(is_answered) {
            return true;
        }
        self.inputs.is_empty()
            && match self.links_words() {
                true => asks_linker(&linker_values(&self.clang)),
                false => self.print_only || names().any(|name| WITHOUT_INPUT.contains(&name)),
            }
    }

    /// Whether clang is asked for its version.
    #[must_use]
    pub fn asks_version(&self) -> bool {
        without_values(&self.clang).any(|word| word == "--version" || word == "-version")
    }

    /// Whether the work is clang's own, on the host's half.
    #[must_use]
    pub fn acts_on_host(&self) -> bool {
        without_values(&self.clang).any(|word| HOST_ACTIONS.iter().any(|action| word == action))
    }
}

/// What clang says of its version, and this toolchain's behind it on the same line: build systems read clang's
/// words, and take the first number for the version.
pub(super) fn with_own_version(text: &str) -> String {
    let own = |line: &str| match line.contains("clang version ") {
        true => format!("{line}, Plumbline {}", env!("CARGO_PKG_VERSION")),
        false => line.to_owned(),
    };
    match text.split_once('\n') {
        Some((line, rest)) => format!("{}\n{rest}", own(line)),
        None => own(text),
    }
}

/// Whether a linker with these words says what it is and links nothing.
pub(super) fn asks_linker(words: &[OsString]) -> bool {
    let questions = ["--version", "-version", "--help", "-help", "--target-help"];
    words
        .iter()
        .any(|word| questions.iter().any(|question| word == question))
}

fn dashless(word: &OsStr) -> Option<&str> {
    let text = word.to_str()?.strip_prefix('-')?;
    Some(text.strip_prefix('-').unwrap_or(text))
}

fn is_answered(name: &str) -> bool {
    ANSWERED.contains(&name)
        || (ANSWERED_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
            && !WITHOUT_INPUT.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Options {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Options::parse(&words).unwrap()
    }

    #[test]
    fn questions_are_told_from_work() {
        for line in [
            "--version",
            "-v",
            "-###",
            "-dumpmachine a.cpp",
            "-print-file-name=libc.so",
            "--print-search-dirs",
            "--autocomplete=-fs",
            "-Wl,--version",
            "-v -Xlinker --help",
        ] {
            assert!(parse(&format!("-fsycl {line}")).asks_clang(), "{line}");
        }
        for line in [
            "-v a.cpp",
            "-### a.cpp",
            "-Wl,--version a.cpp",
            "-Wl,-v",
            "-o --version a.cpp",
            "-Xclang -print-stats a.cpp",
            "-dumpdir x a.cpp",
            "",
        ] {
            assert!(!parse(&format!("-fsycl {line}")).asks_clang(), "{line}");
        }
    }

    #[test]
    fn the_own_version_stands_behind_clang_s() {
        assert!(parse("-fsycl --version").asks_version());
        assert!(!parse("-o --version a.cpp").asks_version());
        let text = with_own_version("Debian clang version 19.1.7 (3)\nTarget: t\n");
        let expected = "Debian clang version 19.1.7 (3), Plumbline ";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.ends_with("\nTarget: t\n"), "{text}");
        assert_eq!(with_own_version("x86_64\n"), "x86_64\n");
    }

    #[test]
    fn the_host_s_work_is_an_action_not_a_value() {
        assert!(parse("-fsycl --analyze a.cpp").acts_on_host());
        assert!(!parse("-fsycl -Xclang -emit-ast a.cpp").acts_on_host());
    }
}

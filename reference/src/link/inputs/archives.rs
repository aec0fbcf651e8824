//! How linkers look at archives.

use std::ffi::OsString;
use std::path::Path;

/// When a linker looks at an archive again that it has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Archives {
    /// At the end of its group (GNU ld, gold). Here it begins once more at the end of the line, as if all stood
    /// in one group: nothing that a linker takes is missed, and such a line is one that these linkers refuse.
    InGroups,
    /// As soon as something wants what one of its members defines (lld, mold).
    Remembered,
}

impl Archives {
    /// What the linker does that is started as `program`, or that a compiler of that name starts for these words.
    #[must_use]
    pub fn of_linker(program: &Path, words: &[OsString]) -> Self {
        let chosen = words.iter().rev().find_map(|word| {
            let word = word.to_str()?;
            let choices = ["-fuse-ld=", "--ld-path="];
            let name = choices
                .into_iter()
                .find_map(|choice| word.strip_prefix(choice))?;
            Path::new(name).file_name()?.to_str()
        });
        let program = program.file_name().unwrap_or_default().to_string_lossy();
        let remembers = |name: &str| name.contains("lld") || name.contains("mold");
        match chosen.is_some_and(remembers) || remembers(&program) {
            true => Self::Remembered,
            false => Self::InGroups,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linker_is_known_by_its_name_and_by_a_compilers_words() {
        let of = |program: &str, words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            Archives::of_linker(Path::new(program), &words)
        };
        assert_eq!(of("/usr/bin/ld.lld-19", &[]), Archives::Remembered);
        assert_eq!(of("/usr/bin/ld", &["a.o"]), Archives::InGroups);
        assert_eq!(
            of("clang++", &["-fuse-ld=bfd", "-fuse-ld=lld"]),
            Archives::Remembered
        );
        assert_eq!(
            of("clang++", &["--ld-path=/opt/no-lld-here/bin/ld.bfd"]),
            Archives::InGroups
        );
        assert_eq!(
            of("clang++", &["-fuse-ld=lld", "-fuse-ld=gold"]),
            Archives::InGroups
        );
    }
}

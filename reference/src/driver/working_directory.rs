//! `-working-directory`: the folder that clang takes the names of compilations in. It runs where it
//! was started all the same, and so does the link.

use std::path::{Path, PathBuf};

use super::clang_plan::value_of;
use super::options::Options;

impl Options {
    /// The folder, when it is another one than the current.
    #[must_use]
    pub fn working_directory(&self) -> Option<PathBuf> {
        let joined = self.clang.iter().rev().find_map(|word| {
            let folder = word.to_str()?.strip_prefix("-working-directory=")?;
            Some(PathBuf::from(folder))
        });
        joined.or_else(|| value_of(&self.clang, "-working-directory").map(PathBuf::from))
    }

    /// What a name of a compilation means to steps that know no such option.
    #[must_use]
    pub fn placed(&self, path: &Path) -> PathBuf {
        match self.working_directory() {
            // The steps of clang itself take the name anew.
            Some(folder) => std::path::absolute(&folder).unwrap_or(folder).join(path),
            None => path.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_in_the_folder() {
        let placed = |line: &str, path: &str| {
            let words: Vec<_> = line.split(' ').map(Into::into).collect();
            Options::parse(&words).unwrap().placed(Path::new(path))
        };
        assert_eq!(placed("-c a.cpp", "a.o"), Path::new("a.o"));
        for line in ["-working-directory /d a.cpp", "-working-directory=/d a.cpp"] {
            assert_eq!(placed(line, "a.o"), Path::new("/d/a.o"));
            assert_eq!(placed(line, "/e/a.o"), Path::new("/e/a.o"));
        }
        let relative = placed("-working-directory=d a.cpp", "a.o");
        assert!(
            relative.is_absolute() && relative.ends_with("d/a.o"),
            "{relative:?}"
        );
    }
}

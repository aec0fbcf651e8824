//! The folder where set-up puts components, and its index.
//!
//! Components lie in `<name>-<version>/`; `components.json` lists the complete ones. An installed
//! toolchain carries the same index, with absolute folders, in `share/plumbline/`.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The variable that names the folder and overrides every other rule.
pub const VARIABLE: &str = "PLUMBLINE_COMPONENTS";

/// The name of the index within the folder.
pub const INDEX: &str = "components.json";

/// One complete component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The name, as in [`crate::catalog::Source`].
    pub name: String,
    /// The pinned version.
    pub version: String,
    /// Its folder: absolute, or relative to the folder of the index.
    pub folder: PathBuf,
}

/// A folder with an index, read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Home {
    /// The folder of the index.
    pub folder: PathBuf,
    /// Complete components.
    pub entries: Vec<Entry>,
    /// Whether the user left the components under Intel's licence out.
    pub without_intel: bool,
    /// The same for those under NVIDIA's.
    pub without_nvidia: bool,
}

/// The index as it stands in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Index {
    components: Vec<Entry>,
    without_intel: bool,
    #[serde(default)]
    without_nvidia: bool,
}

impl Home {
    /// Reads the index in `folder`; a folder without one is an empty home.
    ///
    /// # Errors
    /// When the index is there but cannot be read or is no index.
    pub fn read(folder: &Path) -> io::Result<Home> {
        let mut home = Home {
            folder: folder.to_owned(),
            ..Home::default()
        };
        match std::fs::read(folder.join(INDEX)) {
            Ok(text) => {
                let index: Index = serde_json::from_slice(&text)?;
                home.entries = index.components;
                home.without_intel = index.without_intel;
                home.without_nvidia = index.without_nvidia;
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(e),
        }
        Ok(home)
    }

    /// Writes the index: beside its place first, renamed when complete.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn write(&self) -> io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let mut text = serde_json::to_string_pretty(&Index {
            components: self.entries.clone(),
            without_intel: self.without_intel,
            without_nvidia: self.without_nvidia,
        })?;
        text.push('\n');
        let beside = self.folder.join(format!(".{INDEX}.{}", std::process::id()));
        std::fs::write(&beside, text)?;
        std::fs::rename(beside, self.folder.join(INDEX))
    }

    /// The folder of the component called `name`, and its version.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<(PathBuf, &str)> {
        let entry = self.entries.iter().find(|e| e.name == name)?;
        Some((self.folder.join(&entry.folder), &entry.version))
    }

    /// The same home with absolute folders, for the index of an installed toolchain.
    #[must_use]
    pub fn absolute(&self, folder: &Path) -> Home {
        let entries = self.entries.iter().map(|entry| Entry {
            folder: self.folder.join(&entry.folder),
            ..entry.clone()
        });
        Home {
            folder: folder.to_owned(),
            entries: entries.collect(),
            without_intel: self.without_intel,
            without_nvidia: self.without_nvidia,
        }
    }
}

/// The folder whose index serves a tool or library that lies at `from`: the one that
/// [`VARIABLE`] names; that of the installed toolchain that `from` belongs to; the `components`
/// folder of the build folder that `from` lies in. The second value says which rule held.
#[must_use]
pub fn locate(variable: Option<PathBuf>, from: &Path) -> Option<(PathBuf, &'static str)> {
    if let Some(folder) = variable {
        return Some((folder, "named by PLUMBLINE_COMPONENTS"));
    }
    let above = from.ancestors().skip(1);
    for folder in above.take(4) {
        let installed = folder.join("share/plumbline");
        if installed.join(INDEX).is_file() {
            return Some((installed, "listed by the installed toolchain"));
        }
        let built = folder.join("components");
        if built.join(INDEX).is_file() {
            return Some((built, "brought by set-up"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home_at(folder: &Path) -> Home {
        Home {
            folder: folder.to_owned(),
            entries: vec![Entry {
                name: "ziglang".to_owned(),
                version: "1".to_owned(),
                folder: "ziglang-1".into(),
            }],
            without_intel: true,
            without_nvidia: true,
        }
    }

    #[test]
    fn an_index_round_trips_and_resolves_relative_folders() {
        let folder = tempfile::tempdir().unwrap();
        let home = home_at(folder.path());
        home.write().unwrap();
        assert_eq!(Home::read(folder.path()).unwrap(), home);
        let expected = folder.path().join("ziglang-1");
        assert_eq!(home.find("ziglang"), Some((expected.clone(), "1")));
        let elsewhere = home.absolute(Path::new("/elsewhere"));
        assert_eq!(elsewhere.find("ziglang"), Some((expected, "1")));
        assert_eq!(home.find("clang"), None);
    }

    #[test]
    fn the_index_is_found_from_each_place_that_tools_lie_in() {
        let root = tempfile::tempdir().unwrap();
        let components = root.path().join("target/components");
        home_at(&components).write().unwrap();
        for tool in ["release/tool", "release/deps/test", "plumbline/bin/tool"] {
            let found = locate(None, &root.path().join("target").join(tool));
            assert_eq!(found.unwrap().0, components, "{tool}");
        }
        let share = root.path().join("prefix/share/plumbline");
        home_at(&share).write().unwrap();
        for tool in ["prefix/bin/tool", "prefix/lib/libx.so"] {
            let found = locate(None, &root.path().join(tool));
            assert_eq!(found.unwrap().0, share, "{tool}");
        }
        let named = Path::new("/named").to_owned();
        let found = locate(
            Some(named.clone()),
            &root.path().join("target/release/tool"),
        );
        assert_eq!(found.unwrap().0, named);
        assert_eq!(locate(None, &root.path().join("a/b/c/d/tool")), None);
    }

    #[test]
    fn a_broken_index_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(INDEX), "{").unwrap();
        assert!(Home::read(folder.path()).is_err());
    }
}

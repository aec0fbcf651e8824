//! Where the host linker looks for libraries and for what its scripts name: the folders of `-L` and
//! those of scripts, in their order, and the root of another system (`--sysroot`).

use std::path::{Path, PathBuf};

/// The folders to look into.
#[derive(Debug, Default)]
pub(in crate::link) struct LibraryFolders {
    folders: Vec<PathBuf>,
    /// Where another system's files lie.
    pub(in crate::link) sysroot: Option<PathBuf>,
}

impl LibraryFolders {
    /// Adds a folder behind the others.
    pub(in crate::link) fn add(&mut self, folder: impl Into<PathBuf>) {
        self.folders.push(folder.into());
    }

    /// The library that `-l` names: a shared one before an archive, unless only archives may come.
    pub(in crate::link) fn library(&self, name: &str, static_only: bool) -> Option<PathBuf> {
        let mut candidates = self.rooted_folders().flat_map(|folder| {
            let exact = name.strip_prefix(':').map(|name| folder.join(name));
            let shared = (!static_only).then(|| folder.join(format!("lib{name}.so")));
            let archive = folder.join(format!("lib{name}.a"));
            exact.into_iter().chain(shared).chain([archive])
        });
        candidates.find(|path| path.is_file())
    }

    /// The library that linkers for COFF find by its name, here or in a folder; it may lack its extension.
    pub(in crate::link) fn coff(&self, name: &Path) -> Option<PathBuf> {
        let mut name = name.to_owned();
        if name.extension().is_none() {
            name.set_extension("lib");
        }
        let here = std::iter::once(name.clone());
        let mut candidates = here.chain(self.rooted_folders().map(|folder| folder.join(&name)));
        candidates.find(|path| path.is_file())
    }

    /// What the linker script `script` names: `-lname`, or a file beside it, as it stands there or in
    /// one of the folders. A whole path in a script of another system is one of that system.
    pub(in crate::link) fn named(
        &self,
        name: &str,
        static_only: bool,
        script: &Path,
    ) -> Option<PathBuf> {
        if let Some(name) = name.strip_prefix("-l") {
            return self.library(name, static_only);
        }
        if let Some(path) = self.in_sysroot(name) {
            return Some(path).filter(|path| path.is_file());
        }
        if name.starts_with('/') {
            let path = match self.sysroot.as_deref().filter(|root| holds(root, script)) {
                Some(root) => joined(root, name),
                None => name.into(),
            };
            return Some(path).filter(|path| path.is_file());
        }
        let beside = script.with_file_name(name);
        [beside]
            .into_iter()
            .chain(self.here_or_in_folders(name))
            .find(|path| path.is_file())
    }

    /// The script that another one includes.
    pub(in crate::link) fn included(&self, name: &str) -> Option<PathBuf> {
        self.here_or_in_folders(name).find(|path| path.is_file())
    }

    fn here_or_in_folders(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        let here = std::iter::once(Path::new(name).to_owned());
        here.chain(self.rooted_folders().map(move |folder| folder.join(name)))
    }

    fn rooted_folders(&self) -> impl Iterator<Item = PathBuf> {
        let in_sysroot = |folder: &PathBuf| self.in_sysroot(folder.to_str()?);
        let folders = self.folders.iter();
        folders.map(move |folder| in_sysroot(folder).unwrap_or_else(|| folder.clone()))
    }

    /// The path that `=/path` or `$SYSROOT/path` means.
    fn in_sysroot(&self, name: &str) -> Option<PathBuf> {
        let path = name.strip_prefix('=').or(name.strip_prefix("$SYSROOT"))?;
        let root = self.sysroot.as_deref().unwrap_or(Path::new(""));
        Some(joined(root, path))
    }
}

/// `path`, which may be a whole one, below `root`.
fn joined(root: &Path, path: &str) -> PathBuf {
    let mut joined = root.as_os_str().to_owned();
    joined.push(path);
    joined.into()
}

/// Whether a file lies in a folder, however either is named.
fn holds(folder: &Path, file: &Path) -> bool {
    let (Ok(folder), Ok(file)) = (folder.canonicalize(), file.canonicalize()) else {
        return false;
    };
    file.starts_with(folder)
}

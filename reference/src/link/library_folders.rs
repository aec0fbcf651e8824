//! Where the host linker looks for libraries: the folders of `-L`, in their order.

use std::path::{Path, PathBuf};

/// The folders of `-L`.
#[derive(Debug, Default)]
pub(super) struct LibraryFolders(pub(super) Vec<PathBuf>);

impl LibraryFolders {
    /// The library that `-l` names: a shared one before an archive, unless only archives may come.
    pub(super) fn library(&self, name: &str, static_only: bool) -> Option<PathBuf> {
        let mut candidates = self.0.iter().flat_map(|folder| {
            let exact = name.strip_prefix(':').map(|name| folder.join(name));
            let shared = (!static_only).then(|| folder.join(format!("lib{name}.so")));
            let archive = folder.join(format!("lib{name}.a"));
            exact.into_iter().chain(shared).chain([archive])
        });
        candidates.find(|path| path.is_file())
    }

    /// What a linker script names: `-lname`, or a file as it stands there or in one of the folders.
    pub(super) fn named(&self, name: &str, static_only: bool) -> Option<PathBuf> {
        if let Some(name) = name.strip_prefix("-l") {
            return self.library(name, static_only);
        }
        let here = std::iter::once(Path::new(name).to_owned());
        let mut candidates = here.chain(self.0.iter().map(|folder| folder.join(name)));
        candidates.find(|path| path.is_file())
    }
}

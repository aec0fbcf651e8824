//! The folders that tasks work in.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let package = package.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    package.parent().unwrap_or(Path::new(".")).to_owned()
}

/// The build folder, `target` unless cargo was told otherwise: where this program lies, two up.
pub fn target() -> PathBuf {
    let here = std::env::current_exe().ok();
    let folder = here.as_deref().and_then(|exe| exe.ancestors().nth(2));
    folder.map_or_else(|| root().join("target"), Path::to_owned)
}

/// Where cargo puts what it builds: one profile for everything.
pub fn release() -> PathBuf {
    target().join("release")
}

/// The folder of set-up.
pub fn components() -> PathBuf {
    let named = std::env::var_os(components::home::VARIABLE).map(PathBuf::from);
    named.unwrap_or_else(|| target().join("components"))
}

/// The toolchain in its installed layout, ready to use within the build folder.
pub fn staging() -> PathBuf {
    target().join("plumbline")
}

/// A toolchain as a user names it: a file by a path that holds in every folder.
pub fn toolchain(name: &str) -> String {
    let is_file = name.contains('/') || name.ends_with(".yaml");
    let absolute = is_file.then(|| std::path::absolute(name).ok()).flatten();
    absolute.map_or_else(|| name.to_owned(), |file| file.display().to_string())
}

//! CUDA's libdevice: the mathematics that PTX has no instructions for. It is linked when it is
//! there, as far as it is needed.

use std::path::{Path, PathBuf};

use super::LinkError;

/// Beginnings of the names of its functions.
pub const PREFIX: &str = "__nv_";

/// Where CUDA installations usually lie.
const USUAL: [&str; 4] = [
    "/usr/local/cuda",
    "/opt/cuda",
    "/usr/lib/cuda",
    "/usr/lib/nvidia-cuda-toolkit",
];

/// Variables that name a CUDA installation.
const VARIABLES: [&str; 2] = ["CUDA_PATH", "CUDA_HOME"];

/// Where it lies within one.
const WITHIN: [&str; 2] = [
    "nvvm/libdevice/libdevice.10.bc",
    "libdevice/libdevice.10.bc",
];

/// The library of the installation that `--cuda-path=` names, or else of the first that is found;
/// none when the option names nothing.
///
/// # Errors
/// When the option names a folder without it.
pub fn find(cuda_path: Option<&Path>) -> Result<Option<PathBuf>, LinkError> {
    if let Some(folder) = cuda_path {
        if folder.as_os_str().is_empty() {
            return Ok(None);
        }
        return match within(folder) {
            Some(library) => Ok(Some(library)),
            None => Err(LinkError::Option(format!(
                "--cuda-path='{}' holds no {}",
                folder.display(),
                WITHIN[0]
            ))),
        };
    }
    let named = VARIABLES.into_iter().filter_map(std::env::var_os);
    let named = named.filter(|folder| !folder.is_empty());
    let mut folders = named.map(PathBuf::from).chain(USUAL.map(PathBuf::from));
    Ok(folders.find_map(|folder| within(&folder)))
}

fn within(folder: &Path) -> Option<PathBuf> {
    let mut places = WITHIN.iter().map(|place| folder.join(place));
    places.find(|library| library.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_the_option_must_hold_it() {
        let folder = tempfile::tempdir().unwrap();
        let error = find(Some(folder.path())).unwrap_err().to_string();
        assert!(error.contains("nvvm/libdevice/libdevice.10.bc"), "{error}");
        assert_eq!(find(Some(Path::new(""))).unwrap(), None);
        let library = folder.path().join(WITHIN[0]);
        std::fs::create_dir_all(library.parent().unwrap()).unwrap();
        std::fs::write(&library, "").unwrap();
        assert_eq!(find(Some(folder.path())).unwrap(), Some(library));
    }
}

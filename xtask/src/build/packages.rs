//! What build systems find the toolchain by: a package for CMake and a file for pkg-config.

use std::fs;
use std::path::Path;

use super::tree;
use crate::failure::{Failure, Outcome};

/// What stands in the files for the toolchain's version.
const VERSION: &str = "@VERSION@";

/// Each file, and where it lies in the installed layout.
const PLACES: [(&str, &str); 4] = [
    ("PlumblineConfig.cmake", "lib/cmake/Plumbline"),
    ("PlumblineConfigVersion.cmake", "lib/cmake/Plumbline"),
    ("IntelSYCLConfig.cmake", "lib/cmake/IntelSYCL"),
    ("plumbline.pc", "lib/pkgconfig"),
];

/// Puts the files of the folder `from` into `prefix`.
pub fn lay_out(from: &Path, prefix: &Path) -> Outcome {
    for (name, folder) in PLACES {
        let source = from.join(name);
        let text = fs::read_to_string(&source).map_err(|e| Failure::at(&source, e))?;
        let text = text.replace(VERSION, env!("CARGO_PKG_VERSION"));
        tree::write(&prefix.join(folder).join(name), &text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places;

    #[test]
    fn the_files_name_the_version_and_no_place() {
        let prefix = tempfile::tempdir().unwrap();
        lay_out(&places::root().join("reference/packages"), prefix.path()).unwrap();
        for (name, folder) in PLACES {
            let text = fs::read_to_string(prefix.path().join(folder).join(name)).unwrap();
            assert!(!text.contains(VERSION), "{name}");
            assert!(!text.contains(&*places::root().to_string_lossy()), "{name}");
        }
        let found = prefix.path().join("lib/pkgconfig/plumbline.pc");
        let found = fs::read_to_string(found).unwrap();
        assert!(found.contains(&format!("Version: {}\n", env!("CARGO_PKG_VERSION"))));
    }
}

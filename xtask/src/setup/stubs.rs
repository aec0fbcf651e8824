//! Libraries that Intel's name and call nothing of, where the system has them no more.

use std::fs;
use std::path::Path;

use components::Component;
use components::home::Home;
use components::process::Job;

use crate::failure::{Failure, Outcome};

/// A library that a bundle's libraries name, by whose absence alone they would not load.
struct Unused {
    bundle: &'static str,
    library: &'static str,
    /// Where the dynamic linker looks for it, from the folder of set-up.
    place: &'static str,
}

/// The emulator's compiler was linked with libxml2, of which it has no function; from 2.14 on that
/// library has another name.
const UNUSED: [Unused; 1] = [Unused {
    bundle: "intel-opencl-fpga-emulator",
    library: "libxml2.so.2",
    place: "lib",
}];

/// Puts an empty library in the place of each that the system does not have; whether there was any.
pub fn bring(home: &Home) -> Result<bool, Failure> {
    let mut changed = false;
    for unused in UNUSED {
        let folder = home.folder.join(unused.place);
        let file = folder.join(unused.library);
        let is_wanted = home
            .find(unused.bundle)
            .is_some_and(|(bundle, _)| bundle.is_dir());
        if is_wanted && !file.exists() && !has(unused.library)? {
            fs::create_dir_all(&folder).map_err(|e| Failure::at(&folder, e))?;
            empty(unused.library, &file)?;
            eprintln!(
                "set-up: {} (empty: {} names it and calls nothing of it)",
                unused.library, unused.bundle
            );
            changed = true;
        }
    }
    Ok(changed)
}

fn compiler() -> Result<Job, Failure> {
    Ok(Job::new(super::require(Component::HostCompiler)?.path))
}

/// Whether the host compiler, which knows the system's folders, finds a library.
fn has(library: &str) -> Result<bool, Failure> {
    let job = compiler()?.arg(format!("-print-file-name={library}"));
    let said = job.capture(b"").map_err(Failure::new)?.stdout;
    Ok(Path::new(String::from_utf8_lossy(&said).trim()).is_absolute())
}

/// Makes the library; it appears whole or not at all.
fn empty(library: &str, file: &Path) -> Outcome {
    let partial = file.with_extension("partial");
    let job = compiler()?
        .args(["-shared", "-nostdlib", "-x", "c++", "-"])
        .arg(format!("-Wl,-soname,{library}"))
        .arg("-o")
        .arg(&partial);
    job.capture(b"").map_err(Failure::new)?;
    fs::rename(&partial, file).map_err(|e| Failure::at(file, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_library_has_the_name_that_is_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("libnothing.so.7");
        empty("libnothing.so.7", &file).unwrap();
        let bytes = fs::read(&file).unwrap();
        assert!(bytes.starts_with(b"\x7fELF"));
        let name = b"libnothing.so.7\0";
        assert!(bytes.windows(name.len()).any(|window| window == name));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_compiler_tells_what_the_system_has() {
        assert!(has("libc.so.6").unwrap());
        assert!(!has("libnothing.so.7").unwrap());
    }
}

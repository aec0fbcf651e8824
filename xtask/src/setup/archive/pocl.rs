//! PoCL: an OpenCL driver that computes on the processor, with the translator that it starts.
//!
//! Built for a newer C library than a machine may have, it is loaded only by programs that run over that
//! library. `bin/with-pocl PROGRAM [ARGUMENTS]` starts a program so; the runtime looks for the driver
//! in every program, and a program that is started in any other way goes on without it.

use std::fs;
use std::path::Path;

use super::place::{self, LIBRARIES, LOADER};
use crate::failure::{Failure, Outcome};

/// Where the driver lies in the component: it looks for what it reads at `../../share/pocl` from there.
const DRIVER: &str = "lib/x86_64-linux-gnu";

/// How the name of the translator from SPIR-V begins; the driver's own version of LLVM follows.
const TRANSLATOR: &str = "llvm-spirv-";

/// Keeps of the unpacked packages in `all` the driver, the libraries, the device libraries and the
/// translator, with the programs that start others over them.
pub fn driver(all: &Path, folder: &Path) -> Outcome {
    let (lib, bin) = (folder.join(DRIVER), folder.join("bin"));
    fs::create_dir_all(&bin).map_err(|e| Failure::at(&bin, e))?;
    place::shared_libraries(all, &lib)?;
    place::licences(all, folder)?;
    // The driver's own parts, a library each kind of device.
    whole(&all.join(LIBRARIES).join("pocl"), &lib.join("pocl"))?;
    fs::create_dir_all(folder.join("share")).map_err(|e| Failure::at(folder, e))?;
    whole(&all.join("usr/share/pocl"), &folder.join("share/pocl"))?;
    let vendors = folder.join("vendors");
    fs::create_dir_all(&vendors).map_err(|e| Failure::at(&vendors, e))?;
    let icd = vendors.join("pocl.icd");
    fs::write(&icd, "libpocl.so.2\n").map_err(|e| Failure::at(&icd, e))?;
    let mut programs = place::files(&all.join("usr/bin"))?.into_iter();
    let found = programs.find(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(TRANSLATOR)
    });
    let found = found.ok_or_else(|| Failure::new("apt brought no translator of SPIR-V"))?;
    let program = found.canonicalize().map_err(|e| Failure::at(&found, e))?;
    place::put(&program, &lib.join("llvm-spirv"))?;
    place::write_script(&bin.join("llvm-spirv"), &translator())?;
    place::write_script(&bin.join("with-pocl"), &with_pocl())
}

fn whole(from: &Path, to: &Path) -> Outcome {
    fs::rename(from, to).map_err(|e| Failure::at(from, e))
}

/// The translator, over the loader and the libraries that came with it.
fn translator() -> String {
    format!(
        "#!/bin/sh\n\
         lib=${{0%/*}}/../{DRIVER}\n\
         exec \"$lib/{LOADER}\" --library-path \"$lib\" \"$lib/llvm-spirv\" \"$@\"\n"
    )
}

/// Any program over them: as its own libraries, so that the driver can be loaded into it. PoCL 7.1 loads
/// what a work-item holds across a barrier anew, after others may have written over it (its pull request
/// 2269 mends that): every program would compute wrong values in silence, so it is told not to.
fn with_pocl() -> String {
    format!(
        "#!/bin/sh\n\
         # with-pocl PROGRAM [ARGUMENTS]: the program runs over the C library that PoCL was built for.\n\
         home=$(cd \"${{0%/*}}/..\" && pwd) || exit 127\n\
         program=$(command -v \"$1\") || {{ echo \"with-pocl: no program '$1'\" >&2; exit 127; }}\n\
         shift\n\
         lib=$home/{DRIVER}\n\
         export POCL_PATH_LLVM_SPIRV=\"$home/bin/llvm-spirv\"\n\
         export POCL_PREGION_VALUE_REMAT=\"${{POCL_PREGION_VALUE_REMAT-0}}\"\n\
         exec \"$lib/{LOADER}\" --library-path \"$lib${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}\" \\\n  \
         \"$program\" \"$@\"\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use components::process::Job;

    #[test]
    fn a_program_runs_over_the_libraries_beside_its_starter() {
        let root = tempfile::tempdir().unwrap();
        let (lib, bin) = (root.path().join(DRIVER), root.path().join("bin"));
        fs::create_dir_all(&lib).unwrap();
        fs::create_dir_all(&bin).unwrap();
        // In place of the loader: what tells its words.
        place::put(Path::new("/bin/echo"), &lib.join(LOADER)).unwrap();
        place::write_script(&bin.join("with-pocl"), &with_pocl()).unwrap();
        let said = |words: &[&str]| {
            let job = Job::new(bin.join("with-pocl")).args(words.iter().copied());
            let job = job.env("LD_LIBRARY_PATH", "/of/the/program");
            let output = job.output(b"").unwrap();
            (
                output.status.code(),
                String::from_utf8(output.stdout).unwrap(),
            )
        };
        let (code, text) = said(&["/bin/true", "a b"]);
        assert_eq!(code, Some(0));
        assert!(text.starts_with("--library-path /"), "{text}");
        assert!(
            text.ends_with("linux-gnu:/of/the/program /bin/true a b\n"),
            "{text}"
        );
        assert_eq!(said(&["/no/such/program"]), (Some(127), String::new()));
    }
}

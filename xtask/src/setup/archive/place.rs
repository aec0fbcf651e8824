//! Where unpacked packages of another suite go, so that their programs run on this machine: over
//! the loader and the libraries that came with them, wherever the folder lies.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use components::process::Job;

use crate::failure::{Failure, Outcome};

/// Where the libraries of a package lie.
pub(super) const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";

/// The C library's loader.
pub(super) const LOADER: &str = "ld-linux-x86-64.so.2";

/// The folder of a prefix's own shared libraries. It is not `lib`, which a compiler of the prefix has
/// its links look into: what it builds is for the machine's own libraries.
const SHARED: &str = "shared";

/// The program that writes into others which loader and libraries are theirs.
const PATCHELF: &str = "patchelf";

/// The file that says for which place the programs of a prefix were made to run.
const PLACE: &str = "place";

/// Keeps of the unpacked packages in `all` one program, the shared libraries and the licences.
pub fn program(all: &Path, folder: &Path, name: &str) -> Outcome {
    let (lib, bin) = (folder.join("lib"), folder.join("bin"));
    fs::create_dir_all(&bin).map_err(|e| Failure::at(&bin, e))?;
    shared_libraries(all, &lib)?;
    licences(all, folder)?;
    let program = all.join("usr/bin").join(name);
    let program = program
        .canonicalize()
        .map_err(|e| Failure::at(&program, e))?;
    put(&program, &lib.join(name))?;
    write_starter(&bin.join(name), name)
}

/// Keeps of the unpacked packages in `all` a compiler's own folder `within` (its programs and what
/// they read), the shared libraries and the licences; to be settled where it comes to lie.
pub fn prefix(all: &Path, folder: &Path, within: &str) -> Outcome {
    shared_libraries(all, &folder.join(SHARED))?;
    licences(all, folder)?;
    let lib = folder.join("lib");
    fs::create_dir_all(&lib).map_err(|e| Failure::at(&lib, e))?;
    let within = all.join(within);
    for part in ["bin", "lib/clang"] {
        let (from, to) = (within.join(part), folder.join(part));
        fs::rename(&from, &to).map_err(|e| Failure::at(&from, e))?;
    }
    let patchelf = all.join("usr/bin").join(PATCHELF);
    put(&patchelf, &folder.join(SHARED).join(PATCHELF))
}

/// Makes the programs of a prefix in `folder` run at `place`, unless they do already: each names its
/// loader by an absolute path.
pub fn settle(folder: &Path, place: &Path) -> Outcome {
    let record = folder.join(PLACE);
    let text = format!("{}\n", place.display());
    if fs::read_to_string(&record).is_ok_and(|said| said == text) {
        return Ok(());
    }
    let shared = folder.join(SHARED);
    let patchelf = |words: &[&OsStr], files: Vec<PathBuf>| {
        let job = Job::new(shared.join(LOADER)).arg("--library-path");
        let job = job.arg(&shared).arg(shared.join(PATCHELF));
        let job = job.args(words.iter().copied()).args(files);
        job.capture(b"").map(drop).map_err(Failure::new)
    };
    let loader = place.join(SHARED).join(LOADER);
    let words = ["--force-rpath", "--set-rpath", "$ORIGIN/../shared"].map(OsStr::new);
    let words = [OsStr::new("--set-interpreter"), loader.as_os_str()]
        .into_iter()
        .chain(words);
    // Libraries that name a folder of their own would not look into the program's.
    patchelf(&[OsStr::new("--remove-rpath")], elf_files(&shared)?)?;
    patchelf(&words.collect::<Vec<_>>(), elf_files(&folder.join("bin"))?)?;
    fs::write(&record, text).map_err(|e| Failure::at(&record, e))
}

pub(super) fn shared_libraries(all: &Path, into: &Path) -> Outcome {
    fs::create_dir_all(into).map_err(|e| Failure::at(into, e))?;
    for path in files(&all.join(LIBRARIES))? {
        let name = path.file_name().unwrap_or_default().to_owned();
        let is_library = name.to_string_lossy().contains(".so");
        if is_library && path.is_file() {
            // Each name becomes a file of its own: the links among them name places in the system.
            let whole = path.canonicalize().map_err(|e| Failure::at(&path, e))?;
            put(&whole, &into.join(name))?;
        }
    }
    Ok(())
}

pub(super) fn licences(all: &Path, folder: &Path) -> Outcome {
    let licences = folder.join("licences");
    fs::create_dir_all(&licences).map_err(|e| Failure::at(&licences, e))?;
    for documents in files(&all.join("usr/share/doc"))? {
        let licence = documents.join("copyright");
        if licence.is_file() {
            let name = documents.file_name().unwrap_or_default();
            put(&licence, &licences.join(name))?;
        }
    }
    Ok(())
}

/// A second name for a file, or a copy of it.
pub(super) fn put(from: &Path, to: &Path) -> Outcome {
    fs::hard_link(from, to)
        .or_else(|_| fs::copy(from, to).map(drop))
        .map_err(|e| Failure::at(to, e))
}

/// Writes the program that starts the one in `lib` over its own loader, wherever the folder lies.
fn write_starter(path: &Path, name: &str) -> Outcome {
    write_script(
        path,
        &format!(
            "#!/bin/sh\n\
             lib=${{0%/*}}/../lib\n\
             exec \"$lib/{LOADER}\" --library-path \"$lib\" \"$lib/{name}\" \"$@\"\n"
        ),
    )
}

/// Writes a program of the shell's.
pub(super) fn write_script(path: &Path, text: &str) -> Outcome {
    use std::os::unix::fs::PermissionsExt as _;
    let written = File::create(path).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.set_permissions(fs::Permissions::from_mode(0o755))
    });
    written.map_err(|e| Failure::at(path, e))
}

/// The programs and libraries in a folder, each once.
fn elf_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = files(folder)?;
    files.retain(|path| !path.is_symlink() && is_elf(path));
    Ok(files)
}

fn is_elf(path: &Path) -> bool {
    let mut magic = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == *b"\x7fELF"
}

pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(|e| Failure::at(folder, e))?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_started_over_the_loader_beside_it() {
        let root = tempfile::tempdir().unwrap();
        let (lib, bin) = (root.path().join("lib"), root.path().join("bin"));
        for folder in [&lib, &bin] {
            fs::create_dir(folder).unwrap();
        }
        // In place of the loader: what tells its words.
        put(Path::new("/bin/echo"), &lib.join(LOADER)).unwrap();
        write_starter(&bin.join("tool"), "tool").unwrap();
        let said = Job::new(bin.join("tool")).arg("a b").capture(b"").unwrap();
        let said = String::from_utf8(said.stdout).unwrap();
        assert!(said.ends_with("/lib/tool a b\n"), "{said}");
        assert!(said.starts_with("--library-path "), "{said}");
    }

    #[test]
    fn a_prefix_is_settled_once_for_each_place() {
        let root = tempfile::tempdir().unwrap();
        let (shared, bin) = (root.path().join(SHARED), root.path().join("bin"));
        for folder in [&shared, &bin] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(bin.join("script"), "#!/bin/sh\n").unwrap();
        // In place of the loader: what fails, so that each attempt shows.
        put(Path::new("/bin/false"), &shared.join(LOADER)).unwrap();
        let place = Path::new("/elsewhere");
        settle(root.path(), place).unwrap_err();
        fs::remove_file(shared.join(LOADER)).unwrap();
        put(Path::new("/bin/true"), &shared.join(LOADER)).unwrap();
        settle(root.path(), place).unwrap();
        fs::remove_file(shared.join(LOADER)).unwrap();
        settle(root.path(), place).unwrap();
        settle(root.path(), Path::new("/a/third")).unwrap_err();
    }
}

//! The device libraries: C++ compiled to bitcode, one library a source.

use std::path::{Path, PathBuf};
use std::{env, fs};

use components::Component;
use components::process::Job;

use super::plugin::{has_extension, modified};
use crate::failure::Failure;
use crate::{places, setup};

/// The generic SPIR-V target, where pointers have the same address space as in user code.
const SPIRV: &str = "spir64-unknown-unknown";
/// NVIDIA's; its libraries lie in a folder of that name.
const PTX: &str = "nvptx64-nvidia-cuda";

/// Builds a library for each target from each source in `folder` that has changed, or all where the compiler or this
/// program has; the folder that holds them all.
pub fn build(folder: &Path) -> Result<PathBuf, Failure> {
    let out = places::target().join("devicelib");
    fs::create_dir_all(&out).map_err(|e| Failure::at(&out, e))?;
    let clang = setup::require(Component::Clang)?.path;
    // How they are compiled stands in this program.
    let own = env::current_exe().unwrap_or_default();
    let entries = fs::read_dir(folder).map_err(|e| Failure::at(folder, e))?;
    let files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let (units, shared): (Vec<_>, Vec<_>) =
        files.iter().partition(|path| has_extension(path, "cpp"));
    let shared = shared
        .into_iter()
        .chain([&clang, &own])
        .filter_map(|path| modified(path))
        .max();
    for (triple, folder) in [(SPIRV, out.clone()), (PTX, out.join(PTX))] {
        fs::create_dir_all(&folder).map_err(|e| Failure::at(&folder, e))?;
        for unit in &units {
            let stem = unit.file_stem().unwrap_or_default().to_string_lossy();
            let library = folder.join(format!("libsycl-{stem}.bc"));
            if modified(unit).max(shared) >= modified(&library) {
                compile(&clang, triple, unit, &library)?;
            }
        }
    }
    Ok(out)
}

/// Compiles in device mode, with a summary by which ThinLTO imports functions. No call may be turned
/// into one of the functions being defined, and no arithmetic into vectors of widths that SPIR-V
/// does not have. Arguments may be without a value, as in what programs compile (`device_cc1`).
fn compile(clang: &Path, triple: &str, unit: &Path, library: &Path) -> Result<(), Failure> {
    let beside = library.with_extension("part");
    let job = Job::new(clang)
        .args([&format!("--target={triple}"), "-std=c++17", "-O2"])
        .args([
            "-Xclang",
            "-fsycl-is-device",
            "-Xclang",
            "-no-enable-noundef-analysis",
            "-ffreestanding",
            "-fno-builtin",
            "-nocudalib",
            "-Wno-unused-command-line-argument",
        ])
        .args([
            "-fno-exceptions",
            "-fno-rtti",
            "-Wall",
            "-Wextra",
            "-Werror",
        ])
        .args(["-fno-vectorize", "-fno-slp-vectorize", "-flto=thin", "-c"])
        .arg(unit)
        .arg("-o")
        .arg(&beside);
    job.run().map_err(Failure::new)?;
    fs::rename(&beside, library).map_err(|e| Failure::at(library, e))
}

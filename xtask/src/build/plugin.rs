//! The clang plugin: C++ against the headers of the clang that loads it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use components::Component;
use components::process::Job;
use rayon::prelude::*;

use crate::failure::Failure;
use crate::{places, setup};

/// Builds the plugin from all sources in `folder`, unless it is newer than all of them; where it is. Units
/// that are newer than their object are compiled side by side.
pub fn build(folder: &Path) -> Result<PathBuf, Failure> {
    let out = places::target().join("clang-plugin/clang-plugin.so");
    let sources = sources(folder)?;
    let clang = setup::require(Component::Clang)?.path;
    let inputs = sources.iter().chain([&clang]);
    if inputs.filter_map(|path| modified(path)).max() < modified(&out) {
        return Ok(out);
    }
    let config = setup::require(Component::LlvmConfig)?.path;
    let include = Job::new(config).arg("--includedir").capture(b"");
    let include = include.map_err(Failure::new)?.stdout;
    let include = String::from_utf8_lossy(&include).trim().to_owned();
    let parent = out.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(|e| Failure::at(parent, e))?;
    let (units, headers): (Vec<PathBuf>, Vec<PathBuf>) = sources
        .into_iter()
        .partition(|path| has_extension(path, "cpp"));
    let common = headers.iter().chain([&clang]);
    let common = common.filter_map(|path| modified(path)).max();
    let objects = units.par_iter().map(|unit| {
        let object = parent.join(unit.file_name().unwrap_or_default());
        let object = object.with_extension("o");
        if modified(unit).max(common) < modified(&object) {
            return Ok(object);
        }
        let job = Job::new(&clang)
            .args(["-c", "-std=c++17", "-O2", "-fPIC", "-fno-rtti"])
            .args(["-Wall", "-Wextra", "-Werror", "-fvisibility=hidden"])
            .args(["-isystem", &include])
            .arg(unit);
        written(job, &object)
    });
    let objects: Vec<PathBuf> = objects.collect::<Result<_, Failure>>()?;
    written(Job::new(&clang).arg("-shared").args(objects), &out)
}

/// Has `job` write `file`, which appears whole or not at all.
fn written(job: Job, file: &Path) -> Result<PathBuf, Failure> {
    let beside = file.with_extension(std::process::id().to_string());
    job.arg("-o").arg(&beside).run().map_err(Failure::new)?;
    fs::rename(&beside, file).map_err(|e| Failure::at(file, e))?;
    Ok(file.to_owned())
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(|e| Failure::at(folder, e))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut sources: Vec<PathBuf> = paths
        .filter(|path| has_extension(path, "cpp") || has_extension(path, "h"))
        .collect();
    sources.sort();
    Ok(sources)
}

pub(super) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e == extension)
}

pub(super) fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|meta| meta.modified()).ok()
}

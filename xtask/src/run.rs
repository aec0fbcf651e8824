//! `run`: one source file, compiled by the reference and run on the best device.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use components::process::{Job, JobError};

use crate::failure::{Failure, Outcome};
use crate::{build, places};

/// Compiles `source` and runs it with `arguments`.
pub fn run(source: &Path, arguments: &[OsString]) -> Outcome {
    if !source.is_file() {
        return Err(Failure::at(source, "no such file"));
    }
    build::run()?;
    let folder = places::target().join("run");
    fs::create_dir_all(&folder).map_err(|e| Failure::at(&folder, e))?;
    let program = folder.join(source.file_stem().unwrap_or_default());
    let compile = Job::new(places::staging().join("bin/sycl-clang++"))
        .args(["-fsycl", "-O2"])
        .arg(source)
        .arg("-o")
        .arg(&program);
    compile.run().map_err(reported)?;
    let run = Job::new(&program)
        .args(arguments)
        .env("PLUMBLINE_TRACE", "device");
    run.run().map_err(reported)
}

/// A program that ran and failed has said why itself.
fn reported(error: JobError) -> Failure {
    match error {
        JobError::Failed { .. } => Failure::Reported,
        other => Failure::new(other),
    }
}

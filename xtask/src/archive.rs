//! `archive`: the conformance suites and the hardware tier in one file, for machines that have a
//! toolchain to judge, and neither this source tree nor a compiler for Rust.

use std::path::Path;

use crate::failure::{Failure, Outcome};
use crate::{cargo, places};

/// What the test programs read beside themselves, as in the source tree; cargo-nextest looks whether the
/// workspace's manifest is there.
const DATA: [&str; 8] = [
    "Cargo.toml",
    "suites/spec",
    "suites/cases",
    "suites/toolchains",
    "suites/tools.yaml",
    "fixtures",
    "golden",
    "hardware/deviations.yaml",
];

/// What starts the test programs of an unpacked archive.
const RUN: &str = include_str!("archive/run");

/// Builds the test programs and writes them into `file`, with the data that they read. cargo-nextest
/// makes the archive; `.config/nextest.toml` says what it takes along.
pub fn run(file: &Path) -> Outcome {
    let nextest = cargo::plain("nextest").arg("--version").capture(b"");
    nextest.map_err(|_| {
        Failure::new("cargo-nextest is missing; `cargo install cargo-nextest` brings it")
    })?;
    cargo::build(&["--package", "fat-tools", "--package", "hardware"])?;
    stage(&places::target().join("conformance"))?;
    let file = std::path::absolute(file).map_err(|e| Failure::at(file, e))?;
    let job = cargo::plain("nextest")
        .args([
            "archive",
            "--release",
            "--package=suites",
            "--package=hardware",
        ])
        .args(["--test=conformance", "--test=tier", "--archive-file"])
        .arg(&file);
    job.run().map_err(|_| Failure::Reported)?;
    eprintln!("archived: {}", file.display());
    Ok(())
}

/// Puts the data into `folder`, in place of what lies there.
fn stage(folder: &Path) -> Outcome {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(|e| Failure::at(folder, e))?;
    }
    for name in DATA {
        copy(&places::root().join(name), &folder.join(name))?;
    }
    let script = folder.join("run");
    std::fs::write(&script, RUN).map_err(|e| Failure::at(&script, e))?;
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, executable).map_err(|e| Failure::at(&script, e))
}

/// Copies a file, or a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> Outcome {
    let parent = to.parent().unwrap_or(to);
    std::fs::create_dir_all(parent).map_err(|e| Failure::at(parent, e))?;
    if !from.is_dir() {
        return std::fs::copy(from, to)
            .map(drop)
            .map_err(|e| Failure::at(from, e));
    }
    std::fs::create_dir_all(to).map_err(|e| Failure::at(to, e))?;
    for entry in std::fs::read_dir(from).map_err(|e| Failure::at(from, e))? {
        let entry = entry.map_err(|e| Failure::at(from, e))?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

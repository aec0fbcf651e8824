//! `archive`: the conformance suites, their seeded faults and the hardware tier in one file, for machines
//! that have a toolchain to judge, and neither this source tree nor a compiler for Rust.

use std::path::Path;

use crate::build::{self, tree};
use crate::failure::{Failure, Outcome};
use crate::{cargo, places};

/// What the test programs read beside themselves, as in the source tree; cargo-nextest looks whether the
/// workspace's manifest is there, and how it is to run.
const DATA: [&str; 10] = [
    "Cargo.toml",
    ".config/nextest.toml",
    "suites/spec",
    "suites/cases",
    "suites/faults",
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
    build::judges()?;
    stage(&places::target().join("conformance"))?;
    // Where the inspector looks for it once the archive is unpacked, with no staging tree beside it.
    let reader = "lib/plumbline/bitcode.so";
    tree::copy(
        &places::release().join("libplumbline_bitcode.so"),
        &places::target().join(reader),
    )?;
    let file = std::path::absolute(file).map_err(|e| Failure::at(file, e))?;
    let job = cargo::plain("nextest")
        .args(["archive", "--release"])
        .args(cargo::llvm()?)
        .arg("--workspace")
        .args(["--test=conformance", "--test=faults", "--test=tier"])
        .arg("--archive-file")
        .arg(&file);
    let archived = job.run().map_err(|_| Failure::Reported);
    // In this tree the staged one is meant.
    let copy = places::target().join(reader);
    std::fs::remove_file(&copy).map_err(|e| Failure::at(&copy, e))?;
    archived?;
    eprintln!("archived: {}", file.display());
    Ok(())
}

/// Makes `folder` hold the data and what starts the test programs.
fn stage(folder: &Path) -> Outcome {
    for name in DATA {
        let (from, to) = (places::root().join(name), folder.join(name));
        match from.is_dir() {
            true => tree::mirror(&from, &to)?,
            false => tree::copy(&from, &to)?,
        }
    }
    let script = folder.join("run");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::write(&script, RUN)
        .and_then(|()| std::fs::set_permissions(&script, executable))
        .map_err(|e| Failure::at(&script, e))
}

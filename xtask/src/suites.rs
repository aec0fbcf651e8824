//! `spec`, `compare` and `bless`: what the suites are asked for beside running them.

use std::path::{Path, PathBuf};

use components::process::Job;

use crate::failure::{Failure, Outcome};
use crate::{build, cargo, places};

/// The suites' own program, built.
fn program() -> Result<Job, Failure> {
    cargo::build(&["--bin=suites"])?;
    Ok(Job::new(places::release().join("suites")).dir(places::root()))
}

/// Shows which requirement has which cases.
pub fn spec(json: bool) -> Outcome {
    let job = program()?.arg("spec").args(json.then_some("--json"));
    job.run().map_err(|_| Failure::Reported)
}

/// Puts the parts of runs together, and tells what changed between runs.
pub fn compare(reports: &[PathBuf], folder: Option<&Path>, strict: bool) -> Outcome {
    let absolute = |file: &Path| std::path::absolute(file).map_err(|e| Failure::at(file, e));
    let mut job = program()?.arg("compare");
    job = job.args(strict.then_some("--strict"));
    if let Some(folder) = folder {
        job = job.arg("--report").arg(absolute(folder)?);
    }
    for report in reports {
        job = job.arg(absolute(report)?);
    }
    job.run().map_err(|_| Failure::Reported)
}

/// Writes the golden files of a toolchain, the reference where none is named, anew from what it does
/// now; with `check` everything stays as it is, and a difference or a file of no case is a failure, of any
/// toolchain that is set up here where none is named.
pub fn bless(check: bool, toolchain: Option<&str>) -> Outcome {
    match toolchain {
        None => build::run()?,
        Some(_) => build::judges()?,
    }
    let update = if check { "no" } else { "always" };
    let job = Job::new(places::release().join("suites"))
        .arg("bless")
        .args(check.then_some("--check"))
        .args(toolchain.map(|name| format!("--toolchain={}", places::toolchain(name))))
        .env(components::home::VARIABLE, places::components())
        .env("INSTA_UPDATE", update)
        .env("INSTA_WORKSPACE_ROOT", places::root())
        // The differences are told case by case.
        .env("INSTA_OUTPUT", "none");
    job.run().map_err(|_| match check {
        true => Failure::new("`cargo xtask bless` writes the golden files anew, for review"),
        false => Failure::Reported,
    })
}

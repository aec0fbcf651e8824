//! `tidy`: formatting, warnings, lints, and the invariants that ARCHITECTURE.md writes down.

mod ci_files;
mod headers;
mod invariants;
mod sources;

use components::Component;
use components::process::{Job, JobError};

use crate::failure::{Failure, Outcome};
use crate::{cargo, places, setup};

type Check = fn() -> Outcome;

/// Checks everything, tells everything that is wrong, and fails if there was anything.
pub fn run() -> Outcome {
    setup::ensure()?;
    let checks: [(&str, Check); 6] = [
        ("the invariants", written_invariants),
        ("rustfmt", rustfmt),
        ("clang-format", clang_format),
        ("the headers' warnings", header_warnings),
        ("the files for CI systems", ci_files::check),
        ("clippy", clippy),
    ];
    let mut failed = Vec::new();
    for (name, check) in checks {
        match check() {
            Ok(()) => {}
            Err(Failure::Reported) => failed.push(name),
            Err(reason) => {
                eprintln!("{reason}");
                failed.push(name);
            }
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(format!("not tidy: {}", failed.join(", ")))),
    }
}

/// The repository's own files.
#[cfg(test)]
pub fn sources() -> Result<Vec<sources::Source>, Failure> {
    sources::read(&places::root())
}

fn written_invariants() -> Outcome {
    let sources = sources::read(&places::root())?;
    let breaches = invariants::breaches(&sources);
    for breach in &breaches {
        eprintln!("{breach}");
    }
    match breaches.is_empty() {
        true => Ok(()),
        false => Err(Failure::Reported),
    }
}

fn rustfmt() -> Outcome {
    let job = cargo::plain("fmt").args(["--all", "--check"]);
    passed(job.run(), "cargo fmt --all")
}

fn clippy() -> Outcome {
    let job = cargo::job("clippy")
        .args(cargo::llvm()?)
        .args(["--workspace", "--all-targets", "--quiet"])
        .args(["--", "--deny", "warnings"]);
    passed(job.run(), "see above")
}

fn clang_format() -> Outcome {
    let sources = sources::read(&places::root())?;
    let files = sources.iter().filter(|source| source.is_cpp());
    let files: Vec<&str> = files.map(|source| source.path.as_str()).collect();
    if files.is_empty() {
        return Ok(());
    }
    let program = setup::require(Component::ClangFormat)?.path;
    let job = Job::new(program)
        .args(["--dry-run", "--Werror"])
        .args(files)
        .dir(places::root());
    passed(job.run(), "clang-format-19 -i FILE")
}

fn header_warnings() -> Outcome {
    headers::check(&sources::read(&places::root())?)
}

/// A checker that ran and found something has said what; `remedy` says what puts it right.
fn passed(result: Result<(), JobError>, remedy: &str) -> Outcome {
    result.map_err(|error| match error {
        JobError::Failed { .. } => {
            eprintln!("remedy: {remedy}");
            Failure::Reported
        }
        other => Failure::new(other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_invariants_hold() {
        let sources = sources::read(&places::root()).unwrap();
        assert!(sources.len() > 50, "the repository was not found");
        let breaches = invariants::breaches(&sources);
        let lines: Vec<String> = breaches.iter().map(ToString::to_string).collect();
        assert!(lines.is_empty(), "\n{}", lines.join("\n"));
    }
}

//! `spec`, `compare` and `bless`: what the suites are asked for beside running them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use components::process::Job;

use crate::failure::{Failure, Outcome};
use crate::{build, cargo, places};

/// Shows which requirement has which cases.
pub fn spec(json: bool) -> Outcome {
    let job = cargo::job("run")
        .args(["--quiet", "--package=suites", "--bin=suites", "--", "spec"])
        .args(json.then_some("--json"));
    job.run().map_err(|_| Failure::Reported)
}

/// Puts the parts of runs together, and tells what changed between runs.
pub fn compare(reports: &[PathBuf], folder: Option<&Path>) -> Outcome {
    let absolute = |file: &Path| std::path::absolute(file).map_err(|e| Failure::at(file, e));
    let mut job = cargo::job("run").args(["--quiet", "--package=suites", "--bin=suites"]);
    job = job.args(["--", "compare"]);
    if let Some(folder) = folder {
        job = job.arg("--report").arg(absolute(folder)?);
    }
    for report in reports {
        job = job.arg(absolute(report)?);
    }
    job.run().map_err(|_| Failure::Reported)
}

/// Writes the golden files anew from what the reference does now; with `check` everything stays as
/// it was, and a difference is a failure.
pub fn bless(check: bool) -> Outcome {
    build::run()?;
    let golden = places::root().join("golden");
    let before = contents(&golden)?;
    let programs = cargo::test_programs(&["--package=suites", "--test=conformance"])?;
    for program in programs {
        let job = Job::new(&program.program)
            .arg("--quiet")
            .dir(&program.folder)
            .env("CARGO_MANIFEST_DIR", &program.folder)
            .env("INSTA_UPDATE", "always")
            .env(components::home::VARIABLE, places::components());
        // Cases may fail for other reasons; `test` tells those.
        job.output(b"").map_err(Failure::new)?;
    }
    let after = contents(&golden)?;
    let changed = changed(&before, &after);
    for path in &changed {
        println!("{}", path.strip_prefix(&golden).unwrap_or(path).display());
    }
    if !check || changed.is_empty() {
        return Ok(());
    }
    restore(&before, &changed)?;
    Err(Failure::new(format!(
        "{} golden files would change; `cargo xtask bless` changes them",
        changed.len()
    )))
}

type Contents = BTreeMap<PathBuf, Vec<u8>>;

fn contents(folder: &Path) -> Result<Contents, Failure> {
    let mut contents = Contents::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|e| Failure::at(&folder, e))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).map_err(|e| Failure::at(&path, e))?;
                contents.insert(path, bytes);
            }
        }
    }
    Ok(contents)
}

fn changed(before: &Contents, after: &Contents) -> Vec<PathBuf> {
    let paths = before.keys().chain(after.keys());
    let mut changed: Vec<PathBuf> = paths
        .filter(|path| before.get(*path) != after.get(*path))
        .cloned()
        .collect();
    changed.sort();
    changed.dedup();
    changed
}

fn restore(before: &Contents, changed: &[PathBuf]) -> Outcome {
    for path in changed {
        let restored = match before.get(path) {
            Some(bytes) => fs::write(path, bytes),
            None => fs::remove_file(path),
        };
        restored.map_err(|e| Failure::at(path, e))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_found_and_undone() {
        let root = tempfile::tempdir().unwrap();
        let (old, new) = (root.path().join("old"), root.path().join("sub/new"));
        fs::create_dir(root.path().join("sub")).unwrap();
        fs::write(&old, "1").unwrap();
        let before = contents(root.path()).unwrap();
        fs::write(&old, "2").unwrap();
        fs::write(&new, "3").unwrap();
        let changed = changed(&before, &contents(root.path()).unwrap());
        assert_eq!(changed, [old, new]);
        restore(&before, &changed).unwrap();
        assert_eq!(contents(root.path()).unwrap(), before);
    }
}

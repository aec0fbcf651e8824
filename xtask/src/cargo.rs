//! What cargo is asked for.

use std::path::PathBuf;

use components::process::Job;
use serde_json::Value;

use crate::failure::{Failure, Outcome};
use crate::places;

/// A start of the cargo that runs this task, in the repository's root, with the one profile.
pub fn job(command: &str) -> Job {
    plain(command).arg("--release")
}

/// A start of cargo for a command that builds nothing.
pub fn plain(command: &str) -> Job {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    Job::new(cargo).arg(command).dir(places::root())
}

/// The variable that names the LLVM that the tools are built over: 19, or 22.
const LLVM: &str = "PLUMBLINE_LLVM";

/// The description of the reference over the LLVM that it is built over, where that is not the usual one.
pub fn reference() -> Option<&'static str> {
    let is_other = std::env::var(LLVM).is_ok_and(|wanted| wanted == "22");
    is_other.then_some("reference-llvm-22")
}

/// The words that choose the LLVM of the workspace.
pub fn llvm() -> Result<Vec<String>, Failure> {
    llvm_words(std::env::var(LLVM).ok().as_deref())
}

fn llvm_words(wanted: Option<&str>) -> Result<Vec<String>, Failure> {
    match wanted {
        None | Some("" | "19") => Ok(Vec::new()),
        Some("22") => Ok(["--no-default-features", "--features=llvm22"]
            .map(str::to_owned)
            .into()),
        Some(other) => {
            let reason = format!("{LLVM} is '{other}': the tools build over LLVM 19 or 22");
            Err(Failure::new(reason))
        }
    }
}

/// A start of cargo over the whole workspace, which `targets` narrow: of single packages it would build much of
/// what they depend on once more, with other features.
fn workspace(command: &str, targets: &[&str]) -> Result<Job, Failure> {
    let job = job(command).arg("--workspace").args(llvm()?);
    Ok(job.args(targets.iter().copied()))
}

/// Builds the targets that are named (`--lib`, `--bin=…`), or all; cargo's own messages reach the user, and how far
/// it is: the first time takes minutes.
pub fn build(targets: &[&str]) -> Outcome {
    let built = workspace("build", targets)?.run();
    built.map_err(|_| Failure::Reported)
}

/// The packages whose programs are the tools.
const TOOLS: [&str; 3] = ["fat-tools", "reference", "sycl-runtime"];

/// The names of the tools.
pub fn tools() -> Result<Vec<String>, Failure> {
    let job = plain("metadata").args(["--no-deps", "--offline", "--format-version=1"]);
    let answer = job.capture(b"").map_err(Failure::new)?;
    let metadata: Value = serde_json::from_slice(&answer.stdout).map_err(Failure::new)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let of_tools = packages.filter(|package| TOOLS.iter().any(|name| package["name"] == *name));
    let targets = of_tools.flat_map(|package| package["targets"].as_array().into_iter().flatten());
    let programs = targets.filter(|target| target["kind"][0] == "bin");
    let names = programs.filter_map(|target| target["name"].as_str());
    Ok(names.map(str::to_owned).collect())
}

/// A test program that cargo built.
#[derive(Debug, Clone)]
pub struct TestProgram {
    /// The package that it tests.
    pub package: String,
    /// The name of its target.
    pub target: String,
    /// What kind of target (`lib`, `bin`, `test`).
    pub kind: String,
    /// The program.
    pub program: PathBuf,
    /// The package's folder.
    pub folder: PathBuf,
}

impl TestProgram {
    /// Whether it is the program of this package and target.
    pub fn is(&self, (package, target): (&str, &str)) -> bool {
        self.package == package && self.target == target
    }
}

/// Builds the test programs that are named (`--test`, and a name), or all.
pub fn test_programs(targets: &[&str]) -> Result<Vec<TestProgram>, Failure> {
    let job =
        workspace("test", targets)?.args(["--no-run", "--message-format=json-render-diagnostics"]);
    let mut programs = Vec::new();
    let status = job.lines(|line| programs.extend(test_program(line)));
    match status.map_err(Failure::new)?.success() {
        true => Ok(programs),
        false => Err(Failure::Reported),
    }
}

/// The test program that one of cargo's messages tells of, if it does.
fn test_program(message: &str) -> Option<TestProgram> {
    let message: Value = serde_json::from_str(message).ok()?;
    if message["profile"]["test"] != true {
        return None;
    }
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let manifest = PathBuf::from(message["manifest_path"].as_str()?);
    let folder = manifest.parent()?.to_owned();
    // `path+file:///…/formats#offload-formats@0.1.0`, or with no name when the folder has it.
    let id = message["package_id"].as_str()?;
    let (place, name) = id.rsplit_once('#')?;
    let package = name.rsplit_once('@').map_or_else(
        || place.rsplit('/').next().unwrap_or(place),
        |(name, _)| name,
    );
    Some(TestProgram {
        package: package.to_owned(),
        target: text(&message["target"]["name"])?,
        kind: text(&message["target"]["kind"][0])?,
        program: message["executable"].as_str()?.into(),
        folder,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_llvm_inside_is_chosen() {
        let words = |wanted| llvm_words(wanted).unwrap();
        assert!(words(None).is_empty());
        assert!(words(Some("19")).is_empty());
        assert_eq!(
            words(Some("22")),
            ["--no-default-features", "--features=llvm22"]
        );
        assert!(llvm_words(Some("18")).is_err());
    }

    #[test]
    fn a_test_program_is_read_from_cargos_message() {
        let message = r#"{"reason":"compiler-artifact","package_id":"path+file:///r/suites#0.1.0",
            "manifest_path":"/r/suites/Cargo.toml","target":{"kind":["test"],"name":"conformance"},
            "profile":{"test":true},"executable":"/t/conformance-1"}"#;
        let program = test_program(message).unwrap();
        assert_eq!(program.package, "suites");
        assert_eq!((&*program.target, &*program.kind), ("conformance", "test"));
        assert_eq!(program.program, PathBuf::from("/t/conformance-1"));
        assert!(test_program(r#"{"reason":"build-finished"}"#).is_none());
    }
}

//! Cases as their files hold them: one YAML file, or one folder with a `case.yaml` and inputs
//! beside it. The manual of the format is itself a case: `suites/cases/manual/case-format.yaml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::golden::Golden;

/// How a step has to end, named by the phase that decides it. A crash, a panic or a timeout is none
/// of these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It does what it was asked to.
    #[default]
    Passes,
    /// The command line is refused.
    DriverRejects,
    /// The compiler refuses the source.
    CompileFails,
    /// A tool refuses an input: broken, or not of the form it should have.
    Malformed,
    /// The device or host link fails.
    LinkFails,
    /// Something is left out for a target, without an error; the expectations say what remains.
    Filtered,
    /// A program of the suites reports a `sycl::exception`: it prints `threw ERRC: WHAT` and exits
    /// with 3.
    RuntimeThrows,
}

impl Outcome {
    /// The exit statuses that mean it, unless a toolchain description says otherwise.
    #[must_use]
    pub fn exits(self) -> &'static [i32] {
        match self {
            Outcome::Passes | Outcome::Filtered => &[0],
            Outcome::DriverRejects => &[1, 2],
            Outcome::CompileFails | Outcome::Malformed | Outcome::LinkFails => &[1],
            Outcome::RuntimeThrows => &[3],
        }
    }

    /// Whether a tool fails by it, and has to say why on standard error.
    #[must_use]
    pub fn is_failure(self) -> bool {
        matches!(
            self,
            Outcome::DriverRejects
                | Outcome::CompileFails
                | Outcome::Malformed
                | Outcome::LinkFails
        )
    }
}

/// What a text has to be. All that is given has to hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct TextChecks {
    /// The whole text, but for white space at its ends.
    pub equals: Option<String>,
    /// Texts that occur in it.
    pub contains: Vec<String>,
    /// Texts that do not occur in it.
    pub lacks: Vec<String>,
    /// Regular expressions (multi-line mode) that match somewhere.
    pub matches: Vec<String>,
    /// Regular expressions that match nowhere.
    pub lacks_match: Vec<String>,
    /// How often each text occurs.
    pub count: BTreeMap<String, usize>,
    /// How many lines it has.
    pub lines: Option<usize>,
    /// JSON pointers, and what stands there when the text is read as JSON.
    pub json: BTreeMap<String, serde_json::Value>,
    /// Check lines that `FileCheck` holds it to.
    pub filecheck: Option<String>,
    /// The golden file that holds the whole text.
    pub golden: Option<Golden>,
    /// What this project promises of its own, such as the words of a message: held against toolchains
    /// that answer for more than the documents, and against no other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<Box<TextChecks>>,
}

impl TextChecks {
    /// Whether only a toolchain that answers for more than the documents is asked anything.
    fn is_all_own(&self) -> bool {
        let rest = TextChecks {
            own: None,
            ..self.clone()
        };
        self.own.is_some() && rest == TextChecks::default()
    }
}

/// What a file has to be after a step. All that is given has to hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct FileChecks {
    /// It is not there.
    pub absent: bool,
    /// It holds the same bytes as this other file.
    pub same_as: Option<String>,
    /// It begins with these bytes, in hexadecimal.
    pub begins_with: Option<String>,
    /// Its text.
    pub text: Option<TextChecks>,
}

/// One command, and what has to come of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Step {
    /// The command: words as a shell splits them, with placeholders; no shell runs it.
    pub run: String,
    /// Why it asks for more than the documents do, if so: a toolchain that does not answer for that is
    /// spared the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond: Option<String>,
    /// Standard input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// Variables, on top of the pinned ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// A setting that the toolchain's description knows by name, such as a device to run on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// Seconds after which it is killed.
    #[serde(default = "default_limit")]
    pub limit: u64,
    /// How it has to end.
    #[serde(default)]
    pub outcome: Outcome,
    /// The exact exit status, where a program proves itself by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// Its standard output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout: Option<TextChecks>,
    /// Its standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<TextChecks>,
    /// Files that it leaves, or does not.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, FileChecks>,
}

fn default_limit() -> u64 {
    600
}

/// A case as its file holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CaseFile {
    /// The requirements that it shows; of a case that goes beyond them, those that it is near to.
    pub requirements: Vec<String>,
    /// Why it asks for more than the documents do, if so. It shows no requirement then, and a
    /// toolchain is held to it only when its description says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond: Option<String>,
    /// What it shows, in a sentence.
    pub about: String,
    /// Components that have to be there for it to run at all, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Inputs, written into the case's own folder before the first step.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, String>,
    /// The commands, in order; the first that goes wrong ends the case.
    pub steps: Vec<Step>,
}

/// A case and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Case {
    /// `suite/name`.
    pub name: String,
    /// The file that holds it.
    #[serde(skip)]
    pub file: PathBuf,
    /// What the file says.
    #[serde(flatten)]
    pub body: CaseFile,
}

impl Case {
    /// Reads `file`, which stands under `root`, the folder of all cases.
    ///
    /// # Errors
    /// With file and line; also when a step could pass without having shown anything.
    pub fn load(file: &Path, root: &Path) -> Result<Self, String> {
        let body: CaseFile =
            offload_formats::yaml::from_file(file).map_err(|error| error.to_string())?;
        let named = match file.file_name() {
            Some(name) if name == "case.yaml" => file.parent().unwrap_or(file).to_owned(),
            _ => file.with_extension(""),
        };
        let name = named
            .strip_prefix(root)
            .unwrap_or(&named)
            .to_string_lossy()
            .into_owned();
        let case = Case {
            name,
            file: file.to_owned(),
            body,
        };
        match case.weakness() {
            Some(weakness) => Err(format!("{}: {weakness}", case.file.display())),
            None => Ok(case),
        }
    }

    /// The folder of inputs beside the case.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("."))
    }

    /// The suite that the case belongs to.
    #[must_use]
    pub fn suite(&self) -> &str {
        self.name.split('/').next().unwrap_or(&self.name)
    }

    /// Names of its golden files, in the folder of a toolchain.
    pub fn goldens(&self) -> impl Iterator<Item = String> {
        self.body
            .steps
            .iter()
            .flat_map(Step::texts)
            .filter_map(|text| text.golden.as_ref())
            .map(|golden| golden.file_name(&self.name))
    }

    /// Whether golden files hold what it is about: it goes beyond the documents by them, and without
    /// any it would show nothing.
    #[must_use]
    pub fn is_of_goldens(&self) -> bool {
        self.body.beyond.is_some() && self.goldens().next().is_some()
    }

    /// Why the case could pass without having shown anything, if so.
    fn weakness(&self) -> Option<String> {
        if self.body.requirements.is_empty() {
            return Some("a case cites at least one requirement".to_owned());
        }
        if self
            .body
            .beyond
            .as_ref()
            .is_some_and(|reason| reason.trim().is_empty())
        {
            return Some("'beyond' says why the case goes beyond the documents".to_owned());
        }
        if self.body.steps.is_empty() {
            return Some("a case has at least one step".to_owned());
        }
        self.body
            .steps
            .iter()
            .enumerate()
            .find_map(|(index, step)| Some(format!("step {}: {}", index + 1, step.weakness()?)))
    }
}

impl Step {
    /// Every text that the step checks.
    pub fn texts(&self) -> impl Iterator<Item = &TextChecks> {
        let files = self.files.values().filter_map(|file| file.text.as_ref());
        let texts = self.stdout.iter().chain(&self.stderr).chain(files);
        texts.flat_map(|text| std::iter::once(text).chain(text.own.as_deref()))
    }

    /// Whether it starts a program that the case built.
    #[must_use]
    pub fn is_built_program(&self) -> bool {
        let word = self.run.trim_start();
        word.starts_with("%t/") || word.starts_with("%{t}/") || word.starts_with("./")
    }

    fn weakness(&self) -> Option<&'static str> {
        let is_blank = |reason: &String| reason.trim().is_empty();
        if self.beyond.as_ref().is_some_and(is_blank) {
            return Some("'beyond' says why the step goes beyond the documents");
        }
        if self.outcome.is_failure() && self.stderr.as_ref().is_some_and(TextChecks::is_all_own) {
            return Some("a step that fails says by 'stderr' what anyone's message has to name");
        }
        if self.outcome.is_failure() && self.stderr.is_none() {
            return Some("a step that fails says by 'stderr' what the message has to name");
        }
        if self.outcome == Outcome::Filtered && self.files.is_empty() && self.stdout.is_none() {
            return Some("a filtered step says by 'files' or 'stdout' what remains");
        }
        if self.outcome == Outcome::RuntimeThrows && self.stdout.is_none() {
            return Some("a step that throws says by 'stdout' what the exception is");
        }
        let proves = self.stdout.is_some() || self.exit.is_some_and(|exit| exit != 0);
        if self.is_built_program() && self.outcome == Outcome::Passes && !proves {
            return Some(
                "a built program proves itself by 'stdout' or by an 'exit' other than 0, \
                 not by exit status 0 alone",
            );
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Case, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("split/one.yaml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        Case::load(&file, folder.path())
    }

    const HEAD: &str = "requirements: [OFF-X-001]\nabout: it\nsteps:\n";

    #[test]
    fn a_case_is_named_after_its_place() {
        let case = load(&format!("{HEAD}- run: '%t/a.out'\n  exit: 42\n")).unwrap();
        assert_eq!((case.name.as_str(), case.suite()), ("split/one", "split"));
        assert_eq!(case.body.steps[0].outcome, Outcome::Passes);
    }

    #[test]
    fn an_unknown_key_names_file_and_line() {
        let error = load(&format!("{HEAD}- run: a\n  stdoot: {{}}\n")).unwrap_err();
        assert!(error.contains("one.yaml:5:3: "), "{error}");
        assert!(error.contains("unknown field `stdoot`"), "{error}");
    }

    #[test]
    fn going_beyond_the_documents_needs_a_reason() {
        let steps = "- {run: x, stdout: {equals: y}}\n";
        let case = load(&format!("beyond: ours\n{HEAD}{steps}")).unwrap();
        assert_eq!(case.body.beyond.as_deref(), Some("ours"));
        let error = load(&format!("beyond: ' '\n{HEAD}{steps}")).unwrap_err();
        assert!(error.contains("'beyond' says why"), "{error}");
    }

    #[test]
    fn a_step_that_shows_nothing_is_refused() {
        for step in [
            "{run: '%t/a.out'}",
            "{run: '%t/a.out', exit: 0}",
            "{run: x, outcome: malformed}",
            "{run: x, outcome: filtered}",
            "{run: '%t/a.out', outcome: runtime-throws}",
            "{run: x, outcome: malformed, stderr: {own: {contains: [y]}}}",
            "{run: x, beyond: ''}",
        ] {
            let error = load(&format!("{HEAD}- {step}\n")).unwrap_err();
            assert!(error.contains("step 1: "), "{step}: {error}");
        }
    }
}

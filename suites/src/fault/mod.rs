//! Seeded faults: each breaks one thing of the toolchain under test, and the cases of the requirement
//! that it breaks have to notice. Descriptions stand in `suites/faults/*.yaml`.
//!
//! What a fault does is data (`Edits`); [`tree`] puts a program that applies it in the place of one
//! tool, [`words`] and [`files`] are what it applies.

pub mod files;
pub mod list;
pub mod registration;
pub mod tree;
pub mod words;

use std::collections::BTreeSet;
use std::path::Path;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::layout::files_under;
use crate::library::Library;
use crate::toolchain::{ROLES, Toolchain};
use crate::tools::Tools;
use files::FileEdit;
use registration::RegistrationEdit;
use words::WordEdits;

/// One fault, as its file describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Fault {
    /// What it is called: words between dashes.
    pub name: String,
    /// What the faulty toolchain does, in words.
    pub about: String,
    /// Whose fault it is: a tool is wrapped, headers are edited, and for the runtime what programs
    /// register is.
    pub role: String,
    /// The requirements that it breaks; their cases have to notice.
    pub requirements: Vec<String>,
    /// The case to try before the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// Whether it belongs to the sample that every run of all tests tries.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sample: bool,
    /// Tools and devices without which it cannot be tried, by their names in `tools.yaml`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Whether it breaks what this project promises of its own: cases that go beyond the documents, and
    /// what others ask beside them, have to notice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beyond: bool,
    /// What it does.
    pub edits: Edits,
}

/// What a fault does to a tool's command line, to files and streams, and to what programs register.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Edits {
    /// Only starts whose words, joined by spaces, match this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Pattern>,
    /// Changes of the command line.
    pub words: WordEdits,
    /// Changes of files that words name, before the tool reads them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<FileEdit>,
    /// Changes of files that the tool wrote, into its folder or beside what `-o` names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<FileEdit>,
    /// Changes of standard output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stdout: Vec<Substitution>,
    /// Changes of standard error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<Substitution>,
    /// Failures are reported as successes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hides_failures: bool,
    /// A failure leaves a file where `-o` says.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub leaves_output: bool,
    /// Variables that the tool does not see.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hides_variables: Vec<String>,
    /// Changes of the toolchain's headers, by their paths below its `include`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<FileEdit>,
    /// Changes of what built programs register with the runtime.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registers: Option<RegistrationEdit>,
}

/// A regular expression in multi-line mode, kept as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pattern(pub String);

/// What is put in the place of every match; `$1` is the first group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Substitution {
    /// What is looked for.
    pub pattern: Pattern,
    /// What is put there instead.
    #[serde(default)]
    pub with: String,
}

/// One file of `suites/faults/`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultFile {
    faults: Vec<Fault>,
}

impl Pattern {
    fn builder(text: &str) -> Result<Regex, String> {
        let regex = RegexBuilder::new(text).multi_line(true).build();
        regex.map_err(|e| e.to_string())
    }

    /// The expression, which matches anywhere.
    ///
    /// # Errors
    /// When it is none.
    pub fn anywhere(&self) -> Result<Regex, String> {
        Pattern::builder(&self.0)
    }

    /// The expression, which matches whole texts only.
    ///
    /// # Errors
    /// When it is none.
    pub fn whole(&self) -> Result<Regex, String> {
        Pattern::builder(&format!(r"\A(?:{})\z", self.0))
    }
}

/// A text with everything substituted, in order.
///
/// # Errors
/// When a pattern is none.
pub fn substituted(text: &str, changes: &[Substitution]) -> Result<String, String> {
    changes.iter().try_fold(text.to_owned(), |text, change| {
        let found = change.pattern.anywhere()?;
        Ok(found.replace_all(&text, change.with.as_str()).into_owned())
    })
}

impl Fault {
    /// The faults of every `*.yaml` file under `folder`, by file and in its order.
    ///
    /// # Errors
    /// Every mistake found, each with its file: unknown keys and roles, patterns that are none, names
    /// that are taken, requirements and cases that are not there.
    pub fn load_all(folder: &Path, library: &Library) -> Result<Vec<Fault>, Vec<String>> {
        let mut faults: Vec<Fault> = Vec::new();
        let mut mistakes = Vec::new();
        let mut names = BTreeSet::new();
        for file in files_under(folder).map_err(|e| vec![e])? {
            match offload_formats::yaml::from_file::<FaultFile>(&file) {
                Ok(read) => {
                    for fault in read.faults {
                        let taken = !names.insert(fault.name.clone());
                        let taken = taken.then(|| "the name is taken".to_owned());
                        let wrong = fault.mistakes(library).into_iter().chain(taken);
                        let place = format!("{}: {}", file.display(), fault.name);
                        mistakes.extend(wrong.map(|wrong| format!("{place}: {wrong}")));
                        faults.push(fault);
                    }
                }
                Err(error) => mistakes.push(error.to_string()),
            }
        }
        match mistakes.is_empty() {
            true => Ok(faults),
            false => Err(mistakes),
        }
    }

    fn mistakes(&self, library: &Library) -> Vec<String> {
        let mut mistakes = Vec::new();
        if !ROLES.contains(&self.role.as_str()) {
            mistakes.push(format!("no role '{}'", self.role));
        }
        if self.about.trim().is_empty() || self.requirements.is_empty() {
            mistakes.push("it says what it does, and names a requirement".to_owned());
        }
        let known = &library.catalogue.entries;
        let unknown = self
            .requirements
            .iter()
            .filter(|id| !known.contains_key(*id));
        mistakes.extend(unknown.map(|id| format!("no requirement {id}")));
        if let Some(first) = &self.first {
            let may_catch = self.cases(library).iter().any(|case| case.name == *first);
            if !may_catch {
                mistakes.push(format!("'{first}' is no case of its requirements"));
            }
        }
        if self.edits == Edits::default() {
            mistakes.push("it does nothing".to_owned());
        }
        mistakes.extend(
            self.edits
                .patterns()
                .filter_map(|pattern| pattern.whole().err()),
        );
        mistakes
    }

    /// The cases that have to notice, the first to try in front, then the cheaper ones.
    #[must_use]
    pub fn cases<'a>(&self, library: &'a Library) -> Vec<&'a Case> {
        let concerns = |case: &&Case| {
            let mut ids = case.body.requirements.iter();
            (self.beyond || case.body.beyond.is_none())
                && ids.any(|id| self.requirements.contains(id))
        };
        let mut cases: Vec<&Case> = library.cases.iter().filter(concerns).collect();
        cases.sort_by_key(|case| (Some(&case.name) != self.first.as_ref(), cost(case)));
        cases
    }

    /// Why it cannot be tried here, if so.
    #[must_use]
    pub fn obstacle(&self, toolchain: &dyn Toolchain, tools: &Tools) -> Option<String> {
        let is_tool = !["headers", "runtime"].contains(&self.role.as_str());
        if is_tool && toolchain.command(&self.role).is_none() {
            return Some(format!(
                "toolchain '{}' has no {}",
                toolchain.name(),
                self.role
            ));
        }
        let lacks = |name: &String| match tools.program(name).or_else(|| tools.need(name)) {
            Some(found) => found.as_ref().err().cloned(),
            None if tools.is_capability(name) => tools
                .lacks_all(toolchain.relies_on(name))
                .or_else(|| crate::tools::refusal(toolchain.tries(name))),
            None => Some(format!("nothing is called '{name}'")),
        };
        self.needs.iter().find_map(lacks)
    }
}

/// How long a case may take, roughly: drivers and built programs take long, scripts longest.
fn cost(case: &Case) -> usize {
    let of = |run: &str| match () {
        () if run.contains(".sh ") => 50,
        () if run.contains("%sycl-clang++") || run.starts_with("%t/") => 5,
        () => 1,
    };
    case.body.steps.iter().map(|step| of(&step.run)).sum()
}

impl Edits {
    fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let files = [&self.inputs, &self.outputs, &self.headers];
        let files = files.into_iter().flatten().flat_map(FileEdit::patterns);
        let streams = self.stdout.iter().chain(&self.stderr);
        let streams = streams.map(|change| &change.pattern);
        let words = self.words.patterns();
        self.when.iter().chain(words).chain(files).chain(streams)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library() -> Library {
        let folder = tempfile::tempdir().unwrap();
        let (spec, cases) = (folder.path().join("spec"), folder.path().join("cases/aot"));
        std::fs::create_dir_all(&spec).unwrap();
        std::fs::create_dir_all(&cases).unwrap();
        let text = "document: OPT\nrequirements:\n  - {id: OPT-A-001, section: S, strength: must, \
                    role: sycl-post-link, statement: it does}\n";
        std::fs::write(spec.join("opt.yaml"), text).unwrap();
        for (name, beyond, step) in [
            ("dear", "", "'%sycl-clang++ -c x'"),
            ("cheap", "", "x"),
            ("ours", "beyond: ours\n", "x"),
        ] {
            let text =
                format!("requirements: [OPT-A-001]\n{beyond}about: it\nsteps: [{{run: {step}}}]\n");
            std::fs::write(cases.join(format!("{name}.yaml")), text).unwrap();
        }
        let mut layout = crate::layout::Layout::of(folder.path());
        (layout.spec, layout.cases) = (spec, folder.path().join("cases"));
        Library::load(&layout).unwrap()
    }

    fn load(text: &str) -> Result<Vec<Fault>, Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.yaml"), text).unwrap();
        Fault::load_all(folder.path(), &library())
    }

    const HEAD: &str = "faults:\n- {name: a, about: it, role: sycl-post-link, requirements: [";

    #[test]
    fn its_cases_come_cheapest_first_without_those_beyond_the_documents() {
        let names = |text: &str| -> Vec<String> {
            let faults = load(text).unwrap();
            let library = library();
            let cases = faults[0].cases(&library);
            cases.iter().map(|case| case.name.clone()).collect()
        };
        let edit = "OPT-A-001], edits: {words: {drop: [x]}}";
        assert_eq!(
            names(&format!("{HEAD}{edit}}}\n")),
            ["aot/cheap", "aot/dear"]
        );
        let first = names(&format!("{HEAD}{edit}, first: aot/dear}}\n"));
        assert_eq!(first, ["aot/dear", "aot/cheap"]);
    }

    #[test]
    fn mistakes_name_file_and_fault() {
        for (text, expected) in [
            (
                "OPT-B-001], edits: {hides-failures: true}}",
                "no requirement OPT-B-001",
            ),
            ("OPT-A-001], edits: {}}", "it does nothing"),
            ("OPT-A-001], edits: {when: '('}}", "unclosed group"),
            (
                "OPT-A-001], edits: {leaves-output: true}, first: aot/ours}",
                "is no case of",
            ),
            ("OPT-A-001], edits: {wrods: {}}}", "unknown field `wrods`"),
        ] {
            let mistakes = load(&format!("{HEAD}{text}\n")).unwrap_err().join("\n");
            assert!(mistakes.contains("a.yaml"), "{mistakes}");
            assert!(mistakes.contains(expected), "{mistakes}");
        }
    }
}

//! Which cases of the suites run: by name, requirement, document, role and device. Words of one kind
//! are alternatives; a case has to satisfy every kind that is given.

use std::fmt;
use std::str::FromStr;

use crate::case::Case;
use crate::catalogue::Catalogue;

/// A choice of cases. Written as `kind=word,word;kind=word`, which is how the variable
/// [`VARIABLE`] brings it to test programs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Parts of names of cases.
    pub names: Vec<String>,
    /// Requirements: whole ids, or their beginnings (`FEAT-AOT`).
    pub requirements: Vec<String>,
    /// Documents by their short names.
    pub documents: Vec<String>,
    /// Roles by which the requirements are met.
    pub roles: Vec<String>,
    /// Settings that a case runs with, such as `opencl-cpu`, or their beginnings.
    pub devices: Vec<String>,
}

/// The variable that holds a selection.
pub const VARIABLE: &str = "PLUMBLINE_SELECT";

impl Selection {
    /// What the environment asks for; everything when it says nothing.
    ///
    /// # Errors
    /// When the variable does not read.
    pub fn from_environment() -> Result<Self, String> {
        match std::env::var(VARIABLE) {
            Ok(text) => text.parse().map_err(|e| format!("{VARIABLE}: {e}")),
            Err(_) => Ok(Selection::default()),
        }
    }

    /// Its words that match no case, each as a selection of its own.
    #[must_use]
    pub fn unmatched(&self, cases: &[Case], catalogue: &Catalogue) -> Vec<Selection> {
        let kinds = self.kinds().into_iter();
        let words = kinds.flat_map(|(kind, words)| words.iter().map(move |word| (kind, word)));
        let alone = words.filter_map(|(kind, word)| {
            let mut alone = Selection::default();
            alone.slot(kind)?.push(word.clone());
            Some(alone)
        });
        alone
            .filter(|alone| !cases.iter().any(|case| alone.takes(case, catalogue)))
            .collect()
    }

    /// The words of one kind.
    fn slot(&mut self, kind: &str) -> Option<&mut Vec<String>> {
        match kind {
            "name" => Some(&mut self.names),
            "requirement" => Some(&mut self.requirements),
            "document" => Some(&mut self.documents),
            "role" => Some(&mut self.roles),
            "device" => Some(&mut self.devices),
            _ => None,
        }
    }

    /// Whether `case` is chosen.
    #[must_use]
    pub fn takes(&self, case: &Case, catalogue: &Catalogue) -> bool {
        let ids = &case.body.requirements;
        let entries = || ids.iter().filter_map(|id| catalogue.entries.get(id));
        let settings = || case.body.steps.iter().filter_map(|step| step.with.as_ref());
        let any = |words: &[String], holds: &dyn Fn(&str) -> bool| {
            words.is_empty() || words.iter().any(|word| holds(word))
        };
        any(&self.names, &|word| case.name.contains(word))
            && any(&self.requirements, &|word| {
                ids.iter().any(|id| begins(id, word))
            })
            && any(&self.documents, &|word| {
                entries().any(|entry| entry.document.short_name().eq_ignore_ascii_case(word))
            })
            && any(&self.roles, &|word| {
                entries().any(|entry| entry.requirement.role == word)
            })
            && any(&self.devices, &|word| {
                settings().any(|with| begins(with, word))
            })
    }

    fn kinds(&self) -> [(&'static str, &Vec<String>); 5] {
        [
            ("name", &self.names),
            ("requirement", &self.requirements),
            ("document", &self.documents),
            ("role", &self.roles),
            ("device", &self.devices),
        ]
    }
}

/// Whether `word` is the whole of `name` or its first parts between dashes.
fn begins(name: &str, word: &str) -> bool {
    name.strip_prefix(word)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = self.kinds();
        let given = kinds.iter().filter(|(_, words)| !words.is_empty());
        let given: Vec<String> = given
            .map(|(kind, words)| format!("{kind}={}", words.join(",")))
            .collect();
        f.write_str(&given.join(";"))
    }
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut selection = Selection::default();
        for part in text.split(';').filter(|part| !part.is_empty()) {
            let (kind, words) = part.split_once('=').unwrap_or((part, ""));
            let Some(slot) = selection.slot(kind) else {
                return Err(format!(
                    "'{kind}' is none of name, requirement, document, role, device"
                ));
            };
            slot.extend(
                words
                    .split(',')
                    .filter(|word| !word.is_empty())
                    .map(str::to_owned),
            );
            if slot.is_empty() {
                return Err(format!("'{kind}' has no word behind it"));
            }
        }
        Ok(selection)
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    fn case() -> Case {
        let text = "requirements: [OPT-POST-001]\nabout: it\n\
                    steps: [{run: x, with: opencl-cpu-traced, stdout: {equals: y}}]\n";
        Case {
            name: "aot/cpu".to_owned(),
            file: PathBuf::new(),
            body: offload_formats::yaml::from_str(text, Path::new("x")).unwrap(),
        }
    }

    fn catalogue() -> Catalogue {
        let folder = tempfile::tempdir().unwrap();
        let text = "document: OPT\nrequirements:\n  - {id: OPT-POST-001, section: S, \
                    strength: must, role: sycl-post-link, statement: it does}\n";
        std::fs::write(folder.path().join("opt.yaml"), text).unwrap();
        Catalogue::load(folder.path()).unwrap()
    }

    #[test]
    fn each_kind_has_its_say() {
        let (case, catalogue) = (case(), catalogue());
        let takes = |text: &str| text.parse::<Selection>().unwrap().takes(&case, &catalogue);
        for text in [
            "",
            "name=cpu",
            "name=gpu,aot/",
            "requirement=OPT-POST",
            "requirement=OPT-POST-001;document=opt",
            "role=sycl-post-link;device=opencl-cpu",
        ] {
            assert!(takes(text), "{text}");
        }
        for text in [
            "name=gpu",
            "requirement=OPT-PO",
            "document=FEAT",
            "role=runtime",
            "device=opencl-c",
            "name=cpu;document=FEAT",
        ] {
            assert!(!takes(text), "{text}");
        }
    }

    #[test]
    fn each_word_has_to_match_something() {
        let (cases, catalogue) = ([case()], catalogue());
        let unmatched = |text: &str| {
            let selection: Selection = text.parse().unwrap();
            let found = selection.unmatched(&cases, &catalogue);
            found.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let none: [&str; 0] = [];
        assert_eq!(
            unmatched("name=cpu;requirement=OPT-POST;document=opt"),
            none
        );
        assert_eq!(
            unmatched("requirement=OPT-POST-001,OPT-POST-010"),
            ["requirement=OPT-POST-010"]
        );
        assert_eq!(
            unmatched("name=gpu;role=runtime"),
            ["name=gpu", "role=runtime"]
        );
    }

    #[test]
    fn it_reads_back_and_refuses_what_it_does_not_know() {
        let text = "name=a,b;role=runtime";
        let selection: Selection = text.parse().unwrap();
        assert_eq!(selection.to_string(), text);
        assert!("colour=red".parse::<Selection>().is_err());
        assert!("role=".parse::<Selection>().is_err());
    }
}

//! The requirement catalogue: every normative statement of the documents, in our own words, with an
//! id that cases cite. Read from `suites/spec/*.yaml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::layout::files_under;
use crate::toolchain::ROLES;

/// One of the five documents, by its short name.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum Document {
    /// Propagation of front-end optimization levels to the back end.
    Opt,
    /// ThinLTO for SYCL.
    Thin,
    /// SYCL offloading design and internals.
    Off,
    /// Behaviour of optional kernel features.
    Feat,
    /// The new offloading model.
    Model,
}

impl Document {
    /// All documents, in the order of their numbers.
    pub const ALL: [Document; 5] = [
        Document::Opt,
        Document::Thin,
        Document::Off,
        Document::Feat,
        Document::Model,
    ];

    /// What it is about.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Document::Opt => "Propagation of front-end optimization levels to the back end",
            Document::Thin => "ThinLTO for SYCL",
            Document::Off => "SYCL offloading design and internals",
            Document::Feat => "Behaviour of optional kernel features",
            Document::Model => "The new offloading model",
        }
    }

    /// The name that ids begin with.
    #[must_use]
    pub fn short_name(self) -> &'static str {
        match self {
            Document::Opt => "OPT",
            Document::Thin => "THIN",
            Document::Off => "OFF",
            Document::Feat => "FEAT",
            Document::Model => "MODEL",
        }
    }
}

/// How binding a statement is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Strength {
    /// Without it, a toolchain does not conform.
    Must,
    /// Expected; a toolchain may have a reason not to.
    Should,
    /// Allowed, or described as a possibility.
    May,
}

impl Strength {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Strength::Must => "must",
            Strength::Should => "should",
            Strength::May => "may",
        }
    }
}

/// One statement of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// `DOCUMENT-TOPIC-NNN`; never used again for anything else.
    pub id: String,
    /// The document's heading that it stands under.
    pub section: String,
    /// How binding it is.
    pub strength: Strength,
    /// Who has to meet it: one of [`ROLES`].
    pub role: String,
    /// What is asked for, in our own words.
    pub statement: String,
    /// Why no case can ever show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_case: Option<String>,
    /// Why there is no case yet; the statement counts as uncovered all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_yet: Option<String>,
}

/// One file of `suites/spec/`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpecFile {
    document: Document,
    requirements: Vec<Requirement>,
}

/// A requirement and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The document that asks for it.
    pub document: Document,
    /// What it asks for.
    #[serde(flatten)]
    pub requirement: Requirement,
    /// The catalogue file that holds it.
    #[serde(skip)]
    pub file: PathBuf,
}

/// All requirements, by id.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    /// The entries, in the order of their ids.
    pub entries: BTreeMap<String, Entry>,
}

impl Catalogue {
    /// Whether a requirement stands in this section of this document.
    #[must_use]
    pub fn has_section(&self, document: Document, section: &str) -> bool {
        let mut entries = self.entries.values();
        entries.any(|entry| entry.document == document && entry.requirement.section == section)
    }

    /// Reads every `*.yaml` file under `folder`.
    ///
    /// # Errors
    /// Every mistake found, one a line, each with its file (and line, where the reader knows it).
    pub fn load(folder: &Path) -> Result<Self, Vec<String>> {
        let mut catalogue = Catalogue::default();
        let mut mistakes = Vec::new();
        for file in files_under(folder).map_err(|e| vec![e])? {
            match offload_formats::yaml::from_file::<SpecFile>(&file) {
                Ok(spec) => catalogue.add(spec, &file, &mut mistakes),
                Err(error) => mistakes.push(error.to_string()),
            }
        }
        if mistakes.is_empty() {
            Ok(catalogue)
        } else {
            Err(mistakes)
        }
    }

    fn add(&mut self, spec: SpecFile, file: &Path, mistakes: &mut Vec<String>) {
        for requirement in spec.requirements {
            if let Some(mistake) = mistake_in(spec.document, &requirement) {
                mistakes.push(format!("{}: {mistake}", file.display()));
            }
            let entry = Entry {
                document: spec.document,
                file: file.to_owned(),
                requirement,
            };
            let id = entry.requirement.id.clone();
            if let Some(earlier) = self.entries.insert(id.clone(), entry) {
                mistakes.push(format!(
                    "{}: id {id} stands already in {}",
                    file.display(),
                    earlier.file.display()
                ));
            }
        }
    }
}

/// What is wrong with one requirement of `document`, if anything.
fn mistake_in(document: Document, requirement: &Requirement) -> Option<String> {
    let id = &requirement.id;
    let words: Vec<&str> = id.split('-').collect();
    let numbered = words
        .last()
        .is_some_and(|n| n.len() == 3 && n.chars().all(|c| c.is_ascii_digit()));
    let named = words.len() >= 3
        && words
            .iter()
            .all(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric()));
    if words.first() != Some(&document.short_name()) || !numbered || !named {
        return Some(format!(
            "id {id} is not of the form {}-TOPIC-NNN",
            document.short_name()
        ));
    }
    if !ROLES.contains(&requirement.role.as_str()) {
        let role = &requirement.role;
        return Some(format!(
            "{id}: no role '{role}'; known: {}",
            ROLES.join(" ")
        ));
    }
    if requirement.statement.trim().is_empty() || requirement.section.trim().is_empty() {
        return Some(format!("{id}: statement and section may not be empty"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Catalogue, Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("opt.yaml"), text).unwrap();
        Catalogue::load(folder.path())
    }

    fn entry(id: &str, role: &str) -> String {
        format!("  - {{id: {id}, section: S, strength: must, role: {role}, statement: it does}}\n")
    }

    #[test]
    fn a_well_formed_entry_is_found_by_its_id() {
        let text = format!(
            "document: OPT\nrequirements:\n{}",
            entry("OPT-POST-001", "sycl-post-link")
        );
        let catalogue = load(&text).unwrap();
        assert_eq!(catalogue.entries["OPT-POST-001"].document, Document::Opt);
    }

    #[test]
    fn wrong_ids_roles_and_repeats_are_all_reported() {
        let text = format!(
            "document: OPT\nrequirements:\n{}{}{}{}",
            entry("FEAT-X-001", "runtime"),
            entry("OPT-X-1", "runtime"),
            entry("OPT-X-002", "cook"),
            entry("OPT-X-002", "runtime"),
        );
        let mistakes = load(&text).unwrap_err().join("\n");
        for expected in [
            "FEAT-X-001 is not",
            "OPT-X-1 is not",
            "no role 'cook'",
            "stands already",
        ] {
            assert!(mistakes.contains(expected), "{mistakes}");
        }
    }

    #[test]
    fn an_unknown_key_names_file_and_line() {
        let mistakes = load("document: OPT\nrequirement: []\n").unwrap_err();
        assert!(mistakes[0].contains("opt.yaml:2:1: unknown field"));
    }
}

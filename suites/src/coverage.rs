//! Which requirement has which cases.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::catalogue::{Document, Entry};
use crate::library::Library;

/// A requirement and the cases that show it.
#[derive(Debug, Clone, Serialize)]
pub struct Covered<'a> {
    /// The requirement.
    #[serde(flatten)]
    pub entry: &'a Entry,
    /// The names of the cases that show it.
    pub cases: Vec<&'a str>,
}

/// One document's standing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// Requirements that at least one case shows.
    pub covered: usize,
    /// Requirements that no case can show, with the reason in the catalogue.
    pub excused: usize,
    /// Requirements with neither.
    pub uncovered: usize,
}

/// A case that asks for more than the documents do, and so shows no requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Beyond<'a> {
    /// Its name.
    pub case: &'a str,
    /// Why it is there all the same.
    pub reason: &'a str,
}

/// The catalogue against the cases.
#[derive(Debug, Clone, Serialize)]
pub struct Coverage<'a> {
    /// Per document.
    pub documents: BTreeMap<Document, Standing>,
    /// Every requirement, by id.
    pub requirements: Vec<Covered<'a>>,
    /// The cases that go beyond the documents, by name.
    pub beyond: Vec<Beyond<'a>>,
}

impl<'a> Coverage<'a> {
    /// Counts.
    #[must_use]
    pub fn of(library: &'a Library) -> Self {
        let mut cases: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut beyond = Vec::new();
        for case in &library.cases {
            if let Some(reason) = &case.body.beyond {
                let (case, reason) = (case.name.as_str(), reason.trim());
                beyond.push(Beyond { case, reason });
                continue;
            }
            for id in &case.body.requirements {
                cases.entry(id).or_default().push(&case.name);
            }
        }
        let entries = library.catalogue.entries.iter();
        let requirements: Vec<Covered<'_>> = entries
            .map(|(id, entry)| Covered {
                entry,
                cases: cases.remove(id.as_str()).unwrap_or_default(),
            })
            .collect();
        let mut documents: BTreeMap<Document, Standing> = Document::ALL
            .map(|document| (document, Standing::default()))
            .into();
        for requirement in &requirements {
            let standing = documents.entry(requirement.entry.document).or_default();
            match (
                requirement.cases.is_empty(),
                &requirement.entry.requirement.no_case,
            ) {
                (false, _) => standing.covered += 1,
                (true, Some(_)) => standing.excused += 1,
                (true, None) => standing.uncovered += 1,
            }
        }
        Coverage {
            documents,
            requirements,
            beyond,
        }
    }
}

/// A table per document, then what has no case, then the cases that go beyond the documents.
impl fmt::Display for Coverage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "document  requirements  covered  with a reason  uncovered"
        )?;
        for (document, standing) in &self.documents {
            let total = standing.covered + standing.excused + standing.uncovered;
            writeln!(
                f,
                "{:<8}  {total:>12}  {:>7}  {:>13}  {:>9}",
                document.short_name(),
                standing.covered,
                standing.excused,
                standing.uncovered
            )?;
        }
        for Covered { entry, cases } in &self.requirements {
            let requirement = &entry.requirement;
            if !cases.is_empty() {
                continue;
            }
            let id = &requirement.id;
            match (&requirement.no_case, &requirement.not_yet) {
                (Some(reason), _) => writeln!(f, "{id} can have no case: {}", reason.trim())?,
                (None, Some(reason)) => writeln!(f, "{id} is uncovered: {}", reason.trim())?,
                (None, None) => writeln!(f, "{id} is uncovered")?,
            }
        }
        for Beyond { case, reason } in &self.beyond {
            writeln!(f, "{case} goes beyond the documents: {reason}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::case::Case;
    use crate::catalogue::Catalogue;

    fn case(name: &str, beyond: &str) -> Case {
        let text = format!("{beyond}requirements: [OFF-X-001]\nabout: it\nsteps: [{{run: x}}]\n");
        Case {
            name: name.to_owned(),
            file: PathBuf::new(),
            body: offload_formats::yaml::from_str(&text, Path::new(name)).unwrap(),
        }
    }

    #[test]
    fn only_a_case_within_the_documents_shows_a_requirement() {
        let folder = tempfile::tempdir().unwrap();
        let text = "document: OFF\nrequirements:\n  - {id: OFF-X-001, section: S, \
                    strength: must, role: runtime, statement: it does}\n";
        std::fs::write(folder.path().join("off.yaml"), text).unwrap();
        let mut library = Library {
            catalogue: Catalogue::load(folder.path()).unwrap(),
            cases: vec![case("a/more", "beyond: ours\n")],
        };
        let coverage = Coverage::of(&library);
        assert_eq!(coverage.documents[&Document::Off].uncovered, 1);
        let (case_name, reason) = ("a/more", "ours");
        let expected = [Beyond {
            case: case_name,
            reason,
        }];
        assert_eq!(coverage.beyond, expected);
        assert!(
            coverage
                .to_string()
                .contains("a/more goes beyond the documents: ours")
        );
        library.cases.push(case("a/within", ""));
        let coverage = Coverage::of(&library);
        assert_eq!(coverage.documents[&Document::Off].covered, 1);
        assert_eq!(coverage.requirements[0].cases, ["a/within"]);
    }
}

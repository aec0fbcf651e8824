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
    /// The names of the cases that cite it.
    pub cases: Vec<&'a str>,
}

/// One document's standing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// Requirements that at least one case cites.
    pub covered: usize,
    /// Requirements that no case can show, with the reason in the catalogue.
    pub excused: usize,
    /// Requirements with neither.
    pub uncovered: usize,
}

/// The catalogue against the cases.
#[derive(Debug, Clone, Serialize)]
pub struct Coverage<'a> {
    /// Per document.
    pub documents: BTreeMap<Document, Standing>,
    /// Every requirement, by id.
    pub requirements: Vec<Covered<'a>>,
}

impl<'a> Coverage<'a> {
    /// Counts.
    #[must_use]
    pub fn of(library: &'a Library) -> Self {
        let mut cases: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for case in &library.cases {
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
        }
    }
}

/// A table per document, then what has no case.
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
        Ok(())
    }
}

//! What the shipped toolchains came to when they were last judged: a report reduced to its verdicts,
//! small enough to be kept with the sources, a file a toolchain in `docs/matrix/`.
//!
//! Verdicts are kept by case, and requirements stand as the cases of today do. So a file that is older
//! than the catalogue tells nothing of what came later: that is not judged.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::catalogue::Requirement;
use crate::deviation::verdict_on;
use crate::layout::files_under;
use crate::report::Report;
use crate::verdict::Verdict;

/// One toolchain's verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Judged {
    /// The name of its description.
    pub toolchain: String,
    /// What it said of its own version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The day on which the run ended, in UTC.
    pub date: String,
    /// The roles that another toolchain's play for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub borrows: Vec<String>,
    /// The verdict of each case.
    pub cases: BTreeMap<String, Verdict>,
    /// Of known deviations, the requirements that are broken, where those are not all that the case
    /// cites.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub breaks: BTreeMap<String, Vec<String>>,
}

/// How a requirement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// As its cases came out.
    Judged(Verdict),
    /// Some case of it is newer than the run, or was left out of it.
    NotJudged,
    /// No case shows it.
    NoCase,
}

impl Standing {
    /// All of them, in the order in which tables list them.
    #[must_use]
    pub fn all() -> Vec<Standing> {
        let judged = Verdict::ALL.into_iter().map(Standing::Judged);
        judged
            .chain([Standing::NotJudged, Standing::NoCase])
            .collect()
    }

    /// The words for it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Standing::Judged(verdict) => verdict.words(),
            Standing::NotJudged => "not judged",
            Standing::NoCase => "no case",
        }
    }

    /// The sign for it.
    #[must_use]
    pub fn symbol(self) -> char {
        match self {
            Standing::Judged(verdict) => verdict.symbol(),
            Standing::NotJudged => '?',
            Standing::NoCase => '·',
        }
    }
}

impl Judged {
    /// What is kept of a report.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let cases = report.cases.iter();
        Judged {
            toolchain: report.toolchain.name.clone(),
            version: report.toolchain.version.clone(),
            date: report
                .ended
                .split('T')
                .next()
                .unwrap_or_default()
                .to_owned(),
            borrows: report.toolchain.borrows.clone(),
            cases: cases
                .clone()
                .map(|case| (case.case.clone(), case.verdict))
                .collect(),
            breaks: cases
                .filter_map(|case| Some((case.case.clone(), case.breaks.clone()?)))
                .collect(),
        }
    }

    /// How a requirement stands that these cases show. What failed in the run is a failure whatever else
    /// there is by now; what held is not known to hold before all of its cases were run.
    #[must_use]
    pub fn standing(&self, requirement: &Requirement, cases: &[&str]) -> Standing {
        if self.borrows.contains(&requirement.role) && !cases.is_empty() {
            return Standing::Judged(Verdict::NotObservable);
        }
        let verdict = |case: &&str| {
            let breaks = self.breaks.get(*case).map(Vec::as_slice);
            let verdict = *self.cases.get(*case)?;
            Some(verdict_on(
                &requirement.id,
                requirement.strength,
                verdict,
                breaks,
            ))
        };
        let known: Vec<Verdict> = cases.iter().filter_map(verdict).collect();
        match Verdict::of_requirement(known.iter().copied()) {
            _ if cases.is_empty() => Standing::NoCase,
            Some(worst) if known.len() == cases.len() || worst >= Verdict::KnownDeviation => {
                Standing::Judged(worst)
            }
            _ => Standing::NotJudged,
        }
    }

    /// How one case stands.
    #[must_use]
    pub fn case(&self, case: &str) -> Standing {
        let verdict = self.cases.get(case);
        verdict.map_or(Standing::NotJudged, |verdict| Standing::Judged(*verdict))
    }

    /// Writes the file of this toolchain into `folder`, in the place of an earlier one.
    ///
    /// # Errors
    /// Names the file that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let file = folder.join(format!("{}.json", self.toolchain));
        let json = serde_json::to_string_pretty(self).map_err(|e| e.to_string())?;
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&file, json + "\n"))
            .map_err(|e| format!("{}: {e}", file.display()))
    }

    /// Reads every file of `folder`, in the order of the toolchains' names; none when there is no folder.
    ///
    /// # Errors
    /// Names the file, and what is wrong with it.
    pub fn read_all(folder: &Path) -> Result<Vec<Self>, String> {
        let read = |file: &Path| {
            let fail = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
            let text = std::fs::read_to_string(file).map_err(|e| fail(&e))?;
            let judged: Judged = serde_json::from_str(&text).map_err(|e| fail(&e))?;
            match file
                .file_stem()
                .is_some_and(|stem| *stem == *judged.toolchain)
            {
                true => Ok(judged),
                false => Err(fail(&format!("it is of toolchain {}", judged.toolchain))),
            }
        };
        files_under(folder)?.iter().map(|file| read(file)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Strength;
    use crate::report::samples::{case, report};

    fn judged() -> Judged {
        Judged::of(&report(
            "x",
            vec![
                case("a/one", "OFF-A-001", Verdict::Passed),
                case("a/two", "OFF-A-001", Verdict::KnownDeviation),
                case("a/three", "OFF-B-001", Verdict::NotObservable),
            ],
        ))
    }

    #[test]
    fn what_is_newer_than_the_run_is_not_judged() {
        let judged = judged();
        assert_eq!(judged.date, "2026-01-01");
        let requirement = requirement("OFF-A-001", "sycl-post-link");
        let standing = |cases: &[&str]| judged.standing(&requirement, cases);
        assert_eq!(standing(&[]), Standing::NoCase);
        assert_eq!(standing(&["a/new"]), Standing::NotJudged);
        assert_eq!(standing(&["a/one"]), Standing::Judged(Verdict::Passed));
        assert_eq!(standing(&["a/one", "a/new"]), Standing::NotJudged);
        assert_eq!(standing(&["a/three", "a/new"]), Standing::NotJudged);
        let deviates = Standing::Judged(Verdict::KnownDeviation);
        assert_eq!(standing(&["a/one", "a/two"]), deviates);
        assert_eq!(standing(&["a/two", "a/new"]), deviates);
        assert_eq!(judged.case("a/new"), Standing::NotJudged);
    }

    fn requirement(id: &str, role: &str) -> Requirement {
        Requirement {
            id: id.to_owned(),
            section: "S".to_owned(),
            strength: Strength::Must,
            role: role.to_owned(),
            statement: "It does.".to_owned(),
            no_case: None,
            not_yet: None,
        }
    }

    #[test]
    fn a_deviation_concerns_what_it_breaks_and_nothing_that_is_borrowed() {
        let mut judged = judged();
        judged.borrows = vec!["runtime".to_owned()];
        judged.breaks = [("a/two".to_owned(), vec!["OFF-B-001".to_owned()])].into();
        let standing = |id, role| judged.standing(&requirement(id, role), &["a/two"]);
        let unseen = Standing::Judged(Verdict::NotObservable);
        assert_eq!(standing("OFF-A-001", "headers"), unseen);
        let deviates = Standing::Judged(Verdict::KnownDeviation);
        assert_eq!(standing("OFF-B-001", "headers"), deviates);
        assert_eq!(standing("OFF-B-001", "runtime"), unseen);
        let none = judged.standing(&requirement("OFF-B-001", "runtime"), &[]);
        assert_eq!(none, Standing::NoCase);
    }

    #[test]
    fn a_file_reads_back_and_a_strange_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Judged::read_all(&folder.path().join("none")).unwrap(), []);
        judged().write(folder.path()).unwrap();
        assert_eq!(Judged::read_all(folder.path()).unwrap(), [judged()]);
        let (x, y) = (folder.path().join("x.json"), folder.path().join("y.json"));
        std::fs::rename(x, &y).unwrap();
        let mistake = Judged::read_all(folder.path()).unwrap_err();
        assert!(
            mistake.contains("y.json: it is of toolchain x"),
            "{mistake}"
        );
        std::fs::write(&y, "{}").unwrap();
        assert!(Judged::read_all(folder.path()).is_err());
    }
}

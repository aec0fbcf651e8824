//! What a run of SYCL-CTS came to: known deviations, the table, the report.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use suites::deviation::{self, Deviation};
use suites::evidence::Wrong;
use suites::report::{CaseResult, FORM, Groups, Report, Subject, junit};
use suites::verdict::{Counts, Verdict};

use crate::failure::{Failure, Outcome};
use crate::places;

/// The list of known deviations, by device.
const DEVIATIONS: &str = "suites/cts/deviations.yaml";

/// The results so far.
pub struct Summary {
    device: String,
    deviations: Vec<Deviation>,
    rows: Vec<Row>,
    cases: Vec<CaseResult>,
}

/// A category.
struct Row {
    name: String,
    sources: usize,
    compiled: usize,
    counts: Counts,
}

impl Summary {
    /// Of no category yet, with what is known to fail on the device.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn new(device: &str) -> Result<Summary, Failure> {
        let file = places::root().join(DEVIATIONS);
        // Programs that are run elsewhere may have no checkout beside them.
        let known: BTreeMap<String, Vec<Deviation>> = match file.exists() {
            true => offload_formats::yaml::from_file(&file).map_err(Failure::new)?,
            false => BTreeMap::new(),
        };
        Ok(Summary {
            device: device.to_owned(),
            deviations: known.get(device).cloned().unwrap_or_default(),
            rows: Vec::new(),
            cases: Vec::new(),
        })
    }

    /// Adds a category, and tells how it went.
    pub fn add(&mut self, name: &str, record: super::Record, was_kept: bool) {
        let judged = record.cases.into_iter().map(|case| self.judged(case));
        let cases: Vec<CaseResult> = judged.collect();
        let row = Row {
            name: name.to_owned(),
            sources: record.sources,
            compiled: record.compiled,
            counts: cases.iter().map(|case| case.verdict).collect(),
        };
        let kept = if was_kept {
            " (from an earlier run)"
        } else {
            ""
        };
        println!("{row}{kept}");
        for case in cases.iter().filter(|case| case.verdict == Verdict::Failed) {
            let reason = case.reason.as_deref().unwrap_or_default();
            let first = reason.lines().next().unwrap_or_default();
            println!("    {}: {first}", case.case);
        }
        self.rows.push(row);
        self.cases.extend(cases);
    }

    /// The case with what is known of it.
    fn judged(&self, mut case: CaseResult) -> CaseResult {
        let outcome = match case.verdict {
            Verdict::Passed => Ok(()),
            Verdict::Failed => Err(Wrong::unmet(case.reason.take().unwrap_or_default())),
            _ => return case,
        };
        let judged = deviation::judged(&case.case, outcome, &self.deviations, DEVIATIONS, None);
        (case.verdict, case.reason) = judged;
        if let Some(known) = self.deviations.iter().find(|known| known.is_of(&case.case)) {
            case.deviates(known);
        }
        case
    }

    /// Prints the sums, and writes `conformance.json` and `junit.xml` into `folder`.
    ///
    /// # Errors
    /// [`Failure::Reported`] when a case failed; also when a deviation names no case of a program that
    /// ran, or a file cannot be written.
    pub fn tell(self, folder: &Path) -> Outcome {
        let total: Counts = self.cases.iter().map(|case| case.verdict).collect();
        let all = Row {
            name: "all".to_owned(),
            sources: self.rows.iter().map(|row| row.sources).sum(),
            compiled: self.rows.iter().map(|row| row.compiled).sum(),
            counts: total,
        };
        println!("{all} on {}", self.device);
        let stale = self.stale();
        for mistake in &stale {
            eprintln!("{mistake}");
        }
        let report = Report {
            form: FORM,
            toolchain: Subject {
                name: "reference".to_owned(),
                about: format!("SYCL-CTS on {}", self.device),
                version: None,
                borrows: Vec::new(),
            },
            ended: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            cases_by_verdict: total,
            requirements_by_verdict: Counts::default(),
            requirements_by: Groups::default(),
            cases: self.cases,
            requirements: Vec::new(),
        };
        let json = serde_json::to_string_pretty(&report).map_err(Failure::new)?;
        let xml = junit::text(&report).map_err(Failure::new)?;
        std::fs::create_dir_all(folder).map_err(|e| Failure::at(folder, e))?;
        for (name, text) in [("conformance.json", json), ("junit.xml", xml)] {
            let file = folder.join(name);
            std::fs::write(&file, text).map_err(|e| Failure::at(&file, e))?;
        }
        println!("report: {}", folder.display());
        match total.failed == 0 && stale.is_empty() {
            true => Ok(()),
            false => Err(Failure::Reported),
        }
    }

    /// A mistake for each deviation that names no case of a program that ran.
    fn stale(&self) -> Vec<String> {
        let program = |case: &str| case.split_once('/').map(|(program, _)| program.to_owned());
        let ran = |deviation: &&Deviation| {
            let own = program(&deviation.case);
            self.cases.iter().any(|case| program(&case.case) == own)
        };
        let of_ran: Vec<Deviation> = self.deviations.iter().filter(ran).cloned().collect();
        let is_case = |name: &str| self.cases.iter().any(|case| case.case == name);
        deviation::stale(&of_ran, is_case, DEVIATIONS)
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:32}", self.name)?;
        if self.sources > 0 {
            write!(f, "{:4} of {:4} sources  ", self.compiled, self.sources)?;
        }
        f.write_str(&self.counts.brief())
    }
}

/// How many cases came to each verdict, in words.
pub fn counts(cases: &[CaseResult]) -> String {
    let counts: Counts = cases.iter().map(|case| case.verdict).collect();
    counts.brief()
}

#[cfg(test)]
mod tests {
    use super::*;
    use suites::deviation::Link;

    use crate::cts::{Record, result};

    fn summary() -> Summary {
        let known = |case: &str| Deviation {
            case: case.to_owned(),
            reason: "the driver's".to_owned(),
            link: Link::Address("https://example.org/1".to_owned()),
            spirv_writer: None,
            breaks: None,
            crashes: false,
            says: None,
            by_hand: None,
        };
        Summary {
            device: "opencl:cpu".to_owned(),
            deviations: vec![known("queue/hangs"), known("usm/other")],
            rows: Vec::new(),
            cases: Vec::new(),
        }
    }

    fn record(cases: &[(&str, Result<Option<String>, String>)]) -> Record {
        let of = |(name, outcome): &(&str, Result<Option<String>, String>)| {
            result((*name).to_owned(), outcome.clone(), 0.0)
        };
        Record {
            key: String::new(),
            sources: 1,
            compiled: 1,
            cases: cases.iter().map(of).collect(),
        }
    }

    #[test]
    fn known_failures_are_no_failures_and_are_counted_apart() {
        let folder = tempfile::tempdir().unwrap();
        let mut known = summary();
        let hangs = || Err("ran past its limit".to_owned());
        let skips = Ok(Some("no images".to_owned()));
        known.add(
            "queue",
            record(&[
                ("queue/a", Ok(None)),
                ("queue/hangs", hangs()),
                ("queue/b", skips),
            ]),
            false,
        );
        known.tell(folder.path()).unwrap();
        let report = Report::read(&folder.path().join("conformance.json")).unwrap();
        let counts = report.cases_by_verdict;
        assert_eq!(
            (counts.passed, counts.known_deviation, counts.skipped),
            (1, 1, 1)
        );

        let mut unknown = summary();
        unknown.add(
            "queue",
            record(&[("queue/hangs", hangs()), ("queue/new", hangs())]),
            false,
        );
        assert!(matches!(
            unknown.tell(folder.path()),
            Err(Failure::Reported)
        ));
    }

    #[test]
    fn a_deviation_that_names_no_case_of_what_ran_is_a_mistake() {
        let folder = tempfile::tempdir().unwrap();
        let mut stale = summary();
        stale.add("queue", record(&[("queue/a", Ok(None))]), false);
        assert!(stale.tell(folder.path()).is_err());
    }
}

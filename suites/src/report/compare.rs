//! Reports side by side: the parts of one run put together, and two runs of one toolchain held
//! against each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::report::{CaseResult, Report};
use crate::verdict::Verdict;

/// Puts the parts of one run together: reports of the same toolchain that share no case but those that
/// could not be seen in either: every part of a run may tell of these. Reports of other toolchains, and whole
/// runs, stay apart, in the order given.
#[must_use]
pub fn merge(reports: Vec<Report>) -> Vec<Report> {
    let mut merged: Vec<Report> = Vec::new();
    for report in reports {
        let part = merged.iter_mut().find(|other| are_parts(other, &report));
        match part {
            Some(part) => {
                let mut cases = std::mem::take(&mut part.cases);
                let told: BTreeSet<String> = cases.iter().map(|case| case.case.clone()).collect();
                let new = report.cases.into_iter();
                cases.extend(new.filter(|case| !told.contains(&case.case)));
                let ended = std::cmp::max(&part.ended, &report.ended).clone();
                let toolchain = part.toolchain.clone();
                let requirements = std::mem::take(&mut part.requirements);
                *part = Report::of(toolchain, ended, cases, requirements);
            }
            None => merged.push(report),
        }
    }
    merged
}

fn are_parts(a: &Report, b: &Report) -> bool {
    let others: BTreeMap<&str, &CaseResult> =
        b.cases.iter().map(|c| (c.case.as_str(), c)).collect();
    let ran_twice = |case: &CaseResult| {
        let other = others.get(case.case.as_str());
        other.is_some_and(|other| !is_unseen(case) || case.verdict != other.verdict)
    };
    a.toolchain == b.toolchain && !a.cases.iter().any(ran_twice)
}

/// Whether the case was not run.
fn is_unseen(case: &CaseResult) -> bool {
    matches!(case.verdict, Verdict::Skipped | Verdict::NotObservable)
}

/// What became of one case or requirement between two runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The case or requirement.
    pub name: String,
    /// Its verdict before; none when it was not there.
    pub before: Option<Verdict>,
    /// Its verdict now; none when it is gone.
    pub now: Option<Verdict>,
}

/// What a change means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It fails now and did not before. A case that is new and fails did not begin to fail, but is told as
    /// well: whoever adds it wants to know.
    BeganToFail,
    /// It passed and does otherwise now, which a list or the case's own word excuses: the toolchain is no
    /// better for that.
    BeganToDepart,
    /// It passed, and whether it still would was not seen.
    NoLongerJudged,
    /// It passes now and did not before.
    Mended,
    /// Anything else.
    Other,
}

impl Kind {
    /// All of them, in the order in which they are told.
    const ALL: [Kind; 5] = [
        Kind::BeganToFail,
        Kind::BeganToDepart,
        Kind::NoLongerJudged,
        Kind::Mended,
        Kind::Other,
    ];

    fn words(self) -> &'static str {
        match self {
            Kind::BeganToFail => "began to fail",
            Kind::BeganToDepart => "began to fail, and is excused",
            Kind::NoLongerJudged => "no longer judged",
            Kind::Mended => "mended",
            Kind::Other => "otherwise",
        }
    }
}

impl Change {
    /// What it means.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match (self.before, self.now) {
            (_, Some(Verdict::Failed)) => Kind::BeganToFail,
            (_, Some(Verdict::Passed)) => Kind::Mended,
            (Some(Verdict::Passed), Some(Verdict::KnownDeviation | Verdict::DiffersBeyond)) => {
                Kind::BeganToDepart
            }
            (Some(Verdict::Passed), Some(Verdict::NotObservable | Verdict::Skipped) | None) => {
                Kind::NoLongerJudged
            }
            _ => Kind::Other,
        }
    }
}

/// Two runs of one toolchain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The toolchain's name.
    pub toolchain: String,
    /// The cases whose verdict changed, by name.
    pub cases: Vec<Change>,
    /// The requirements whose verdict changed, by id.
    pub requirements: Vec<Change>,
}

/// Holds `now` against `before`.
#[must_use]
pub fn compare(before: &Report, now: &Report) -> Comparison {
    fn cases(report: &Report) -> BTreeMap<&str, Verdict> {
        let cases = report.cases.iter();
        cases
            .map(|case| (case.case.as_str(), case.verdict))
            .collect()
    }
    fn requirements(report: &Report) -> BTreeMap<&str, Verdict> {
        let entries = report.requirements.iter();
        entries
            .filter_map(|r| Some((r.id.as_str(), r.verdict?)))
            .collect()
    }
    Comparison {
        toolchain: now.toolchain.name.clone(),
        cases: changes(&cases(before), &cases(now)),
        requirements: changes(&requirements(before), &requirements(now)),
    }
}

fn changes(before: &BTreeMap<&str, Verdict>, now: &BTreeMap<&str, Verdict>) -> Vec<Change> {
    let mut names: Vec<&str> = before.keys().chain(now.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    let changes = names.into_iter().map(|name| Change {
        name: name.to_owned(),
        before: before.get(name).copied(),
        now: now.get(name).copied(),
    });
    changes
        .filter(|change| change.before != change.now)
        .collect()
}

impl Comparison {
    /// Whether any case fails that did not, be it excused.
    #[must_use]
    pub fn has_regressions(&self) -> bool {
        self.has(&[Kind::BeganToFail, Kind::BeganToDepart])
    }

    /// Whether any case that passed was not judged again. That a machine lacks a device, or that a run was of a
    /// part of the cases, can be why.
    #[must_use]
    pub fn has_losses(&self) -> bool {
        self.has(&[Kind::NoLongerJudged])
    }

    fn has(&self, kinds: &[Kind]) -> bool {
        self.cases.iter().any(|case| kinds.contains(&case.kind()))
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "toolchain {}", self.toolchain)?;
        if self.cases.is_empty() {
            return writeln!(f, "  nothing changed");
        }
        let word = |verdict: Option<Verdict>| verdict.map_or("not there", Verdict::words);
        for kind in Kind::ALL {
            for (what, list) in [("case", &self.cases), ("requirement", &self.requirements)] {
                for change in list.iter().filter(|change| change.kind() == kind) {
                    let (before, now) = (word(change.before), word(change.now));
                    let title = kind.words();
                    writeln!(f, "  {title}: {what} {}: {before} -> {now}", change.name)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{case, report};

    #[test]
    fn parts_of_a_run_become_one_and_runs_stay_apart() {
        let first = || report("x", vec![case("a/one", "OFF-A-001", Verdict::Passed)]);
        let second = report("x", vec![case("a/two", "OFF-A-001", Verdict::Failed)]);
        let other = report("y", vec![case("a/two", "OFF-A-001", Verdict::Passed)]);
        let merged = merge(vec![first(), second, other, first()]);
        let names: Vec<_> = merged
            .iter()
            .map(|r| (r.toolchain.name.as_str(), r.cases.len()))
            .collect();
        assert_eq!(names, [("x", 2), ("y", 1), ("x", 1)]);
        assert_eq!(merged[0].requirements[0].verdict, Some(Verdict::Failed));
        assert_eq!(merged[0].cases_by_verdict.passed, 1);
    }

    #[test]
    fn parts_may_share_what_neither_could_see() {
        let unseen = |verdict| case("a/unseen", "OFF-B-001", verdict);
        let part = |name: &str, unseen: CaseResult| {
            report("x", vec![case(name, "OFF-A-001", Verdict::Passed), unseen])
        };
        let first = || part("a/one", unseen(Verdict::Skipped));
        let merged = merge(vec![first(), part("a/two", unseen(Verdict::Skipped))]);
        let [one] = &merged[..] else {
            panic!("{merged:?}")
        };
        assert_eq!((one.cases.len(), one.cases_by_verdict.skipped), (3, 1));
        // The reason may name a place on either machine.
        let mut elsewhere = unseen(Verdict::Skipped);
        elsewhere.reason = Some("another".to_owned());
        assert_eq!(merge(vec![first(), part("a/two", elsewhere)]).len(), 1);
        for other in [Verdict::NotObservable, Verdict::Passed].map(unseen) {
            assert_eq!(merge(vec![first(), part("a/two", other)]).len(), 2);
        }
    }

    #[test]
    fn what_began_to_fail_and_what_was_mended_is_told() {
        let before = report(
            "x",
            vec![
                case("a/one", "OFF-A-001", Verdict::Passed),
                case("a/two", "OFF-B-001", Verdict::Failed),
                case("a/gone", "OFF-B-001", Verdict::Passed),
                case("a/known", "OFF-B-001", Verdict::Passed),
                case("a/skipped", "OFF-B-001", Verdict::KnownDeviation),
            ],
        );
        let now = report(
            "x",
            vec![
                case("a/one", "OFF-A-001", Verdict::Failed),
                case("a/two", "OFF-B-001", Verdict::Passed),
                case("a/known", "OFF-B-001", Verdict::KnownDeviation),
                case("a/skipped", "OFF-B-001", Verdict::Skipped),
            ],
        );
        let comparison = compare(&before, &now);
        assert!(comparison.has_regressions() && comparison.has_losses());
        let text = comparison.to_string();
        for line in [
            "began to fail: case a/one: passed -> failed",
            "began to fail: requirement OFF-A-001: passed -> failed",
            "mended: case a/two: failed -> passed",
            "began to fail, and is excused: case a/known: passed -> known deviation",
            "no longer judged: case a/gone: passed -> not there",
            "otherwise: case a/skipped: known deviation -> skipped",
            "otherwise: requirement OFF-B-001: failed -> known deviation",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        // What is excused is no better for that, and what was not seen is no failure.
        for (verdict, fails, lost) in [
            (Verdict::KnownDeviation, true, false),
            (Verdict::DiffersBeyond, true, false),
            (Verdict::NotObservable, false, true),
            (Verdict::Skipped, false, true),
        ] {
            let of = |verdict| report("x", vec![case("a/one", "OFF-A-001", verdict)]);
            let comparison = compare(&of(Verdict::Passed), &of(verdict));
            let found = (comparison.has_regressions(), comparison.has_losses());
            assert_eq!(found, (fails, lost), "{verdict}");
        }
        let same = compare(&now, &now);
        assert!(
            !same.has_regressions()
                && !same.has_losses()
                && same.to_string().contains("nothing changed")
        );
    }
}

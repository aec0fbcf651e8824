//! How tests go, as every output and report says it. The six are counted apart, always: a known
//! deviation is no pass, and a thing that cannot be seen is no skip.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a test went.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It passed.
    Passed,
    /// The toolchain has no way to show what the test looks at; its description says why.
    NotObservable,
    /// It could not run here.
    Skipped,
    /// It failed, and asks for more than the documents do.
    DiffersBeyond,
    /// It failed as it is known to.
    KnownDeviation,
    /// It failed, or passed although it is known to fail.
    Failed,
}

impl Verdict {
    /// All of them, in the order in which outputs list them.
    pub const ALL: [Verdict; 6] = [
        Verdict::Passed,
        Verdict::Failed,
        Verdict::KnownDeviation,
        Verdict::DiffersBeyond,
        Verdict::NotObservable,
        Verdict::Skipped,
    ];

    /// The words for it in texts for people.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Failed => "failed",
            Verdict::KnownDeviation => "known deviation",
            Verdict::DiffersBeyond => "differs beyond",
            Verdict::NotObservable => "not observable",
            Verdict::Skipped => "skipped",
        }
    }

    /// The name for it in data.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Failed => "failed",
            Verdict::KnownDeviation => "known-deviation",
            Verdict::DiffersBeyond => "differs-beyond",
            Verdict::NotObservable => "not-observable",
            Verdict::Skipped => "skipped",
        }
    }

    /// The sign that stands for it where there is little room.
    #[must_use]
    pub fn symbol(self) -> char {
        match self {
            Verdict::Passed => '✓',
            Verdict::Failed => '✗',
            Verdict::KnownDeviation => '≈',
            Verdict::DiffersBeyond => '≠',
            Verdict::NotObservable => '◌',
            Verdict::Skipped => '–',
        }
    }

    /// What the verdicts on the cases of one requirement make of it: it holds when all of them
    /// passed, and otherwise it is as bad as the worst; `None` when there is no case.
    #[must_use]
    pub fn of_requirement(cases: impl IntoIterator<Item = Verdict>) -> Option<Verdict> {
        cases.into_iter().max()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// How many tests came to each verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Counts {
    /// Of [`Verdict::Passed`].
    pub passed: usize,
    /// Of [`Verdict::Failed`].
    pub failed: usize,
    /// Of [`Verdict::KnownDeviation`].
    pub known_deviation: usize,
    /// Of [`Verdict::DiffersBeyond`].
    pub differs_beyond: usize,
    /// Of [`Verdict::NotObservable`].
    pub not_observable: usize,
    /// Of [`Verdict::Skipped`].
    pub skipped: usize,
}

impl Counts {
    /// Of one verdict.
    #[must_use]
    pub fn of(&self, verdict: Verdict) -> usize {
        match verdict {
            Verdict::Passed => self.passed,
            Verdict::Failed => self.failed,
            Verdict::KnownDeviation => self.known_deviation,
            Verdict::DiffersBeyond => self.differs_beyond,
            Verdict::NotObservable => self.not_observable,
            Verdict::Skipped => self.skipped,
        }
    }

    /// Those that there are, for lines that people read.
    #[must_use]
    pub fn brief(&self) -> String {
        let some = Verdict::ALL.into_iter().filter(|v| self.of(*v) > 0);
        let some: Vec<String> = some.map(|v| format!("{} {v}", self.of(v))).collect();
        some.join(", ")
    }

    fn count(&mut self, verdict: Verdict) {
        let slot = match verdict {
            Verdict::Passed => &mut self.passed,
            Verdict::Failed => &mut self.failed,
            Verdict::KnownDeviation => &mut self.known_deviation,
            Verdict::DiffersBeyond => &mut self.differs_beyond,
            Verdict::NotObservable => &mut self.not_observable,
            Verdict::Skipped => &mut self.skipped,
        };
        *slot += 1;
    }
}

impl FromIterator<Verdict> for Counts {
    fn from_iter<I: IntoIterator<Item = Verdict>>(verdicts: I) -> Self {
        let mut counts = Counts::default();
        for verdict in verdicts {
            counts.count(verdict);
        }
        counts
    }
}

/// `3 passed, 1 failed, 0 known deviation, …`: all six, so that none is taken for another.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = Verdict::ALL.map(|verdict| format!("{} {verdict}", self.of(verdict)));
        f.write_str(&all.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_six_are_counted_apart() {
        let counts: Counts = [Verdict::Passed, Verdict::KnownDeviation, Verdict::Passed]
            .into_iter()
            .collect();
        let text = "2 passed, 0 failed, 1 known deviation, 0 differs beyond, 0 not observable, \
                    0 skipped";
        assert_eq!(counts.to_string(), text);
    }

    #[test]
    fn data_has_one_name_for_each() {
        for verdict in Verdict::ALL {
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.key());
        }
    }

    #[test]
    fn a_requirement_holds_when_all_its_cases_do() {
        let of = |verdicts: &[Verdict]| Verdict::of_requirement(verdicts.iter().copied());
        assert_eq!(of(&[]), None);
        assert_eq!(
            of(&[Verdict::Passed, Verdict::Passed]),
            Some(Verdict::Passed)
        );
        assert_eq!(
            of(&[Verdict::Passed, Verdict::Skipped]),
            Some(Verdict::Skipped)
        );
        let worst = [Verdict::KnownDeviation, Verdict::Failed, Verdict::Passed];
        assert_eq!(of(&worst), Some(Verdict::Failed));
    }
}

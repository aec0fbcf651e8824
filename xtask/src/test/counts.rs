//! How many tests came to what.

use std::fmt;

/// How many tests came to what. Only the suites and the hardware tier tell the last three.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Counts {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
    pub known_deviation: u64,
    pub differs_beyond: u64,
    pub not_observable: u64,
}

impl Counts {
    /// The verdicts that are neither passed, failed nor skipped, where there are any.
    pub fn others(&self) -> Option<String> {
        let kinds = [
            (self.known_deviation, "known deviations"),
            (self.differs_beyond, "differ beyond the documents"),
            (self.not_observable, "not observable"),
        ];
        let some = kinds.iter().filter(|(count, _)| *count > 0);
        let some: Vec<String> = some
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        (!some.is_empty()).then(|| format!("apart from these: {}", some.join(", ")))
    }

    /// Reads `ok. 3 passed; 0 failed; 1 ignored; …`, or `3 passed, 0 failed, 0 known deviation, …`.
    pub fn read(summary: &str) -> Counts {
        let number = |what: &str| {
            let parts = summary.split([';', '.', ',']);
            let mut words = parts.filter_map(|part| part.trim().split_once(' '));
            let found = words.find(|(_, word)| *word == what);
            found.and_then(|(n, _)| n.parse().ok()).unwrap_or(0)
        };
        Counts {
            passed: number("passed"),
            failed: number("failed"),
            skipped: number("ignored") + number("skipped"),
            known_deviation: number("known deviation"),
            differs_beyond: number("differs beyond"),
            not_observable: number("not observable"),
        }
    }
}

impl std::ops::Add for Counts {
    type Output = Counts;

    fn add(self, other: Counts) -> Counts {
        Counts {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
            known_deviation: self.known_deviation + other.known_deviation,
            differs_beyond: self.differs_beyond + other.differs_beyond,
            not_observable: self.not_observable + other.not_observable,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts {
            passed,
            failed,
            skipped,
            ..
        } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_six_verdicts_of_the_suites_stay_apart() {
        let counts = Counts::read(
            "10 passed, 1 failed, 9 known deviation, 2 differs beyond, 3 not observable, 4 skipped",
        );
        assert_eq!(counts.to_string(), "10 passed, 1 failed, 4 skipped");
        let others = "apart from these: 9 known deviations, 2 differ beyond the documents, \
                      3 not observable";
        assert_eq!(counts.others().as_deref(), Some(others));
        assert_eq!(
            Counts::read("ok. 1 passed; 0 failed; 2 ignored").others(),
            None
        );
    }
}

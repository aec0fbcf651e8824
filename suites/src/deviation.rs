//! What is known to fail, and how that changes what a test's outcome means.

use serde::{Deserialize, Serialize};

use crate::tools::SPIRV_WRITER;
use crate::verdict::Verdict;

/// A test that is known to fail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// The test: a case as `suite/name`, or a program of the hardware tier as `device/program`.
    pub case: String,
    /// Why it fails, and who decided to live with it.
    pub reason: String,
    /// Where that is said or reported, such as an issue of its team's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The one writer of SPIR-V with which it fails (`backend`, `translator`); with both where none is
    /// named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spirv_writer: Option<String>,
}

impl Deviation {
    /// Whether the test called `case` is known to fail with the writer that the run takes: the back end,
    /// where the environment names none.
    #[must_use]
    pub fn is_of(&self, case: &str) -> bool {
        let named = std::env::var(SPIRV_WRITER)
            .ok()
            .filter(|name| !name.is_empty() && name != "auto");
        let writer = named.as_deref().unwrap_or("backend");
        let wanted = self.spirv_writer.as_deref();
        self.case == case && wanted.is_none_or(|wanted| wanted == writer)
    }
}

/// The verdict on a test called `case` that ran with `outcome`, with the reason for any other than
/// [`Verdict::Passed`]. A deviation that begins to pass is a failure, so that the list stays true;
/// `list` says whose it is. A failure of what goes `beyond` the documents, for the reason given, is
/// none.
#[must_use]
pub fn judged(
    case: &str,
    outcome: Result<(), String>,
    deviations: &[Deviation],
    list: &str,
    beyond: Option<&str>,
) -> (Verdict, Option<String>) {
    let known = deviations.iter().find(|known| known.is_of(case));
    match (outcome, known) {
        (Ok(()), None) => (Verdict::Passed, None),
        (Ok(()), Some(Deviation { reason, .. })) => {
            let reason = format!("passes, but {list} lists it as a deviation: {reason}");
            (Verdict::Failed, Some(reason))
        }
        (Err(_), Some(known)) => (Verdict::KnownDeviation, Some(known.reason.clone())),
        (Err(wrong), None) => match beyond {
            Some(reason) => (
                Verdict::DiffersBeyond,
                Some(format!("{}\n{wrong}", reason.trim())),
            ),
            None => (Verdict::Failed, Some(wrong)),
        },
    }
}

/// A mistake for each deviation of `list` that names no test.
#[must_use]
pub fn stale(deviations: &[Deviation], is_test: impl Fn(&str) -> bool, list: &str) -> Vec<String> {
    deviations
        .iter()
        .filter(|deviation| !is_test(&deviation.case))
        .map(|deviation| format!("{list}: a deviation names no case: {}", deviation.case))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<Deviation> {
        vec![Deviation {
            case: "a/b".to_owned(),
            reason: "an outside fault".to_owned(),
            link: None,
            spirv_writer: None,
        }]
    }

    #[test]
    fn only_what_is_listed_may_fail_and_it_must() {
        let judge = |case, outcome| judged(case, outcome, &known(), "the list", None);
        let fails = || Err("it broke".to_owned());
        assert_eq!(judge("a/c", Ok(())), (Verdict::Passed, None));
        let failed = (Verdict::Failed, Some("it broke".to_owned()));
        assert_eq!(judge("a/c", fails()), failed);
        let deviates = (Verdict::KnownDeviation, Some("an outside fault".to_owned()));
        assert_eq!(judge("a/b", fails()), deviates);
        let (verdict, reason) = judge("a/b", Ok(()));
        assert_eq!(verdict, Verdict::Failed);
        let reason = reason.unwrap();
        assert!(
            reason.contains("the list") && reason.contains("outside"),
            "{reason}"
        );
    }

    #[test]
    fn a_failure_beyond_the_documents_is_told_apart() {
        let judge = |case, outcome| judged(case, outcome, &known(), "the list", Some("ours"));
        let (verdict, reason) = judge("a/c", Err("it broke".to_owned()));
        assert_eq!(verdict, Verdict::DiffersBeyond);
        assert_eq!(reason.unwrap(), "ours\nit broke");
        assert_eq!(judge("a/c", Ok(())), (Verdict::Passed, None));
        // What a list says stays true of such a test too.
        assert_eq!(judge("a/b", Ok(())).0, Verdict::Failed);
    }

    #[test]
    fn a_deviation_that_names_no_test_is_stale() {
        assert!(stale(&known(), |case| case == "a/b", "the list").is_empty());
        let mistakes = stale(&known(), |case| case == "a/c", "the list");
        assert_eq!(mistakes, ["the list: a deviation names no case: a/b"]);
    }
}

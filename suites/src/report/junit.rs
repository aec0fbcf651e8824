//! A report as JUnit XML, which CI servers show. A known deviation, a difference beyond the
//! documents and what cannot be observed are `skipped` there, each with its own word in front: the
//! form has no more.

use std::time::Duration;

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::report::{CaseResult, Report};
use crate::verdict::Verdict;

/// The text of the file.
///
/// # Errors
/// When it cannot be written as XML.
pub fn text(report: &Report) -> Result<String, String> {
    let mut junit = quick_junit::Report::new(&report.toolchain.name);
    let mut suites: Vec<TestSuite> = Vec::new();
    for case in &report.cases {
        let (suite, name) = case.case.split_once('/').unwrap_or(("", &case.case));
        if suites.last().is_none_or(|last| last.name.as_str() != suite) {
            suites.push(TestSuite::new(suite));
        }
        if let Some(last) = suites.last_mut() {
            last.add_test_case(test_case(name, case));
        }
    }
    junit.add_test_suites(suites);
    junit.to_string().map_err(|e| e.to_string())
}

fn test_case(name: &str, case: &CaseResult) -> TestCase {
    let reason = case.reason.as_deref().unwrap_or_default();
    let first = reason.lines().next().unwrap_or_default();
    let mut status = match case.verdict {
        Verdict::Passed => TestCaseStatus::success(),
        Verdict::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        _ => TestCaseStatus::skipped(),
    };
    match case.verdict {
        Verdict::Passed => (),
        Verdict::Failed => {
            status.set_message(first).set_description(reason);
        }
        other => {
            status.set_message(format!("{other}: {first}"));
        }
    }
    let mut test = TestCase::new(name, status);
    test.set_classname(&case.case);
    test.set_time(Duration::from_secs_f64(case.evidence.seconds.max(0.0)));
    for requirement in &case.requirements {
        test.add_property(("requirement", requirement.as_str()));
    }
    test
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{case, report};

    #[test]
    fn verdicts_are_told_apart_and_texts_are_escaped() {
        let text = text(&report(
            "x",
            vec![
                case("a/one", "OFF-A-001", Verdict::Passed),
                case("a/two", "OFF-A-001", Verdict::Failed),
                case("b/three", "OFF-A-001", Verdict::KnownDeviation),
                case("b/four", "OFF-A-001", Verdict::NotObservable),
            ],
        ))
        .unwrap();
        for expected in [
            r#"<testsuites name="x" tests="4" skipped="2" failures="1""#,
            r#"<testsuite name="b" tests="2" skipped="2""#,
            r#"message="known deviation: because of b/three &lt;&amp;&gt;""#,
            r#"message="not observable: "#,
            r#"<failure message="because of a/two &lt;&amp;&gt;""#,
            r#"<property name="requirement" value="OFF-A-001"/>"#,
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }
}

//! A report as JUnit XML, which CI servers show. The form's own attributes know passed, failed and skipped
//! alone: a known deviation, a difference beyond the documents and what cannot be observed are `skipped`
//! there, each with its verdict in front of its message. Its properties keep the six apart: each test case
//! has its `verdict`, and each suite how many came to each.

use std::time::Duration;

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::report::{CaseResult, Report};
use crate::verdict::{Counts, Verdict};

/// The text of the file.
///
/// # Errors
/// When it cannot be written as XML.
pub fn text(report: &Report) -> Result<String, String> {
    let mut junit = quick_junit::Report::new(&report.toolchain.name);
    let suites = report.cases.chunk_by(|a, b| parts(a).0 == parts(b).0);
    let suites: Vec<TestSuite> = suites.map(suite).collect();
    junit.add_test_suites(suites);
    junit.to_string().map_err(|e| e.to_string())
}

/// The suite of a case, and its name there.
fn parts(case: &CaseResult) -> (&str, &str) {
    case.case.split_once('/').unwrap_or(("", &case.case))
}

fn suite(cases: &[CaseResult]) -> TestSuite {
    let mut suite = TestSuite::new(cases.first().map_or("", |first| parts(first).0));
    suite.add_test_cases(cases.iter().map(|case| test_case(parts(case).1, case)));
    let counts: Counts = cases.iter().map(|case| case.verdict).collect();
    for verdict in Verdict::ALL {
        suite.add_property((verdict.key(), counts.of(verdict).to_string().as_str()));
    }
    suite
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
    test.add_property(("verdict", case.verdict.key()));
    for requirement in &case.requirements {
        test.add_property(("requirement", requirement.as_str()));
    }
    for left_out in &case.evidence.left_out {
        let told = format!("{}: {}", left_out.setting, left_out.reason);
        test.add_property(("left-out", told.as_str()));
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
            r#"<property name="verdict" value="failed"/>"#,
            r#"<property name="verdict" value="not-observable"/>"#,
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
        let (_, last) = text.split_once(r#"<testsuite name="b""#).unwrap();
        for (verdict, count) in [
            ("passed", 0),
            ("failed", 0),
            ("known-deviation", 1),
            ("differs-beyond", 0),
            ("not-observable", 1),
            ("skipped", 0),
        ] {
            let expected = format!(r#"<property name="{verdict}" value="{count}"/>"#);
            assert!(last.contains(&expected), "{expected}\n{last}");
        }
    }
}

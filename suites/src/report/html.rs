//! Reports as one page that needs nothing beside it: requirements as rows, toolchains as columns,
//! and the evidence behind each cell. What the table needs stands in the page as JSON; evidence,
//! which is long and seldom read, stands there deflated and is opened by the browser.

use std::collections::BTreeMap;
use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;

use crate::evidence::Evidence;
use crate::report::{Report, RequirementResult, Subject};
use crate::verdict::Verdict;

/// The page's parts, which are files of their own for those who edit them.
const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What the table shows.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    verdicts: Vec<VerdictName>,
    toolchains: Vec<Column<'a>>,
    requirements: Vec<Row<'a>>,
    cases: BTreeMap<&'a str, About<'a>>,
}

#[derive(Debug, Serialize)]
struct VerdictName {
    key: Verdict,
    words: &'static str,
    symbol: char,
}

/// A toolchain.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Column<'a> {
    subject: &'a Subject,
    ended: &'a str,
    /// Verdict, reason, and where it is told elsewhere, by case.
    results: BTreeMap<&'a str, (Verdict, &'a str, Option<&'a str>)>,
}

/// A requirement, as the first report that knows it has it, and its verdicts by toolchain.
#[derive(Debug, Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    requirement: &'a RequirementResult,
    verdicts: Vec<Option<Verdict>>,
}

/// A case, apart from how it went.
#[derive(Debug, Serialize)]
struct About<'a> {
    about: &'a str,
    requirements: &'a [String],
    beyond: Option<&'a str>,
}

/// The page of these reports, a column each.
///
/// # Errors
/// When the data cannot be written as JSON.
pub fn page(reports: &[Report]) -> Result<String, String> {
    let json = |text: Result<String, serde_json::Error>| text.map_err(|e| e.to_string());
    let data = json(serde_json::to_string(&data(reports)))?;
    let evidence: Vec<BTreeMap<&str, &Evidence>> = reports.iter().map(evidence).collect();
    let evidence = json(serde_json::to_string(&evidence))?;
    // Within a script element only `<` could end it.
    let data = data.replace('<', "\\u003c");
    let parts = [
        ("<!--STYLE-->", STYLE),
        ("<!--SCRIPT-->", SCRIPT),
        ("<!--DATA-->", &data),
        ("<!--EVIDENCE-->", &deflated(evidence.as_bytes())?),
    ];
    let mut page = String::new();
    let mut rest = PAGE;
    for (mark, text) in parts {
        let (before, after) = rest
            .split_once(mark)
            .ok_or_else(|| format!("page.html lacks {mark}"))?;
        page.push_str(before);
        page.push_str(text);
        rest = after;
    }
    page.push_str(rest);
    Ok(page)
}

fn data(reports: &[Report]) -> Data<'_> {
    let mut rows: BTreeMap<&str, Row<'_>> = BTreeMap::new();
    let mut cases: BTreeMap<&str, About<'_>> = BTreeMap::new();
    for (column, report) in reports.iter().enumerate() {
        for requirement in &report.requirements {
            let row = rows.entry(&requirement.id).or_insert_with(|| Row {
                requirement,
                verdicts: vec![None; reports.len()],
            });
            row.verdicts[column] = requirement.verdict;
        }
        for case in &report.cases {
            cases.entry(&case.case).or_insert_with(|| About {
                about: &case.about,
                requirements: &case.requirements,
                beyond: case.beyond.as_deref(),
            });
        }
    }
    let verdicts = Verdict::ALL.map(|key| VerdictName {
        key,
        words: key.words(),
        symbol: key.symbol(),
    });
    Data {
        verdicts: verdicts.into(),
        toolchains: reports.iter().map(column).collect(),
        requirements: rows.into_values().collect(),
        cases,
    }
}

fn column(report: &Report) -> Column<'_> {
    let results = report.cases.iter().map(|case| {
        let reason = case.reason.as_deref().unwrap_or_default();
        let link = case.link.as_deref();
        (case.case.as_str(), (case.verdict, reason, link))
    });
    Column {
        subject: &report.toolchain,
        ended: &report.ended,
        results: results.collect(),
    }
}

fn evidence(report: &Report) -> BTreeMap<&str, &Evidence> {
    let ran = report.cases.iter().filter(|c| !c.evidence.steps.is_empty());
    ran.map(|case| (case.case.as_str(), &case.evidence))
        .collect()
}

fn deflated(bytes: &[u8]) -> Result<String, String> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    Ok(STANDARD.encode(written.map_err(|e| e.to_string())?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::StepEvidence;
    use crate::report::samples::{case, report};

    #[test]
    fn the_page_holds_every_toolchain_and_no_text_can_end_its_data() {
        let mut evil = case("a/one", "OFF-A-001", Verdict::Failed);
        evil.reason = Some("</script><b>".to_owned());
        let other = report("y", vec![case("a/one", "OFF-A-001", Verdict::Passed)]);
        let page = page(&[report("x", vec![evil]), other]).unwrap();
        assert!(page.contains(r#""verdicts":["failed","passed"]"#), "{page}");
        assert!(!page.contains("</script><b>"));
        assert!(!page.contains("://"), "nothing from elsewhere");
        for mark in [
            "<!--STYLE-->",
            "<!--SCRIPT-->",
            "<!--DATA-->",
            "<!--EVIDENCE-->",
        ] {
            assert!(!page.contains(mark));
        }
    }

    #[test]
    fn three_hundred_rows_by_six_stay_under_two_megabytes() {
        let step = |n: usize| StepEvidence {
            repeat: format!("env -i PATH=\"/usr/bin\" HOME=\"/w/{n}\" \"tool\" \"-o\" \"out{n}\"")
                .repeat(8),
            ended: "exit 0".to_owned(),
            seconds: 0.25,
            stdout: format!("line {n} of output\n").repeat(40),
            stderr: String::new(),
            wrong: Vec::new(),
            without_golden: Vec::new(),
        };
        let cases = || {
            (0..300).map(|n| {
                let mut case = case(&format!("suite/case-{n}"), "OFF-A-001", Verdict::Passed);
                case.evidence.steps = vec![step(n), step(n + 1), step(n + 2)];
                case
            })
        };
        let reports: Vec<Report> = (0..6)
            .map(|n| report(&format!("t{n}"), cases().collect()))
            .collect();
        let page = page(&reports).unwrap();
        assert!(page.len() < 2_000_000, "{} bytes", page.len());
    }
}

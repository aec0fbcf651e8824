//! Reports as one page that needs nothing beside it: requirements as rows, toolchains as columns,
//! and the evidence behind each cell. What the table needs stands in the page as JSON, each text once;
//! evidence, which is long and seldom read, stands there deflated and is opened by the browser. What
//! toolchains showed in one case stands together: it is alike, and deflates to little.

use std::collections::BTreeMap;
use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;

use crate::catalogue::{Document, Strength};
use crate::evidence::{Evidence, LeftOut, StepEvidence};
use crate::report::{CaseResult, Report, Subject};
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
    /// Reasons, and where they are told elsewhere: many cases share one.
    texts: Vec<&'a str>,
}

#[derive(Debug, Serialize)]
struct VerdictName {
    key: Verdict,
    words: &'static str,
    symbol: char,
}

/// How a case went: the verdict, and which of the texts are the reason, the place where it is told elsewhere, and
/// the script that shows it by hand, as far as there are any.
type Judged = Vec<Option<usize>>;

/// A toolchain.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Column<'a> {
    subject: &'a Subject,
    ended: &'a str,
    /// Of each case, in the order of all of them, where it was judged.
    results: Vec<Option<Judged>>,
}

/// A requirement, as the first report that knows it has it, and its verdicts by toolchain.
#[derive(Debug, Serialize)]
struct Row<'a> {
    id: &'a str,
    document: Document,
    section: &'a str,
    strength: Strength,
    role: &'a str,
    statement: &'a str,
    verdicts: Vec<Option<usize>>,
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
    let evidence = json(serde_json::to_string(&evidence(reports)))?;
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
                id: &requirement.id,
                document: requirement.document,
                section: &requirement.section,
                strength: requirement.strength,
                role: &requirement.role,
                statement: &requirement.statement,
                verdicts: vec![None; reports.len()],
            });
            row.verdicts[column] = requirement.verdict.map(number);
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
    let mut texts = Texts::default();
    let names: Vec<&str> = cases.keys().copied().collect();
    let columns = reports.iter();
    let columns = columns.map(|report| column(report, &names, &mut texts));
    Data {
        verdicts: verdicts.into(),
        toolchains: columns.collect(),
        requirements: rows.into_values().collect(),
        cases,
        texts: texts.all,
    }
}

/// The place of a verdict among all of them.
fn number(verdict: Verdict) -> usize {
    let place = Verdict::ALL.iter().position(|other| *other == verdict);
    place.unwrap_or_default()
}

/// Texts, each once, by number.
#[derive(Debug, Default)]
struct Texts<'a> {
    all: Vec<&'a str>,
    numbers: BTreeMap<&'a str, usize>,
}

impl<'a> Texts<'a> {
    fn number(&mut self, text: &'a str) -> usize {
        *self.numbers.entry(text).or_insert_with(|| {
            self.all.push(text);
            self.all.len() - 1
        })
    }
}

fn column<'a>(report: &'a Report, names: &[&str], texts: &mut Texts<'a>) -> Column<'a> {
    let results = report.cases.iter();
    let results: BTreeMap<&str, &CaseResult> = results.map(|c| (c.case.as_str(), c)).collect();
    let results = names.iter().map(|name| {
        let case = results.get(name)?;
        let reason = shown_reason(case).map(|text| texts.number(text));
        let link = case.link.as_deref().map(|text| texts.number(text));
        let by_hand = case.by_hand.as_deref().map(|text| texts.number(text));
        let mut judged = vec![Some(number(case.verdict)), reason, link, by_hand];
        let last = judged.iter().rposition(Option::is_some);
        judged.truncate(last.map_or(0, |last| last + 1));
        Some(judged)
    });
    Column {
        subject: &report.toolchain,
        ended: &report.ended,
        results: results.collect(),
    }
}

/// What a case's reason says that its evidence does not: the first line where steps tell the rest.
fn shown_reason(case: &CaseResult) -> Option<&str> {
    let reason = case.reason.as_deref()?;
    let steps = &case.evidence.steps;
    match steps.iter().any(|step| !step.wrong.is_empty()) {
        true => reason.lines().next(),
        false => Some(reason),
    }
}

/// What was seen, by case and toolchain, where anything was.
fn evidence(reports: &[Report]) -> BTreeMap<&str, Vec<Option<Seen<'_>>>> {
    let mut all: BTreeMap<&str, Vec<Option<Seen<'_>>>> = BTreeMap::new();
    for (column, report) in reports.iter().enumerate() {
        for case in &report.cases {
            let Evidence {
                steps, left_out, ..
            } = &case.evidence;
            if !steps.is_empty() || !left_out.is_empty() {
                let none = || reports.iter().map(|_| None).collect();
                let seen = all.entry(&case.case).or_insert_with(none);
                seen[column] = Some(Seen { steps, left_out });
            }
        }
    }
    all
}

/// Of what was seen of a case, what the page shows.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Seen<'a> {
    steps: &'a [StepEvidence],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    left_out: &'a [LeftOut],
}

fn deflated(bytes: &[u8]) -> Result<String, String> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    Ok(STANDARD.encode(written.map_err(|e| e.to_string())?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{case, report};

    #[test]
    fn the_page_holds_every_toolchain_and_no_text_can_end_its_data() {
        let mut evil = case("a/one", "OFF-A-001", Verdict::Failed);
        evil.reason = Some("</script><b>".to_owned());
        let other = report("y", vec![case("a/one", "OFF-A-001", Verdict::Passed)]);
        let page = page(&[report("x", vec![evil]), other]).unwrap();
        assert!(page.contains(r#""verdicts":[1,0]"#), "{page}");
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

    /// What cases or toolchains say alike costs little: each text stands once, and evidence of one case together.
    #[test]
    fn what_is_said_again_takes_no_room() {
        let size = |toolchains: usize| {
            let case = |n: usize| {
                let mut skipped = case(&format!("a/{n}"), "OFF-A-001", Verdict::Skipped);
                skipped.reason = Some("a reason that many cases share".to_owned());
                let mut ran = case(&format!("b/{n}"), "OFF-A-001", Verdict::Failed);
                ran.reason = Some(format!("it broke\n{}", "what its steps say".repeat(100)));
                ran.evidence.steps = vec![StepEvidence {
                    repeat: format!("tool {n}"),
                    ended: "exit 1".to_owned(),
                    seconds: 0.25,
                    stdout: (0..100)
                        .map(|line| format!("{n}: {}\n", line * line * n))
                        .collect(),
                    stderr: String::new(),
                    wrong: vec!["it is wrong".to_owned()],
                    without_golden: Vec::new(),
                    goldens: Vec::new(),
                }];
                [skipped, ran]
            };
            let report = |at| report(&format!("t{at}"), (0..100).flat_map(case).collect());
            let reports: Vec<Report> = (0..toolchains).map(report).collect();
            page(&reports).unwrap().len()
        };
        let (one, six) = (size(1), size(6));
        assert!(six < one + one / 4, "{one} {six}");
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
            goldens: Vec::new(),
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

//! The page of a report in a real browser: filters, evidence, and a link to one requirement.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use components::process::Job;
use libtest_mimic::{Arguments, Failed, Trial};
use suites::catalogue::{Document, Strength};
use suites::evidence::{Evidence, StepEvidence};
use suites::report::{CaseResult, Report, RequirementResult, Subject, html};
use suites::tools::SEARCH_PATH;
use suites::verdict::{Counts, Verdict};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let browser = SEARCH_PATH
        .split(':')
        .flat_map(|folder| ["chromium", "google-chrome"].map(|name| Path::new(folder).join(name)))
        .find(|program| program.exists());
    type Test = fn(&Path) -> Result<(), String>;
    let tests: [(&str, Test); 3] = [
        ("page/filters", filters),
        ("page/evidence", evidence),
        ("page/link", link),
    ];
    let trials = tests.map(|(name, test)| match browser.clone() {
        Some(browser) => Trial::test(name, move || test(&browser).map_err(Failed::from)),
        None => Trial::test(name, || Ok(()))
            .with_kind("skipped: no chromium in the system")
            .with_ignored_flag(true),
    });
    libtest_mimic::run(&arguments, trials.into()).exit_code()
}

/// A filter by text and one by verdict leave the rows that they name.
fn filters(browser: &Path) -> Result<(), String> {
    let script = "\
        const set = (id, value) => { const e = document.getElementById(id); e.value = value; \
            e.dispatchEvent(new Event('input')); };\
        const ids = () => [...document.querySelectorAll('tbody tr')].map((r) => r.id).join(' ');\
        say('all', ids());\
        set('text', 'links'); say('text', ids());\
        set('text', ''); set('verdict', 'failed'); say('failed', ids());\
        set('verdict', ''); set('role', 'runtime'); say('role', ids());\
        set('role', ''); set('view', 'cases'); say('cases', ids());";
    let page = shown(browser, script, "")?;
    for expected in [
        "all=OFF-A-001 OFF-B-001;",
        "text=OFF-B-001;",
        "failed=OFF-A-001;",
        "role=OFF-A-001;",
        "cases=a/one a/two;",
    ] {
        holds(&page, expected)?;
    }
    Ok(())
}

/// A row opens its cases with what was seen, of each toolchain, as text and not as markup.
fn evidence(browser: &Path) -> Result<(), String> {
    let script = "\
        document.getElementById('OFF-A-001').click();\
        setTimeout(() => say('detail', document.getElementById('detail').textContent), 1500);";
    let page = shown(browser, script, "")?;
    for expected in [
        "step 1: exit 1",
        "it printed &lt;b&gt;&amp;",
        "a line to paste",
    ] {
        holds(&page, expected)?;
    }
    holds(&page, "✗ failed")?;
    holds(&page, "✓ passed")
}

/// The address of a requirement opens it.
fn link(browser: &Path) -> Result<(), String> {
    let page = shown(browser, "", "#OFF-B-001")?;
    holds(&page, r#"<tr id="OFF-B-001" tabindex="0" class="current""#)?;
    holds(&page, "a/two</h3>")
}

fn holds(page: &str, expected: &str) -> Result<(), String> {
    match page.contains(expected) {
        true => Ok(()),
        false => Err(format!("the page lacks {expected}:\n{page}")),
    }
}

/// The page's elements after `script`, which says things by `say(name, text)`.
fn shown(browser: &Path, script: &str, link: &str) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let file: PathBuf = folder.path().join("page.html");
    let page = html::page(&[sample("x", Verdict::Failed), sample("y", Verdict::Passed)])?;
    let driver = format!(
        "<output id=\"said\"></output><script>\
         const say = (name, text) => {{ document.getElementById('said').append(`${{name}}=${{text}};`); }};\
         addEventListener('load', () => {{ {script} }});</script></body>"
    );
    std::fs::write(&file, page.replace("</body>", &driver)).map_err(|e| e.to_string())?;
    let job = Job::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .arg(format!("--user-data-dir={}", folder.path().display()))
        .args(["--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("file://{}{link}", file.display()))
        .limit(Duration::from_secs(240));
    let output = job.capture(b"").map_err(|e| e.to_string())?;
    let page = String::from_utf8_lossy(&output.stdout).into_owned();
    // The scripts and the data would answer for the elements.
    let body = page.split("<body>").nth(1).unwrap_or_default();
    let (elements, rest) = body.split_once("<script>").unwrap_or((body, ""));
    let said = rest
        .split("<output id=\"said\">")
        .nth(1)
        .unwrap_or_default();
    Ok(format!("{elements}{said}"))
}

fn sample(name: &str, verdict: Verdict) -> Report {
    let case = |case: &str, requirement: &str, verdict| CaseResult {
        case: case.to_owned(),
        about: "It does.".to_owned(),
        requirements: vec![requirement.to_owned()],
        beyond: None,
        verdict,
        reason: (verdict == Verdict::Failed).then(|| "it broke".to_owned()),
        link: None,
        evidence: Evidence {
            seconds: 1.0,
            steps: vec![StepEvidence {
                repeat: "a line to paste".to_owned(),
                ended: "exit 1".to_owned(),
                seconds: 0.5,
                stdout: "it printed <b>&".to_owned(),
                stderr: String::new(),
                wrong: Vec::new(),
            }],
            wrong: None,
        },
    };
    let requirement =
        |id: &str, role: &str, statement: &str, verdict, case: &str| RequirementResult {
            id: id.to_owned(),
            document: Document::Off,
            section: "A section".to_owned(),
            strength: Strength::Must,
            role: role.to_owned(),
            statement: statement.to_owned(),
            verdict: Some(verdict),
            cases: vec![case.to_owned()],
        };
    Report {
        form: suites::report::FORM,
        toolchain: Subject {
            name: name.to_owned(),
            about: "a sample".to_owned(),
            version: None,
        },
        ended: "2026-01-01T00:00:00Z".to_owned(),
        cases_by_verdict: [verdict, Verdict::Passed].into_iter().collect(),
        requirements_by_verdict: Counts::default(),
        cases: vec![
            case("a/one", "OFF-A-001", verdict),
            case("a/two", "OFF-B-001", Verdict::Passed),
        ],
        requirements: vec![
            requirement("OFF-A-001", "runtime", "It runs.", verdict, "a/one"),
            requirement(
                "OFF-B-001",
                "clang-linker-wrapper",
                "It links.",
                Verdict::Passed,
                "a/two",
            ),
        ],
    }
}

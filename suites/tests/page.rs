//! The page of a report in a real browser: filters, evidence, the keyboard, a link to one requirement, and
//! how quick a page of 300 requirements and six toolchains is.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use suites::browser;
use suites::catalogue::{Document, Strength};
use suites::evidence::{Evidence, GoldenText, LeftOut, StepEvidence};
use suites::report::{CaseResult, Groups, Report, RequirementResult, Subject, html};
use suites::verdict::{Counts, Verdict};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let browser = browser::find();
    type Test = fn(&Path) -> Result<(), String>;
    let tests: [(&str, Test); 7] = [
        ("page/colours", colours),
        ("page/filters", filters),
        ("page/evidence", evidence),
        ("page/in-part", in_part),
        ("page/keys", keys),
        ("page/link", link),
        ("page/large", large),
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
        const counts = () => [...document.querySelectorAll('.counts')].map((e) => \
            [...e.children].map((part) => part.textContent).join(' ')).join('|');\
        say('all', ids()); say('counts', counts());\
        set('text', 'links'); say('text', ids()); say('counted', counts());\
        set('text', ''); set('verdict', 'failed'); say('failed', ids());\
        set('verdict', 'passed'); set('role', 'runtime'); set('text', 'runs'); say('several', ids());\
        set('text', 'links'); say('none', ids()); say('shown', document.getElementById('shown').textContent);\
        set('text', ''); set('verdict', ''); say('role', ids());\
        set('role', ''); set('document', 'OFF'); say('document', ids());\
        set('document', 'OPT'); say('other', ids()); set('strength', 'should'); say('strength', ids());\
        set('strength', ''); set('document', ''); set('view', 'cases'); say('cases', ids());";
    let page = sample_shown(browser, script, "")?;
    all_hold(
        &page,
        &[
            "all=OFF-A-001 OPT-B-001;",
            "text=OPT-B-001;",
            "counts=requirements 1 passed 1 failed|cases 1 passed 1 failed|\
             requirements 2 passed|cases 2 passed;",
            "counted=requirements 1 passed|cases 1 passed|requirements 1 passed|cases 1 passed;",
            "failed=OFF-A-001;",
            "several=OFF-A-001;",
            "none=;",
            "shown=0 of 2;",
            "document=OFF-A-001;",
            "other=OPT-B-001;",
            "strength=OPT-B-001;",
            "role=OFF-A-001;",
            "cases=a/one a/two;",
        ],
    )
}

/// A row opens its cases with what was seen, of each toolchain, as text and not as markup.
fn evidence(browser: &Path) -> Result<(), String> {
    let script = "\
        document.getElementById('OFF-A-001').click();\
        setTimeout(() => { say('detail', document.getElementById('detail').textContent);\
            say('address', location.hash);\
            say('open', [...document.querySelectorAll('#detail details')].map((d) => d.open).join(' '));\
            document.querySelector('.close').click();\
            say('closed', document.getElementById('detail').hidden + location.hash); }, 1500);";
    let page = sample_shown(browser, script, "")?;
    all_hold(
        &page,
        &[
            "step 1: exit 1",
            "it printed &lt;b&gt;&amp;",
            "what does not holdit wanted exit 0",
            "a line to paste",
            "golden text: planwhat it says &lt;whole&gt;",
            "left out: 1 with opencl-gpu: no GPU is here",
            "%t/a.out on the GPU",
            r#"told at <a href="https://tracker.example/7">"#,
            "by hand, with its tools aloneecho shown; # prints: &lt;shown&gt;",
            "address=#OFF-A-001;",
            "open=false false true false false;",
            "closed=true;",
            "✗ failed",
            "✓ passed",
        ],
    )
}

/// Where a requirement is not observable for one of its cases, the others that passed are counted, but for what the
/// toolchain borrows.
fn in_part(browser: &Path) -> Result<(), String> {
    let mut own = sample("x", Verdict::NotObservable);
    own.cases[1].requirements = vec!["OFF-A-001".to_owned()];
    let mut borrowed = own.clone();
    borrowed.toolchain.borrows = vec!["runtime".to_owned()];
    let script = "say('cells', [...document.querySelectorAll('#OFF-A-001 .verdict')].map((e) => e.textContent).join('|'));";
    let page = html::page(&[own, borrowed])?;
    let page = shown(browser, &page, script, "", &[])?;
    holds(
        &page,
        "cells=◌ not observable1 of 2 cases passed|◌ not observable;",
    )
}

/// Arrows move, Enter opens, Esc closes, and a slash goes to the field. With Ctrl, Alt or Meta a key is the
/// browser's.
fn keys(browser: &Path) -> Result<(), String> {
    let script = "\
        const press = (key) => document.activeElement.dispatchEvent(\
            new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));\
        const at = () => document.activeElement.id;\
        const taken = (key, modifier) => { const event = new KeyboardEvent('keydown', \
            { key, [modifier]: true, bubbles: true, cancelable: true });\
            document.activeElement.dispatchEvent(event); return event.defaultPrevented; };\
        press('ArrowDown'); say('first', at());\
        say('kept', ['j', 'k', '/', 'ArrowDown'].flatMap((key) => \
            ['ctrlKey', 'metaKey', 'altKey'].map((modifier) => taken(key, modifier))).some(Boolean));\
        say('stays', at()); press('ArrowDown'); say('second', at());\
        press('k'); say('up', at()); press('Enter');\
        setTimeout(() => { const detail = document.getElementById('detail');\
            say('opened', detail.querySelector('h2').textContent); press('Escape');\
            say('closed', detail.hidden); press('/'); say('field', at()); }, 1500);";
    let page = sample_shown(browser, script, "")?;
    all_hold(
        &page,
        &[
            "first=OFF-A-001;",
            "kept=false;",
            "stays=OFF-A-001;",
            "second=OPT-B-001;",
            "up=OFF-A-001;",
            "opened=OFF-A-001;",
            "closed=true;",
            "field=text;",
        ],
    )
}

/// Of 300 requirements and six toolchains, those that a filter leaves are there before anybody waits.
fn large(browser: &Path) -> Result<(), String> {
    let reports: Vec<Report> = (0..6).map(large_sample).collect();
    let page = html::page(&reports)?;
    if page.len() > 2_000_000 {
        return Err(format!("the page has {} bytes", page.len()));
    }
    // The shortest of several counts: others may be at work on the machine, which is also why the limit is
    // far above what a person would notice (some tens of milliseconds, on a machine that has time).
    let script = "\
        const field = document.getElementById('text');\
        const filter = (words) => { const start = performance.now(); field.value = words;\
            field.dispatchEvent(new Event('input')); document.body.getBoundingClientRect();\
            return performance.now() - start; };\
        const rows = () => document.querySelectorAll('tbody tr').length;\
        filter('r-29'); say('some', rows()); filter(''); say('all', rows());\
        const best = (words) => Math.min(...Array.from({ length: 9 }, () => filter(words)));\
        say('few', best('r-29')); say('everything', best('')); say('end', '');";
    let page = shown(browser, &page, script, "", &[])?;
    holds(&page, "some=10;")?;
    holds(&page, "all=300;")?;
    holds(&page, "end=;")?;
    for name in ["few", "everything"] {
        let text = page.split(&format!("{name}=")).nth(1);
        let time = text.and_then(|text| text.split(';').next()?.parse::<f64>().ok());
        match time {
            Some(time) if time < 1000.0 => println!("{name}: {time:.1} ms"),
            other => return Err(format!("a filter that leaves {name} took {other:?} ms")),
        }
    }
    Ok(())
}

/// Light and dark are two sets of colours, and every text of either stands out from what it is written on as WCAG
/// asks (4.5 to 1).
fn colours(browser: &Path) -> Result<(), String> {
    // The colours as the browser has them; a text's own background is that of what is around it, if it has none.
    let script = "\
        const numbers = (text) => text.match(/[\\d.]+/g).map(Number);\
        const light = (text) => { const [r, g, b] = numbers(text).slice(0, 3).map((part) => { const c = part / 255;\
            return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });\
            return 0.2126 * r + 0.7152 * g + 0.0722 * b; };\
        const back = (element) => { const own = getComputedStyle(element).backgroundColor; const all = numbers(own);\
            return all.length === 4 && all[3] === 0 && element.parentElement ? back(element.parentElement) : own; };\
        const contrast = (a, b) => { const [high, low] = [light(a), light(b)].sort((x, y) => y - x);\
            return (high + 0.05) / (low + 0.05); };\
        const look = () => { let [worst, where, seen] = [99, '', 0];\
            for (const element of document.querySelectorAll('body, body *')) {\
                const has = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());\
                const field = element.matches('input, select');\
                if (!(has || field) || !element.getClientRects().length) continue;\
                seen += 1; const found = contrast(getComputedStyle(element).color, back(element));\
                if (found < worst) [worst, where] = [found, element.tagName + '.' + element.className]; }\
            say('worst', worst.toFixed(2)); say('where', where); say('seen', seen);\
            say('dark', matchMedia('(prefers-color-scheme: dark)').matches);\
            const body = getComputedStyle(document.body); say('text', body.color); say('back', body.backgroundColor); };\
        document.getElementById('OFF-A-001').click(); setTimeout(() => { \
            document.querySelectorAll('details').forEach((d) => { d.open = true; }); look(); }, 1500);";
    let page = html::page(&Verdict::ALL.map(|verdict| sample(verdict.key(), verdict)))?;
    let mut seen = Vec::new();
    for dark in [false, true] {
        let scheme = format!("--blink-settings=preferredColorScheme={}", i32::from(!dark));
        let shown = shown(
            browser,
            &page,
            script,
            "",
            &["--virtual-time-budget=5000", &scheme],
        )?;
        holds(&shown, &format!("dark={dark};"))?;
        let value = |name: &str| {
            let rest = shown.split(&format!("{name}=")).last().unwrap_or_default();
            rest.split(';').next().unwrap_or_default().to_owned()
        };
        let worst: f64 = value("worst")
            .parse()
            .map_err(|e| format!("{e}: {shown}"))?;
        let where_ = value("where");
        if worst < 4.5 {
            return Err(format!(
                "dark: {dark}: {where_} has a contrast of {worst} alone"
            ));
        }
        println!(
            "dark: {dark}: {} texts, the faintest {worst} to 1 ({where_})",
            value("seen")
        );
        seen.push((value("text"), value("back")));
    }
    match seen[0].0 != seen[1].0 && seen[0].1 != seen[1].1 {
        true => Ok(()),
        false => Err(format!("light and dark look alike: {seen:?}")),
    }
}

/// The address of a requirement opens it.
fn link(browser: &Path) -> Result<(), String> {
    let page = sample_shown(browser, "", "#OPT-B-001")?;
    holds(&page, r#"<tr id="OPT-B-001" tabindex="0" class="current""#)?;
    holds(&page, "a/two</h3>")?;
    holds(&page, "<p>It <code>links</code>.</p>")
}

/// Each of these stands in what the page came to.
fn all_hold(page: &str, expected: &[&str]) -> Result<(), String> {
    expected.iter().try_for_each(|text| holds(page, text))
}

fn holds(page: &str, expected: &str) -> Result<(), String> {
    match page.contains(expected) {
        true => Ok(()),
        false => Err(format!("the page lacks {expected}:\n{page}")),
    }
}

/// The elements of a page of two samples after `script`.
fn sample_shown(browser: &Path, script: &str, link: &str) -> Result<String, String> {
    let page = html::page(&[sample("x", Verdict::Failed), sample("y", Verdict::Passed)])?;
    // Seconds that the page waits are skipped.
    shown(
        browser,
        &page,
        script,
        link,
        &["--virtual-time-budget=5000"],
    )
}

/// The elements of `page` after `script`, which says things by `say(name, text)`.
fn shown(
    browser: &Path,
    page: &str,
    script: &str,
    link: &str,
    words: &[&str],
) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let file: PathBuf = folder.path().join("page.html");
    let driver = format!(
        "<output id=\"said\"></output><script>\
         const say = (name, text) => {{ document.getElementById('said').append(`${{name}}=${{text}};`); }};\
         addEventListener('load', () => {{ {script} }});</script></body>"
    );
    std::fs::write(&file, page.replace("</body>", &driver)).map_err(|e| e.to_string())?;
    let job = browser::job(browser, folder.path())
        .args(words)
        .arg("--dump-dom")
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
        link: (verdict == Verdict::Failed).then(|| "https://tracker.example/7".to_owned()),
        by_hand: (verdict == Verdict::Failed).then(|| "echo shown; # prints: <shown>".to_owned()),
        breaks: None,
        evidence: Evidence {
            seconds: 1.0,
            steps: vec![StepEvidence {
                repeat: "a line to paste".to_owned(),
                ended: "exit 1".to_owned(),
                seconds: 0.5,
                stdout: "it printed <b>&".to_owned(),
                stderr: String::new(),
                wrong: match verdict {
                    Verdict::Failed => vec!["it wanted exit 0".to_owned()],
                    _ => Vec::new(),
                },
                without_golden: Vec::new(),
                goldens: vec![GoldenText {
                    name: "plan".to_owned(),
                    text: "what it says <whole>".to_owned(),
                }],
            }],
            left_out: vec![LeftOut {
                setting: "opencl-gpu".to_owned(),
                steps: vec!["%t/a.out on the GPU".to_owned()],
                reason: "no GPU is here".to_owned(),
            }],
            ..Evidence::default()
        },
    };
    let requirement =
        |id: &str, strength, role: &str, statement: &str, verdict, case: &str| RequirementResult {
            id: id.to_owned(),
            document: match id.starts_with("OPT") {
                true => Document::Opt,
                false => Document::Off,
            },
            section: "A section".to_owned(),
            strength,
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
            borrows: Vec::new(),
        },
        ended: "2026-01-01T00:00:00Z".to_owned(),
        cases_by_verdict: [verdict, Verdict::Passed].into_iter().collect(),
        requirements_by_verdict: Counts::default(),
        requirements_by: Groups::default(),
        cases: vec![
            case("a/one", "OFF-A-001", verdict),
            case("a/two", "OPT-B-001", Verdict::Passed),
        ],
        requirements: vec![
            requirement(
                "OFF-A-001",
                Strength::Must,
                "runtime",
                "It runs.",
                verdict,
                "a/one",
            ),
            requirement(
                "OPT-B-001",
                Strength::Should,
                "clang-linker-wrapper",
                "It `links`.",
                Verdict::Passed,
                "a/two",
            ),
        ],
    }
}

/// A report of 300 requirements with a case each, of the length that real ones have.
fn large_sample(number: usize) -> Report {
    let one = sample(&format!("toolchain-{number}"), Verdict::Passed);
    let (mut cases, mut requirements) = (Vec::new(), Vec::new());
    for at in 0..300 {
        let verdict = Verdict::ALL[(at + number) % Verdict::ALL.len()];
        let (id, name) = (format!("OFF-R-{at:03}"), format!("suite/case-{at}"));
        let mut case = one.cases[0].clone();
        case.about = format!("It does the thing that is number {at}, and nothing else.");
        case.evidence.steps[0].stdout = format!("line {at} of toolchain {number}\n").repeat(12);
        case.evidence.steps[0].repeat = format!("cd /w/{at} && env -i PATH=/usr/bin tool -o {at}");
        cases.push(CaseResult {
            case: name.clone(),
            requirements: vec![id.clone()],
            verdict,
            ..case
        });
        requirements.push(RequirementResult {
            id,
            statement: "What a toolchain has to do, in words of our own. ".repeat(3),
            verdict: Some(verdict),
            cases: vec![name],
            ..one.requirements[0].clone()
        });
    }
    Report {
        cases_by_verdict: cases.iter().map(|case| case.verdict).collect(),
        requirements_by_verdict: requirements.iter().filter_map(|r| r.verdict).collect(),
        requirements_by: Groups::default(),
        cases,
        requirements,
        ..one
    }
}

//! `docs` and `matrix`: the book, and the verdicts on shipped toolchains that it shows.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use components::process::Job;
use suites::book::{Book, links};
use suites::browser;
use suites::layout::Layout;
use suites::library::Library;
use suites::matrix::Judged;
use suites::report::{Report, compare, html};
use suites::toolchain::Described;
use suites::verdict::Verdict;

use crate::failure::{Failure, Outcome};
use crate::{cargo, places};

/// The release of mdbook that renders the book.
const MDBOOK: &str = "0.5.4";

/// How many bytes the picture may have.
const LARGEST_PICTURE: u64 = 150_000;

/// Writes the book's markdown into the build folder, checks its links, and has mdbook render it. With
/// `check` nothing is brought for that: where there is no mdbook the markdown is all.
pub fn run(check: bool) -> Outcome {
    let layout = Layout::of(&places::root());
    let library = Library::load(&layout).map_err(|all| Failure::new(all.join("\n")))?;
    let book = Book::of(&layout, &library).map_err(Failure::new)?;
    sound(&book.mistakes())?;
    let folder = places::target().join("docs");
    book.write(&folder.join("src")).map_err(Failure::new)?;
    for name in ["book.toml", "verdicts.css"] {
        let from = layout.docs.join(name);
        fs::copy(&from, folder.join(name)).map_err(|e| Failure::at(&from, e))?;
    }
    let mdbook = match (mdbook(), check) {
        (Some(program), _) => program,
        (None, false) => bring_mdbook()?,
        (None, true) => {
            println!(
                "{} pages; there is no mdbook to render them",
                book.pages.len()
            );
            return Ok(());
        }
    };
    let rendered = folder.join("book");
    let job = Job::new(mdbook).arg("build").arg(&folder);
    job.capture(b"").map_err(Failure::new)?;
    sound(&links::dangling_in(&rendered).map_err(Failure::new)?)?;
    println!("{}", rendered.join("index.html").display());
    Ok(())
}

fn sound(mistakes: &[String]) -> Outcome {
    match mistakes.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(mistakes.join("\n"))),
    }
}

/// The mdbook that is there: in the path, of the release's series, or what an earlier run brought.
fn mdbook() -> Option<PathBuf> {
    let series = MDBOOK.rsplit_once('.').map_or(MDBOOK, |(series, _)| series);
    let answer = Job::new("mdbook").arg("--version").capture(b"").ok();
    let said = answer.map(|answer| String::from_utf8_lossy(&answer.stdout).into_owned());
    if said.is_some_and(|said| said.starts_with(&format!("mdbook v{series}."))) {
        return Some("mdbook".into());
    }
    Some(mdbook_folder().join("bin/mdbook")).filter(|program| program.exists())
}

fn mdbook_folder() -> PathBuf {
    places::components().join(format!("mdbook-{MDBOOK}"))
}

/// Builds mdbook from its crate, in the versions that it was released with.
fn bring_mdbook() -> Result<PathBuf, Failure> {
    eprintln!("docs: building mdbook {MDBOOK}, once");
    let folder = mdbook_folder();
    let job = cargo::plain("install")
        .args(["--quiet", "--locked", "--version", MDBOOK, "--root"])
        .arg(&folder)
        .args(["--no-default-features", "--features=search", "mdbook"]);
    job.run().map_err(|_| Failure::Reported)?;
    Ok(folder.join("bin/mdbook"))
}

/// Keeps the verdicts of reports in `docs/matrix`. Reports of several toolchains also give the picture of
/// a page, where there is a browser to take it.
pub fn matrix(files: &[PathBuf]) -> Outcome {
    let layout = Layout::of(&places::root());
    let reports: Result<Vec<Report>, String> =
        files.iter().map(|file| Report::read(file)).collect();
    let merged = compare::merge(reports.map_err(Failure::new)?);
    let mut latest: Vec<Report> = Vec::new();
    for report in merged {
        latest.retain(|other| other.toolchain.name != report.toolchain.name);
        latest.push(report);
    }
    for report in &latest {
        let name = &report.toolchain.name;
        let described = Described::load(name, &layout).map_err(Failure::new)?;
        if described.is_stand_in() {
            return Err(Failure::new(format!(
                "'{name}' is a stand-in, and nobody's toolchain"
            )));
        }
    }
    let folder = layout.docs.join("matrix");
    for report in &latest {
        let judged = Judged::of(report);
        judged.write(&folder).map_err(Failure::new)?;
        let (name, cases) = (&judged.toolchain, report.cases_by_verdict);
        println!("docs/matrix/{name}.json: {}, {cases}", judged.date);
    }
    match (browser::find(), latest.len()) {
        (Some(browser), 2..) => picture(&browser, &latest, &layout.docs.join("images/report.png")),
        (None, 2..) => {
            println!("docs/images/report.png is as it was: no chromium in the system");
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Takes a picture of the page of `reports` that opens what they differ in first.
fn picture(browser: &Path, reports: &[Report], file: &Path) -> Outcome {
    let folder = tempfile::tempdir().map_err(Failure::new)?;
    let page = folder.path().join("page.html");
    let text = html::page(&without_places(reports)).map_err(Failure::new)?;
    // A link would open it as well, and turn the page so that its head is not to be seen.
    let opens = differing(reports).map_or_else(String::new, |id| {
        let topic = id.rsplit_once('-').map_or(id, |(topic, _)| topic);
        format!(
            "<script>addEventListener('load', () => {{\
             const field = document.getElementById('text'); field.value = '{topic}';\
             field.dispatchEvent(new Event('input'));\
             document.getElementById('{id}').click(); }});</script>"
        )
    });
    let text = text.replace("</body>", &(opens + "</body>"));
    fs::write(&page, text).map_err(|e| Failure::at(&page, e))?;
    let images = file.parent().unwrap_or(file);
    fs::create_dir_all(images).map_err(|e| Failure::at(images, e))?;
    // The README shows it, and is read over slow lines, too.
    for scale in ["0.8", "0.7", "0.6", "0.5"] {
        let job = browser::job(browser, folder.path())
            .args(["--virtual-time-budget=5000", "--hide-scrollbars"])
            .args(["--window-size=1200,760"])
            .arg(format!("--force-device-scale-factor={scale}"))
            .arg(format!("--screenshot={}", file.display()))
            .arg(format!("file://{}", page.display()))
            .limit(Duration::from_secs(120));
        job.capture(b"").map_err(Failure::new)?;
        let size = fs::metadata(file).map_err(|e| Failure::at(file, e))?.len();
        if size < LARGEST_PICTURE {
            println!("{}: {} KB", file.display(), size / 1000);
            return Ok(());
        }
    }
    Err(Failure::at(file, "it does not get small enough"))
}

/// Reports that name no folder of this machine.
fn without_places(reports: &[Report]) -> Vec<Report> {
    let root = places::root().display().to_string();
    let mut reports = reports.to_vec();
    let cases = reports.iter_mut().flat_map(|report| &mut report.cases);
    for step in cases.flat_map(|case| &mut case.evidence.steps) {
        step.repeat = step.repeat.replace(&root, "/plumbline");
    }
    reports
}

/// The first requirement that one toolchain meets and another does not; where there is none, the first that one
/// does not meet.
fn differing(reports: &[Report]) -> Option<&str> {
    let stands = |id: &str, wanted: &[Verdict]| {
        let requirements = reports.iter().flat_map(|report| &report.requirements);
        let mut verdicts = requirements.filter(|other| other.id == id);
        verdicts.any(|other| {
            other
                .verdict
                .is_some_and(|verdict| wanted.contains(&verdict))
        })
    };
    let requirements = &reports.first()?.requirements;
    let ids = || {
        requirements
            .iter()
            .map(|requirement| requirement.id.as_str())
    };
    let departs = |id: &&str| stands(id, &[Verdict::KnownDeviation, Verdict::Failed]);
    let differs = ids().find(|id| departs(id) && stands(id, &[Verdict::Passed]));
    differs.or_else(|| ids().find(departs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(name: &str, verdicts: [&str; 2]) -> Report {
        let requirement = |number: usize| {
            serde_json::json!({
                "id": format!("OFF-X-00{number}"), "document": "OFF", "section": "S",
                "strength": "must", "role": "runtime", "statement": "It does.",
                "verdict": verdicts[number],
            })
        };
        let none = serde_json::json!({"passed": 0, "failed": 0, "known-deviation": 0,
            "differs-beyond": 0, "not-observable": 0, "skipped": 0});
        let report = serde_json::json!({
            "form": 1, "toolchain": {"name": name, "about": "a sample"},
            "ended": "2026-01-01T00:00:00Z", "cases-by-verdict": none,
            "requirements-by-verdict": none, "cases": [],
            "requirements": [requirement(0), requirement(1)],
        });
        serde_json::from_value(report).unwrap()
    }

    #[test]
    fn the_picture_shows_what_toolchains_differ_in() {
        let sound = report("a", ["passed", "passed"]);
        let faulty = report("b", ["skipped", "known-deviation"]);
        let both = [sound, faulty];
        assert_eq!(differing(&both), Some("OFF-X-001"));
        assert_eq!(differing(&both[..1]), None);
        assert_eq!(differing(&both[1..]), Some("OFF-X-001"));
    }

    #[test]
    fn verdicts_of_stand_ins_and_strangers_are_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("conformance.json");
        for (name, expected) in [
            ("reworded", "stand-in"),
            ("nobody", "no toolchain 'nobody'"),
        ] {
            let report = serde_json::to_string(&report(name, ["passed", "passed"]));
            fs::write(&file, report.unwrap()).unwrap();
            let failure = matrix(std::slice::from_ref(&file)).unwrap_err();
            assert!(failure.to_string().contains(expected), "{failure}");
        }
    }
}

//! The conformance test program as people, cargo and nextest start it: which cases it takes, what it
//! reports of them, and what it says meanwhile. It judges a toolchain of shell commands by cases made for
//! the purpose.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use components::process::{Job, Output};
use suites::layout::Layout;
use suites::report::{Report, compare};
use suites::verdict::Verdict;

/// The program that this run of tests has built: as `cargo xtask test` names it, or the newest beside this
/// test program.
fn program() -> PathBuf {
    if let Some(built) = std::env::var_os("PLUMBLINE_CONFORMANCE") {
        return built.into();
    }
    let own = std::env::current_exe().unwrap();
    let files = std::fs::read_dir(own.parent().unwrap()).unwrap().flatten();
    let programs = files.filter(|file| {
        let name = file.file_name().to_string_lossy().into_owned();
        name.starts_with("conformance-") && !name.contains('.')
    });
    let age = |file: &std::fs::DirEntry| file.metadata().and_then(|data| data.modified());
    let newest = programs.max_by_key(|file| age(file).unwrap_or(SystemTime::UNIX_EPOCH));
    newest.expect("cargo builds it with this test").path()
}

/// A checkout with a few cases and a toolchain to judge.
struct Checkout(tempfile::TempDir);

impl Checkout {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let case = |about: &str, id: &str, run: &str| {
            format!(
                "requirements: [{id}]\nabout: {about}\nsteps:\n- run: {run}\n  stdout: {{equals: a}}\n"
            )
        };
        let requirement = |id: &str| {
            format!(
                "  - {{id: {id}, section: S, strength: must, role: runtime, statement: it does}}\n"
            )
        };
        let spec = format!(
            "document: OFF\nrequirements:\n{}{}",
            requirement("OFF-X-001"),
            requirement("OFF-Y-001")
        );
        let description = "name: mine\nabout: it\ntools: {sycl-clang++: [/bin/sh, -c]}\n\
                           deviations:\n- {case: harness/known, reason: it says b, link: 'https://example.org/1'}\n";
        for (name, text) in [
            ("mine.yaml", description.to_owned()),
            ("suites/spec/off.yaml", spec),
            (
                "suites/cases/harness/one.yaml",
                case("one", "OFF-X-001", "'%sycl-clang++ \"echo a\"'"),
            ),
            (
                "suites/cases/harness/two.yaml",
                case("two", "OFF-Y-001", "'%sycl-clang++ \"echo a\"'"),
            ),
            (
                "suites/cases/harness/known.yaml",
                case("known", "OFF-Y-001", "'%sycl-clang++ \"echo b\"'"),
            ),
            (
                "suites/cases/harness/left-out.yaml",
                case("left out", "OFF-X-001", "'%opencl-aot a'"),
            ),
            (
                "suites/tools.yaml",
                std::fs::read_to_string(Layout::here().tools).unwrap(),
            ),
        ] {
            let file = root.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        Checkout(root)
    }

    /// A start of the program with these arguments and variables.
    fn start(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        self.job(arguments, variables).output(b"").unwrap()
    }

    fn job(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Job {
        let root = self.0.path();
        let mut job = Job::new(program())
            .args(arguments)
            .dir(root)
            .clean_env()
            .env("PATH", "/usr/bin:/bin")
            .env("PLUMBLINE_ROOT", root)
            .env("CARGO_TARGET_DIR", root.join("target"))
            .env("PLUMBLINE_TOOLCHAIN", root.join("mine.yaml"));
        for (name, value) in variables {
            job = job.env(name, value);
        }
        job
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

/// The reports of the parts below a folder, by the folder of each.
fn parts(folder: &Path) -> Vec<(String, Report)> {
    let parts = std::fs::read_dir(folder).unwrap().flatten();
    let mut parts: Vec<(String, Report)> = parts
        .map(|part| {
            let report = Report::read(&part.path().join("conformance.json")).unwrap();
            (part.file_name().to_string_lossy().into_owned(), report)
        })
        .collect();
    parts.sort_by(|a, b| a.0.cmp(&b.0));
    parts
}

/// Nextest starts a process a case.
#[test]
fn a_process_a_case_leaves_a_part_a_case_and_the_parts_make_one_run() {
    let checkout = Checkout::new();
    let folder = checkout.folder("report");
    let report = folder.to_string_lossy().into_owned();
    let variables = [("NEXTEST", "1"), ("PLUMBLINE_REPORT", report.as_str())];
    for name in ["harness/one", "harness/known"] {
        let output = checkout.start(&["--exact", name, "--nocapture"], &variables);
        assert!(output.status.success(), "{}", said(&output));
    }
    let parts = parts(&folder);
    let names: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["harness.known", "harness.one"]);
    assert!(parts.iter().all(|(_, report)| report.cases.len() == 1));
    let merged = compare::merge(parts.into_iter().map(|(_, report)| report).collect());
    assert_eq!(merged.len(), 1);
    let counts = merged[0].cases_by_verdict;
    assert_eq!(
        (counts.passed, counts.known_deviation, counts.skipped),
        (1, 1, 0)
    );
    // What nextest starts for none of its processes: the cases that cannot run here.
    let folder = checkout.folder("left-out");
    let report = folder.to_string_lossy().into_owned();
    let output = checkout.start(&["--ignored"], &[("PLUMBLINE_REPORT", report.as_str())]);
    assert!(output.status.success(), "{}", said(&output));
    let report = Report::read(&folder.join("conformance.json")).unwrap();
    let cases: Vec<_> = report
        .cases
        .iter()
        .map(|c| (c.case.as_str(), c.verdict))
        .collect();
    assert_eq!(cases, [("harness/left-out", Verdict::Skipped)]);
}

#[test]
fn a_filter_that_nothing_matches_is_an_error() {
    let checkout = Checkout::new();
    let selected = |text: &str| checkout.start(&[], &[("PLUMBLINE_SELECT", text)]);
    for (output, word) in [
        (checkout.start(&["harness/no"], &[]), "harness/no"),
        (
            checkout.start(&["--exact", "harness/on"], &[]),
            "harness/on",
        ),
        (selected("name=harness/no"), "name=harness/no"),
        (selected("name=harness/one,harness/no"), "name=harness/no"),
        (
            selected("requirement=OFF-X-001,OFF-Z-001"),
            "requirement=OFF-Z-001",
        ),
        (selected("document=OFF;role=runtim"), "role=runtim"),
        (
            selected("name=harness/one;requirement=OFF-Y-001"),
            "name=harness/one;requirement=OFF-Y-001",
        ),
    ] {
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{word}: {text}");
        assert!(
            text.contains(&format!("no case is {word}\n")),
            "{word}: {text}"
        );
    }
    for words in [
        &["harness/one"][..],
        &["--list", "harness/no"],
        &["--ignored"],
    ] {
        assert!(checkout.start(words, &[]).status.success(), "{words:?}");
    }
    let both = selected("requirement=OFF-X-001,OFF-Y-001");
    assert!(
        said(&both).contains("2 passed, 0 failed, 1 known deviation"),
        "{}",
        said(&both)
    );
    // A part may be empty.
    let shard = [
        ("PLUMBLINE_SHARD", "2/2"),
        ("PLUMBLINE_SELECT", "name=harness/one"),
    ];
    assert!(checkout.start(&[], &shard).status.success());
}

#[test]
fn a_case_that_takes_long_is_told_of_while_it_runs() {
    let checkout = Checkout::new();
    let file = checkout.folder("suites/cases/harness/slow.yaml");
    let text = "requirements: [OFF-X-001]\nabout: slow\nsteps:\n\
                - {run: '%sycl-clang++ \"sleep 11\"', stdout: {equals: ''}}\n";
    std::fs::write(file, text).unwrap();
    let text = said(&checkout.start(&["harness/slow"], &[]));
    assert!(text.contains("\nstill: harness/slow ("), "{text}");
}

/// Whoever stops a run, by whatever signal, stops its steps: they are in groups of their own, which no key
/// of a terminal reaches.
#[test]
fn no_step_outlives_a_run_that_is_stopped() {
    let checkout = Checkout::new();
    let seconds = (2000 + std::process::id()).to_string();
    let file = checkout.folder("suites/cases/harness/endless.yaml");
    let text = format!(
        "requirements: [OFF-X-001]\nabout: endless\nsteps:\n\
         - {{run: '%sycl-clang++ \"(env -i setsid sleep {seconds} &); sleep {seconds}\"'}}\n"
    );
    std::fs::write(file, text).unwrap();
    let sleepers = || {
        let folders = std::fs::read_dir("/proc").unwrap().flatten();
        let lines = folders.filter_map(|folder| std::fs::read(folder.path().join("cmdline")).ok());
        let expected = format!("sleep\0{seconds}\0");
        lines.filter(|line| line == expected.as_bytes()).count()
    };
    let started = Instant::now();
    let soon = |what: &str| assert!(started.elapsed() < Duration::from_secs(60), "{what}");
    let job = checkout.job(&["harness/endless"], &[]);
    let mut run = std::process::Command::new(&job.program)
        .args(&job.args)
        .env_clear()
        .envs(job.env.iter().map(|(name, value)| (name, value)))
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while sleepers() < 2 {
        soon("the step does not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    while sleepers() > 0 {
        soon("the step goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn requirements_are_counted_by_document_role_and_strength() {
    let checkout = Checkout::new();
    let folder = checkout.folder("report");
    let report = folder.to_string_lossy().into_owned();
    let output = checkout.start(&[], &[("PLUMBLINE_REPORT", report.as_str())]);
    let text = said(&output);
    for line in [
        "requirements of OFF: 1 known deviation, 1 skipped, 0 in no case of this run\n",
        "requirements by role: runtime 1 known deviation, 1 skipped\n",
        "requirements by strength: must 1 known deviation, 1 skipped\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    let report = Report::read(&folder.join("conformance.json")).unwrap();
    assert_eq!(
        report.requirements_by.role["runtime"].brief(),
        "1 known deviation, 1 skipped"
    );
}

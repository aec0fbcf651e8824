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

    /// The report of a start with these variables, in a folder of this name.
    fn report(&self, name: &str, variables: &[(&str, &str)]) -> PathBuf {
        let folder = self.folder(name);
        let report = folder.to_string_lossy().into_owned();
        let variables = [&[("PLUMBLINE_REPORT", report.as_str())], variables].concat();
        let text = said(&self.start(&[], &variables));
        let file = folder.join("conformance.json");
        assert!(file.is_file(), "{text}");
        file
    }

    /// What `cargo xtask compare` starts.
    fn compare(&self, words: &[&Path]) -> Output {
        let own = std::env::current_exe().unwrap();
        let mut places = own.ancestors().skip(1).take(2);
        let suites = places.find_map(|folder| {
            let program = folder.join("suites");
            program.is_file().then_some(program)
        });
        let job = Job::new(suites.expect("cargo builds it with this test"));
        let job = job.arg("compare").args(words).dir(self.0.path());
        job.env("PLUMBLINE_ROOT", self.0.path())
            .output(b"")
            .unwrap()
    }

    /// Has a case run another command.
    fn change(&self, case: &str, from: &str, to: &str) {
        let file = self.folder(&format!("suites/cases/{case}.yaml"));
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(file, text.replace(from, to)).unwrap();
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
         - {{run: '%sycl-clang++ \"(env -i setsid sleep {seconds} &); touch begun; sleep {seconds}\"'}}\n"
    );
    std::fs::write(file, text).unwrap();
    let sleepers = || {
        let folders = std::fs::read_dir("/proc").unwrap().flatten();
        let lines = folders.filter_map(|folder| std::fs::read(folder.path().join("cmdline")).ok());
        let expected = format!("sleep\0{seconds}\0");
        lines.filter(|line| line == expected.as_bytes()).count()
    };
    let begun = checkout.folder("target/suites/mine/harness/endless/begun");
    let script = "\"$@\" & until [ -e \"$BEGUN\" ]; do sleep 0.02; done; kill -KILL $!";
    let job = checkout.job(&["harness/endless"], &[("BEGUN", &begun.to_string_lossy())]);
    let job = Job {
        program: "sh".into(),
        args: ["-c", script, "sh"]
            .map(Into::into)
            .into_iter()
            .chain([job.program.into()])
            .chain(job.args)
            .collect(),
        limit: Some(Duration::from_secs(60)),
        ..job
    };
    job.output(b"").unwrap();
    let killed = Instant::now();
    while sleepers() > 0 {
        assert!(killed.elapsed().as_secs() < 60, "the step goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What a CI server goes by: 1 when something began to fail, and only then, or when a report does not read.
#[test]
fn comparing_runs_ends_with_1_when_something_began_to_fail() {
    let checkout = Checkout::new();
    let before = checkout.report("before", &[]);
    checkout.change("harness/one", "echo a", "echo b");
    let after = checkout.report("after", &[]);
    let compared = |words: &[&Path]| {
        let output = checkout.compare(words);
        (output.status.code(), said(&output))
    };
    let (status, text) = compared(&[&before, &after]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("harness/one: passed -> failed"), "{text}");
    let (status, text) = compared(&[&after, &before]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("harness/one: failed -> passed"), "{text}");
    // What failed before did not begin to, and a run alone is held against nothing.
    for files in [&[after.as_path(), after.as_path()][..], &[&before]] {
        let (status, text) = compared(files);
        assert_eq!(status, Some(0), "{text}");
    }
    // A pass that is a known deviation now began to fail as well; whoever lists it says so by that.
    checkout.change("harness/one", "echo b", "echo a");
    let described = std::fs::read_to_string(checkout.folder("mine.yaml")).unwrap();
    let told = |text: &str| std::fs::write(checkout.folder("mine.yaml"), text).unwrap();
    let all = checkout.report("all", &[]);
    checkout.change("harness/one", "echo a", "echo b");
    let listed = "- {case: harness/one, reason: it says b, link: 'https://example.org/2'}\n";
    told(&format!("{described}{listed}"));
    let known = checkout.report("known", &[]);
    let (status, text) = compared(&[&all, &known]);
    assert_eq!(status, Some(1), "{text}");
    let line = "began to fail, and is excused: case harness/one: passed -> known deviation";
    assert!(text.contains(line), "{text}");
    // What is not judged any more is told apart, and may have to do with the machine: `--strict` minds it.
    checkout.change("harness/one", "echo b", "echo a");
    let hidden = "cannot-show: {harness/one: it is not told}\n";
    told(&format!("{described}{hidden}"));
    let unseen = checkout.report("unseen", &[]);
    told(&described);
    let gone = checkout.report("gone", &[("PLUMBLINE_SELECT", "name=harness/two")]);
    for (after, now) in [(&unseen, "not observable"), (&gone, "not there")] {
        let line = format!("no longer judged: case harness/one: passed -> {now}");
        for (strict, expected) in [(None, Some(0)), (Some(Path::new("--strict")), Some(1))] {
            let words = [all.as_path(), after.as_path()].into_iter().chain(strict);
            let (status, text) = compared(&words.collect::<Vec<_>>());
            assert_eq!(status, expected, "{text}");
            assert!(text.contains(&line), "{text}");
        }
    }
    let broken = checkout.folder("broken.json");
    std::fs::write(&broken, "{").unwrap();
    for file in [broken, checkout.folder("absent.json")] {
        let (status, text) = compared(&[&before, &file]);
        assert_eq!(status, Some(1), "{text}");
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        assert!(text.contains("error: ") && text.contains(&name), "{text}");
    }
}

/// Parts of a run, each of another machine, are the run in one.
#[test]
fn parts_put_together_are_the_whole_run() {
    let checkout = Checkout::new();
    let whole = Report::read(&checkout.report("whole", &[])).unwrap();
    let parts = ["1/3", "2/3", "3/3"];
    let parts =
        parts.map(|part| checkout.report(&part.replace('/', "-"), &[("PLUMBLINE_SHARD", part)]));
    for part in &parts {
        let part = Report::read(part).unwrap();
        assert!(part.cases.len() < whole.cases.len());
    }
    let merged = checkout.folder("merged");
    let [one, two, three] = &parts;
    let output = checkout.compare(&[three, one, two, Path::new("--report"), &merged]);
    assert!(output.status.success(), "{}", said(&output));
    let report = Report::read(&merged.join("mine/conformance.json")).unwrap();
    let verdicts = |report: &Report| -> Vec<_> {
        let cases = report.cases.iter();
        cases
            .map(|case| (case.case.clone(), case.verdict))
            .collect()
    };
    assert_eq!(verdicts(&report), verdicts(&whole));
    assert_eq!(report.requirements, whole.requirements);
    assert_eq!(report.cases_by_verdict, whole.cases_by_verdict);
    for file in ["index.html", "mine/junit.xml", "mine/index.html"] {
        assert!(merged.join(file).is_file(), "{file}");
    }
}

/// A text that differs from its golden file is left beside it in the form that `cargo insta review` goes
/// through, and is the golden file once that has accepted it.
#[test]
fn what_differs_from_a_golden_file_is_left_for_review() {
    let checkout = Checkout::new();
    let case = checkout.folder("suites/cases/harness/said.yaml");
    let text = "requirements: [OFF-X-001]\nabout: said\nsteps:\n\
                - {run: '%sycl-clang++ \"echo new\"', stdout: {golden: said}}\n";
    std::fs::write(case, text).unwrap();
    let golden = checkout.folder("golden/mine/harness/said.said.snap");
    std::fs::create_dir_all(golden.parent().unwrap()).unwrap();
    std::fs::write(&golden, "---\nsource: x\n---\nold\n").unwrap();
    let update = |how: &str| checkout.start(&["harness/said"], &[("INSTA_UPDATE", how)]);
    let pending = golden.with_extension("snap.new");
    let output = update("no");
    assert!(
        !output.status.success() && !pending.exists(),
        "{}",
        said(&output)
    );
    let output = update("new");
    assert!(!output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("-old\n+new"), "{}", said(&output));
    let left = std::fs::read_to_string(&pending).unwrap();
    let parts: Vec<&str> = left.splitn(3, "---\n").collect();
    let [before, head, contents] = parts[..] else {
        panic!("{left}")
    };
    assert_eq!((before, contents.trim_end()), ("", "new"));
    assert!(head.contains("source: "), "{left}");
    assert!(std::fs::read_to_string(&golden).unwrap().ends_with("old\n"));
    std::fs::rename(&pending, &golden).unwrap();
    let output = update("new");
    assert!(
        output.status.success() && !pending.exists(),
        "{}",
        said(&output)
    );
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

/// Whoever reads of a failure reads of which requirement it is, and of which document.
#[test]
fn a_failure_names_what_it_breaks() {
    let checkout = Checkout::new();
    checkout.change("harness/one", "echo a", "echo b");
    let beyond = "beyond: it is ours\nrequirements: [";
    let file = checkout.folder("suites/cases/harness/more.yaml");
    let two = std::fs::read_to_string(checkout.folder("suites/cases/harness/two.yaml")).unwrap();
    std::fs::write(file, two.replace("requirements: [", beyond)).unwrap();
    let answers = checkout.folder("mine.yaml");
    let text = std::fs::read_to_string(&answers).unwrap();
    std::fs::write(answers, format!("answers-beyond: true\n{text}")).unwrap();
    checkout.change("harness/more", "echo a", "echo b");
    let output = checkout.start(&[], &[]);
    let text = said(&output);
    for line in [
        "---- harness/one ----\nOFF-X-001 (OFF, \"S\")\nstep 1 of 1",
        "---- harness/more ----\nbeyond the documents: it is ours\nstep 1 of 1",
        "requirements of OFF: 1 failed, 1 known deviation, 0 in no case of this run\n  \
         failed: OFF-X-001 (harness/one)\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

/// The program runs on other machines: it knows no place of the one that built it.
#[test]
fn no_place_of_the_build_is_compiled_in() {
    let place = env!("CARGO_MANIFEST_DIR").as_bytes();
    let program = std::fs::read(program()).unwrap();
    assert!(!program.windows(place.len()).any(|bytes| bytes == place));
}

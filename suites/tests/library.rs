//! The harness against its own data: everything reads, nothing dangles, and toolchains that are
//! known to be bad fail every case.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use components::process::Job;
use suites::case::Case;
use suites::catalogue::{Document, Strength};
use suites::deviation::judged;
use suites::fault::Fault;
use suites::layout::Layout;
use suites::library::Library;
use suites::matrix::{Judged, Standing};
use suites::run::Runner;
use suites::toolchain::{Described, Toolchain as _};
use suites::tools::Tools;
use suites::verdict::Verdict;

fn library(layout: &Layout) -> Library {
    Library::load(layout).unwrap_or_else(|mistakes| panic!("{}", mistakes.join("\n")))
}

#[test]
fn everything_reads_and_nothing_dangles() {
    let layout = Layout::here();
    let tools = Tools::load(&layout).unwrap();
    let library = library(&layout);
    assert!(!library.cases.is_empty() && !library.catalogue.entries.is_empty());
    let mistakes = library.dangling(&layout, &tools);
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn every_toolchain_description_reads_and_its_deviations_name_cases() {
    let layout = Layout::here();
    let library = library(&layout);
    for file in layout.descriptions().unwrap() {
        let toolchain = Described::load(&file.to_string_lossy(), &layout).unwrap();
        let stem = file.file_stem().unwrap().to_string_lossy();
        assert_eq!(toolchain.name(), stem, "{}", file.display());
        let stale = library.stale_deviations(&toolchain);
        assert!(stale.is_empty(), "{}", stale.join("\n"));
        for known in toolchain.deviations() {
            let place = format!("{}: {}", file.display(), known.case);
            assert!(
                known.says.is_some(),
                "{place} does not say what its failure says"
            );
        }
    }
}

/// What is kept of a toolchain's last run knows every deviation of its list: one that the run left out, or
/// that could not show, would be said of the toolchain without having been seen.
#[test]
fn every_listed_deviation_was_seen_in_the_run_that_is_kept() {
    let layout = Layout::here();
    let mut missing = Vec::new();
    for judged in Judged::read_all(&layout.docs.join("matrix")).unwrap() {
        let toolchain = Described::load(&judged.toolchain, &layout).unwrap();
        assert_eq!(judged.borrows, toolchain.borrows());
        for known in toolchain.deviations() {
            let case = &known.case;
            let seen = judged.case(case) == Standing::Judged(Verdict::KnownDeviation);
            if !seen || judged.breaks.get(case) != known.breaks.as_ref() {
                missing.push(format!("{}: {case}", judged.toolchain));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn the_seeded_faults_read_and_reach_every_document_and_role_that_cases_hold_to_something() {
    let layout = Layout::here();
    let library = library(&layout);
    let faults = Fault::load_all(&layout.faults, &library);
    let faults = faults.unwrap_or_else(|mistakes| panic!("{}", mistakes.join("\n")));
    let entries = &library.catalogue.entries;
    let broken = faults.iter().flat_map(|fault| &fault.requirements);
    let documents: BTreeSet<Document> = broken.map(|id| entries[id].document).collect();
    assert_eq!(documents, BTreeSet::from(Document::ALL));
    let faulty: BTreeSet<&str> = faults.iter().map(|fault| fault.role.as_str()).collect();
    let asked = entries
        .values()
        .map(|entry| entry.requirement.role.as_str());
    let missing: Vec<&str> = asked.filter(|role| !faulty.contains(role)).collect();
    assert!(missing.is_empty(), "no fault of {missing:?}");
}

/// Runs every case that can run for the toolchain called `name`; the names of those that pass.
fn passing(name: &str) -> (usize, Vec<String>) {
    let layout = Layout::here();
    let tools = Tools::load(&layout).unwrap();
    let library = library(&layout);
    let toolchain = Described::load(name, &layout).unwrap();
    assert!(
        Path::new(&toolchain.command("sycl-clang++").unwrap()[0]).exists(),
        "the stub is built with the tests"
    );
    let runner = Runner {
        toolchain: &toolchain,
        tools: &tools,
        layout: &layout,
    };
    let able = library.cases.iter();
    let able: Vec<_> = able
        .filter(|case| runner.obstacle(case).is_none())
        .collect();
    let passed = able.iter().filter(|case| runner.run(case).wrong.is_none());
    (able.len(), passed.map(|case| case.name.clone()).collect())
}

#[test]
fn a_toolchain_that_says_yes_to_everything_fails_every_case() {
    let (able, passed) = passing("known-bad-yes");
    assert!(able > 0);
    assert!(
        passed.is_empty(),
        "pass without showing anything: {passed:?}"
    );
}

#[test]
fn a_toolchain_that_says_no_to_everything_fails_every_case() {
    let (able, passed) = passing("known-bad-no");
    assert!(able > 0);
    assert!(
        passed.is_empty(),
        "pass without showing anything: {passed:?}"
    );
}

#[test]
fn a_toolchain_that_crashes_fails_every_case() {
    let (able, passed) = passing("known-bad-crash");
    assert!(able > 0);
    assert!(
        passed.is_empty(),
        "pass without showing anything: {passed:?}"
    );
}

#[test]
fn the_export_is_plain_json_with_every_case_and_input() {
    let layout = Layout::here();
    let library = library(&layout);
    let folder = tempfile::tempdir().unwrap();
    suites::export::export(&library, &layout, folder.path()).unwrap();
    let text = std::fs::read_to_string(folder.path().join("suites.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["cases"].as_array().unwrap().len(), library.cases.len());
    let requirements = json["requirements"].as_array().unwrap();
    assert_eq!(requirements.len(), library.catalogue.entries.len());
    assert!(
        folder
            .path()
            .join("fixtures/programs/vector-add.cpp")
            .exists()
    );
    assert_eq!(json["tools"]["FileCheck"][0], "FileCheck-19");
    let stand_in = folder.path().join("fixtures/formats/stripped.so");
    let mode = std::fs::metadata(stand_in).unwrap().permissions();
    assert!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o111 != 0);
    let toolchains = folder.path().join("toolchains");
    let described = std::fs::read_to_string(toolchains.join("llvm-23.json")).unwrap();
    assert!(described.contains("%{here}/llvm-23/clang++"));
    assert!(toolchains.join("llvm-23/clang++").is_file());
}

/// The exported runner on the cases of a folder of its own, for a toolchain whose compiler is a shell script:
/// what it says, and what it leaves as JSON.
fn exported(script: &str, steps: &str) -> (String, serde_json::Value) {
    let root = tempfile::tempdir().unwrap();
    let shipped = Layout::here();
    let layout = Layout {
        tools: shipped.tools,
        ..Layout::of(root.path())
    };
    let write = |name: &str, text: &str| {
        let file = root.path().join("suites").join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    let head = "requirements: [OFF-X-001]\nabout: it\ninputs: {in: whole}\nsteps:\n";
    write("cases/bad/one.yaml", &format!("{head}{steps}"));
    let head = "name: bad\nabout: it\nsettings: {no-device: {SETTING: no-device}}\n\
                cannot-show: {no-components: it cannot}\n";
    let compiler = serde_json::to_string(&["/bin/sh", "-c", script, "compiler"]).unwrap();
    write(
        "toolchains/bad.yaml",
        &format!("{head}tools: {{sycl-clang++: {compiler}}}\n"),
    );
    for folder in [&layout.golden, &layout.fixtures] {
        std::fs::create_dir_all(folder).unwrap();
    }
    let library = Library {
        cases: vec![Case::load(&layout.cases.join("bad/one.yaml"), &layout.cases).unwrap()],
        ..Library::default()
    };
    let folder = root.path().join("export");
    suites::export::export(&library, &layout, &folder).unwrap();
    let report = root.path().join("report.json");
    let job = Job::new("python3")
        .arg(folder.join("run.py"))
        .arg(folder.join("toolchains/bad.json"))
        .arg("--json")
        .arg(&report);
    let output = job.output(b"").unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    let json = std::fs::read_to_string(report).unwrap_or_else(|error| panic!("{error}: {said}"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    (said, json["cases"][0].clone())
}

/// What a toolchain does at its worst, the exported runner bounds as ours does, and nothing of it stays.
#[test]
fn the_exported_runner_bounds_bad_toolchains() {
    let steps = "- run: '%sycl-clang++ -o %t/a.out'\n  limit: 3\n  stdin: abc\n  \
                 files: {'%t/a.out': {text: {contains: [made]}}}\n";
    let judged = |script: &str| {
        let started = std::time::Instant::now();
        let (said, case) = exported(script, steps);
        assert!(started.elapsed().as_secs() < 30, "{script}: {said}");
        let reason = case["reason"].as_str().unwrap_or_default().to_owned();
        (case["verdict"].as_str().unwrap().to_owned(), reason, said)
    };
    let seconds = format!("{}7", 2000 + std::process::id());
    let stays = format!("(env -i setsid sh -c 'sleep {seconds}; :' &)");
    for (script, expected) in [
        ("exit 0", "No such file"),
        ("yes", "wrote more than 64 MiB"),
        ("yes >&2", "wrote more than 64 MiB"),
        ("sleep 1000", "ran longer than 3 s"),
        ("trap '' TERM; while :; do :; done", "ran longer than 3 s"),
        ("rm -rf \"$HOME\"", "No such file"),
        ("kill -SEGV $$", "crashed (-11)"),
        ("kill -PIPE $$", "crashed (-13)"),
        ("exit 3", "exit status 3"),
        (&format!("{stays}; sleep 1000"), "ran longer than 3 s"),
        (&format!("{stays}; yes"), "wrote more than 64 MiB"),
        (&format!("{stays}; {stays}; sleep 0.3"), "No such file"),
    ] {
        let (verdict, reason, said) = judged(script);
        assert_eq!(verdict, "failed", "{script}: {said}");
        assert!(reason.contains(expected), "{script}: {said}");
        assert!(!is_running(&seconds), "{script}");
    }
    let (verdict, _, said) = judged("read text; [ $text = abc ] && echo made > $2");
    assert_eq!(verdict, "passed", "{said}");
    let (verdict, _, said) = judged(&format!("{stays}; sleep 0.3; echo made > $2"));
    assert_eq!(verdict, "passed", "{said}");
    assert!(!is_running(&seconds));
    let outside = tempfile::tempdir().unwrap();
    let input = outside.path().join("input");
    std::fs::write(&input, "whole").unwrap();
    if !suites::confine::is_enforced() {
        let (_, _, said) = judged("echo made > $2");
        assert!(said.contains("this kernel has no Landlock"), "{said}");
        return;
    }
    for harm in ["rm", "truncate -s 0", "echo >"] {
        let (verdict, reason, said) =
            judged(&format!("{harm} {} && echo made > $2", input.display()));
        assert_eq!(verdict, "failed", "{harm}: {said}");
        assert!(reason.contains("Permission denied"), "{harm}: {said}");
    }
    assert_eq!(std::fs::read_to_string(&input).unwrap(), "whole");
    let (verdict, _, said) =
        judged("echo x > $2; mkdir d; mv $2 d/b; mv d/b $2; echo made >> $2; echo >/dev/null");
    assert_eq!(verdict, "passed", "{said}");
}

/// Whether a process has this word in its command line.
fn is_running(word: &str) -> bool {
    let folders = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = folders.filter_map(|folder| std::fs::read(folder.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(word))
}

/// So does it leave out the steps alone whose settings are not here, and tells them.
#[test]
fn the_exported_runner_leaves_out_steps_as_ours_does() {
    let step = |with: &str, said: &str| {
        format!("- {{run: '%sycl-clang++', with: {with}, stdout: {{equals: {said}}}}}\n")
    };
    let script = "echo $SETTING";
    let (hidden, unoffered) = (
        step("no-components", "never"),
        step("opencl-cpu-traced", "never"),
    );
    let steps = [
        step("no-device", "no-device"),
        hidden.clone(),
        unoffered.clone(),
    ]
    .concat();
    let (said, case) = exported(script, &steps);
    assert_eq!(case["verdict"], "passed", "{said}");
    assert_eq!(case["left-out"]["no-components"], "it cannot");
    assert_eq!(
        case["left-out"]["opencl-cpu-traced"],
        "the toolchain offers no 'opencl-cpu-traced'"
    );
    assert!(
        said.contains("left out: bad/one: steps with no-components: it cannot"),
        "{said}"
    );
    let (said, case) = exported(script, &[hidden, unoffered.clone()].concat());
    assert_eq!(case["verdict"], "not-observable", "{said}");
    let (said, case) = exported(script, &unoffered);
    assert_eq!(case["verdict"], "skipped", "{said}");
}

/// The exported runner comes to the verdicts of ours, case by case, for a toolchain that has every
/// kind of them: the upstream tools.
#[test]
fn the_exported_runner_gives_the_same_verdicts() {
    let layout = Layout::here();
    let tools = Tools::load(&layout).unwrap();
    let library = library(&layout);
    let toolchain = Described::load("llvm-19", &layout).unwrap();
    if let Some(absent) = toolchain.absent_tool() {
        eprintln!("skipped: {absent}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    suites::export::export(&library, &layout, folder.path()).unwrap();
    let runner = Runner {
        toolchain: &toolchain,
        tools: &tools,
        layout: &Layout {
            work: folder.path().join("work"),
            ..layout.clone()
        },
    };
    let ours = library.cases.iter().map(|case| {
        let verdict = match runner.obstacle(case) {
            Some(obstacle) => obstacle.verdict,
            None => {
                let outcome = runner.run(case).outcome();
                let beyond = case.body.beyond.as_deref();
                judged(
                    &case.name,
                    outcome,
                    toolchain.deviations(),
                    "the list",
                    beyond,
                )
                .0
            }
        };
        (case.name.clone(), serde_json::to_value(verdict).unwrap())
    });
    let ours: BTreeMap<String, serde_json::Value> = ours.collect();
    let report = folder.path().join("report.json");
    let mut job = Job::new("python3")
        .arg(folder.path().join("run.py"))
        .arg(folder.path().join("toolchains/llvm-19.json"))
        .arg("--json")
        .arg(&report);
    for name in tools.names() {
        if let Some(Ok(program)) = tools.program(name) {
            job = job
                .arg("--tool")
                .arg(format!("{name}={}", program.display()));
        }
    }
    for name in ["intel-device-libraries", "opencl-cpu", "dpcpp-runtime"] {
        if let Some(Ok(place)) = tools.need(name) {
            job = job.arg("--have").arg(format!("{name}={}", place.display()));
        }
    }
    let output = job.output(b"").unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = std::fs::read_to_string(report).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let theirs = json["cases"].as_array().unwrap().iter();
    let theirs: BTreeMap<String, serde_json::Value> = theirs
        .map(|case| {
            (
                case["case"].as_str().unwrap().to_owned(),
                case["verdict"].clone(),
            )
        })
        .collect();
    assert_eq!(theirs, ours, "{said}");
    assert!(ours.values().any(|verdict| verdict == "passed"));
    assert!(ours.values().any(|verdict| verdict == "known-deviation"));
}

#[test]
fn the_published_schema_of_reports_is_that_of_the_code() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("report.schema.json");
    let published = std::fs::read_to_string(file).unwrap();
    let schema = suites::report::Report::schema().unwrap();
    assert!(
        published.trim() == schema.trim(),
        "`suites schema > suites/report.schema.json` brings it up to date"
    );
}

#[test]
fn every_name_of_a_target_has_its_row() {
    let layout = Layout::here();
    let table = layout.cases.join("driver/target-names/targets.txt");
    let table = std::fs::read_to_string(table).unwrap();
    let named: Vec<&str> = table.lines().filter_map(|l| l.split(' ').next()).collect();
    let known = offload_formats::targets::known_names();
    // Nothing compiles for AMD's; `driver/amd-targets` has what their names come to.
    let is_amd = |name: &&str| name.starts_with("amdgcn") || name.starts_with("amd_gpu_");
    for name in known.split(", ").filter(|name| !is_amd(name)) {
        assert!(named.contains(&name), "no row for {name}");
    }
}

/// Of the requirements that must hold, four in five can be judged on a toolchain that has this project's
/// tools and none of its words.
#[test]
fn other_words_can_be_judged_by_most_of_what_must_hold() {
    let layout = Layout::here();
    let tools = Tools::load(&layout).unwrap();
    let library = library(&layout);
    let reworded = Described::load("reworded", &layout).unwrap();
    let runner = Runner {
        toolchain: &reworded,
        tools: &tools,
        layout: &layout,
    };
    // What this machine lacks is no matter of the toolchain's.
    let hidden = |reason: &str| reason.starts_with("toolchain 'reworded'");
    let shows = |case: &suites::case::Case| match runner.obstacle(case) {
        None => true,
        Some(obstacle) => obstacle.verdict == Verdict::Skipped && !hidden(&obstacle.reason),
    };
    let neutral = library
        .cases
        .iter()
        .filter(|case| case.body.beyond.is_none());
    let judged: BTreeSet<&str> = neutral
        .filter(|case| shows(case))
        .flat_map(|case| case.body.requirements.iter().map(String::as_str))
        .collect();
    let must: Vec<&str> = library
        .catalogue
        .entries
        .values()
        .filter(|entry| entry.requirement.strength == Strength::Must)
        .map(|entry| entry.requirement.id.as_str())
        .collect();
    let count = must.iter().filter(|id| judged.contains(**id)).count();
    assert!(count * 5 >= must.len() * 4, "{count} of {}", must.len());
    println!("{count} of {} can be judged", must.len());
}

//! The harness against its own data: everything reads, nothing dangles, and toolchains that are
//! known to be bad fail every case.

use std::collections::BTreeSet;
use std::path::Path;

use components::process::Job;
use suites::by_hand;
use suites::catalogue::{Document, Strength};
use suites::fault::Fault;
use suites::layout::{Layout, files_under};
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
            let script = known.by_hand.as_deref();
            match script.map(by_hand::Script::read) {
                Some(read) => drop(read.unwrap_or_else(|mistake| panic!("{place}: {mistake}"))),
                None => assert!(
                    toolchain.is_stand_in(),
                    "{place} has no script that shows it by hand"
                ),
            }
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
    assert!(described.contains("%{set-up:llvm-23}/bin/"));
    assert!(toolchains.join("llvm-23/clang++").is_file());
    // Nothing of this machine is in it.
    let root = layout.spec.ancestors().nth(2).unwrap();
    let [root, home] =
        [root, &layout.set_up("llvm-23")].map(|place| place.to_string_lossy().into_owned());
    for file in files_under(&toolchains)
        .unwrap()
        .into_iter()
        .chain([folder.path().join("suites.json")])
    {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(
            !text.contains(&root) && !text.contains(&home),
            "{}",
            file.display()
        );
    }
}

/// Where a description's places are, the exported runner is told; what it has to be told, it says.
#[test]
fn the_exported_runner_is_told_places() {
    let folder = tempfile::tempdir().unwrap();
    let layout = Layout::here();
    suites::export::export(&Library::default(), &layout, folder.path()).unwrap();
    let run = |words: &[&str]| {
        let job = Job::new("python3").arg(folder.path().join("run.py"));
        let job = job.arg(folder.path().join("toolchains/llvm-spirv-22.json"));
        let output = job.args(words).output(b"").unwrap();
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let said = run(&[]);
    assert!(
        said.contains("--set set-up:llvm-spirv-22=FOLDER says where"),
        "{said}"
    );
    // There is no case to run.
    let said = run(&[
        "--set",
        "set-up:llvm-spirv-22=/opt",
        "--set",
        "plumbline=/opt",
    ]);
    assert!(said.contains("no case matches"), "{said}");
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

/// What the reference shows under a setting is tried in other words too: nothing of it passes unseen.
#[test]
fn other_words_are_tried_under_every_setting_of_the_reference() {
    let layout = Layout::here();
    let [reference, reworded] =
        ["reference", "reworded"].map(|name| Described::load(name, &layout).unwrap());
    let library = library(&layout);
    let steps = library.cases.iter().flat_map(|case| &case.body.steps);
    let settings: BTreeSet<&str> = steps.filter_map(|step| step.with.as_deref()).collect();
    let offered = |name: &&str| reference.setting(name).is_some();
    let missing: Vec<_> = settings
        .into_iter()
        .filter(offered)
        .filter(|name| reworded.setting(name).is_none())
        .collect();
    assert!(missing.is_empty(), "{}", missing.join(" "));
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

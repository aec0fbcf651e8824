//! The golden files themselves: nothing of a machine or of a version of another project's stands in
//! them. This lies here, and not beside the other tests, because `cargo insta` looks for files to review
//! beside the sources of targets.

use std::path::PathBuf;

use regex::Regex;
use suites::golden::Form;
use suites::layout::{Layout, files_under};
use suites::library::Library;

/// What would be another elsewhere, or says that nothing was done.
const LEAKS: [(&str, &str); 7] = [
    (
        "a folder of a machine",
        r"(?:^|[^\w.}%/]|-[IL])/(?:usr|lib|lib64|opt|home|root|tmp|work|var|nix)/",
    ),
    (
        "a version of a compiler",
        r"\b(?:clang|gcc|g\+\+|LLVM|llvm|ld)[- ](?:version )?\d",
    ),
    (
        "what clang calls this host",
        r"\b(?:x86_64|aarch64)-pc-linux-gnu\b",
    ),
    (
        "the layout of LLVM's data, or the name of its module",
        r"(?m)^(?:target datalayout|source_filename|; ModuleID)",
    ),
    ("the bytes of a SPIR-V module", r"\\03\\02#\\07"),
    ("an error of a tool", r"(?m)^[\w+-]+: (?:fatal )?error: "),
    (
        "the name of a temporary file",
        r"sycl-clang-[0-9a-f]{4,}|/\.tmp/[\w.-]+-[0-9a-f]{6}\b",
    ),
];

fn files() -> Vec<PathBuf> {
    let files = files_under(&Layout::here().golden).unwrap().into_iter();
    let files = files.filter(|file| file.extension().is_some_and(|e| e == "snap"));
    files.collect()
}

#[test]
fn nothing_of_a_machine_or_a_version_leaks() {
    let leaks = LEAKS.map(|(what, pattern)| (what, Regex::new(pattern).unwrap()));
    assert!(!files().is_empty());
    for file in files() {
        let text = std::fs::read_to_string(&file).unwrap();
        for (what, pattern) in &leaks {
            let found = pattern.find(&text).map(|found| found.as_str());
            assert_eq!(found, None, "{}: {what}", file.display());
        }
    }
}

/// `cargo insta review` looks for texts to review below the folders of the sources of cargo's targets.
#[test]
fn reviews_find_the_golden_files() {
    let layout = Layout::here();
    let suites = layout.cases.parent().unwrap();
    let manifest = std::fs::read_to_string(suites.join("Cargo.toml")).unwrap();
    let paths = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("path = \""));
    let mut folders =
        paths.filter_map(|path| suites.join(path.trim_end_matches('"')).canonicalize().ok());
    let golden = layout.golden.canonicalize().unwrap();
    assert!(folders.any(|source| source.parent() == Some(golden.as_path())));
}

/// Fixtures are made by tools, which write where they were.
#[test]
fn no_fixture_names_a_place_of_whoever_made_it() {
    let place = regex::bytes::Regex::new(r"/(?:home|root|work)/\w").unwrap();
    for file in files_under(&Layout::here().fixtures).unwrap() {
        let bytes = std::fs::read(&file).unwrap();
        assert!(!place.is_match(&bytes), "{}", file.display());
    }
}

#[test]
fn each_is_as_its_form_has_it() {
    let layout = Layout::here();
    let library = Library::load(&layout).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    let mut held = 0;
    for case in &library.cases {
        let texts = case.body.steps.iter().flat_map(|step| step.texts());
        for golden in texts.filter_map(|text| text.golden.as_ref()) {
            let name = golden.file_name(&case.name);
            for file in files().iter().filter(|file| file.ends_with(&name)) {
                let text = std::fs::read_to_string(file).unwrap();
                assert_eq!(golden.form.normalised(&text), text, "{}", file.display());
                held += usize::from(golden.form != Form::Text);
            }
        }
    }
    assert!(held > 0);
}

//! The written invariants, each a function from the sources to what breaks it.

use std::collections::BTreeSet;
use std::fmt;

use super::sources::Source;

/// A place that breaks an invariant.
#[derive(Debug, PartialEq, Eq)]
pub struct Breach {
    path: String,
    line: usize,
    rule: &'static str,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.rule)
    }
}

/// Everything that breaks an invariant.
pub fn breaches(sources: &[Source]) -> Vec<Breach> {
    let paths: BTreeSet<&str> = sources.iter().map(|s| s.path.as_str()).collect();
    let mut breaches = Vec::new();
    // This file names what it forbids.
    let others = sources
        .iter()
        .filter(|source| source.path != "xtask/src/tidy/invariants.rs");
    for source in others {
        breaches.extend(something_to_say(source));
        breaches.extend(module_head(source));
        breaches.extend(one_module_reads_yaml(source));
        breaches.extend(one_module_starts_processes(source));
        breaches.extend(packages_without_llvm(source));
        breaches.extend(unsafe_at_boundaries(source));
        breaches.extend(no_panics_in_formats(source));
        breaches.extend(one_room_one_purpose(source));
        breaches.extend(nothing_left_to_do(source));
        breaches.extend(no_one_letter_names(source));
        breaches.extend(links_lead_somewhere(source, &paths));
    }
    breaches
}

/// Where `unsafe` may stand, and what C interface is spoken there.
const UNSAFE: &[(&str, &str)] = &[
    (
        "reference/components/src/ahead.rs",
        "descriptors that survive `exec`",
    ),
    (
        "reference/formats/src/container/mod.rs",
        "files mapped into memory",
    ),
    (
        "reference/formats/src/registration/",
        "the descriptor in a program's memory",
    ),
    (
        "reference/fat-tools/src/bitcode.rs",
        "the library that reads bitcode",
    ),
    (
        "reference/bitcode-reader/",
        "the C interface of that library",
    ),
    ("reference/src/link/heaps.rs", "the C library's heaps"),
    ("reference/src/llvm/", "LLVM's C interface"),
    ("reference/src/frontend/", "LLVM values through inkwell"),
    ("reference/src/post_link/", "LLVM values through inkwell"),
    ("reference/src/wrap/", "LLVM values through inkwell"),
    ("reference/src/aot/", "OpenCL"),
    ("reference/src/bin/opencl-aot.rs", "OpenCL"),
    (
        "reference/runtime/",
        "the runtime's C interface, OpenCL, Level Zero, CUDA",
    ),
    ("hardware/", "Level Zero and CUDA"),
    (
        "suites/faulty-registration/",
        "the runtime's C interface, from the outside",
    ),
];

/// Files that may be longer than [`LONGEST`], and why.
const LONG: &[(&str, &str)] = &[];

/// The most lines of a file that is still one room.
const LONGEST: usize = 700;

/// The packages that know no LLVM, by their manifests.
const WITHOUT_LLVM: &[&str] = &[
    "reference/formats/Cargo.toml",
    "reference/fat-tools/Cargo.toml",
    "reference/components/Cargo.toml",
    "reference/runtime/Cargo.toml",
    "suites/Cargo.toml",
    "suites/faulty-registration/Cargo.toml",
    "hardware/Cargo.toml",
    "xtask/Cargo.toml",
];

/// An empty file is what a tool that was tried in the wrong folder leaves.
fn something_to_say(source: &Source) -> Option<Breach> {
    let rule = "an empty file, which nothing can use";
    source.text.is_empty().then(|| breach(source, 1, rule))
}

fn module_head(source: &Source) -> Option<Breach> {
    let lacks = source.is_rust() && !source.text.starts_with("//!");
    lacks.then(|| {
        breach(
            source,
            1,
            "a module says at its head what it is for (`//!`)",
        )
    })
}

fn one_module_reads_yaml(source: &Source) -> Vec<Breach> {
    if !source.is_rust() || source.path == "reference/formats/src/yaml.rs" {
        return Vec::new();
    }
    let rule = "only offload_formats::yaml knows serde_yaml";
    lines_with(source, &["serde_yaml"], rule)
}

fn one_module_starts_processes(source: &Source) -> Vec<Breach> {
    let may = ["reference/components/src/process.rs", "reference/build.rs"];
    if !source.is_rust() || may.contains(&source.path.as_str()) {
        return Vec::new();
    }
    let rule = "only components::process starts processes";
    let ways = [
        concat!("process::", "Command"),
        concat!("Command::", "new("),
    ];
    lines_with(source, &ways, rule)
}

fn packages_without_llvm(source: &Source) -> Vec<Breach> {
    if !WITHOUT_LLVM.contains(&source.path.as_str()) {
        return Vec::new();
    }
    let rule = "this package knows no LLVM";
    let lines = source.text.lines().enumerate();
    let names = ["inkwell", "llvm-sys", "reference"];
    let names_llvm = |line: &str| {
        let name = line.split(['.', ' ', '=']).next().unwrap_or(line);
        names.contains(&name)
    };
    let broken = lines.filter(|(_, line)| names_llvm(line));
    broken.map(|(i, _)| breach(source, i + 1, rule)).collect()
}

fn unsafe_at_boundaries(source: &Source) -> Vec<Breach> {
    let may = UNSAFE
        .iter()
        .any(|(place, _)| source.path.starts_with(place));
    if !source.is_rust() || may {
        return Vec::new();
    }
    let rule = "`unsafe` stands only at the C interfaces that xtask/src/tidy/invariants.rs lists";
    let ways = ["{", "fn ", "impl ", "extern "].map(|what| format!("unsafe {what}"));
    let ways: Vec<&str> = ways.iter().map(String::as_str).collect();
    lines_with(source, &ways, rule)
}

fn no_panics_in_formats(source: &Source) -> Vec<Breach> {
    // A fuzz target tells what it found by panicking.
    let fuzzes = source.path == "reference/formats/src/fuzz.rs";
    let concerns = source.path.starts_with("reference/formats/src/") && !fuzzes;
    if !concerns || source.is_test() {
        return Vec::new();
    }
    let rule = "bytes from outside never panic: an error names file, member, section and offset";
    let ways = [".unwrap()", ".expect(", "panic!("];
    lines_with(source, &ways, rule)
}

fn one_room_one_purpose(source: &Source) -> Option<Breach> {
    let excused = LONG.iter().any(|(path, _)| *path == source.path);
    let long = source.text.lines().count() > LONGEST;
    let concerns = source.is_rust() || source.is_cpp();
    (concerns && long && !excused).then(|| {
        let rule = "longer than 700 lines: a file is one room with one purpose";
        breach(source, LONGEST + 1, rule)
    })
}

fn nothing_left_to_do(source: &Source) -> Vec<Breach> {
    let rule = "what is left to do stands in the issue tracker";
    let marks = ["TODO", "FIXME"];
    let lines = source.text.lines().enumerate();
    let broken = lines.filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)));
    broken.map(|(i, _)| breach(source, i + 1, rule)).collect()
}

/// Programs have macros of one capital letter: `-DN=1024`.
fn no_one_letter_names(source: &Source) -> Vec<Breach> {
    if !source.path.starts_with("reference/include/") {
        return Vec::new();
    }
    let rule = "a name of one capital letter, which programs have for macros: `Type`, `Count`, ...";
    let is_letter = |word: &str| matches!(word.as_bytes(), [letter] if letter.is_ascii_uppercase());
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let lines = source.text.lines().enumerate();
    let broken = lines.filter(|(_, line)| {
        let code = line.split("//").next().unwrap_or(line);
        let is_comment = code.trim_start().starts_with(['*', '/']);
        let words = code.split('"').step_by(2);
        let mut words = words.flat_map(|part| part.split(|c| !is_word(c)));
        !is_comment && words.any(is_letter)
    });
    broken.map(|(i, _)| breach(source, i + 1, rule)).collect()
}

fn links_lead_somewhere(source: &Source, paths: &BTreeSet<&str>) -> Vec<Breach> {
    // Chapters of the book link to generated ones, too; `suites::book::links` looks at those.
    if !source.path.ends_with(".md") || source.path.starts_with("docs/src/") {
        return Vec::new();
    }
    let folder = source
        .path
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder);
    let mut broken = Vec::new();
    for (i, line) in source.text.lines().enumerate() {
        let targets = line.split("](").skip(1);
        let targets = targets.filter_map(|rest| rest.split([')', '#']).next());
        for target in targets.filter(|target| !target.is_empty() && !target.contains(':')) {
            let path = resolved(folder, target.trim_end_matches('/'));
            let below = format!("{path}/");
            let exists = paths.contains(path.as_str())
                || paths
                    .range(below.as_str()..)
                    .next()
                    .is_some_and(|p| p.starts_with(&below));
            if !exists {
                broken.push(breach(source, i + 1, "a link that leads nowhere"));
            }
        }
    }
    broken
}

/// A relative link's target from the repository's root.
fn resolved(folder: &str, link: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

fn lines_with(source: &Source, patterns: &[&str], rule: &'static str) -> Vec<Breach> {
    let code = source.code();
    let broken = code.filter(|(_, line)| patterns.iter().any(|pattern| line.contains(pattern)));
    broken.map(|(line, _)| breach(source, line, rule)).collect()
}

fn breach(source: &Source, line: usize, rule: &'static str) -> Breach {
    Breach {
        path: source.path.clone(),
        line,
        rule,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let source = Source {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        breaches(&[source]).iter().map(|b| b.line).collect()
    }

    #[test]
    fn each_invariant_notices_its_breach() {
        let long = format!("//! x\n{}", "\n".repeat(LONGEST));
        let process = "//! x\nuse std::process::Command;\n";
        let to_do = "//! x\n// TODO: more\n";
        let cases = [
            ("a/src/x.rs", "fn f() {}\n", 1),
            ("a/src/x.rs", "//! x\nuse serde_yaml::Value;\n", 2),
            ("a/src/x.rs", process, 2),
            (
                "suites/Cargo.toml",
                "[dependencies]\ninkwell.workspace = true\n",
                2,
            ),
            ("suites/src/x.rs", "//! x\nlet a = unsafe { b() };\n", 2),
            ("reference/formats/src/x.rs", "//! x\na.unwrap();\n", 2),
            ("a/src/x.rs", &long, LONGEST + 1),
            ("a/src/x.rs", to_do, 2),
            ("docs/x.md", "see [it](../nothing.md)\n", 1),
            ("main.cpp", "", 1),
            (
                "reference/include/sycl/x.hpp",
                "// A T.\ntemplate <typename T> class x;\n",
                2,
            ),
        ];
        for (path, text, line) in cases {
            assert_eq!(lines(path, text), [line], "{path}: {text}");
        }
    }

    #[test]
    fn what_is_allowed_passes() {
        let cases = [
            (
                "reference/formats/src/yaml.rs",
                "//! x\nuse serde_yaml::Value;\n",
            ),
            (
                "reference/src/llvm/x.rs",
                "//! x\nlet a = unsafe { b() };\n",
            ),
            (
                "reference/formats/src/x.rs",
                "//! x\n#[cfg(test)]\nmod t { a.unwrap() }\n",
            ),
            (
                "docs/x.md",
                "[here](x.md) [there](https://example.org) [up](../docs/)\n",
            ),
            (
                "reference/include/sycl/x.h",
                "/* A place.\n * A\n */\nextern \"C\" int Ab(int b); // A\n",
            ),
        ];
        for (path, text) in cases {
            assert_eq!(lines(path, text), [] as [usize; 0], "{path}: {text}");
        }
    }
}

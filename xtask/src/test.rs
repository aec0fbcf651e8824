//! `test`: unit tests, the suites and the hardware tier, each a test program that cargo built;
//! their counts are summed and close the output.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use components::process::Job;

use crate::cargo::TestProgram;
use crate::failure::{Failure, Outcome};
use crate::{build, cargo, places};

/// Which tests, against what.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// Only tests whose names contain this
    filter: Option<String>,
    /// Run the suites alone, against another toolchain: a name in `suites/toolchains`, or a file
    #[arg(long)]
    toolchain: Option<String>,
    /// Whether the hardware tier runs
    #[arg(long, value_enum, default_value = "auto")]
    hardware: Hardware,
    /// Run the I-th of N parts of the cases; the unit tests belong to the first part
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// A folder that gets reports of the run as JSON
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
}

/// One of several parts of the cases, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shard {
    part: u32,
    parts: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/');
        let numbers =
            numbers.and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
        match numbers {
            Some((part, parts)) if (1..=parts).contains(&part) => Ok(Shard { part, parts }),
            _ => Err("expected I/N with 1 ≤ I ≤ N".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.part, self.parts)
    }
}

/// What the hardware tier does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Hardware {
    /// Runs on the devices that are there.
    Auto,
    /// Does not run.
    None,
    /// Fails when there is no device.
    Required,
}

/// How many tests came to what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
struct Counts {
    passed: u64,
    failed: u64,
    skipped: u64,
}

/// One test program, run.
#[derive(Debug, Default)]
struct Run {
    counts: Counts,
    /// The names of failed tests.
    failed: Vec<String>,
    /// Why tests were skipped, and how many for each reason.
    skipped: BTreeMap<String, u64>,
    /// Everything it wrote.
    output: String,
}

/// The test program of the suites, and that of the hardware tier: package and target.
const SUITES: (&str, &str) = ("suites", "conformance");
const HARDWARE: (&str, &str) = ("hardware", "tier");

/// Builds the toolchain, runs the tests, and says how they went.
pub fn run(options: &Options) -> Outcome {
    let programs = programs(options)?;
    let mut total = Counts::default();
    let mut skipped = BTreeMap::new();
    let mut summary = Vec::new();
    for program in &programs {
        let started = Instant::now();
        let run = run_program(program, options)?;
        if run.counts != Counts::default() || !run.failed.is_empty() {
            println!(
                "{:28} {} ({:.1} s)",
                format!("{}/{}", program.package, program.target),
                run.counts,
                started.elapsed().as_secs_f64()
            );
        }
        tell_failures(program, &run);
        total = total + run.counts;
        summary.push(Summary {
            package: &program.package,
            target: &program.target,
            counts: run.counts,
            failed_tests: run.failed,
        });
        for (reason, count) in run.skipped {
            *skipped.entry(reason).or_insert(0) += count;
        }
    }
    for (reason, count) in &skipped {
        println!("skipped {count}: {reason}");
    }
    if let Some(folder) = &options.report {
        report(folder, &summary)?;
    }
    println!("{total}");
    match total.failed {
        0 => Ok(()),
        _ => Err(Failure::Reported),
    }
}

/// What the report says of a test program; what it says of single cases, the suites and the hardware
/// tier write themselves.
#[derive(Debug, serde::Serialize)]
struct Summary<'a> {
    package: &'a str,
    target: &'a str,
    #[serde(flatten)]
    counts: Counts,
    failed_tests: Vec<String>,
}

fn report(folder: &Path, summary: &[Summary<'_>]) -> Outcome {
    let file = folder.join("summary.json");
    let json = serde_json::to_string_pretty(summary).map_err(Failure::new)?;
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&file, json))
        .map_err(|e| Failure::at(&file, e))
}

/// The test programs that the options ask for, built, with what they need staged.
fn programs(options: &Options) -> Result<Vec<TestProgram>, Failure> {
    if options.toolchain.is_some() {
        return cargo::test_programs(&["--package", SUITES.0, "--test", SUITES.1]);
    }
    build::run()?;
    let mut programs = cargo::test_programs(&["--workspace"])?;
    let in_first_part = options.shard.is_none_or(|shard| shard.part == 1);
    programs.retain(|program| {
        let name = (program.package.as_str(), program.target.as_str());
        match name {
            SUITES => true,
            HARDWARE => in_first_part && options.hardware != Hardware::None,
            _ => in_first_part,
        }
    });
    programs.sort_by(|a, b| (&a.package, &a.target).cmp(&(&b.package, &b.target)));
    Ok(programs)
}

fn run_program(program: &TestProgram, options: &Options) -> Result<Run, Failure> {
    let mut job = Job::new(&program.program)
        .args(options.filter.iter())
        .dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .env(components::home::VARIABLE, places::components());
    let settings = [
        ("PLUMBLINE_TOOLCHAIN", options.toolchain.clone()),
        (
            "PLUMBLINE_SHARD",
            options.shard.map(|shard| shard.to_string()),
        ),
    ];
    for (name, value) in settings {
        if let Some(value) = value {
            job = job.env(name, value);
        }
    }
    job = job.env(
        "PLUMBLINE_HARDWARE",
        match options.hardware {
            Hardware::Auto => "auto",
            Hardware::None => "none",
            Hardware::Required => "required",
        },
    );
    if let Some(folder) = &options.report {
        let folder = std::path::absolute(folder).map_err(|e| Failure::at(folder, e))?;
        job = job.env("PLUMBLINE_REPORT", folder);
    }
    let progress = crate::progress::spinner(format!("{} {}", program.package, program.target));
    let mut run = Run::default();
    let mut summarised = false;
    let status = job.lines(|line| {
        summarised |= run.take(line);
        progress.tick();
    });
    progress.finish_and_clear();
    let status = status.map_err(Failure::new)?;
    if !summarised || (!status.success() && run.counts.failed == 0) {
        // It ended before it could count: that is a failure of its own.
        run.counts.failed += 1;
        run.output += &format!("{} ended with {status}\n", program.program.display());
    }
    Ok(run)
}

/// Prints what failed programs wrote, and how to repeat each failure.
fn tell_failures(program: &TestProgram, run: &Run) {
    if run.counts.failed == 0 {
        return;
    }
    // What the harness tells of failures stands between its list of tests and its summary.
    let told = run.output.split_once("\nfailures:\n");
    println!(
        "{}",
        told.map_or(run.output.as_str(), |(_, told)| told)
            .trim_end()
    );
    for test in &run.failed {
        println!("to repeat: {}", repeat_line(program, test));
    }
}

fn repeat_line(program: &TestProgram, test: &str) -> String {
    if (program.package.as_str(), program.target.as_str()) == SUITES {
        return format!("cargo xtask test {test}");
    }
    let target = match program.kind.as_str() {
        "test" | "bin" | "bench" => format!("--{} {}", program.kind, program.target),
        _ => "--lib".to_owned(),
    };
    format!(
        "cargo test --release --package {} {target} -- --exact {test}",
        program.package
    )
}

impl Run {
    /// Takes in one line of a test program's output; whether it was the summary.
    fn take(&mut self, line: &str) -> bool {
        self.output.push_str(line);
        self.output.push('\n');
        if let Some(rest) = line.strip_prefix("test result: ") {
            self.counts = self.counts + Counts::read(rest);
            return true;
        }
        let Some(test) = line.strip_prefix("test ") else {
            return false;
        };
        if let Some(name) = test.strip_suffix(" ... FAILED") {
            self.failed.push(name_of(name).1.to_owned());
        } else if let Some((name, _)) = test.split_once(" ... ignored") {
            let reason = name_of(name).0.unwrap_or("left out by the test itself");
            let reason = reason.strip_prefix("skipped: ").unwrap_or(reason);
            *self.skipped.entry(reason.to_owned()).or_insert(0) += 1;
        }
        false
    }
}

/// A test's kind, if the harness wrote one in brackets in front, and its name.
fn name_of(test: &str) -> (Option<&str>, &str) {
    let bracketed = test.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    match bracketed {
        Some((kind, name)) => (Some(kind), name.trim()),
        None => (None, test.trim()),
    }
}

impl Counts {
    /// Reads `ok. 3 passed; 0 failed; 1 ignored; …`.
    fn read(summary: &str) -> Counts {
        let number = |what: &str| {
            let parts = summary.split([';', '.']);
            let mut words = parts.filter_map(|part| part.trim().split_once(' '));
            let found = words.find(|(_, word)| *word == what);
            found.and_then(|(n, _)| n.parse().ok()).unwrap_or(0)
        };
        Counts {
            passed: number("passed"),
            failed: number("failed"),
            skipped: number("ignored"),
        }
    }
}

impl std::ops::Add for Counts {
    type Output = Counts;

    fn add(self, other: Counts) -> Counts {
        Counts {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
        }
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Counts {
            passed,
            failed,
            skipped,
        } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_of(text: &str) -> Run {
        let mut run = Run::default();
        for line in text.lines() {
            run.take(line);
        }
        run
    }

    #[test]
    fn a_part_is_one_of_as_many() {
        let parts = ["1/1", "2/3"].map(|text| text.parse::<Shard>().map(|s| s.to_string()));
        assert_eq!(parts, [Ok("1/1".to_owned()), Ok("2/3".to_owned())]);
        for text in ["", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn counts_and_names_are_read_from_what_harnesses_write() {
        let run = run_of(
            "test a::b ... ok\ntest a::c ... FAILED\ntest d ... ignored\n\
             test [skipped: needs ocloc] suite/x ... ignored\n\
             test result: FAILED. 1 passed; 1 failed; 2 ignored; 0 measured; 4 filtered out; \
             finished in 0.00s",
        );
        let expected = Counts {
            passed: 1,
            failed: 1,
            skipped: 2,
        };
        assert_eq!(run.counts, expected);
        assert_eq!(run.failed, ["a::c"]);
        let reasons: Vec<_> = run.skipped.into_iter().collect();
        let own = ("left out by the test itself".to_owned(), 1);
        assert_eq!(reasons, [own, ("needs ocloc".to_owned(), 1)]);
    }

    #[test]
    fn a_failure_names_the_command_that_repeats_it() {
        let mut program = TestProgram {
            package: "suites".to_owned(),
            target: "conformance".to_owned(),
            kind: "test".to_owned(),
            program: "p".into(),
            folder: "f".into(),
        };
        assert_eq!(repeat_line(&program, "off/a"), "cargo xtask test off/a");
        program.package = "reference".to_owned();
        program.kind = "lib".to_owned();
        let line = "cargo test --release --package reference --lib -- --exact a::b";
        assert_eq!(repeat_line(&program, "a::b"), line);
    }
}

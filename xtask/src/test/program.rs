//! One test program: run, and what it wrote read.

use std::collections::BTreeMap;

use components::process::Job;
use suites::layout::Layout;
use suites::library::Library;
use suites::until;

use super::counts::Counts;
use super::{BUILT, FAULTS, HARDWARE, Hardware, Options, SUITES};
use crate::cargo::{self, TestProgram};
use crate::failure::Failure;
use crate::places;

/// One test program, run.
#[derive(Debug, Default)]
pub struct Run {
    pub counts: Counts,
    /// The names of its tests, with their kinds where they have any.
    pub tests: Vec<String>,
    /// The names of failed tests.
    pub failed: Vec<String>,
    /// Why tests were skipped, and how many for each reason.
    pub skipped: BTreeMap<String, u64>,
    /// Everything it wrote.
    pub output: String,
    /// What it says at its end, for people: how requirements stand, and the like.
    pub closing: Vec<String>,
    /// How many tests it announced, and how many have ended.
    announced: u64,
    ended: u64,
    /// The test that ended last.
    latest: String,
    /// Whether the harness's summary has come.
    summarised: bool,
}

/// Runs `program` with what the options ask for.
pub fn run_program(program: &TestProgram, options: &Options) -> Result<Run, Failure> {
    let name = (program.package.as_str(), program.target.as_str());
    let mut job = Job::new(&program.program)
        .dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .env(components::home::VARIABLE, places::components());
    let settings = [
        (
            "PLUMBLINE_TOOLCHAIN",
            (options.toolchain()).or_else(|| cargo::reference().map(str::to_owned)),
        ),
        (
            "PLUMBLINE_SPIRV_WRITER",
            options.spirv_writer.map(|writer| writer.name().to_owned()),
        ),
        // Others try runs of the suites themselves, which have their time whatever is left of this one's.
        (
            until::VARIABLE,
            (options.until.clone()).filter(|_| [SUITES, HARDWARE, FAULTS].contains(&name)),
        ),
        ("PLUMBLINE_HIDDEN", options.hidden.then(|| "1".to_owned())),
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
    if let Some(built) = &options.built {
        job = job.env(BUILT, built);
    }
    job = job.env(
        "PLUMBLINE_HARDWARE",
        match options.hardware() {
            Hardware::Auto => "auto",
            Hardware::None => "none",
            Hardware::Required => "required",
        },
    );
    if let Some(folder) = &options.report {
        let folder = std::path::absolute(folder).map_err(|e| Failure::at(folder, e))?;
        job = job.env("PLUMBLINE_REPORT", folder);
    }
    let filters = match (name, &options.filter[..]) {
        (SUITES, words) => {
            let filter = of_cases(words);
            if filter.is_empty() && !words.is_empty() {
                return Ok(Run::default());
            }
            let options = Options {
                filter,
                ..options.clone()
            };
            job = job.env("PLUMBLINE_SELECT", options.selection());
            &[]
        }
        // Test programs with a harness of their own know one filter; several run one by one.
        (_, [_, _, ..]) if program.kind == "test" => return one_by_one(program, options),
        (_, filters) => filters,
    };
    job = job.args(filters);
    let title = format!("{}/{}", program.package, program.target);
    let mut progress = crate::progress::Steps::new(title);
    let mut run = Run::default();
    let mut summarised = false;
    let status = job.lines(|line| {
        summarised |= run.take(line);
        progress.at(run.ended, run.announced, &run.latest);
    });
    progress.finish();
    let status = status.map_err(Failure::new)?;
    if !summarised || (!status.success() && run.counts.failed == 0) {
        // It ended before it could count: that is a failure of its own.
        run.counts.failed += 1;
        run.output += &format!("{} ended with {status}\n", program.program.display());
    }
    Ok(run)
}

/// The words that names of cases contain: others may be meant for other test programs, and the suites'
/// takes each that matches nothing for a mistake. Where the cases do not read, the program says so.
fn of_cases(words: &[String]) -> Vec<String> {
    let Ok(library) = Library::load(&Layout::of(&places::root())) else {
        return words.to_vec();
    };
    let is_of_a_case = |word: &&String| library.cases.iter().any(|case| case.name.contains(*word));
    words.iter().filter(is_of_a_case).cloned().collect()
}

/// Runs a program once for each filter. A test that several of them name runs as often.
fn one_by_one(program: &TestProgram, options: &Options) -> Result<Run, Failure> {
    let mut all = Run::default();
    for filter in &options.filter {
        let one = Options {
            filter: vec![filter.clone()],
            ..options.clone()
        };
        let run = run_program(program, &one)?;
        all.counts = all.counts + run.counts;
        all.tests.extend(run.tests);
        all.failed.extend(run.failed);
        all.output += &run.output;
        all.closing.extend(run.closing);
        for (reason, count) in run.skipped {
            *all.skipped.entry(reason).or_insert(0) += count;
        }
    }
    Ok(all)
}

/// Prints what failed programs wrote, and how to repeat each failure.
pub fn tell_failures(program: &TestProgram, run: &Run, options: &Options) {
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
        println!(
            "to repeat: {}",
            repeat_line(program, test, options.toolchain())
        );
    }
}

fn repeat_line(program: &TestProgram, test: &str, toolchain: Option<String>) -> String {
    if [SUITES, FAULTS].contains(&(program.package.as_str(), program.target.as_str())) {
        let toolchain = toolchain.map_or_else(String::new, |t| format!(" --toolchain {t}"));
        return format!("cargo xtask test {test}{toolchain}");
    }
    let target = match program.kind.as_str() {
        "test" | "bin" | "bench" => format!("--{} {}", program.kind, program.target),
        _ => "--lib".to_owned(),
    };
    let toolchain = toolchain.map_or_else(String::new, |t| format!("PLUMBLINE_TOOLCHAIN={t} "));
    format!(
        "{toolchain}cargo test --release --package {} {target} -- --exact {test}",
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
            self.summarised = true;
            return true;
        }
        if self.summarised {
            match line.strip_prefix("verdicts: ") {
                // Told apart, which the harness's own summary cannot do.
                Some(verdicts) => self.counts = Counts::read(verdicts),
                None if line.trim().is_empty() => (),
                None => self.closing.push(line.to_owned()),
            }
            return false;
        }
        if let Some(rest) = line.strip_prefix("running ") {
            let count = rest.split(' ').next().and_then(|count| count.parse().ok());
            self.announced += count.unwrap_or(0);
        }
        let Some(test) = line.strip_prefix("test ") else {
            return false;
        };
        // A harness also says of a test that it has been running for long.
        let Some((name, _)) = test.split_once(" ... ") else {
            return false;
        };
        self.tests.push(name.trim().to_owned());
        self.ended += 1;
        self.latest = name_of(name).1.to_owned();
        if let Some(name) = test.strip_suffix(" ... FAILED") {
            self.failed.push(name_of(name).1.to_owned());
        } else if let Some((name, told)) = test.split_once(" ... ignored") {
            // A reason known before the run, or one that the test gave.
            let given = told
                .strip_prefix(" (")
                .and_then(|told| told.strip_suffix(')'));
            let told = told.strip_prefix(", ").or(given);
            let told = told.filter(|told| !told.is_empty());
            let reason = told
                .or(name_of(name).0)
                .unwrap_or("left out by the test itself");
            // The other verdicts are not skips; the closing lines count them.
            const OTHERS: [&str; 3] = ["known deviation", "differs beyond", "not observable"];
            if !OTHERS.iter().any(|other| reason.starts_with(other)) {
                let reason = reason.strip_prefix("skipped: ").unwrap_or(reason);
                *self.skipped.entry(reason.to_owned()).or_insert(0) += 1;
            }
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
    fn counts_and_names_are_read_from_what_harnesses_write() {
        let run = run_of(
            "running 5 tests\ntest a::b ... ok\ntest a::c ... FAILED\ntest d ... ignored\n\
             test a::e has been running for over 60 seconds\n\
             test [skipped: needs ocloc] suite/x ... ignored\n\
             test result: FAILED. 1 passed; 1 failed; 2 ignored; 0 measured; 4 filtered out; \
             finished in 0.00s",
        );
        assert_eq!(run.counts.to_string(), "1 passed, 1 failed, 2 skipped");
        assert_eq!(run.failed, ["a::c"]);
        assert_eq!((run.ended, run.announced), (4, 5));
        let tests = ["a::b", "a::c", "d", "[skipped: needs ocloc] suite/x"];
        assert_eq!(run.tests, tests);
        let reasons: Vec<_> = run.skipped.into_iter().collect();
        let own = ("left out by the test itself".to_owned(), 1);
        assert_eq!(reasons, [own, ("needs ocloc".to_owned(), 1)]);
    }

    #[test]
    fn a_verdict_of_another_kind_is_no_skip() {
        let run = run_of(
            "test [beyond the documents] a/b ... ignored (differs beyond: no word (on that))\n\
             test a/c ... ignored (known deviation: it is so)\n\
             test [skipped: needs ocloc] a/d ... ignored\n\
             test a/e ... ignored (skipped: no disk)\n",
        );
        let reasons: Vec<_> = run.skipped.into_iter().collect();
        let expected = [("needs ocloc".to_owned(), 1), ("no disk".to_owned(), 1)];
        assert_eq!(reasons, expected);
    }

    #[test]
    fn the_suites_own_verdicts_take_the_place_of_the_harnesss_summary() {
        let run = run_of(
            "test result: ok. 1 passed; 0 failed; 3 ignored; 0 measured\n\n\
             requirements of OPT: 1 passed\n\
             verdicts: 1 passed, 0 failed, 2 known deviation, 0 differs beyond, \
             0 not observable, 1 skipped\n",
        );
        assert_eq!(run.counts.to_string(), "1 passed, 0 failed, 1 skipped");
        assert_eq!(run.counts.known_deviation, 2);
        assert_eq!(run.closing, ["requirements of OPT: 1 passed"]);
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
        let line = repeat_line(&program, "off/a", None);
        assert_eq!(line, "cargo xtask test off/a");
        let line = repeat_line(&program, "off/a", Some("/x/y.yaml".to_owned()));
        assert_eq!(line, "cargo xtask test off/a --toolchain /x/y.yaml");
        program.package = "reference".to_owned();
        program.kind = "lib".to_owned();
        let line = "cargo test --release --package reference --lib -- --exact a::b";
        assert_eq!(repeat_line(&program, "a::b", None), line);
        (program.package, program.target) = ("hardware".to_owned(), "tier".to_owned());
        program.kind = "test".to_owned();
        let line = "PLUMBLINE_TOOLCHAIN=x cargo test --release --package hardware --test tier -- \
                    --exact cpu/a";
        assert_eq!(repeat_line(&program, "cpu/a", Some("x".to_owned())), line);
    }
}

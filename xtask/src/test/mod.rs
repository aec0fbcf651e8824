//! `test`: unit tests, the suites and the hardware tier, each a test program that cargo built;
//! their counts are summed and close the output.

mod counts;
mod program;
mod room;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use counts::Counts;
use program::{Run, run_program, tell_failures};

use suites::layout::Layout;
use suites::toolchain::Described;
use suites::until;

use crate::cargo::TestProgram;
use crate::failure::{Failure, Outcome};
use crate::{build, cargo, places};

/// Which tests, against what.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// Only tests whose names contain one of these
    filter: Vec<String>,
    /// Run the suites alone, against another toolchain: a name in `suites/toolchains`, or a file. With
    /// --hardware it compiles the programs of the hardware tier too
    #[arg(long)]
    toolchain: Option<String>,
    /// Only cases of these requirements: ids, or their beginnings (FEAT-AOT)
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    requirement: Vec<String>,
    /// Only cases of these documents: OPT, THIN, OFF, FEAT, MODEL
    #[arg(long, value_delimiter = ',')]
    document: Vec<String>,
    /// Only cases of requirements that these tools have to meet
    #[arg(long, value_delimiter = ',')]
    role: Vec<String>,
    /// Only cases that run with these devices or settings (opencl-cpu)
    #[arg(long, value_name = "SETTING", value_delimiter = ',')]
    device: Vec<String>,
    /// Run the cases alone that the toolchain's description hides by their names; those that pass fail the run
    #[arg(long, requires = "toolchain")]
    hidden: bool,
    /// Whether the hardware tier runs: auto when not given, and none where another toolchain is judged
    #[arg(long, value_enum)]
    hardware: Option<Hardware>,
    /// The writer of SPIR-V that tools take where a case names none
    #[arg(long, value_enum)]
    spirv_writer: Option<SpirvWriter>,
    /// Run the I-th of N parts of the cases; the unit tests belong to the first part
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Begin tests for so long (`70m`) from the start of this task; those that are left then are skipped
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    within: Option<Duration>,
    /// A folder that gets reports of the run as JSON
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// When no more tests begin
    #[arg(skip)]
    until: Option<String>,
    /// The suites' test program, where a run of tests that this one is part of has built it
    #[arg(skip = std::env::var_os(BUILT).map(PathBuf::from))]
    built: Option<PathBuf>,
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
    /// Fails when no GPU and no accelerator of the machine answers.
    Required,
}

/// The writers of SPIR-V that the reference knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SpirvWriter {
    /// The SPIR-V back end where it is.
    Auto,
    /// The SPIR-V back end of a newer clang.
    Backend,
    /// That of the LLVM inside, where it has one.
    Internal,
    /// `llvm-spirv`.
    Translator,
    /// `llvm-spirv` of LLVM 22.
    #[value(name = "translator-22")]
    Translator22,
}

impl SpirvWriter {
    fn name(self) -> &'static str {
        match self {
            SpirvWriter::Auto => "auto",
            SpirvWriter::Backend => "backend",
            SpirvWriter::Internal => "internal",
            SpirvWriter::Translator => "translator",
            SpirvWriter::Translator22 => "translator-22",
        }
    }
}

/// The variable by which a run of all tests hands the suites' test program to those that run the suites
/// in their turn: they need not build, with it and the judges, all of it again for fewer packages.
const BUILT: &str = "PLUMBLINE_CONFORMANCE";

/// The test program of the suites, and that of the hardware tier: package and target.
const SUITES: (&str, &str) = ("suites", "conformance");
const HARDWARE: (&str, &str) = ("hardware", "tier");
/// The test program of the scripts that show by hand what a toolchain is known to fail.
const BY_HAND: (&str, &str) = ("suites", "by_hand");
/// The test program that tries seeded faults; it runs them all when its filters begin with its name.
const FAULTS: (&str, &str) = ("suites", "faults");

/// Builds the toolchain, runs the tests, and says how they went.
pub fn run(options: &Options) -> Outcome {
    // Building is a part of it.
    let options = &Options {
        until: options.within.map(until::from_now),
        ..options.clone()
    };
    let programs = programs(options)?;
    let suites = programs.iter().find(|program| program.is(SUITES));
    let options = &Options {
        built: suites.map(|program| program.program.clone()),
        ..options.clone()
    };
    // Cases of the suites mostly compile, and programs of the hardware tier mostly wait for devices.
    let (suites, others): (Vec<_>, Vec<_>) =
        programs.iter().partition(|program| program.is(SUITES));
    let (suites, others) = std::thread::scope(|scope| {
        let suites = scope.spawn(|| one_after_the_other(&suites, options));
        let others = one_after_the_other(&others, options);
        let suites = suites
            .join()
            .map_err(|_| Failure::new("the suites' thread ended"));
        (suites.and_then(|ran| ran), others)
    });
    let mut total = Counts::default();
    let mut skipped = BTreeMap::new();
    let mut summary = Vec::new();
    let mut tests = Vec::new();
    let ran = match (others, suites) {
        (Ok(others), Ok(suites)) => others.into_iter().chain(suites),
        (Err(one), Err(other)) => return Err(Failure::new(format!("{one}\n{other}"))),
        (Err(one), Ok(_)) | (Ok(_), Err(one)) => return Err(one),
    };
    for (program, run) in ran {
        total = total + run.counts;
        tests.extend(run.tests);
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
    if options.is_filtered() && total == Counts::default() {
        return Err(Failure::new("no test is what the filters ask for"));
    }
    let missing = unmatched(&options.filter, &tests);
    // A part of the tests may have none of them.
    if let (Some(word), None) = (missing.first(), options.shard) {
        return Err(Failure::new(format!("no test is called {word}")));
    }
    if let Some(others) = total.others() {
        println!("{others}");
    }
    let lacking = room::lacking(&places::target()).filter(|_| total.failed > 0);
    if let Some(lacking) = lacking {
        println!("{lacking}");
    }
    println!("{total}");
    match total.failed {
        0 => Ok(()),
        _ => Err(Failure::Reported),
    }
}

/// Runs test programs, and says of each at its end how it went.
fn one_after_the_other<'a>(
    programs: &[&'a TestProgram],
    options: &Options,
) -> Result<Vec<(&'a TestProgram, Run)>, Failure> {
    let mut ran = Vec::new();
    for program in programs {
        let started = Instant::now();
        let run = run_program(program, options)?;
        crate::progress::apart(|| tell(program, &run, started.elapsed(), options));
        ran.push((*program, run));
    }
    Ok(ran)
}

/// Says how a test program went.
fn tell(program: &TestProgram, run: &Run, took: Duration, options: &Options) {
    // The other programs write when this has ended.
    let _whole = std::io::stdout().lock();
    if run.counts != Counts::default() || !run.failed.is_empty() {
        println!(
            "{:28} {} ({:.1} s)",
            format!("{}/{}", program.package, program.target),
            run.counts,
            took.as_secs_f64()
        );
    }
    for line in &run.closing {
        println!("  {line}");
    }
    tell_failures(program, run, options);
}

/// The filters that no test is called by.
fn unmatched<'a>(filters: &'a [String], tests: &[String]) -> Vec<&'a String> {
    let matches = |word: &&String| tests.iter().any(|test| test.contains(word.as_str()));
    filters.iter().filter(|word| !matches(word)).collect()
}

impl Options {
    /// The choice among cases in the words of `suites::select`.
    fn selection(&self) -> String {
        let kinds = [
            ("name", &self.filter),
            ("requirement", &self.requirement),
            ("document", &self.document),
            ("role", &self.role),
            ("device", &self.device),
        ];
        let given = kinds.iter().filter(|(_, words)| !words.is_empty());
        let given: Vec<String> = given
            .map(|(kind, words)| format!("{kind}={}", words.join(",")))
            .collect();
        given.join(";")
    }

    /// Whether only cases of the suites can be what is asked for.
    fn is_by_content(&self) -> bool {
        self.toolchain.is_some() || self.chooses_by_content()
    }

    /// Whether cases are chosen by more than their names.
    fn chooses_by_content(&self) -> bool {
        let kinds = [&self.requirement, &self.document, &self.role, &self.device];
        kinds.iter().any(|words| !words.is_empty())
    }

    /// Whether nothing but seeded faults is asked for: `faults`, or `faults/NAME`.
    fn asks_for_faults(&self) -> bool {
        let mut filters = self.filter.iter();
        !self.filter.is_empty() && filters.all(|filter| filter.split('/').next() == Some(FAULTS.1))
    }

    /// Whether the hardware tier runs.
    fn hardware(&self) -> Hardware {
        let without_a_word = match self.toolchain {
            Some(_) => Hardware::None,
            None => Hardware::Auto,
        };
        self.hardware.unwrap_or(without_a_word)
    }

    fn is_filtered(&self) -> bool {
        !self.selection().is_empty()
    }

    /// The toolchain, where it is a file by a path that holds in every folder.
    fn toolchain(&self) -> Option<String> {
        self.toolchain.as_deref().map(places::toolchain)
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
    let with_tier = options.hardware() != Hardware::None;
    let without_tier = options.toolchain.is_none() && options.is_by_content();
    if options.hardware == Some(Hardware::Required) && (without_tier || options.asks_for_faults()) {
        return Err(Failure::new(
            "--hardware required: what else is asked for leaves the hardware tier out",
        ));
    }
    if let (Some(_), Some(built), false) = (
        &options.toolchain,
        &options.built,
        options.asks_for_faults() || with_tier,
    ) {
        return Ok(vec![TestProgram {
            package: SUITES.0.to_owned(),
            target: SUITES.1.to_owned(),
            kind: "test".to_owned(),
            program: built.clone(),
            folder: places::root().join(SUITES.0),
        }]);
    }
    if let Some(toolchain) = options.toolchain() {
        let layout = Layout::of(&places::root());
        let described = Described::load(&toolchain, &layout).map_err(Failure::new)?;
        // The judges of what a foreign toolchain makes; the reference itself where it is of it, or has its
        // headers or its runtime.
        match described.is_stand_in() || described.names_place(&layout.plumbline) {
            true => build::run()?,
            false => build::judges()?,
        }
        if options.asks_for_faults() {
            return cargo::test_programs(&["--test", FAULTS.1]);
        }
        let mut selection = vec!["--test", SUITES.1];
        // They are no cases, which alone can be chosen by what they cite.
        if !options.hidden && !options.chooses_by_content() {
            selection.extend(["--test", BY_HAND.1]);
        }
        if with_tier {
            selection.extend(["--test", HARDWARE.1]);
        }
        return cargo::test_programs(&selection);
    }
    build::run()?;
    if options.asks_for_faults() {
        return cargo::test_programs(&["--test", FAULTS.1]);
    }
    if options.is_by_content() {
        return cargo::test_programs(&["--test", SUITES.1]);
    }
    let mut programs = cargo::test_programs(&[])?;
    let in_first_part = options.shard.is_none_or(|shard| shard.part == 1);
    programs.retain(|program| {
        let name = (program.package.as_str(), program.target.as_str());
        match name {
            SUITES => true,
            HARDWARE => in_first_part && with_tier,
            _ => in_first_part,
        }
    });
    programs.sort_by(|a, b| (&a.package, &a.target).cmp(&(&b.package, &b.target)));
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tier_runs_with_another_toolchain_where_it_is_asked_for() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            options: Options,
        }
        let hardware = |words: &[&str]| {
            let words = std::iter::once("test").chain(words.iter().copied());
            <Line as clap::Parser>::parse_from(words).options.hardware()
        };
        assert_eq!(hardware(&[]), Hardware::Auto);
        assert_eq!(hardware(&["--hardware=none"]), Hardware::None);
        assert_eq!(hardware(&["--toolchain=x"]), Hardware::None);
        assert_eq!(
            hardware(&["--toolchain=x", "--hardware=auto"]),
            Hardware::Auto
        );
    }

    #[test]
    fn each_filter_has_to_match_something() {
        let words = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let tests = words(&["a::b", "[skipped: no] suite/x"]);
        assert_eq!(
            unmatched(&words(&["suite/", "a::", "a::c"]), &tests),
            ["a::c"]
        );
        assert!(unmatched(&words(&["suite/x"]), &tests).is_empty());
    }

    #[test]
    fn a_part_is_one_of_as_many() {
        let parts = ["1/1", "2/3"].map(|text| text.parse::<Shard>().map(|s| s.to_string()));
        assert_eq!(parts, [Ok("1/1".to_owned()), Ok("2/3".to_owned())]);
        for text in ["", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}

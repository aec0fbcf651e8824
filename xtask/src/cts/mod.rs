//! `cts`: Khronos's SYCL-CTS, built and run category by category.
//!
//! `sources` configures and builds, `execute` runs a program's test cases with `catch` reading what
//! Catch2 writes, `record` keeps results for the next run, `outcome` holds them against the known
//! deviations and writes the report.

mod catch;
mod execute;
mod outcome;
mod record;
mod sources;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rayon::prelude::*;
use suites::evidence::Evidence;
use suites::report::CaseResult;
use suites::verdict::Verdict;

use crate::failure::{Failure, Outcome};
use crate::places;
use catch::Ended;
use execute::Manner;
use outcome::Summary;
use record::{Key, Record};
use sources::Tree;

/// What is built and run, and how.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// The checkout of SYCL-CTS, with its submodules
    #[arg(
        long,
        value_name = "DIR",
        required_unless_present = "bin",
        conflicts_with = "bin"
    )]
    source: Option<PathBuf>,
    /// Build nothing, and run the test programs of this folder
    #[arg(long, value_name = "DIR")]
    bin: Option<PathBuf>,
    /// Only these categories (folders of SYCL-CTS's tests) or, with --bin, programs
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    categories: Vec<String>,
    /// The device, as PLUMBLINE_DEVICE names it
    #[arg(long, value_name = "SETTING", default_value = "opencl:cpu")]
    device: String,
    /// How many compilations or, with --bin, programs run at once; by default as many as there are
    /// processors
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Full conformance mode: every type and dimension
    #[arg(long)]
    full: bool,
    /// Where SYCL-CTS is built and results are kept [default: within the build folder]
    #[arg(long, value_name = "DIR")]
    build_dir: Option<PathBuf>,
    /// Run also what an earlier run has results of
    #[arg(long)]
    again: bool,
    /// How many seconds one start of a test program may take
    #[arg(long, value_name = "SECONDS", default_value_t = 900)]
    timeout: u64,
    /// A folder that gets the report; the one of results when not given
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// More words for cmake
    #[arg(last = true, conflicts_with = "bin")]
    cmake: Vec<OsString>,
}

/// Builds and runs what is asked for; fails when a test case fails that is not known to.
pub fn run(options: &Options) -> Outcome {
    let folder = match (&options.build_dir, options.full) {
        (Some(folder), _) => std::path::absolute(folder).map_err(|e| Failure::at(folder, e))?,
        (None, false) => places::target().join("cts"),
        (None, true) => places::target().join("cts-full"),
    };
    let mut summary = Summary::new(&options.device)?;
    match (&options.source, &options.bin) {
        (_, Some(programs)) => run_programs(options, programs, &folder, &mut summary)?,
        (Some(source), None) => run_categories(options, source, &folder, &mut summary)?,
        (None, None) => return Err(Failure::new("either --source or --bin is needed")),
    }
    let report = options
        .report
        .clone()
        .unwrap_or_else(|| folder.join("report"));
    summary.tell(&report)
}

impl Options {
    fn jobs(&self) -> usize {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.unwrap_or(processors).max(1)
    }

    fn manner(&self) -> Manner {
        Manner {
            device: self.device.clone(),
            limit: Duration::from_secs(self.timeout),
        }
    }

    /// The chosen ones of these names.
    ///
    /// # Errors
    /// When one that is asked for is not there.
    fn chosen(&self, names: Vec<String>) -> Result<Vec<String>, Failure> {
        if let Some(unknown) = self.categories.iter().find(|name| !names.contains(name)) {
            let known = names.join(", ");
            return Err(Failure::new(format!(
                "there is no '{unknown}'; known: {known}"
            )));
        }
        let is_chosen =
            |name: &String| self.categories.is_empty() || self.categories.contains(name);
        Ok(names.into_iter().filter(is_chosen).collect())
    }
}

fn run_categories(
    options: &Options,
    source: &Path,
    folder: &Path,
    summary: &mut Summary,
) -> Outcome {
    let source = std::path::absolute(source).map_err(|e| Failure::at(source, e))?;
    let tree = Tree::configure(
        &source,
        folder,
        options.full,
        &options.cmake,
        options.jobs(),
    )?;
    let mut compiler = Key::default();
    for part in ["bin", "lib/plumbline", "share"] {
        let part = places::staging().join(part);
        if part.exists() {
            compiler = compiler.contents(&part)?;
        }
    }
    let compiler = compiler.end();
    tree.made_by(&compiler)?;
    let mut key = Key::default().word(&compiler);
    for part in ["include", "lib"] {
        key = key.contents(&places::staging().join(part))?;
    }
    for part in ["tests", "util", "oclmath"] {
        key = key.contents(&source.join(part))?;
    }
    for word in &options.cmake {
        key = key.word(&word.to_string_lossy());
    }
    let key = key.word(if options.full { "full" } else { "" }).end();
    let categories = tree.categories()?;
    for name in options.chosen(categories.keys().cloned().collect())? {
        let file = record::file(folder, &options.device, &name);
        if let Some(kept) = record::kept(&file, &key).filter(|_| !options.again) {
            summary.add(&name, kept, true);
            continue;
        }
        let mut record = Record {
            key: key.clone(),
            sources: 0,
            compiled: 0,
            cases: Vec::new(),
        };
        for program in &categories[&name] {
            let built = tree.build(program)?;
            record.sources += program.objects.len();
            record.compiled += program.objects.len().saturating_sub(built.failed.len());
            let failed = built.failed.into_iter().map(|(source, said)| {
                let case = format!("{}/{source}", program.name);
                result(case, Err(format!("does not compile: {said}")), 0.0)
            });
            record.cases.extend(failed);
            if let Some(file) = built.program {
                record
                    .cases
                    .extend(cases(&program.name, &file, &options.manner()));
            }
        }
        record::keep(&file, &record)?;
        summary.add(&name, record, false);
    }
    Ok(())
}

fn run_programs(
    options: &Options,
    programs: &Path,
    folder: &Path,
    summary: &mut Summary,
) -> Outcome {
    let entries = fs::read_dir(programs).map_err(|e| Failure::at(programs, e))?;
    let names = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        Some(name.strip_prefix("test_")?.to_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.jobs());
    let pool = pool.build().map_err(Failure::new)?;
    let names = options.chosen(names)?;
    let one = |name: &String| {
        let program = programs.join(format!("test_{name}"));
        let key = Key::default().contents(&program)?.end();
        let file = record::file(folder, &options.device, name);
        if let Some(kept) = record::kept(&file, &key).filter(|_| !options.again) {
            return Ok((kept, true));
        }
        let record = Record {
            key,
            sources: 0,
            compiled: 0,
            cases: cases(name, &program, &options.manner()),
        };
        record::keep(&file, &record)?;
        eprintln!("{name}: {}", outcome::counts(&record.cases));
        Ok((record, false))
    };
    let ran: Vec<Result<(Record, bool), Failure>> =
        pool.install(|| names.par_iter().map(one).collect());
    for (name, ran) in names.iter().zip(ran) {
        let (record, was_kept) = ran?;
        summary.add(name, record, was_kept);
    }
    Ok(())
}

/// The results of one program; one that cannot be run has a case of its own that says so.
fn cases(name: &str, program: &Path, manner: &Manner) -> Vec<CaseResult> {
    let of_case = |ended: Ended| {
        let outcome = match ended.outcome {
            catch::Outcome::Passed => Ok(None),
            catch::Outcome::Skipped(reason) => Ok(Some(reason)),
            catch::Outcome::Failed(reason) => Err(reason),
        };
        result(format!("{name}/{}", ended.name), outcome, ended.seconds)
    };
    match execute::run(program, manner) {
        Ok(ended) => ended.into_iter().map(of_case).collect(),
        Err(reason) => vec![result(
            format!("{name}/start"),
            Err(reason.to_string()),
            0.0,
        )],
    }
}

/// A result, before known deviations are looked up; `Ok` may have why the case was skipped.
fn result(case: String, outcome: Result<Option<String>, String>, seconds: f64) -> CaseResult {
    let (verdict, reason) = match outcome {
        Ok(None) => (Verdict::Passed, None),
        Ok(Some(reason)) => (Verdict::Skipped, Some(reason)),
        Err(reason) => (Verdict::Failed, Some(reason)),
    };
    CaseResult {
        case,
        about: String::new(),
        requirements: Vec::new(),
        beyond: None,
        verdict,
        reason,
        link: None,
        by_hand: None,
        breaks: None,
        evidence: Evidence {
            seconds,
            ..Evidence::default()
        },
    }
}

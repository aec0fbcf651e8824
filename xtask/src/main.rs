//! The project's tasks, one module each.

mod archive;
mod bench;
mod build;
mod cargo;
mod cts;
mod docs;
mod doctor;
mod failure;
mod install;
mod places;
mod progress;
mod run;
mod sanitize;
mod setup;
mod suites;
mod test;
mod tidy;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::{Failure, Outcome};

/// The project's tasks.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct CommandLine {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Bring every outside component into place
    Setup {
        /// Leave components out; remembered until the next plain `setup`
        #[arg(long, value_name = "WHOSE", value_delimiter = ',')]
        without: Vec<setup::Without>,
        /// Bring this alone, which not every system has, out of another suite of its archive
        #[arg(long, value_name = "NAME", conflicts_with = "without")]
        toolchain: Option<setup::Toolchain>,
    },
    /// Show every outside component: version, place, what is missing and what brings it
    Doctor,
    /// Build the toolchain and stage it in the build folder
    Build,
    /// Build the toolchain and install it: `bin`, `lib`, `include`, `share`
    Install {
        /// The folder to install into
        #[arg(long)]
        prefix: PathBuf,
    },
    /// Compile a program with the reference and run it on the best device
    Run {
        /// The source file
        source: PathBuf,
        /// Arguments of the program
        #[arg(last = true)]
        arguments: Vec<OsString>,
    },
    /// Run unit tests, the suites and the hardware tier
    Test(test::Options),
    /// Run the fixtures with the runtime instrumented by a sanitizer; 1 when it found anything
    Sanitize(sanitize::Options),
    /// Write the suites and the hardware tier into one file, to be run where no source tree is
    Archive {
        /// The archive, whose name ends in `.tar.zst`
        file: PathBuf,
    },
    /// Put the parts of runs together and tell what changed between runs; 1 when a case began to fail
    Compare {
        /// Reports (`conformance.json`) in the order of time
        #[arg(required = true)]
        reports: Vec<PathBuf>,
        /// A folder that gets one page with every toolchain as a column
        #[arg(long, value_name = "DIR")]
        report: Option<PathBuf>,
        /// Fail as well when a case that passed was not judged again: not observable, skipped or not there
        #[arg(long)]
        strict: bool,
    },
    /// Make the book: requirements, cases, and what the shipped toolchains do
    Docs {
        /// Bring nothing: check the links of what is there, rendered only where there is an mdbook
        #[arg(long)]
        check: bool,
    },
    /// Keep the verdicts of reports for the book, and take the picture of a page
    Matrix {
        /// Reports (`conformance.json`) of shipped toolchains
        #[arg(required = true)]
        reports: Vec<PathBuf>,
    },
    /// Show the requirement catalogue against the cases: covered, uncovered, per document
    Spec {
        /// As JSON, with every requirement and its cases
        #[arg(long)]
        json: bool,
    },
    /// Write the expected outputs in `golden/` anew
    Bless {
        /// Change nothing, and fail if anything would change
        #[arg(long)]
        check: bool,
        /// Those of this toolchain: a name in `suites/toolchains`, or a file. Without it those of the
        /// reference are written, and those of every toolchain that is here are checked
        #[arg(long, value_name = "NAME|FILE")]
        toolchain: Option<String>,
    },
    /// Build and run Khronos's SYCL-CTS; 1 when a test case failed that is not known to
    Cts(cts::Options),
    /// Measure the tools against peers in one run
    Bench {
        /// The bench to run; all when not given
        name: Option<String>,
        /// Draw the ratios, a picture NAME.svg a bench
        #[arg(long, value_name = "DIR")]
        report: Option<PathBuf>,
    },
    /// Check formatting, lints and the written invariants
    Tidy,
}

fn main() -> ExitCode {
    let CommandLine { task } = CommandLine::parse();
    match dispatch(task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Reported) => ExitCode::FAILURE,
        Err(reason) => {
            eprintln!("xtask: error: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(task: Task) -> Outcome {
    match task {
        Task::Setup { without, toolchain } => setup::run(&without, toolchain),
        Task::Doctor => doctor::run(),
        Task::Build => build::run(),
        Task::Install { prefix } => install::run(&prefix),
        Task::Run { source, arguments } => run::run(&source, &arguments),
        Task::Test(options) => test::run(&options),
        Task::Sanitize(options) => sanitize::run(&options),
        Task::Archive { file } => archive::run(&file),
        Task::Compare {
            reports,
            report,
            strict,
        } => suites::compare(&reports, report.as_deref(), strict),
        Task::Docs { check } => docs::run(check),
        Task::Matrix { reports } => docs::matrix(&reports),
        Task::Spec { json } => suites::spec(json),
        Task::Bless { check, toolchain } => suites::bless(check, toolchain.as_deref()),
        Task::Cts(options) => cts::run(&options),
        Task::Bench { name, report } => bench::run(name.as_deref(), report.as_deref()),
        Task::Tidy => tidy::run(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::error::ErrorKind;

    /// The commands of this program that a text shows, in blocks of code and in sentences.
    fn commands(text: &str) -> Vec<Vec<String>> {
        let starts = text.match_indices("cargo xtask ").map(|(at, _)| at);
        let shown = starts.filter_map(|at| {
            let line = text.get(at..)?.lines().next()?;
            let line = line.split(['`', '…', '[']).next()?;
            let line = line.split(" #").next()?;
            shlex::split(line.strip_prefix("cargo ")?)
        });
        shown.filter(|words| words.len() > 1).collect()
    }

    #[test]
    fn every_command_that_documents_show_is_one() {
        let sources = tidy::sources().unwrap();
        let mut seen = 0;
        for source in sources.iter().filter(|source| source.path.ends_with(".md")) {
            for words in commands(&source.text) {
                seen += 1;
                let Err(error) = CommandLine::try_parse_from(&words) else {
                    continue;
                };
                let is_place = |word: &String| word.chars().all(|c| c.is_ascii_uppercase());
                let excused = match error.kind() {
                    // NAME and the like stand for one of the values that there are.
                    ErrorKind::InvalidValue => words.iter().any(is_place),
                    // A sentence names the task alone.
                    ErrorKind::MissingRequiredArgument => words.len() == 2,
                    _ => false,
                };
                assert!(excused, "{}: {words:?}: {error}", source.path);
            }
        }
        assert!(seen > 40, "{seen} commands");
        assert!(CommandLine::try_parse_from(["xtask", "test", "--no-such-option"]).is_err());
    }
}

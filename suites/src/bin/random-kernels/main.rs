//! Programs with random kernels: `random-kernels --driver sycl-clang++ FOLDER` writes them, compiles and runs them. A
//! program compares what each kernel computes with what the same function gives on the host, bit for bit: all
//! operations in them are exact.

mod groups;
mod program;
mod scalar;
mod scalars;
mod structures;
mod vectors;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use suites::generated::{self, Programs, Random, start, write};

/// Makes programs with random kernels, and runs them: what a kernel computes is compared with the host.
#[derive(Debug, Parser)]
#[command(name = "random-kernels")]
struct Options {
    #[command(flatten)]
    programs: Programs,
    /// What kernels compute with; without it one program has this, the next that
    #[arg(long, value_enum)]
    of: Option<Kind>,
    /// More words for the driver, behind `--`
    #[arg(last = true)]
    words: Vec<OsString>,
}

/// What kernels compute with.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Kind {
    /// Expressions of scalars in loops and branches
    #[default]
    Scalars,
    /// Operators, swizzles and functions of `sycl::vec`
    Vectors,
    /// Structures, arrays, bit-fields, references and pointers to parts of them
    Structures,
    /// What work-items of work-groups and sub-groups do together
    Groups,
}

impl Kind {
    /// The source of a number's program.
    fn text(self, random: &mut Random, number: u64) -> String {
        match self {
            Kind::Scalars => scalars::program(random).text(number),
            Kind::Vectors => vectors::program(random).text(number),
            Kind::Structures => structures::program(random).text(number),
            Kind::Groups => groups::text(random, number),
        }
    }
}

/// Optimization levels that programs are compiled at.
const LEVELS: [&str; 6] = ["-O2", "-O2", "-O2", "-O0", "-O1", "-O3"];

fn main() -> ExitCode {
    let options = Options::parse();
    let programs = &options.programs;
    let wrong = programs.each(|number, folder| one(&options, number, folder));
    let right = programs.count - wrong;
    println!("{right} of {} programs are right", programs.count);
    match wrong {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Makes one program and runs it.
fn one(options: &Options, number: u64, folder: &Path) -> Result<(), String> {
    let random = &mut Random::of(number);
    let by_turns = Kind::value_variants();
    let turn = usize::try_from(number).unwrap_or_default() % by_turns.len();
    let kind = options.of.or(by_turns.get(turn).copied());
    let level = random.one_of(&LEVELS);
    let text = kind.unwrap_or_default().text(random, number);
    write(&folder.join(program::HEADER_NAME), program::HEADER)?;
    write(&folder.join(program::GROUPS_NAME), program::GROUPS)?;
    let (source, executable) = (folder.join("program.cpp"), folder.join("program"));
    write(&source, &text)?;
    let job = options.programs.driver_job();
    let job = job.args(["-fsycl", "-std=c++17", "-w", level]);
    let job = job.args(&options.words).arg(&source);
    start(&job.arg("-o").arg(&executable))?;
    generated::run(&executable)
}

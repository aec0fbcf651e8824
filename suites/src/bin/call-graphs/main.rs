//! Programs with random call graphs, each linked in three ways: `call-graphs --driver sycl-clang++ FOLDER` writes
//! them, compiles every unit with and without ThinLTO, and runs what links of the one, of the other and of both
//! give. A program compares each
//! kernel's result with what the same functions give on the host.
//!
//! A number makes one program, always the same: a failure names it, and `--first N --count 1 --keep` makes it
//! again. What runs is chosen by the environment, as for any program (`PLUMBLINE_DEVICE=opencl:cpu`).

mod build;
mod graph;
mod random;
mod text;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// Makes programs with random call graphs, links each with and without ThinLTO and mixed, and runs all.
#[derive(Debug, Parser)]
#[command(name = "call-graphs")]
struct Options {
    /// The compiler driver, one word or several
    #[arg(long, num_args = 1.., required = true)]
    driver: Vec<OsString>,
    /// How many programs
    #[arg(long, default_value_t = 4)]
    count: u64,
    /// The number of the first one
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// With what no document knows: weak functions, other names, and links of objects of both kinds
    #[arg(long)]
    beyond: bool,
    /// Leave the programs that were right too
    #[arg(long)]
    keep: bool,
    /// A folder for them
    folder: PathBuf,
}

fn main() -> ExitCode {
    let options = Options::parse();
    match build::run(&options) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(mistake) => {
            eprintln!("call-graphs: {mistake}");
            ExitCode::FAILURE
        }
    }
}

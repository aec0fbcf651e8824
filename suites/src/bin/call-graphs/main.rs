//! Programs with random call graphs, each linked in three ways: `call-graphs --driver sycl-clang++ FOLDER` writes
//! them, compiles every unit with and without ThinLTO, and runs what links of the one, of the other and of both
//! give. A program compares each
//! kernel's result with what the same functions give on the host.

mod build;
mod graph;
mod text;

use std::process::ExitCode;

use clap::Parser;
use suites::generated::Programs;

/// Makes programs with random call graphs, links each with and without ThinLTO and mixed, and runs all.
#[derive(Debug, Parser)]
#[command(name = "call-graphs")]
struct Options {
    #[command(flatten)]
    programs: Programs,
    /// With what no document knows: weak functions, other names, and links of objects of both kinds
    #[arg(long)]
    beyond: bool,
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

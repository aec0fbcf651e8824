//! The project's tasks, one module each.

mod failure;
mod places;
mod progress;
mod setup;

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
        #[arg(long)]
        without: Option<setup::Without>,
    },
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
        Task::Setup { without } => setup::run(without),
    }
}

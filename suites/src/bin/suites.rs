//! The suites as data, for people and for other programs: `suites spec [--json]`, `suites list
//! [--json]`, `suites export FOLDER`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use suites::coverage::Coverage;
use suites::export::export;
use suites::layout::Layout;
use suites::library::Library;

/// The conformance suites as data.
#[derive(Debug, Parser)]
#[command(version)]
enum Command {
    /// The requirement catalogue against the cases: covered and uncovered, per document.
    Spec {
        /// As JSON, with every requirement and its cases.
        #[arg(long)]
        json: bool,
    },
    /// The cases, one a line.
    List {
        /// As JSON, whole.
        #[arg(long)]
        json: bool,
    },
    /// Writes everything as plain data, for runners that are not ours.
    Export {
        /// The folder to write into.
        folder: PathBuf,
    },
}

fn main() -> ExitCode {
    match run(&Command::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(mistakes) => {
            for mistake in mistakes {
                eprintln!("suites: error: {mistake}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> Result<(), Vec<String>> {
    let layout = Layout::here();
    let library = Library::load(&layout)?;
    match command {
        Command::Spec { json: true } => print_json(&Coverage::of(&library)),
        Command::Spec { json: false } => {
            print!("{}", Coverage::of(&library));
            Ok(())
        }
        Command::List { json: true } => print_json(&library.cases),
        Command::List { json: false } => {
            for case in &library.cases {
                println!("{}  {}", case.name, case.body.about.trim());
            }
            Ok(())
        }
        Command::Export { folder } => export(&library, &layout, folder).map_err(|e| vec![e]),
    }
}

fn print_json(value: &impl serde::Serialize) -> Result<(), Vec<String>> {
    let json = serde_json::to_string_pretty(value).map_err(|e| vec![e.to_string()])?;
    println!("{json}");
    Ok(())
}

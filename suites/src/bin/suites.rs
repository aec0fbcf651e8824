//! The suites as data, for people and for other programs: `suites spec [--json]`, `suites list
//! [--json]`, `suites export FOLDER`, `suites compare REPORT…`, `suites schema`, `suites bless`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use suites::bless;
use suites::coverage::Coverage;
use suites::export::export;
use suites::layout::Layout;
use suites::library::Library;
use suites::report::{Report, compare, html};

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
    /// The JSON Schema of reports.
    Schema,
    /// Puts the parts of runs together and holds two runs of a toolchain against each other.
    Compare {
        /// Reports (`conformance.json`) in the order of time.
        #[arg(required = true)]
        reports: Vec<PathBuf>,
        /// A folder that gets a page with all toolchains, and each one's merged report.
        #[arg(long)]
        report: Option<PathBuf>,
        /// Fail as well when a case that passed was not judged again.
        #[arg(long)]
        strict: bool,
    },
    /// Writes golden files anew, where `INSTA_UPDATE` is `always`, as `cargo xtask bless` has it.
    Bless {
        /// Change nothing, and fail if anything would change.
        #[arg(long)]
        check: bool,
        /// Whose: a name in `suites/toolchains`, or a file. Without it the reference's are written, and
        /// those of every toolchain that is here are checked.
        #[arg(long)]
        toolchain: Option<String>,
    },
    /// Writes everything as plain data, for runners that are not ours.
    Export {
        /// The folder to write into.
        folder: PathBuf,
    },
}

fn main() -> ExitCode {
    match run(&Command::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(mistakes) => {
            for mistake in mistakes {
                eprintln!("suites: error: {mistake}");
            }
            ExitCode::FAILURE
        }
    }
}

/// Tells what changed between the first and the last run of each toolchain; whether nothing began to
/// fail and, where that is asked for, all that passed was judged again.
fn compare(files: &[PathBuf], folder: Option<&Path>, strict: bool) -> Result<bool, Vec<String>> {
    let mut reports = Vec::new();
    let mut mistakes = Vec::new();
    for file in files {
        match Report::read(file) {
            Ok(report) => reports.push(report),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let merged = compare::merge(reports);
    let mut latest: Vec<&Report> = Vec::new();
    let mut sound = true;
    for report in &merged {
        let name = &report.toolchain.name;
        match latest
            .iter_mut()
            .find(|other| other.toolchain.name == *name)
        {
            Some(earlier) => {
                let comparison = compare::compare(earlier, report);
                print!("{comparison}");
                let lost = strict && comparison.has_losses();
                sound &= !comparison.has_regressions() && !lost;
                *earlier = report;
            }
            None => latest.push(report),
        }
    }
    for report in &latest {
        println!(
            "{}: cases: {}; requirements: {}",
            report.toolchain.name, report.cases_by_verdict, report.requirements_by_verdict
        );
    }
    if let Some(folder) = folder {
        let latest: Vec<Report> = latest.into_iter().cloned().collect();
        write(&latest, folder).map_err(|e| vec![e])?;
    }
    Ok(sound)
}

/// Tells which golden files are written anew, and which of them do not hold; whether all is well.
fn blessed(
    library: &Library,
    layout: &Layout,
    toolchain: &str,
    check: bool,
) -> Result<bool, String> {
    let blessing = bless::bless(library, layout, toolchain, check)?;
    let within = |file: &Path| {
        let within = file.strip_prefix(&layout.golden).unwrap_or(file);
        format!("golden/{}", within.display())
    };
    for file in &blessing.written {
        println!("written: {}", within(file));
    }
    for file in &blessing.stale {
        println!("no case names it: {}", within(file));
    }
    for (reason, count) in &blessing.skipped {
        println!("skipped: {count} cases: {reason}");
    }
    for (case, wrong) in &blessing.wrong {
        println!("failed: {case}: {wrong}\n");
    }
    let failed = blessing.wrong.len();
    println!(
        "{} cases held by golden files, {failed} failed",
        blessing.ran
    );
    Ok(blessing.holds(check))
}

/// Whether every set holds whose toolchain is here, and which are left out. The reference's always has to.
fn all_hold(library: &Library, layout: &Layout) -> Result<bool, String> {
    let mut sound = true;
    for (name, absent) in bless::sets(layout)? {
        match absent {
            Some(why) if name != "reference" => println!("golden/{name}: left out: {why}"),
            _ => {
                println!("golden/{name}:");
                sound &= blessed(library, layout, &name, true)?;
            }
        }
    }
    Ok(sound)
}

/// A folder a toolchain, and one page of them all.
fn write(reports: &[Report], folder: &Path) -> Result<(), String> {
    for report in reports {
        report.write(&folder.join(&report.toolchain.name))?;
    }
    let page = folder.join("index.html");
    std::fs::write(&page, html::page(reports)?).map_err(|e| format!("{}: {e}", page.display()))
}

/// Does what was asked; whether the answer is a good one.
fn run(command: &Command) -> Result<bool, Vec<String>> {
    let layout = Layout::here();
    let library = Library::load(&layout)?;
    match command {
        Command::Spec { json: true } => print_json(&Coverage::of(&library))?,
        Command::Spec { json: false } => print!("{}", Coverage::of(&library)),
        Command::List { json: true } => print_json(&library.cases)?,
        Command::List { json: false } => {
            for case in &library.cases {
                println!("{}  {}", case.name, case.body.about.trim());
            }
        }
        Command::Schema => println!("{}", Report::schema().map_err(|e| vec![e])?),
        Command::Compare {
            reports,
            report,
            strict,
        } => return compare(reports, report.as_deref(), *strict),
        Command::Bless { check, toolchain } => {
            let holds = match (toolchain, check) {
                (Some(name), _) => blessed(&library, &layout, name, *check),
                (None, false) => blessed(&library, &layout, "reference", false),
                (None, true) => all_hold(&library, &layout),
            };
            return holds.map_err(|e| vec![e]);
        }
        Command::Export { folder } => export(&library, &layout, folder).map_err(|e| vec![e])?,
    }
    Ok(true)
}

fn print_json(value: &impl serde::Serialize) -> Result<(), Vec<String>> {
    let json = serde_json::to_string_pretty(value).map_err(|e| vec![e.to_string()])?;
    println!("{json}");
    Ok(())
}

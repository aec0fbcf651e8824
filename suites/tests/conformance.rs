//! Every case as a test of one toolchain.
//!
//! `PLUMBLINE_TOOLCHAIN` names the toolchain (`reference` when unset; a name or a description
//! file), `PLUMBLINE_SHARD=I/N` takes the I-th of N parts of the cases, and `PLUMBLINE_REPORT`
//! names a folder that gets `conformance.json`.

use std::process::ExitCode;
use std::sync::Mutex;

use libtest_mimic::{Arguments, Failed, Trial};
use serde::Serialize;
use suites::case::Case;
use suites::deviation::{Verdict, judged};
use suites::layout::Layout;
use suites::library::Library;
use suites::run::Runner;
use suites::toolchain::{Described, ROLES, Toolchain};
use suites::tools::Tools;

/// How one case went.
#[derive(Debug, Clone, Serialize)]
struct Outcome {
    case: String,
    requirements: Vec<String>,
    verdict: Verdict,
    /// Whether it asks for more than the documents do.
    beyond: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// The report file.
#[derive(Debug, Serialize)]
struct Report<'a> {
    toolchain: &'a str,
    results: &'a [Outcome],
}

static RESULTS: Mutex<Vec<Outcome>> = Mutex::new(Vec::new());

/// Data of the run, which lives as long as the process.
struct Data {
    layout: Layout,
    tools: Tools,
    library: Library,
    toolchain: Described,
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let data: &'static Data = match load() {
        Ok(data) => Box::leak(Box::new(data)),
        Err(mistakes) => {
            for mistake in mistakes {
                eprintln!("error: {mistake}");
            }
            return ExitCode::FAILURE;
        }
    };
    let shard = match shard() {
        Ok(shard) => shard,
        Err(mistake) => {
            eprintln!("error: {mistake}");
            return ExitCode::from(2);
        }
    };
    let mine = |index: usize| index % shard.1 == shard.0;
    let cases = data.library.cases.iter().enumerate();
    let trials = cases
        .filter(|(index, _)| mine(*index))
        .map(|(_, case)| trial(data, case))
        .collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    tell_differences();
    if let Err(mistake) = report(&data.toolchain) {
        eprintln!("error: {mistake}");
        return ExitCode::FAILURE;
    }
    conclusion.exit_code()
}

fn load() -> Result<Data, Vec<String>> {
    let layout = Layout::here();
    let one = |mistake: String| vec![mistake];
    let tools = Tools::load(&layout).map_err(one)?;
    let library = Library::load(&layout)?;
    let name = std::env::var("PLUMBLINE_TOOLCHAIN").unwrap_or_else(|_| "reference".to_owned());
    let toolchain = Described::load(&name, &layout).map_err(one)?;
    let mut mistakes = library.dangling(&layout, &tools);
    mistakes.extend(library.stale_deviations(&toolchain));
    mistakes.extend(unbuilt(&toolchain));
    match mistakes.is_empty() {
        true => Ok(Data {
            layout,
            tools,
            library,
            toolchain,
        }),
        false => Err(mistakes),
    }
}

/// Says so once, rather than in every case, when a toolchain is not there at all.
fn unbuilt(toolchain: &Described) -> Option<String> {
    let programs = || {
        let commands = ROLES.iter().filter_map(|role| toolchain.command(role));
        commands.filter_map(|words| words.first())
    };
    let first = programs().next()?;
    let absent =
        |program: &String| program.contains('/') && !std::path::Path::new(program).exists();
    programs().all(absent).then(|| {
        format!(
            "toolchain '{}' is not there (no '{first}'); `cargo xtask build` stages the reference",
            toolchain.name()
        )
    })
}

/// The part of the cases to run: index from 0, and count.
fn shard() -> Result<(usize, usize), String> {
    let Ok(text) = std::env::var("PLUMBLINE_SHARD") else {
        return Ok((0, 1));
    };
    let parts = text.split_once('/');
    let numbers = parts.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match numbers {
        Some((index, count)) if (1..=count).contains(&index) => Ok((index - 1, count)),
        _ => Err(format!(
            "PLUMBLINE_SHARD={text} is not I/N with 1 <= I <= N"
        )),
    }
}

fn trial(data: &'static Data, case: &'static Case) -> Trial {
    let runner = Runner {
        toolchain: &data.toolchain,
        tools: &data.tools,
        layout: &data.layout,
    };
    if let Some(obstacle) = runner.obstacle(case) {
        record(case, Verdict::Skipped, Some(obstacle.clone()));
        return Trial::test(case.name.clone(), || Ok(()))
            .with_kind(format!("skipped: {obstacle}"))
            .with_ignored_flag(true);
    }
    let trial = Trial::test(case.name.clone(), move || judge(data, runner, case));
    match case.body.beyond {
        Some(_) => trial.with_kind("beyond the documents"),
        None => trial,
    }
}

/// Names the cases beyond the documents that the toolchain does otherwise: no failures of its.
fn tell_differences() {
    let Ok(results) = RESULTS.lock() else { return };
    let differs = |result: &&Outcome| result.verdict == Verdict::DiffersBeyond;
    for Outcome { case, reason, .. } in results.iter().filter(differs) {
        let reason = reason.as_deref().unwrap_or_default();
        eprintln!("differs, beyond the documents: {case}: {reason}\n");
    }
}

fn judge(data: &Data, runner: Runner<'_>, case: &'static Case) -> Result<(), Failed> {
    let list = format!("toolchain '{}'", data.toolchain.name());
    let known = data.toolchain.deviations();
    let beyond = case.body.beyond.as_deref();
    let beyond = beyond.filter(|_| !data.toolchain.answers_beyond());
    let (verdict, reason) = judged(&case.name, runner.run(case), known, &list, beyond);
    record(case, verdict, reason.clone());
    match verdict {
        Verdict::Failed => Err(reason.unwrap_or_default().into()),
        _ => Ok(()),
    }
}

fn record(case: &Case, verdict: Verdict, reason: Option<String>) {
    if let Ok(mut results) = RESULTS.lock() {
        results.push(Outcome {
            case: case.name.clone(),
            requirements: case.body.requirements.clone(),
            verdict,
            beyond: case.body.beyond.is_some(),
            reason,
        });
    }
}

fn report(toolchain: &Described) -> Result<(), String> {
    let Some(folder) = std::env::var_os("PLUMBLINE_REPORT").map(std::path::PathBuf::from) else {
        return Ok(());
    };
    let mut results = RESULTS.lock().map_err(|e| e.to_string())?;
    results.sort_by(|a, b| a.case.cmp(&b.case));
    let report = Report {
        toolchain: toolchain.name(),
        results: &results,
    };
    let json = serde_json::to_string_pretty(&report).map_err(|e| e.to_string())?;
    let file = folder.join("conformance.json");
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&file, json))
        .map_err(|e| format!("{}: {e}", file.display()))
}

//! Every case as a test of one toolchain.
//!
//! `PLUMBLINE_TOOLCHAIN` names the toolchain (`reference` when unset; a name or a description
//! file), `PLUMBLINE_SELECT` chooses cases by name, requirement, document, role or device (see
//! `suites::select`), `PLUMBLINE_HIDDEN` has those alone run that the description hides by their names,
//! `PLUMBLINE_SHARD=I/N` takes the I-th of N parts of the cases, `PLUMBLINE_TEST_UNTIL` says when no more begin, and
//! `PLUMBLINE_REPORT` names a folder that gets `conformance.json`, `junit.xml` and `index.html`. A filter
//! that no case is called by is an error, as is each word of a selection that no case matches.

use std::process::ExitCode;
use std::sync::{LazyLock, Mutex};
use std::time::SystemTime;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use suites::case::Case;
use suites::catalogue::Document;
use suites::deviation::judged;
use suites::durations::Durations;
use suites::evidence::{Cause, Evidence};
use suites::layout::Layout;
use suites::library::Library;
use suites::obstacle::Obstacle;
use suites::progress::Running;
use suites::report::{CaseResult, Report, Subject};
use suites::run::Runner;
use suites::select::Selection;
use suites::toolchain::{Described, Toolchain};
use suites::tools::Tools;
use suites::until;
use suites::verdict::{Counts, Verdict};

static RESULTS: Mutex<Vec<CaseResult>> = Mutex::new(Vec::new());

static RUNNING: LazyLock<Running> = LazyLock::new(Running::none);

/// The variable by which only cases run that the toolchain's description hides by their names.
const HIDDEN: &str = "PLUMBLINE_HIDDEN";

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
        Err(mistakes) => return wrong(1, mistakes),
    };
    let trials = match shard().and_then(|shard| trials(data, &arguments, shard)) {
        Ok(trials) => trials,
        Err(mistake) => return wrong(2, vec![mistake]),
    };
    if !arguments.list {
        RUNNING.tell();
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    if arguments.list {
        return conclusion.exit_code();
    }
    match close(data) {
        Ok(()) => conclusion.exit_code(),
        Err(mistake) => wrong(1, vec![mistake]),
    }
}

fn wrong(status: u8, mistakes: Vec<String>) -> ExitCode {
    for mistake in mistakes {
        eprintln!("error: {mistake}");
    }
    ExitCode::from(status)
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
    mistakes.extend(library.stale_hidings(&toolchain, &tools));
    mistakes.extend(library.stale_judges(&toolchain, &tools));
    mistakes.extend(library.stale_reliances(&toolchain, &tools));
    mistakes.extend(toolchain.absent_tool());
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

/// The tests that the environment asks for.
fn trials(
    data: &'static Data,
    arguments: &Arguments,
    (index, count): (usize, usize),
) -> Result<Vec<Trial>, String> {
    let selection = Selection::from_environment()?;
    let (cases, catalogue) = (&data.library.cases, &data.library.catalogue);
    if let Some(word) = selection.unmatched(cases, catalogue).first() {
        return Err(format!("no case is {word}"));
    }
    let chosen = cases.iter().filter(|case| selection.takes(case, catalogue));
    let chosen: Vec<Chosen> = match std::env::var_os(HIDDEN) {
        Some(_) => chosen.filter_map(|case| hidden_case(data, case)).collect(),
        None => chosen.map(|case| chosen_case(data, case)).collect(),
    };
    if chosen.is_empty() {
        return Err(match std::env::var_os(HIDDEN) {
            Some(_) => format!(
                "toolchain '{}' hides no such case by its name",
                data.toolchain.name()
            ),
            None => format!("no case is {selection}"),
        });
    }
    let is_asked_for = |chosen: &Chosen| !arguments.is_filtered_out(&chosen.trial);
    if let Some(filter) = arguments.filter.as_ref().filter(|_| !arguments.list)
        && !arguments.ignored
        && !chosen.iter().any(is_asked_for)
    {
        return Err(format!("no case is {filter}"));
    }
    let part = chosen.into_iter().skip(index).step_by(count);
    let mut part: Vec<Chosen> = part.filter(is_asked_for).collect();
    let durations = Durations::read(&data.layout, data.toolchain.name());
    durations.longest_first(&mut part, |chosen| chosen.trial.name());
    Ok(part.into_iter().map(Chosen::taken).collect())
}

/// A case to run, or the result of one that cannot run here.
struct Chosen {
    trial: Trial,
    without_a_run: Option<CaseResult>,
}

impl Chosen {
    /// The test, with what is known of it without a run kept for the report.
    fn taken(self) -> Trial {
        self.without_a_run.into_iter().for_each(record);
        self.trial
    }
}

fn chosen_case(data: &'static Data, case: &'static Case) -> Chosen {
    let runner = Runner {
        toolchain: &data.toolchain,
        tools: &data.tools,
        layout: &data.layout,
    };
    if let Some(Obstacle { verdict, reason }) = runner.obstacle(case) {
        let kind = format!("{verdict}: {reason}");
        let told = kind.clone();
        let name = case.name.clone();
        let trial = Trial::ignorable_test(name, move || Ok(Completion::ignored_with(told)));
        let evidence = Evidence::default();
        return Chosen {
            trial: trial.with_kind(kind).with_ignored_flag(true),
            without_a_run: Some(CaseResult::new(case, verdict, Some(reason), evidence)),
        };
    }
    let trial = Trial::ignorable_test(case.name.clone(), move || judge(data, runner, case));
    let trial = match case.body.beyond {
        Some(_) => trial.with_kind("beyond the documents"),
        None => trial,
    };
    Chosen {
        trial,
        without_a_run: None,
    }
}

/// A case that the toolchain's description hides by its name, to be run all the same: what passes is hidden
/// without grounds.
fn hidden_case(data: &'static Data, case: &'static Case) -> Option<Chosen> {
    let reason = data.toolchain.cannot_show(&case.name)?;
    let runner = Runner {
        toolchain: &data.toolchain,
        tools: &data.tools,
        layout: &data.layout,
    };
    let mut nameless = case.clone();
    nameless.name.clear();
    // Of what golden files hold, a toolchain without them shows nothing.
    if case.is_of_goldens() || runner.obstacle(&nameless).is_some() {
        return Some(chosen_case(data, case));
    }
    let trial = Trial::ignorable_test(case.name.clone(), move || {
        RUNNING.begins(&case.name);
        let evidence = runner.run(case);
        RUNNING.ended(&case.name);
        let said = format!(
            "{} says that it cannot show this: {reason}",
            data.toolchain.name()
        );
        // What was not looked at here may be what it cannot show.
        let is_whole = evidence.left_out.is_empty()
            && evidence
                .steps
                .iter()
                .all(|step| step.without_golden.is_empty());
        let (verdict, reason, result) = match evidence.outcome() {
            Ok(()) if is_whole => {
                let passes = format!("passes, but {said}");
                (Verdict::Failed, passes.clone(), Err(passes.into()))
            }
            Err(wrong) if wrong.cause != Cause::Unmet => {
                (Verdict::Failed, wrong.text.clone(), Err(wrong.text.into()))
            }
            _ => {
                let told = format!("{}: {reason}", Verdict::NotObservable);
                let done = Completion::ignored_with(told);
                (Verdict::NotObservable, reason.to_owned(), Ok(done))
            }
        };
        record(CaseResult::new(case, verdict, Some(reason), evidence));
        result
    });
    Some(Chosen {
        trial,
        without_a_run: None,
    })
}

fn judge(data: &Data, runner: Runner<'_>, case: &'static Case) -> Result<Completion, Failed> {
    let list = format!("toolchain '{}'", data.toolchain.name());
    let known = data.toolchain.deviations();
    let beyond = case.body.beyond.as_deref();
    let answers = data.toolchain.answers_beyond() || runner.is_held_by_goldens(case);
    let beyond = beyond.filter(|_| !answers);
    if let Some(reason) = until::is_over() {
        let (verdict, told) = (Verdict::Skipped, Some(reason.to_owned()));
        record(CaseResult::new(case, verdict, told, Evidence::default()));
        return Ok(Completion::ignored_with(format!("{verdict}: {reason}")));
    }
    RUNNING.begins(&case.name);
    let evidence = runner.run(case);
    RUNNING.ended(&case.name);
    let outcome = evidence.outcome();
    let (verdict, reason) = judged(&case.name, outcome, known, &list, beyond);
    let first = |reason: &Option<String>| {
        let reason = reason.as_deref().unwrap_or_default();
        reason.lines().next().unwrap_or_default().to_owned()
    };
    let result = match verdict {
        Verdict::Passed => Ok(Completion::Completed),
        Verdict::Failed => {
            let reason = reason.as_deref().unwrap_or_default();
            Err(format!("{}\n{reason}", shown_by(data, case)).into())
        }
        // Neither a pass nor a failure: the closing lines count it under its own word.
        other => Ok(Completion::ignored_with(format!(
            "{other}: {}",
            first(&reason)
        ))),
    };
    let mut done = CaseResult::new(case, verdict, reason, evidence);
    if let Some(known) = known.iter().find(|known| known.is_of(&case.name)) {
        done.deviates(known);
    }
    record(done);
    result
}

/// What a case is held to: requirements, each with where it stands, or why it asks for more.
fn shown_by(data: &Data, case: &Case) -> String {
    if let Some(beyond) = &case.body.beyond {
        return format!("beyond the documents: {}", beyond.trim());
    }
    let entries = &data.library.catalogue.entries;
    let lines = case
        .body
        .requirements
        .iter()
        .map(|id| match entries.get(id) {
            Some(entry) => {
                let document = entry.document.short_name();
                format!("{id} ({document}, \"{}\")", entry.requirement.section)
            }
            None => id.clone(),
        });
    lines.collect::<Vec<_>>().join("\n")
}

fn record(result: CaseResult) {
    if let Ok(mut results) = RESULTS.lock() {
        results.push(result);
    }
}

/// Says what the run came to, by document and by verdict, and writes the reports.
fn close(data: &Data) -> Result<(), String> {
    let results = std::mem::take(&mut *RESULTS.lock().map_err(|e| e.to_string())?);
    // Nextest starts a process a case, in an order of its own.
    let is_part = std::env::var_os("NEXTEST").is_some();
    if !is_part {
        let ran = results
            .iter()
            .filter(|case| !case.evidence.steps.is_empty());
        let took = ran.map(|case| (case.case.as_str(), case.evidence.seconds));
        Durations::read(&data.layout, data.toolchain.name()).keep(took);
    }
    let ended = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let report = Report::new(
        Subject::of(&data.toolchain),
        ended,
        results,
        &data.library.catalogue,
    );
    tell(&report);
    match std::env::var_os("PLUMBLINE_REPORT") {
        Some(folder) if is_part => report.write_part(folder.as_ref()),
        Some(folder) => report.write(folder.as_ref()),
        None => Ok(()),
    }
}

/// The closing lines: requirements by document with those that failed, by role and by strength, what differs beyond the documents, the slowest
/// cases, and the cases by verdict.
fn tell(report: &Report) {
    let none = Counts::default();
    for document in Document::ALL {
        let (counts, unshown) = report.standing(document);
        if counts != none {
            let name = document.short_name();
            let counts = counts.brief();
            println!("requirements of {name}: {counts}, {unshown} in no case of this run");
            for (id, cases) in report.failed(document) {
                println!("  failed: {id} ({})", cases.join(", "));
            }
        }
    }
    let by = &report.requirements_by;
    for (name, groups) in [("role", &by.role), ("strength", &by.strength)] {
        let groups = groups.iter();
        let groups: Vec<String> = groups
            .map(|(name, counts)| format!("{name} {}", counts.brief()))
            .collect();
        if !groups.is_empty() {
            println!("requirements by {name}: {}", groups.join("; "));
        }
    }
    let differs = |case: &&CaseResult| case.verdict == Verdict::DiffersBeyond;
    for case in report.cases.iter().filter(differs) {
        let reason = case.reason.as_deref().unwrap_or_default();
        let first = reason.lines().next().unwrap_or_default();
        println!("differs, beyond the documents: {}: {first}", case.case);
    }
    let left_out = report.cases.iter().flat_map(|case| &case.evidence.steps);
    let left_out: usize = left_out.map(|step| step.without_golden.len()).sum();
    if left_out > 0 {
        let name = &report.toolchain.name;
        println!("left out: {left_out} golden texts, since toolchain '{name}' has no golden files");
    }
    for (setting, (reason, steps, cases)) in report.left_out() {
        println!("left out: {steps} steps of {cases} cases with {setting}: {reason}");
    }
    let mut slowest: Vec<&CaseResult> = report.cases.iter().collect();
    slowest.sort_by(|a, b| b.evidence.seconds.total_cmp(&a.evidence.seconds));
    let slowest = slowest
        .iter()
        .take(5)
        .filter(|case| case.evidence.seconds > 1.0);
    let slowest: Vec<String> = slowest
        .map(|case| format!("{} {:.0} s", case.case, case.evidence.seconds))
        .collect();
    if !slowest.is_empty() {
        println!("slowest: {}", slowest.join(", "));
    }
    println!("verdicts: {}", report.cases_by_verdict);
}

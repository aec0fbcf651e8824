//! Every seeded fault against the cases of the requirements that it breaks: one of them has to fail,
//! because of the fault, or the fault survives and this test fails.
//!
//! Named `faults/NAME`. With a filter that begins so (`cargo xtask test faults`) all that match run;
//! without any, a sample; with another none does. `PLUMBLINE_TOOLCHAIN` and `PLUMBLINE_REPORT` are as
//! for the conformance tests: the report is `faults.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use serde::Serialize;
use suites::fault::Fault;
use suites::fault::tree::FaultyToolchain;
use suites::layout::Layout;
use suites::library::Library;
use suites::run::Runner;
use suites::toolchain::{Described, Toolchain as _};
use suites::tools::Tools;
use suites::until;

/// What was tried, in the order in which it ended.
static RESULTS: Mutex<Vec<Record>> = Mutex::new(Vec::new());

/// What was wrong in a case without a fault, by case and by whose tool stood ready to be faulty.
static SOUND: Mutex<BTreeMap<(String, String), Option<String>>> = Mutex::new(BTreeMap::new());

/// A fault, as it went.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Record {
    fault: String,
    about: String,
    role: String,
    requirements: Vec<String>,
    /// The case that noticed.
    #[serde(skip_serializing_if = "Option::is_none")]
    caught_by: Option<String>,
    /// What did not hold there.
    #[serde(skip_serializing_if = "Option::is_none")]
    wrong: Option<String>,
    seconds: f64,
}

/// Data of the run, which lives as long as the process.
struct Data {
    layout: Layout,
    tools: Tools,
    library: Library,
    toolchain: Described,
    faults: Vec<Fault>,
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
    let filter = arguments.filter.as_deref();
    let takes = |fault: &&Fault| match filter {
        None => fault.sample,
        Some(filter) => filter.starts_with("faults"),
    };
    let trials = data
        .faults
        .iter()
        .filter(takes)
        .map(|fault| trial(data, fault));
    let trials: Vec<_> = trials.collect();
    let any = !trials.is_empty();
    let conclusion = libtest_mimic::run(&arguments, trials);
    if any && !arguments.list {
        tell(data, filter.is_none());
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
    let faults = Fault::load_all(&layout.faults, &library)?;
    Ok(Data {
        layout,
        tools,
        library,
        toolchain,
        faults,
    })
}

fn trial(data: &'static Data, fault: &'static Fault) -> Trial {
    let name = format!("faults/{}", fault.name);
    match fault.obstacle(&data.toolchain, &data.tools) {
        Some(reason) => Trial::test(name, || Ok(()))
            .with_kind(format!("skipped: {reason}"))
            .with_ignored_flag(true),
        None => Trial::ignorable_test(name, move || judge(data, fault)),
    }
}

/// What came of a fault.
enum End {
    /// The case that noticed, and what did not hold there.
    Caught(String, String),
    /// No case of its can run here.
    Untried(String),
}

fn judge(data: &Data, fault: &Fault) -> Result<Completion, Failed> {
    let started = Instant::now();
    if let Some(reason) = until::is_over() {
        return Ok(Completion::ignored_with(format!("skipped: {reason}")));
    }
    let faulty = FaultyToolchain::stage(fault, &data.toolchain, &data.layout, &data.tools)?;
    let end = tried(data, fault, &faulty);
    let (caught_by, wrong) = match &end {
        Ok(End::Caught(case, wrong)) => (Some(case.clone()), Some(wrong.clone())),
        _ => (None, None),
    };
    let record = Record {
        fault: fault.name.clone(),
        about: fault.about.trim().to_owned(),
        role: fault.role.clone(),
        requirements: fault.requirements.clone(),
        caught_by,
        wrong,
        seconds: started.elapsed().as_secs_f64(),
    };
    match end? {
        End::Caught(..) => {
            faulty.remove();
            RESULTS.lock().map_err(|e| e.to_string())?.push(record);
            Ok(Completion::Completed)
        }
        End::Untried(reason) => Ok(Completion::ignored_with(format!("skipped: {reason}"))),
    }
}

/// Runs the cases of a fault's requirements until one notices.
fn tried(data: &Data, fault: &Fault, faulty: &FaultyToolchain<'_>) -> Result<End, String> {
    let runner = Runner {
        toolchain: faulty,
        tools: &data.tools,
        layout: &data.layout,
    };
    let deviates = |name: &str| {
        let mut known = data.toolchain.deviations().iter();
        known.any(|known| known.case == name)
    };
    let mut untried = None;
    let mut passed = Vec::new();
    let mut bit = false;
    for case in fault.cases(&data.library) {
        if deviates(&case.name) {
            continue;
        }
        if let Some(obstacle) = runner.obstacle(case) {
            untried.get_or_insert(obstacle.reason);
            continue;
        }
        faulty.switch(true)?;
        let evidence = runner.run(case);
        if let Some(reason) = faulty.breaks() {
            return Err(format!(
                "{}: the fault cannot be applied: {reason}",
                case.name
            ));
        }
        let bites = !faulty.bites().is_empty();
        bit |= bites;
        let Some(wrong) = evidence.wrong else {
            passed.push(case.name.as_str());
            continue;
        };
        if !bites {
            return Err(format!(
                "{} fails, and the fault did nothing:\n{wrong}",
                case.name
            ));
        }
        let key = (case.name.clone(), fault.role.clone());
        let known = SOUND.lock().map_err(|e| e.to_string())?.get(&key).cloned();
        let without = match known {
            Some(without) => without,
            None => {
                faulty.switch(false)?;
                let without = runner.run(case).wrong;
                let mut sound = SOUND.lock().map_err(|e| e.to_string())?;
                sound.entry(key).or_insert(without).clone()
            }
        };
        if let Some(wrong) = without {
            return Err(format!(
                "{} fails without the fault, too:\n{wrong}",
                case.name
            ));
        }
        return Ok(End::Caught(case.name.clone(), reason_in(&wrong)));
    }
    match (passed.is_empty(), bit) {
        (true, _) => {
            Ok(End::Untried(untried.unwrap_or_else(|| {
                "its requirements have no case".to_owned()
            })))
        }
        (false, false) => Err(format!("did nothing in {}", passed.join(", "))),
        (false, true) => Err(format!(
            "survives: {}\npassed: {}",
            fault.about.trim(),
            passed.join(", ")
        )),
    }
}

/// What did not hold, in a line: the one behind the step.
fn reason_in(wrong: &str) -> String {
    let lines: Vec<&str> = wrong.lines().map(str::trim).collect();
    let line = lines.get(1).or(lines.first()).copied().unwrap_or_default();
    let short: String = line.chars().take(100).collect();
    match short.len() < line.len() {
        true => format!("{short}…"),
        false => short,
    }
}

/// The closing lines: each fault, its requirement, the case that noticed, and how long it took.
fn tell(data: &Data, is_sample: bool) {
    let Ok(mut results) = RESULTS.lock() else {
        return;
    };
    results.sort_by(|a, b| a.fault.cmp(&b.fault));
    for Record {
        fault,
        requirements,
        caught_by,
        wrong,
        seconds,
        ..
    } in results.iter()
    {
        let (case, wrong) = (caught_by.as_deref(), wrong.as_deref());
        let (case, wrong) = (case.unwrap_or_default(), wrong.unwrap_or_default());
        let ids = requirements.join(" ");
        println!("{fault} ({ids}): noticed by {case} in {seconds:.1} s: {wrong}");
    }
    let roles: BTreeSet<&str> = results.iter().map(|record| record.role.as_str()).collect();
    let (count, all, roles) = (results.len(), data.faults.len(), roles.len());
    match is_sample {
        true => println!(
            "a sample: {count} of {all} faults, of {roles} roles; `cargo xtask test faults` tries all"
        ),
        false => println!("{count} of {all} faults noticed, of {roles} roles"),
    }
    if let Some(folder) = std::env::var_os("PLUMBLINE_REPORT") {
        let file = Path::new(&folder).join("faults.json");
        let json = serde_json::to_vec_pretty(&*results).map_err(std::io::Error::other);
        let written = json.and_then(|json| {
            std::fs::create_dir_all(&folder)?;
            std::fs::write(&file, json)
        });
        if let Err(error) = written {
            eprintln!("error: {}: {error}", file.display());
        }
    }
}

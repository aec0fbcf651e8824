//! `bench harness`: what the case runner adds to the processes that cases start, and its time against
//! that of `lit`, the runner of LLVM's own tests, over the same commands.
//!
//! `PLUMBLINE_LIT` names the wheel of `lit` (`pip download --no-deps lit` brings it; Python reads it as
//! it is). What lit gets is the easier work: it looks at exit statuses alone, not at outputs.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use components::process::Job;
use suites::case::Case;
use suites::layout::Layout;
use suites::library::Library;
use suites::report::{CaseResult, Report};
use suites::select::VARIABLE as SELECT;
use suites::verdict::Verdict;

use super::{Contender, Contest, Finding, Measured};
use crate::failure::Failure;
use crate::{cargo, places};

/// The variable that names lit's wheel.
const LIT: &str = "PLUMBLINE_LIT";
/// How many cases of one process each are run.
const SMALL: usize = 200;
/// The process of each.
const PROCESS: &str = "echo passed";
/// The real cases: those that start the reference's own tools most of the time.
const REAL: &str = "name=split/,aspect/filter,offload/bundler,offload/extract,offload/package";
/// Of the real cases, those with steps of at most so many seconds are also run by themselves: there shows
/// what a runner adds, which is lost beside a compiler or a program that takes ten seconds.
const SHORT: f64 = 0.05;

/// The ways to run cases.
const OURS: &str = "the suites' runner";
const ALONE: &str = "the processes alone";
const PEER: &str = "lit";

/// The cases of one process, one after the other; then real ones, on all cores.
pub fn contests(folder: &Path) -> Result<Vec<Contest>, Failure> {
    let lit = lit()?;
    let runner = runner()?;
    Ok(vec![
        small(&folder.join("small"), &runner, &lit)?,
        real(&folder.join("short"), &runner, &lit, Some(SHORT))?,
        real(&folder.join("real"), &runner, &lit, None)?,
    ])
}

/// The aims: 3 ms a case over its processes, and 0.8 of lit's time. Beside the latter stands what the
/// processes alone come to.
pub fn findings(_: &Path, measured: &[Measured]) -> Result<Vec<Finding>, Failure> {
    let [small, real @ ..] = measured else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    if let (Some(ours), Some(alone)) = (small.of(OURS), small.of(ALONE)) {
        #[expect(clippy::cast_precision_loss, reason = "a small number of cases")]
        let each = (ours.seconds - alone.seconds) * 1e3 / SMALL as f64;
        all.push(Finding::plain(
            "a case over its processes, in ms",
            each,
            Some(3.0),
        ));
    }
    for (real, which) in real.iter().zip(["short real cases", "real cases"]) {
        let Some(lit) = real.of(PEER) else {
            continue;
        };
        let what = format!("{which} to lit over the same commands");
        all.push(Finding::plain(what, lit.ours_to_this, Some(0.8)));
        if let Some(alone) = real.of(ALONE) {
            let what = format!("{which}: their processes alone to lit");
            all.push(Finding::plain(what, alone.seconds / lit.seconds, None));
        }
    }
    Ok(all)
}

fn lit() -> Result<PathBuf, Failure> {
    let missing = || {
        Failure::new(format!(
            "{LIT} names the wheel of lit, the peer of this bench: `pip download --no-deps lit` brings it"
        ))
    };
    let wheel = std::env::var_os(LIT).map(PathBuf::from);
    let wheel = wheel.filter(|file| file.is_file()).ok_or_else(missing)?;
    std::path::absolute(&wheel).map_err(|e| Failure::at(&wheel, e))
}

/// The program of the suites that runs cases.
fn runner() -> Result<PathBuf, Failure> {
    let built = cargo::test_programs(&["--test", "conformance"])?;
    let program = built.into_iter().find(|test| test.target == "conformance");
    program
        .map(|test| test.program)
        .ok_or_else(|| Failure::new("cargo built no runner of cases"))
}

fn contender(name: &str, job: Job) -> Contender {
    Contender {
        name: name.to_owned(),
        steps: vec![vec![job]],
    }
}

/// A start of lit over the tests of a folder.
fn lit_job(wheel: &Path, tests: &Path, workers: usize) -> Job {
    Job::new("python3")
        .args(["-c", "from lit.main import main; main()", "-q"])
        .arg(format!("-j{workers}"))
        .arg(tests)
        .env("PYTHONPATH", wheel)
        .dir(tests)
}

/// Makes a folder of lit's: each test is a script that has to end with 0.
fn lit_tests(folder: &Path, scripts: &[(String, String)]) -> Result<(), Failure> {
    write(
        &folder.join("lit.cfg.py"),
        "import os, lit.formats\n\
         config.name = 'cases'\n\
         config.test_format = lit.formats.ShTest(execute_external=False)\n\
         config.suffixes = ['.test']\n\
         config.test_source_root = os.path.dirname(__file__)\n\
         config.test_exec_root = os.path.join(os.path.dirname(__file__), 'out')\n",
    )?;
    for (name, script) in scripts {
        let test = folder.join(name.replace('/', "-"));
        write(&test.with_extension("sh"), script)?;
        let file = test.with_extension("sh");
        let line = format!("RUN: sh {}\n", file.display());
        write(&test.with_extension("test"), &line)?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|e| Failure::at(path, e))
}

/// Many cases of one process each, in a checkout of their own.
fn small(folder: &Path, runner: &Path, lit: &Path) -> Result<Contest, Failure> {
    let root = folder.join("checkout");
    let here = Layout::of(&places::root());
    let layout = Layout::of(&root);
    write(
        &layout.spec.join("one.yaml"),
        "document: OFF\nrequirements:\n- {id: OFF-BENCH-001, section: none, strength: must, \
         role: sycl-clang++, statement: It runs.}\n",
    )?;
    let tools = fs::read_to_string(&here.tools).map_err(|e| Failure::at(&here.tools, e))?;
    write(&layout.tools, &tools)?;
    let toolchain = folder.join("nothing.yaml");
    write(&toolchain, "name: nothing\nabout: Nothing.\ntools: {}\n")?;
    let case = format!(
        "requirements: [OFF-BENCH-001]\nabout: It runs.\nsteps:\n\
         - {{run: \"%sh -c '{PROCESS}'\", stdout: {{equals: passed}}}}\n"
    );
    let scripts: Vec<(String, String)> = (0..SMALL)
        .map(|number| (format!("{number:03}"), format!("sh -c '{PROCESS}'\n")))
        .collect();
    for (name, _) in &scripts {
        write(
            &layout.cases.join("bench").join(name).with_extension("yaml"),
            &case,
        )?;
    }
    let tests = folder.join("lit");
    lit_tests(&tests, &scripts)?;
    let alone: String = scripts.iter().map(|(_, script)| script.as_str()).collect();
    let script = folder.join("alone.sh");
    write(&script, &alone)?;
    let ours = Job::new(runner)
        .arg("--test-threads=1")
        .env("PLUMBLINE_ROOT", &root)
        .env("PLUMBLINE_TOOLCHAIN", &toolchain)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env(components::home::VARIABLE, places::components());
    Ok(Contest {
        name: format!("{SMALL} cases of one process each, one at a time"),
        ours: contender(OURS, ours),
        peers: vec![
            contender(ALONE, Job::new("sh").arg(&script)),
            contender(PEER, lit_job(lit, &tests, 1)),
        ],
        rounds: 7,
    })
}

/// Real cases, whose commands a run with a report tells; those with steps of at most `longest` seconds
/// where there is such a bound.
fn real(
    folder: &Path,
    runner: &Path,
    lit: &Path,
    longest: Option<f64>,
) -> Result<Contest, Failure> {
    let ours = Job::new(runner)
        .env("PLUMBLINE_ROOT", places::root())
        .env(SELECT, REAL)
        .env(components::home::VARIABLE, places::components());
    let told = folder.join("report");
    let job = ours.clone().env("PLUMBLINE_REPORT", &told);
    job.capture(b"").map_err(Failure::new)?;
    let file = told.join("conformance.json");
    let text = fs::read_to_string(&file).map_err(|e| Failure::at(&file, e))?;
    let report: Report = serde_json::from_str(&text).map_err(|e| Failure::at(&file, e))?;
    let library = Library::load(&Layout::of(&places::root()));
    let library = library.map_err(|mistakes| Failure::new(mistakes.join("\n")))?;
    let mut scripts = Vec::new();
    for result in &report.cases {
        let case = library.cases.iter().find(|case| case.name == result.case);
        let mut steps = result.evidence.steps.iter();
        let is_taken = longest.is_none_or(|longest| steps.all(|step| step.seconds <= longest));
        if let (Some(case), Verdict::Passed, true) = (case, result.verdict, is_taken) {
            scripts.push((case.name.clone(), script(folder, case, result)?));
        }
    }
    // The selection takes parts of names.
    let is_taken = |name: &str| scripts.iter().any(|(taken, _)| taken == name);
    let others = report.cases.iter().map(|case| case.case.as_str());
    let others: Vec<&str> = others.filter(|name| !is_taken(name)).collect();
    scripts.retain(|(name, _)| !others.iter().any(|other| other.contains(name.as_str())));
    if scripts.is_empty() {
        return Err(Failure::new(
            "no real case is as short as the bench wants them",
        ));
    }
    let ran = report
        .cases
        .iter()
        .filter(|case| scripts.iter().any(|(name, _)| *name == case.case));
    let processes: usize = ran.map(|case| case.evidence.steps.len()).sum();
    let count = scripts.len();
    let tests = folder.join("lit");
    lit_tests(&tests, &scripts)?;
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let names: Vec<&str> = scripts.iter().map(|(name, _)| name.as_str()).collect();
    let ours = ours.env(SELECT, format!("name={}", names.join(",")));
    let alone = Job::new("sh").dir(&tests).args([
        "-c".to_owned(),
        format!("ls *.sh | xargs -P {workers} -n 1 sh"),
    ]);
    let which = longest.map_or_else(String::new, |longest| {
        format!(" of steps up to {:.0} ms", longest * 1e3)
    });
    Ok(Contest {
        name: format!("{count} real cases{which}, {processes} processes, on {workers} cores"),
        ours: contender(OURS, ours),
        peers: vec![
            contender(ALONE, alone),
            contender(PEER, lit_job(lit, &tests, workers)),
        ],
        rounds: 5,
    })
}

/// What a case does as a script: its folder made anew with its inputs, then its commands, each of which
/// has to end as it did for us.
fn script(folder: &Path, case: &Case, result: &CaseResult) -> Result<String, Failure> {
    let inputs = folder.join("inputs").join(&case.name);
    fs::create_dir_all(&inputs).map_err(|e| Failure::at(&inputs, e))?;
    for (name, text) in &case.body.inputs {
        write(&inputs.join(name), text)?;
    }
    let mut text = String::new();
    let mut made = BTreeSet::new();
    for (number, step) in result.evidence.steps.iter().enumerate() {
        // `cd FOLDER && env -i NAME=VALUE … PROGRAM …`: a shell sets variables without a program.
        let command = step.repeat.replacen("env -i ", "", 1);
        let work = command.split(" && ").next().unwrap_or_default();
        let work = work.trim_start_matches("cd ").to_owned();
        if made.insert(work.clone()) {
            let inputs = inputs.display();
            let _ = writeln!(
                text,
                "rm -rf {work}; mkdir -p {work}/.tmp; cp -r \"{inputs}/.\" {work}"
            );
        }
        let stdin = case
            .body
            .steps
            .get(number)
            .and_then(|step| step.stdin.as_ref());
        let input = match stdin {
            Some(stdin) => {
                let file = folder.join("stdin").join(format!("{}-{number}", case.name));
                write(&file, stdin)?;
                format!(" < \"{}\"", file.display())
            }
            None => " < /dev/null".to_owned(),
        };
        let ended = step.ended.trim_start_matches("exit ");
        let _ = match ended {
            "0" => writeln!(text, "{command}{input} || exit 1"),
            status => writeln!(text, "{command}{input}; test $? = {status} || exit 1"),
        };
    }
    Ok(text)
}

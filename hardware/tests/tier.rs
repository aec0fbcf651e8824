//! The hardware tier: every program of `fixtures/programs/`, compiled by the toolchain under test
//! and run on every device of this machine. A program computes on the device, checks on the host,
//! and prints `PASSED` or `WRONG`.
//!
//! `PLUMBLINE_HARDWARE` is `auto` (the devices that are there), `none`, or `required` (a GPU or an
//! accelerator has to be there: what plays one on the processor, such as the drivers of set-up, is none).
//! Tests on a capture device are marked `capture`: the real driver
//! builds and submits, nothing is computed, and no value is claimed. `PLUMBLINE_TOOLCHAIN` and
//! `PLUMBLINE_REPORT` are as for the suites. `deviations.yaml` lists what is known to fail on a
//! device. Its results stand in `hardware.json`, by device, and as a report of the suites' form in
//! `hardware/`, where each test is a case that cites no requirement. On the CPU device each program is run
//! once more with optimization off, and with g++ for the host's half at both levels.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, OnceLock};
use std::time::{Instant, SystemTime};

use components::Components;
use components::process::{Job, Output};
use hardware::{Backend, Device, Discovered, Mode, discover};
use libtest_mimic::{Arguments, Completion, Conclusion, Failed, Trial};
use offload_formats::container;
use offload_formats::property_set::KERNEL_PARAM_OPT;
use offload_formats::registration::read_file;
use serde::Serialize;
use suites::catalogue::Catalogue;
use suites::deviation::{self, Deviation};
use suites::evidence::{Evidence, Wrong};
use suites::layout::{Layout, files_under};
use suites::report::{CaseResult, Report, Subject};
use suites::toolchain::{Described, Toolchain};
use suites::tools::{Tools, pinned};
use suites::until;
use suites::verdict::{Counts, Verdict};

/// A program of the fixtures, compiled at most once for each set of options.
struct Program {
    name: String,
    sources: Vec<PathBuf>,
    /// Compiled in each [`Form`].
    compiled: [OnceLock<Result<PathBuf, String>>; 6],
}

/// What a program is compiled to for a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// With no target option.
    Plain,
    /// Ahead of time for the FPGA emulator.
    Emulator,
    /// PTX.
    Ptx,
    /// With optimization off.
    Unoptimized,
    /// With g++ for the host's half.
    Gcc,
    /// With g++ for the host's half, and optimization off.
    GccUnoptimized,
}

/// The forms that differ by the compiler of the host's half and its level, and what tests call them.
/// OFF lets any compiler make that half: each program has to start the same kernels in all of them.
const HOST_COMPILERS: [(Form, &str); 3] = [
    (Form::Unoptimized, "clang-O0"),
    (Form::GccUnoptimized, "g++-O0"),
    (Form::Gcc, "g++-O2"),
];

impl Form {
    fn of(device: &Device) -> Form {
        match (device.backend, device.setting()) {
            (Backend::Cuda, _) => Form::Ptx,
            (_, EMULATOR) => Form::Emulator,
            _ => Form::Plain,
        }
    }

    fn output(self) -> &'static str {
        match self {
            Form::Plain => "a.out",
            Form::Emulator => "fpga.out",
            Form::Ptx => "ptx.out",
            Form::Unoptimized => "clang-O0.out",
            Form::Gcc => "g++-O2.out",
            Form::GccUnoptimized => "g++-O0.out",
        }
    }

    fn options(self) -> &'static [&'static str] {
        match self {
            Form::Plain => &["-O2"],
            Form::Emulator => &["-O2", "-fsycl-targets=spir64_fpga"],
            Form::Ptx => &["-O2", "-fsycl-targets=nvptx64-nvidia-cuda"],
            Form::Unoptimized => &["-O0"],
            Form::Gcc => &["-O2", "-fsycl-host-compiler=g++"],
            Form::GccUnoptimized => &["-O0", "-fsycl-host-compiler=g++"],
        }
    }
}

/// What all tests share.
struct Tier {
    layout: Layout,
    toolchain: Described,
    capture: Vec<(String, String)>,
    /// Starts programs that are to run on PoCL.
    pocl_starter: Option<PathBuf>,
    programs: Vec<Program>,
    discovered: Discovered,
    deviations: Vec<Deviation>,
}

/// How one test of a program on a device went.
#[derive(Debug, Serialize)]
struct Outcome {
    program: String,
    device: Device,
    verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// A test that is to run, and what the report says of it.
struct Told {
    /// Its name.
    name: String,
    /// What it shows, in a sentence.
    about: String,
}

/// Programs whose PTX `check-ptx` knows how to run by itself, through the CUDA driver.
const PTX_PROGRAMS: [&str; 2] = ["vector-add", "roots"];

/// What is known to fail: the list, and its place in the repository.
const DEVIATIONS: &str = "hardware/deviations.yaml";

/// The setting under which a toolchain offers the FPGA emulator.
const EMULATOR: &str = "opencl-fpga-emulator";

/// The setting of PoCL's device.
const POCL: &str = "opencl-pocl";

/// The setting of the device on which every host compiler is tried.
const CPU: &str = "opencl-cpu";

static OUTCOMES: Mutex<Vec<Outcome>> = Mutex::new(Vec::new());

/// The tests as cases of a report.
static RESULTS: Mutex<Vec<CaseResult>> = Mutex::new(Vec::new());

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let wanted = std::env::var("PLUMBLINE_HARDWARE").unwrap_or_else(|_| "auto".to_owned());
    let trials = match wanted.as_str() {
        "none" => Ok(Vec::new()),
        "auto" => trials(false),
        "required" => trials(true),
        other => Err(format!(
            "PLUMBLINE_HARDWARE={other} is none of auto, none, required"
        )),
    };
    let conclusion = match trials {
        Ok(trials) => libtest_mimic::run(&arguments, trials),
        Err(reason) => {
            eprintln!("error: {reason}");
            return ExitCode::FAILURE;
        }
    };
    if arguments.list {
        return conclusion.exit_code();
    }
    println!("verdicts: {}", counts(&conclusion));
    if let Err(reason) = report() {
        eprintln!("error: {reason}");
        return ExitCode::FAILURE;
    }
    conclusion.exit_code()
}

/// The run by verdict. The test harness counts a known deviation with what it left out.
fn counts(conclusion: &Conclusion) -> Counts {
    let outcomes = OUTCOMES.lock().map(|outcomes| {
        let known = |outcome: &&Outcome| outcome.verdict == Verdict::KnownDeviation;
        outcomes.iter().filter(known).count()
    });
    let known_deviation = outcomes.unwrap_or(0);
    let of = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    Counts {
        passed: of(conclusion.num_passed),
        failed: of(conclusion.num_failed),
        known_deviation,
        skipped: of(conclusion.num_ignored).saturating_sub(known_deviation),
        ..Counts::default()
    }
}

fn trials(required: bool) -> Result<Vec<Trial>, String> {
    let tier: &'static Tier = Box::leak(Box::new(load()?));
    let mut trials: Vec<Trial> = Vec::new();
    for device in &tier.discovered.devices {
        trials.extend(tier.programs.iter().map(|p| tier.trial(device, p)));
    }
    let cpu = |device: &&Device| device.setting() == CPU && device.mode == Mode::Real;
    if let Some(device) = tier.discovered.devices.iter().find(cpu) {
        for (form, name) in HOST_COMPILERS {
            let programs = tier.programs.iter();
            trials.extend(programs.map(|p| tier.host_trial(device, form, name, p)));
        }
    }
    trials.extend(PTX_PROGRAMS.map(|name| tier.ptx_trial(name)));
    for (way, reason) in &tier.discovered.without {
        let told = Told::new(format!("devices/{way}"), format!("Devices through {way}."));
        trials.push(told.skipped(format!("no device through {way}: {reason}")));
    }
    if required {
        let about = "A GPU or an accelerator is there, as this run requires.";
        let told = Told::new("devices/required".to_owned(), about.to_owned());
        trials.push(Trial::test("devices/required", move || {
            let started = Instant::now();
            let missing = tier.discovered.hardware().err().map(|e| e.to_string());
            let verdict = match missing {
                None => Verdict::Passed,
                Some(_) => Verdict::Failed,
            };
            told.ended(verdict, missing.clone(), started, None);
            missing.map_or(Ok(()), |why| Err(Failed::from(why)))
        }));
    }
    Ok(trials)
}

fn load() -> Result<Tier, String> {
    let layout = Layout::here();
    let name = std::env::var("PLUMBLINE_TOOLCHAIN").unwrap_or_else(|_| "reference".to_owned());
    let toolchain = Described::load(&name, &layout)?;
    let components = Components::here().map_err(|e| e.to_string())?;
    let probe = own_program("probe-devices")?;
    let discovered = discover(&components, &probe).map_err(|e| e.to_string())?;
    let programs = programs(&layout.fixtures.join("programs"))?;
    Ok(Tier {
        deviations: deviations(&layout, &programs)?,
        programs,
        capture: components.intel_gpu_capture("tgllp").unwrap_or_default(),
        pocl_starter: components.opencl_pocl().ok().and_then(|p| p.starter),
        layout,
        toolchain,
        discovered,
    })
}

/// A program of this package: built in the folder above the tests' own, whichever machine they run on.
fn own_program(name: &str) -> Result<PathBuf, String> {
    let test = std::env::current_exe().map_err(|e| e.to_string())?;
    let found = test
        .ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join(name));
    let mut found = found.filter(|program| program.is_file());
    let missing = || format!("no '{name}' above {}", test.display());
    found.next().ok_or_else(missing)
}

/// What is known to fail. A deviation must name a program and a device that there may be, whether or
/// not this machine has it.
fn deviations(layout: &Layout, programs: &[Program]) -> Result<Vec<Deviation>, String> {
    let file = layout.deviations.clone();
    let deviations: Vec<Deviation> =
        offload_formats::yaml::from_file(&file).map_err(|e| e.to_string())?;
    let tools = Tools::load(layout)?;
    let is_test = |case: &str| {
        case.split_once('/').is_some_and(|(device, program)| {
            tools.knows_setting(device) && programs.iter().any(|p| p.name == program)
        })
    };
    let mut mistakes = deviation::stale(&deviations, is_test, DEVIATIONS);
    let scripted = deviations.iter().filter(|known| known.by_hand.is_some());
    // Nothing here reads one, and programs are repeated by their names.
    mistakes.extend(scripted.map(|known| {
        let case = &known.case;
        format!("{DEVIATIONS}: {case}: 'try' is for descriptions of toolchains")
    }));
    match mistakes.is_empty() {
        true => Ok(deviations),
        false => Err(mistakes.join("\n")),
    }
}

/// A source file is a program, and so is a folder of them.
fn programs(folder: &Path) -> Result<Vec<Program>, String> {
    let mut programs: Vec<Program> = Vec::new();
    for file in files_under(folder)? {
        if file.extension().is_none_or(|extension| extension != "cpp") {
            continue;
        }
        let within = file.strip_prefix(folder).unwrap_or(&file);
        let name = within.iter().next().map(Path::new).unwrap_or(within);
        let name = name.with_extension("").to_string_lossy().into_owned();
        match programs.iter_mut().find(|program| program.name == name) {
            Some(program) => program.sources.push(file),
            None => programs.push(Program {
                name,
                sources: vec![file],
                compiled: Default::default(),
            }),
        }
    }
    Ok(programs)
}

impl Tier {
    fn trial(&'static self, device: &'static Device, program: &'static Program) -> Trial {
        let setting = device.setting();
        let name = format!("{setting}/{}", program.name);
        if self.toolchain.setting(setting).is_none() {
            let toolchain = self.toolchain.name();
            let told = Told::of(name, program, setting);
            return told.skipped(format!("toolchain '{toolchain}' offers no '{setting}'"));
        }
        let deviates = self.deviations.iter().any(|known| known.is_of(&name));
        let case = name.clone();
        let told = Told::of(name.clone(), program, setting);
        let trial = Trial::ignorable_test(name, move || {
            let started = Instant::now();
            if let Some(reason) = until::is_over() {
                return Ok(told.without_time(reason, started));
            }
            let outcome = self.judge(device, program, Form::of(device));
            let outcome = outcome.map_err(Wrong::unmet);
            let known = &self.deviations;
            let (verdict, reason) = deviation::judged(&case, outcome, known, DEVIATIONS, None);
            record(&program.name, device, verdict, reason.as_deref());
            let listed = known.iter().find(|known| known.is_of(&case));
            told.ended(verdict, reason.clone(), started, listed);
            let reason = reason.unwrap_or_default();
            match verdict {
                Verdict::Passed => Ok(Completion::Completed),
                Verdict::Failed => Err(Failed::from(reason)),
                other => Ok(Completion::ignored_with(format!("{other}: {reason}"))),
            }
        });
        match (device.mode, deviates) {
            (Mode::Real, false) => trial,
            (Mode::Real, true) => trial.with_kind("known deviation"),
            (Mode::Capture, false) => trial.with_kind("capture"),
            (Mode::Capture, true) => trial.with_kind("capture, known deviation"),
        }
    }

    /// A program whose host half another compiler made, or none optimized.
    fn host_trial(
        &'static self,
        device: &'static Device,
        form: Form,
        compiler: &str,
        program: &'static Program,
    ) -> Trial {
        let name = format!("{compiler}/{}", program.name);
        let title = format!("host-compilers/{name}");
        let about = format!(
            "'{}' runs on {CPU}, its host half by {compiler}.",
            program.name
        );
        let told = Told::new(title.clone(), about);
        match self.toolchain.setting(CPU) {
            Some(_) => Trial::ignorable_test(title, move || {
                let started = Instant::now();
                if let Some(reason) = until::is_over() {
                    return Ok(told.without_time(reason, started));
                }
                let outcome = self.judge(device, program, form);
                let verdict = match outcome {
                    Ok(()) => Verdict::Passed,
                    Err(_) => Verdict::Failed,
                };
                record(
                    &name,
                    device,
                    verdict,
                    outcome.as_ref().err().map(String::as_str),
                );
                told.ended(verdict, outcome.as_ref().err().cloned(), started, None);
                outcome
                    .map(|()| Completion::Completed)
                    .map_err(Failed::from)
            }),
            None => told.skipped(format!("the toolchain offers no '{CPU}'")),
        }
    }

    /// The PTX image of a program, run without this project's runtime.
    fn ptx_trial(&'static self, name: &'static str) -> Trial {
        let gpu = |device: &&Device| device.backend == Backend::Cuda;
        let title = format!("cuda-ptx/{name}");
        let about = format!("The PTX of '{name}' runs without this project's runtime.");
        let told = Told::new(title.clone(), about);
        match self.discovered.devices.iter().find(gpu) {
            Some(_) => Trial::test(title, move || {
                let started = Instant::now();
                let outcome = self.judge_ptx(name);
                let verdict = match outcome {
                    Ok(()) => Verdict::Passed,
                    Err(_) => Verdict::Failed,
                };
                told.ended(verdict, outcome.as_ref().err().cloned(), started, None);
                outcome.map_err(Failed::from)
            }),
            None => told.skipped("no device through CUDA".to_owned()),
        }
    }

    fn judge_ptx(&self, name: &str) -> Result<(), String> {
        let program = self.programs.iter().find(|program| program.name == name);
        let program = program.ok_or_else(|| format!("no program '{name}'"))?;
        let executable = self.compiled(program, Form::Ptx)?;
        let file = container::map_file(&executable).map_err(|e| e.to_string())?;
        let images = read_file(&file).map_err(|e| e.to_string())?;
        let image = images.iter().find(|image| image.target == "nvptx64");
        let image = image.ok_or("the program holds no PTX")?;
        let work = self.folder(program);
        let ptx = work.join("image.ptx");
        std::fs::write(&ptx, &image.bytes[..]).map_err(|e| e.to_string())?;
        let job = self.job(Job::new(own_program("check-ptx")?), &work);
        let mut job = job.arg(&ptx);
        let omitted = image
            .properties
            .set(KERNEL_PARAM_OPT)
            .into_iter()
            .flat_map(|set| set.iter());
        for (kernel, flags) in omitted {
            let bits = flags
                .as_bits()
                .into_iter()
                .map(|lacks| if lacks { '1' } else { '0' });
            job = job.arg(format!("{kernel}={}", bits.collect::<String>()));
        }
        let output = job.output(b"").map_err(|e| e.to_string())?;
        verdict(&output, Mode::Real)
            .map_err(|wrong| format!("{wrong}\n{}\nto repeat: {job}", shown(&output)))
    }

    fn judge(&self, device: &Device, program: &Program, form: Form) -> Result<(), String> {
        let executable = self.compiled(program, form)?;
        // Each run has a folder of its own for what it leaves.
        let work = self.folder(program).join(device.setting());
        let work = work.join(form.output());
        std::fs::create_dir_all(&work).map_err(|e| format!("{}: {e}", work.display()))?;
        let starter = match device.setting() {
            POCL => self.pocl_starter.as_deref(),
            _ => None,
        };
        let mut job = self.job(Job::started(starter, executable), &work);
        if device.mode == Mode::Capture {
            job = self.capture.iter().fold(job, |job, (k, v)| job.env(k, v));
        }
        for (name, value) in self
            .toolchain
            .setting(device.setting())
            .into_iter()
            .flatten()
        {
            job = job.env(name, value);
        }
        if HOST_COMPILERS.iter().any(|(other, _)| *other == form) {
            // The usual form has the driver build all kernels; the others have the same ones.
            job = job.env("PLUMBLINE_CACHE", "1024");
        }
        let output = job.output(b"").map_err(|e| e.to_string())?;
        verdict(&output, device.mode)
            .map_err(|wrong| format!("{wrong}\n{}\nto repeat: {job}", shown(&output)))
    }

    /// The program in a form.
    fn compiled(&self, program: &Program, form: Form) -> Result<PathBuf, String> {
        let slot = &program.compiled[form as usize];
        slot.get_or_init(|| self.compile(program, form)).clone()
    }

    fn compile(&self, program: &Program, form: Form) -> Result<PathBuf, String> {
        let folder = self.folder(program);
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let executable = folder.join(form.output());
        let words = self.toolchain.command("sycl-clang++");
        let [compiler, rest @ ..] = words.unwrap_or_default() else {
            return Err(format!(
                "toolchain '{}' has no compiler",
                self.toolchain.name()
            ));
        };
        let job = Job::new(compiler)
            .args(rest)
            .arg("-fsycl")
            .args(form.options())
            .args(&program.sources)
            .arg("-o")
            .arg(&executable);
        let mut job = self.job(job, &folder);
        if form == Form::Plain {
            // What users get who ask for nothing else.
            job = job.env("PLUMBLINE_AUTO_PCH", "");
        }
        let output = job.output(b"").map_err(|e| e.to_string())?;
        match output.status.success() {
            true => Ok(executable),
            false => Err(format!("{}\nto repeat: {job}", shown(&output))),
        }
    }

    fn folder(&self, program: &Program) -> PathBuf {
        let toolchain = self.toolchain.name();
        self.layout
            .work
            .join("tier")
            .join(toolchain)
            .join(&program.name)
    }

    /// Pins the folder and environment of a job.
    fn job(&self, job: Job, folder: &Path) -> Job {
        let mut job = pinned(job, folder);
        for (name, value) in self.toolchain.env() {
            job = job.env(name, value);
        }
        job
    }
}

impl Told {
    fn new(name: String, about: String) -> Self {
        Told { name, about }
    }

    /// Of a program on a device.
    fn of(name: String, program: &Program, setting: &str) -> Self {
        Told::new(name, format!("'{}' runs on {setting}.", program.name))
    }

    /// A test that the run has no time for any more.
    fn without_time(&self, reason: &str, started: Instant) -> Completion {
        let verdict = Verdict::Skipped;
        self.ended(verdict, Some(reason.to_owned()), started, None);
        Completion::ignored_with(format!("{verdict}: {reason}"))
    }

    /// A test that nothing here can run.
    fn skipped(self, reason: String) -> Trial {
        let kind = format!("skipped: {reason}");
        let trial = Trial::test(self.name.clone(), || Ok(())).with_kind(kind);
        // Of those that nextest has in processes of their own, none is run.
        if std::env::var_os("NEXTEST").is_none() {
            self.ended(Verdict::Skipped, Some(reason), Instant::now(), None);
        }
        trial.with_ignored_flag(true)
    }

    /// Keeps how the test went, for the report.
    fn ended(
        &self,
        verdict: Verdict,
        reason: Option<String>,
        started: Instant,
        listed: Option<&Deviation>,
    ) {
        let mut result = CaseResult {
            case: self.name.clone(),
            about: self.about.clone(),
            requirements: Vec::new(),
            beyond: None,
            verdict,
            reason,
            link: None,
            by_hand: None,
            breaks: None,
            evidence: Evidence {
                seconds: started.elapsed().as_secs_f64(),
                ..Evidence::default()
            },
        };
        if let Some(known) = listed {
            result.deviates(known);
        }
        if let Ok(mut results) = RESULTS.lock() {
            results.push(result);
        }
    }
}

/// What a run shows; a program that ends by itself and says neither word shows nothing.
fn verdict(output: &Output, mode: Mode) -> Result<(), String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let says = |word: &str| text.lines().any(|line| line.starts_with(word));
    let code = output.status.code();
    match mode {
        Mode::Real if code == Some(0) && says("PASSED") && !says("WRONG") => Ok(()),
        // Values are not computed, so either verdict means that the kernel was built and submitted.
        Mode::Capture if matches!(code, Some(0 | 1)) && (says("PASSED") || says("WRONG")) => Ok(()),
        _ => Err(format!("it did not pass ({})", output.status)),
    }
}

fn shown(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

/// Keeps how a test went, for the report.
fn record(program: &str, device: &Device, verdict: Verdict, reason: Option<&str>) {
    if let Ok(mut outcomes) = OUTCOMES.lock() {
        outcomes.push(Outcome {
            program: program.to_owned(),
            device: device.clone(),
            verdict,
            reason: reason.map(str::to_owned),
        });
    }
}

fn report() -> Result<(), String> {
    let Some(folder) = std::env::var_os("PLUMBLINE_REPORT").map(PathBuf::from) else {
        return Ok(());
    };
    let results = std::mem::take(&mut *RESULTS.lock().map_err(|e| e.to_string())?);
    if results.is_empty() {
        return Ok(());
    }
    let layout = Layout::here();
    let name = std::env::var("PLUMBLINE_TOOLCHAIN").unwrap_or_else(|_| "reference".to_owned());
    let toolchain = Described::load(&name, &layout)?;
    let catalogue = Catalogue::load(&layout.spec).map_err(|mistakes| mistakes.join("\n"))?;
    let ended = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let report = Report::new(Subject::of(&toolchain), ended, results, &catalogue);
    // Nextest starts a process a test, and its parts are put together with those of the suites.
    if std::env::var_os("NEXTEST").is_some() {
        return report.write_part(&folder);
    }
    report.write(&folder.join("hardware"))?;
    let outcomes = OUTCOMES.lock().map_err(|e| e.to_string())?;
    let json = serde_json::to_string_pretty(&*outcomes).map_err(|e| e.to_string())?;
    let file = folder.join("hardware.json");
    std::fs::write(&file, json).map_err(|e| format!("{}: {e}", file.display()))
}

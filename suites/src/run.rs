//! Runs one case for one toolchain.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use components::process::{Job, JobError, Output};

use crate::case::{Case, Step};
use crate::check::{self, Bench, Ending};
use crate::confine;
use crate::evidence::{Cause, Evidence, Extent, GoldenText, StepEvidence, Wrong};
use crate::golden::{Golden, Set};
use crate::layout::Layout;
use crate::leftovers;
use crate::normalise::Normaliser;
use crate::placeholder::{PlaceholderError, fill};
use crate::supervised::{self, Ran};
use crate::toolchain::{ROLES, Toolchain};
use crate::tools::{PASSED_ON, SEARCH_PATH, Tools};

/// What every case of a run shares.
#[derive(Clone, Copy)]
pub struct Runner<'a> {
    /// The toolchain under test.
    pub toolchain: &'a dyn Toolchain,
    /// Judges and peers.
    pub tools: &'a Tools,
    /// Folders.
    pub layout: &'a Layout,
}

/// A case in progress: its own folder, and the words that stand for things.
struct Scope<'a> {
    runner: Runner<'a>,
    /// The case in the toolchain's words.
    case: &'a Case,
    work: PathBuf,
    normaliser: Normaliser,
    /// The toolchain's golden files, if it has any.
    golden: Option<Set>,
}

impl Runner<'_> {
    /// Runs a case. The case's folder is kept when something goes wrong.
    #[must_use]
    pub fn run(&self, case: &Case) -> Evidence {
        let started = Instant::now();
        let mut evidence = Evidence::default();
        let (part, left_out) = self.part_of(case);
        evidence.left_out = left_out;
        let case = self.toolchain.translated(&part);
        if let Err(Wrong { cause, text }) = self.run_steps(&case, &mut evidence.steps) {
            (evidence.cause, evidence.wrong) = (cause, Some(text));
        }
        evidence.seconds = started.elapsed().as_secs_f64();
        evidence
    }

    fn run_steps(&self, case: &Case, steps: &mut Vec<StepEvidence>) -> Result<(), Wrong> {
        let work = self
            .layout
            .work
            .join(self.toolchain.name())
            .join(&case.name);
        let scope = Scope {
            runner: *self,
            case,
            normaliser: self.normaliser(case, &work),
            work,
            golden: self.goldens(),
        };
        let _alone = scope.lock().map_err(Wrong::harness)?;
        scope.prepare().map_err(Wrong::harness)?;
        let ran = scope.run_all(steps);
        let failed = ran.is_err();
        let too_much = failed.then(|| leftovers::too_much(&scope.work)).flatten();
        let mut gone = false;
        if !failed || too_much.is_some() {
            // Left alone when it cannot be removed: the next run begins by removing it.
            gone = std::fs::remove_dir_all(&scope.work).is_ok();
        }
        ran.map_err(|mut wrong| {
            if let Some(reason) = too_much.filter(|_| gone) {
                wrong.text += &format!("\nits folder is not kept: {reason}");
            }
            wrong
        })
    }

    /// The golden files that the toolchain is held to, if there are any.
    pub(crate) fn goldens(&self) -> Option<Set> {
        let toolchain = self.toolchain;
        Set::of(toolchain.name(), toolchain.goldens(), &self.layout.golden)
    }

    fn normaliser(&self, case: &Case, work: &Path) -> Normaliser {
        Normaliser::new([
            (work, "%t"),
            (case.folder(), "%s"),
            (self.layout.fixtures.as_path(), "%{fixtures}"),
            (self.layout.plumbline.as_path(), "%{plumbline}"),
        ])
    }
}

impl Scope<'_> {
    /// Runs the steps until one goes wrong, and says so with the line that repeats the case.
    fn run_all(&self, steps: &mut Vec<StepEvidence>) -> Result<(), Wrong> {
        for (index, step) in self.case.body.steps.iter().enumerate() {
            self.step(step, steps).map_err(|Wrong { cause, text }| {
                let (number, count) = (index + 1, self.case.body.steps.len());
                let toolchain = match self.runner.toolchain.origin() {
                    "reference" => String::new(),
                    origin => format!(" --toolchain {origin}"),
                };
                let text = format!(
                    "step {number} of {count}: {}\n{text}\n\
                     the whole case: cargo xtask test {}{toolchain}",
                    step.run, self.case.name
                );
                Wrong { cause, text }
            })?;
        }
        Ok(())
    }

    /// Waits until no other run of this case for this toolchain uses its folder; they would take away
    /// each other's files and end each other's processes. Holds as long as the file is open.
    fn lock(&self) -> Result<std::fs::File, String> {
        let path = self.work.with_extension("lock");
        let folder = path.parent().unwrap_or(&self.work);
        std::fs::create_dir_all(folder).map_err(|e| self.cannot(folder, &e))?;
        let file = std::fs::File::create(&path).map_err(|e| self.cannot(&path, &e))?;
        let locked = rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive);
        locked.map_err(|e| self.cannot(&path, &e.into()))?;
        Ok(file)
    }

    /// The folders and files that the steps may write to.
    fn writable(&self) -> Vec<PathBuf> {
        let own = std::iter::once(self.work.clone()).chain(confine::devices());
        own.chain(self.runner.toolchain.writes().iter().cloned())
            .collect()
    }

    /// The folder that the steps have for temporary files.
    fn temporary(&self) -> PathBuf {
        self.work.join(".tmp")
    }

    /// Makes the case's folder anew, with its inputs.
    fn prepare(&self) -> Result<(), String> {
        if self.work.exists() {
            std::fs::remove_dir_all(&self.work).map_err(|e| self.cannot(&self.work, &e))?;
        }
        // A folder that is not there can be opened to nobody.
        for folder in std::iter::once(&self.temporary()).chain(self.runner.toolchain.writes()) {
            std::fs::create_dir_all(folder).map_err(|e| self.cannot(folder, &e))?;
        }
        for (name, text) in &self.case.body.inputs {
            let path = self.work.join(name);
            let folder = path.parent().unwrap_or(&self.work);
            std::fs::create_dir_all(folder).map_err(|e| self.cannot(folder, &e))?;
            std::fs::write(&path, text).map_err(|e| self.cannot(&path, &e))?;
        }
        Ok(())
    }

    fn cannot(&self, path: &Path, error: &std::io::Error) -> String {
        format!("cannot prepare '{}': {error}", path.display())
    }

    /// Runs one step, and appends what it showed to `steps`.
    fn step(&self, step: &Step, steps: &mut Vec<StepEvidence>) -> Result<(), Wrong> {
        let job = self.job(step).map_err(Wrong::harness)?;
        let outputs = written_by(&job, &self.work);
        let stdin = step.stdin.as_deref().unwrap_or_default();
        let started = Instant::now();
        let output = confine::within(&self.writable(), || {
            supervised::output(&job, stdin.as_bytes())
        });
        let output = output
            .map_err(|e| Wrong::harness(format!("the step cannot be kept to its folder: {e}")))?;
        let mut cause = self.cause_of_a_crash(step);
        let (ended, mut wrong, output) = match output {
            Ok(Ran::Ended(output)) => {
                let wrong = self.judge(step, &output);
                let ending = Ending::of(output.status);
                cause = match ending {
                    Ending::Exited(_) => Cause::Unmet,
                    // A script that hands on that a program of its own was ended.
                    Ending::Crashed(status) if cause == Cause::Unmet && is_of_a_signal(status) => {
                        Cause::Crash
                    }
                    Ending::Crashed(_) => cause,
                };
                (ending.to_string(), wrong, Some(output))
            }
            Ok(Ran::Past { breach, output }) => ("past its limit".to_owned(), vec![breach], output),
            // A program that the toolchain was to build and that does not start is its own matter; any
            // other was there when the run began.
            Err(error @ JobError::Start { .. })
                if is_of(&error, &job) && step.is_built_program() =>
            {
                return Err(Wrong::unmet(error.to_string()));
            }
            Err(error) => return Err(Wrong::harness(error.to_string())),
        };
        let seconds = started.elapsed().as_secs_f64();
        if step.outcome.is_failure() {
            let left = outputs.iter().filter(|path| path.exists());
            wrong.extend(left.map(|path| {
                let path = self.normaliser.text(path.to_string_lossy().as_bytes());
                format!("failed and left its output {path} all the same")
            }));
        }
        let extent = match wrong.is_empty() {
            true => Extent::BRIEF,
            false => Extent::FULL,
        };
        let text = |bytes: &[u8]| extent.of(&self.normaliser.text(bytes));
        let evidence = StepEvidence {
            repeat: job.to_string(),
            ended,
            seconds,
            stdout: output
                .as_ref()
                .map_or_else(String::new, |o| text(&o.stdout)),
            stderr: output
                .as_ref()
                .map_or_else(String::new, |o| text(&o.stderr)),
            wrong,
            without_golden: self.without_golden(step),
            goldens: self.goldens(step),
        };
        let report = (!evidence.wrong.is_empty()).then(|| report(&evidence));
        steps.push(evidence);
        report.map_or(Ok(()), |text| Err(Wrong { cause, text }))
    }

    /// Whose matter it is when a step's program crashes or runs past its limit: the toolchain's, when it is
    /// one of its own or one that it built. A script may have started anything, so that its own status has
    /// to say what ended; and a judge that dies tells nothing.
    fn cause_of_a_crash(&self, step: &Step) -> Cause {
        let first = step.run.split_whitespace().next();
        let first = first.unwrap_or_default().trim_start_matches('%');
        let name = first.trim_start_matches('{').trim_end_matches('}');
        match name {
            _ if step.is_built_program() => Cause::Crash,
            _ if self.runner.toolchain.command(name).is_some() => Cause::Crash,
            "sh" | "make" => Cause::Unmet,
            _ => Cause::Harness,
        }
    }

    /// The golden texts of a step that a toolchain with no golden files is not held to.
    fn without_golden(&self, step: &Step) -> Vec<String> {
        let texts = step.texts().filter(|_| self.golden.is_none());
        let goldens = texts.filter_map(|text| text.golden.as_ref());
        goldens.map(|golden| golden.name.clone()).collect()
    }

    /// The golden texts of a step that the toolchain is held to.
    fn goldens(&self, step: &Step) -> Vec<GoldenText> {
        let Some(set) = &self.golden else {
            return Vec::new();
        };
        let goldens = step.texts().filter_map(|text| text.golden.as_ref());
        let text = |golden: &Golden| {
            let text = golden.expected(set, &self.case.name)?;
            Some(GoldenText {
                name: golden.name.clone(),
                text: Extent::GOLDEN.of(&text),
            })
        };
        goldens.filter_map(text).collect()
    }

    /// The command of a step, with its words filled in and its environment pinned.
    fn job(&self, step: &Step) -> Result<Job, String> {
        let words = shlex::split(&step.run).ok_or("the command ends within a quotation")?;
        let mut filled = Vec::new();
        for word in words {
            filled.extend(self.fill(&word)?);
        }
        if let Some(local) = filled.first().and_then(|word| word.strip_prefix("./")) {
            filled[0] = self.work.join(local).to_string_lossy().into_owned();
        }
        let launcher = match step.is_built_program() {
            true => self.runner.toolchain.launcher(),
            false => &[],
        };
        let mut words = launcher.iter().cloned().chain(filled);
        let program = words.next().ok_or("the command is empty")?;
        let mut job = Job::new(program)
            .args(words)
            .dir(&self.work)
            .clean_env()
            .limit(Duration::from_secs(step.limit));
        for (name, value) in self.environment(step)? {
            job = job.env(name, value);
        }
        Ok(job)
    }

    fn environment(&self, step: &Step) -> Result<BTreeMap<String, String>, String> {
        let toolchain = self.runner.toolchain;
        let own = |path: PathBuf| path.to_string_lossy().into_owned();
        let mut env = BTreeMap::from([
            ("PATH".to_owned(), SEARCH_PATH.to_owned()),
            ("HOME".to_owned(), own(self.work.clone())),
            ("TMPDIR".to_owned(), own(self.temporary())),
            ("LC_ALL".to_owned(), "C.UTF-8".to_owned()),
            ("SOURCE_DATE_EPOCH".to_owned(), "0".to_owned()),
        ]);
        for name in PASSED_ON {
            env.extend(std::env::var(name).map(|value| (name.to_owned(), value)));
        }
        let setting = step.with.as_ref().and_then(|name| toolchain.setting(name));
        for variables in std::iter::once(toolchain.env()).chain(setting) {
            env.extend(variables.clone());
        }
        for (name, value) in &step.env {
            env.insert(name.clone(), self.one(value)?);
        }
        Ok(env)
    }

    /// What is wrong with what a step did; empty when everything holds.
    fn judge(&self, step: &Step, output: &Output) -> Vec<String> {
        let missing = Err("FileCheck is not listed".to_owned());
        let bench = Bench {
            case: &self.case.name,
            golden: self.golden.as_ref(),
            filecheck: self.runner.tools.program("FileCheck").unwrap_or(&missing),
            normaliser: &self.normaliser,
            answers_beyond: self.runner.toolchain.answers_beyond(),
        };
        let ending = Ending::of(output.status);
        let allowed = self.runner.toolchain.exits(step.outcome);
        let mut wrong = Vec::new();
        wrong.extend(check::ending(ending, step.outcome, allowed, step.exit));
        let streams = [
            ("standard output", &step.stdout, &output.stdout),
            ("standard error", &step.stderr, &output.stderr),
        ];
        for (name, checks, bytes) in streams {
            let found = checks.as_ref().map(|checks| bench.text(checks, bytes));
            wrong.extend(said(name, found.unwrap_or_default()));
        }
        for (name, checks) in &step.files {
            let found = match self.path(name) {
                Ok(path) => bench.file(&path, checks, &|other| self.path(other)),
                Err(error) => vec![error],
            };
            wrong.extend(said(name, found));
        }
        wrong
    }

    fn fill(&self, word: &str) -> Result<Vec<String>, String> {
        fill(word, &|name| self.value(name)).map_err(|e| e.to_string())
    }

    fn one(&self, word: &str) -> Result<String, String> {
        Ok(self.fill(word)?.join(" "))
    }

    /// A path as a case names it; relative ones stand in the case's own folder.
    fn path(&self, name: &str) -> Result<PathBuf, String> {
        Ok(self.work.join(self.one(name)?))
    }

    fn value(&self, name: &str) -> Result<Vec<String>, PlaceholderError> {
        let path = |path: &Path| Ok(vec![path.to_string_lossy().into_owned()]);
        match name {
            "t" => return path(&self.work),
            "s" => return path(self.case.folder()),
            "fixtures" => return path(&self.runner.layout.fixtures),
            _ => (),
        }
        if let Some(words) = self.runner.toolchain.command(name) {
            return Ok(words.to_vec());
        }
        if let Some(judge) = self.runner.toolchain.judge(name) {
            return path(judge);
        }
        match self.runner.tools.program(name) {
            Some(Ok(program)) => path(program),
            _ => match self.runner.tools.need(name) {
                Some(Ok(component)) => path(component),
                _ => Err(PlaceholderError::Unknown(
                    name.to_owned(),
                    self.known().join(" "),
                )),
            },
        }
    }

    fn known(&self) -> Vec<&str> {
        PATHS
            .into_iter()
            .chain(ROLES)
            .chain(self.runner.tools.names())
            .collect()
    }
}

/// Placeholders that stand for folders: the case's own temporary one (in which its steps run), the
/// one of its file, and the shared inputs.
pub const PATHS: [&str; 3] = ["t", "s", "fixtures"];

fn said(subject: &str, wrong: Vec<String>) -> impl Iterator<Item = String> {
    let subject = subject.to_owned();
    wrong.into_iter().map(move |w| format!("{subject} {w}"))
}

/// Whether it is the job's own program that could not be started.
fn is_of(error: &JobError, job: &Job) -> bool {
    matches!(error, JobError::Start { program, .. } if *program == job.program)
}

/// Whether a script ended by a signal by which programs crash (SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV), in whose
/// place its last program stood, or with a shell's word for one.
fn is_of_a_signal(status: i32) -> bool {
    let is_of_a_crash = |number| matches!(number, 4 | 6 | 7 | 8 | 11);
    is_of_a_crash(status) || is_of_a_crash(status - 128)
}

/// The files that a command names by `-o`, where they are not there already.
fn written_by(job: &Job, work: &Path) -> Vec<PathBuf> {
    job.args
        .windows(2)
        .filter_map(|pair| match pair {
            [option, file] if option == "-o" && file != "-" => Some(work.join(file)),
            _ => None,
        })
        .filter(|path| !path.exists())
        .collect()
}

/// A step with which something is wrong, as the terminal shows it.
fn report(evidence: &StepEvidence) -> String {
    let wrong = evidence.wrong.iter();
    let mut report: Vec<String> = wrong.map(|line| format!("  {line}")).collect();
    for (name, text) in [("stdout", &evidence.stdout), ("stderr", &evidence.stderr)] {
        if !text.is_empty() {
            report.push(format!("--- {name}\n{text}"));
        }
    }
    report.push(format!("to repeat: {}", evidence.repeat));
    report.join("\n")
}

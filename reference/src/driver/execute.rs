//! Running a plan: outside programs through [`components::process`], this toolchain's own stages in
//! this process.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use components::process::{Job, JobError, Output};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::TOOL;
use super::auto_pch::{AutoPch, StandIn};
use super::compile_cache::CompileCache;
use super::diagnostics::Shown;
use super::plan::{Action, Node, Step};
use super::stages;
use crate::temporary::wait_for_the_end;
use crate::tool::{Failure, say, write_whole};

/// Runs plans and remembers what was shown and how long it took.
#[derive(Debug)]
pub struct Executor {
    tools: PathBuf,
    verbose: bool,
    auto_pch: Option<AutoPch>,
    compile_cache: Option<CompileCache>,
    shown: Mutex<Shown>,
    times: Mutex<Vec<StepTime>>,
}

/// How long one step took.
#[derive(Debug, Clone)]
pub struct StepTime {
    /// The step's label.
    pub label: String,
    /// Whether an outside program did it.
    pub outside: bool,
    /// Wall-clock time.
    pub time: Duration,
}

impl Executor {
    /// An executor that prints each step before it runs when `verbose`, has clang read precompiled headers of
    /// `auto_pch`, and keeps what it makes in `compile_cache`.
    #[must_use]
    pub(super) fn new(
        tools: PathBuf,
        verbose: bool,
        auto_pch: Option<AutoPch>,
        compile_cache: Option<CompileCache>,
    ) -> Self {
        Executor {
            tools,
            verbose,
            auto_pch,
            compile_cache,
            shown: Mutex::default(),
            times: Mutex::default(),
        }
    }

    /// Runs a plan. Steps that may run together do so on all cores, and all of them run even when
    /// one fails.
    ///
    /// # Errors
    /// The first failure in the plan's order.
    pub fn run(&self, node: &Node) -> Result<(), Failure> {
        match node {
            Node::Step(step) => self.run_step(step),
            Node::Sequence(nodes) => nodes.iter().try_for_each(|node| self.run(node)),
            Node::Together(nodes) => {
                let results: Vec<_> = nodes.par_iter().map(|node| self.run(node)).collect();
                results.into_iter().collect()
            }
        }
    }

    /// What the steps took, in the order in which they ended.
    #[must_use]
    pub fn times(&self) -> Vec<StepTime> {
        lock(&self.times).clone()
    }

    fn run_step(&self, step: &Step) -> Result<(), Failure> {
        if self.verbose {
            say(&format!(" {}\n", step.action.job(&self.tools)));
        }
        let start = Instant::now();
        let result = self.act(step);
        lock(&self.times).push(StepTime {
            label: step.label.clone(),
            outside: matches!(step.action, Action::Run(_)),
            time: start.elapsed(),
        });
        result
    }

    fn act(&self, step: &Step) -> Result<(), Failure> {
        match &step.action {
            Action::Run(job) => self.run_job(job, step),
            Action::Lower(lower) => stages::lower(lower, |text| self.show(step.source, text)),
            Action::Split(split) => stages::split(split),
            Action::Package(package) => stages::package(package),
            Action::Embed(embed) => stages::embed(embed),
            Action::Bundle(bundle) => stages::bundle(bundle),
            Action::Dependencies(dependencies) => dependencies.run(),
            Action::DeviceTexts(texts) => texts.run(),
            Action::LinkerWrapper(words) => stages::linker_wrapper(words),
            Action::SyclLinker(words) => stages::sycl_linker(words),
        }
    }

    fn run_job(&self, job: &Job, step: &Step) -> Result<(), Failure> {
        let cache = self.compile_cache.as_ref();
        let kept = cache.and_then(|cache| cache.compilation(job));
        if let Some(said) = kept.as_ref().and_then(|kept| kept.bring()) {
            self.note(&format!(
                "what '{}' makes is kept, and taken from there",
                step.label
            ));
            self.show(step.source, &String::from_utf8_lossy(&said));
            return Ok(());
        }
        let run = kept.as_ref().and_then(|kept| kept.run(job));
        let job = run.as_ref().map_or(job, |run| &run.job);
        let output = match self.run_precompiled(job)? {
            Some(output) => output,
            None => job.output(b"").map_err(Failure::job)?,
        };
        let is_whole = output.status.success() && output.stdout.is_empty();
        if let (Some(kept), Some(run), true) = (&kept, &run, is_whole) {
            kept.keep(run, &output.stderr);
        }
        self.show(step.source, &String::from_utf8_lossy(&output.stderr));
        if !output.stdout.is_empty() {
            write_whole(Path::new("-"), &output.stdout)?;
        }
        match output.status.code() {
            Some(0) => Ok(()),
            // A compiler that found fault with its input has said so.
            Some(1) if !output.stderr.is_empty() => Err(Failure::Reported),
            _ => Err(Failure::job(JobError::Failed {
                program: job.program.clone(),
                status: output.status,
                command_line: job.to_string(),
                output: None,
            })),
        }
    }

    /// Runs a compilation with its first header precompiled, where that can be done and the compilation
    /// has no errors: those are told of the text. Where the text has none, the precompiled header was at
    /// fault, and goes.
    fn run_precompiled(&self, job: &Job) -> Result<Option<Output>, Failure> {
        let Some(kept) = &self.auto_pch else {
            return Ok(None);
        };
        let (precompiled, pch) = match kept.stand_in(job) {
            None => return Ok(None),
            Some(StandIn::Text(reason)) => {
                self.note(&format!("'sycl/sycl.hpp' is read as text: {reason}"));
                return Ok(None);
            }
            Some(StandIn::Precompiled(job, pch)) => (job, pch),
        };
        self.note(&format!(
            "'sycl/sycl.hpp' comes precompiled, from '{}'",
            pch.display()
        ));
        let output = precompiled.output(b"").map_err(Failure::job)?;
        if output.status.success() && kept.mend_list(job).is_ok() {
            return Ok(Some(output));
        }
        wait_for_the_end();
        let output = job.output(b"").map_err(Failure::job)?;
        if output.status.success() {
            let _ = std::fs::remove_file(&pch);
        }
        Ok(Some(output))
    }

    /// Says, where somebody wants to know it, what of the plan went another way.
    fn note(&self, text: &str) {
        if self.verbose {
            say(&format!("{TOOL}: note: {text}\n"));
        }
    }

    fn show(&self, source: usize, text: &str) {
        say(&lock(&self.shown).new_part(source, text));
    }
}

/// The times as a table, with the driver's own share set against that of the outside programs.
#[must_use]
pub fn timing_table(times: &[StepTime], whole: Duration) -> String {
    let mut table = String::new();
    let mut row = |time: Duration, what: &str| {
        table.push_str(&format!("{:>10.1} ms  {what}\n", time.as_secs_f64() * 1e3));
    };
    let sum = |outside: bool| -> Duration {
        let some = times.iter().filter(|step| step.outside == outside);
        some.map(|step| step.time).sum()
    };
    for step in times {
        row(step.time, &step.label);
    }
    row(sum(true), "outside programs of the driver, summed");
    row(sum(false), "stages in this process, summed");
    row(whole, "whole command");
    table
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints a plan as `-###` does.
pub fn print(node: &Node, tools: &Path) {
    say(&node.print(tools));
}

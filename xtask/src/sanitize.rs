//! `sanitize`: every program of `fixtures/programs` on a device, with the runtime and the programs' host
//! halves instrumented by a sanitizer of LLVM.
//!
//! Rust's own switch for it is one of those that are not stable: the compiler at hand takes it under
//! `RUSTC_BOOTSTRAP`. The library is built in a folder of its own, with errors in it that the sanitizer has
//! to find first: a run that could find nothing is a failure. For `thread` the standard library is built
//! anew, whose locks would not be seen otherwise: that needs its source (`rustup component add rust-src`).
//!
//! What drivers do wrong is passed over by the lists in `fixtures/sanitizers`, each entry with its reason.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use components::Components;
use components::process::{Job, Output};

use crate::failure::{Failure, Outcome};
use crate::{build, cargo, places};

/// Which programs, under what.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// The sanitizer
    #[arg(value_enum)]
    sanitizer: Sanitizer,
    /// Only programs whose names contain one of these
    filter: Vec<String>,
    /// The device, as PLUMBLINE_DEVICE names it
    #[arg(long, default_value = "opencl:cpu")]
    device: String,
}

/// A sanitizer of LLVM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Sanitizer {
    /// Memory that is not there, or not there any more
    Address,
    /// Threads that touch memory at once
    Thread,
}

/// The target that the library is built for: one that is named keeps the flags from build scripts.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// How long a program may take; a sanitizer has it take several times as long as else.
const LIMIT: Duration = Duration::from_secs(600);

/// The status that a program ends with over a finding; no program ends so by itself.
const FINDING: i32 = 99;

impl Sanitizer {
    /// Its name in the compilers' options.
    fn name(self) -> &'static str {
        match self {
            Sanitizer::Address => "address",
            Sanitizer::Thread => "thread",
        }
    }

    /// The number of the seeded error that it has to find, and a word of its report.
    fn seeded(self) -> (&'static str, &'static str) {
        match self {
            Sanitizer::Address => ("1", "heap-use-after-free"),
            Sanitizer::Thread => ("2", "data race"),
        }
    }

    /// The variable with its options, and these; `lists` is the folder of what is passed over.
    fn options(self, lists: &Path) -> (&'static str, String) {
        match self {
            // Leaks are not asked for: drivers and the runtime keep what lives as long as the process.
            Sanitizer::Address => ("ASAN_OPTIONS", format!("exitcode={FINDING}:detect_leaks=0")),
            // Drivers are not instrumented: what they do with their own locks is not seen.
            Sanitizer::Thread => (
                "TSAN_OPTIONS",
                format!(
                    "exitcode={FINDING}:ignore_noninstrumented_modules=1:suppressions={}",
                    lists.join("thread.txt").display()
                ),
            ),
        }
    }
}

/// Builds what is needed, finds the seeded error, and runs the programs.
pub fn run(options: &Options) -> Outcome {
    require_runtime(options.sanitizer)?;
    build::run()?;
    let library = library(options.sanitizer)?;
    let run = Run {
        options,
        library,
        work: places::target()
            .join("sanitize")
            .join(options.sanitizer.name()),
    };
    run.seeded()?;
    let (mut passed, mut failed) = (0, 0);
    for (name, sources) in programs(&places::root().join("fixtures/programs"))? {
        let wanted = &options.filter;
        if !wanted.is_empty() && !wanted.iter().any(|part| name.contains(part)) {
            continue;
        }
        match run.judged(&name, &sources, &[]) {
            Ok(()) => {
                passed += 1;
                println!("{name}: nothing found");
            }
            Err(reason) => {
                failed += 1;
                println!("{name}: {reason}");
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    match (passed + failed, failed) {
        (0, _) => Err(Failure::new("no program is what the filters ask for")),
        (_, 0) => Ok(()),
        _ => Err(Failure::Reported),
    }
}

/// When clang's own library of the sanitizer is not there: before the long build, which does not need it.
fn require_runtime(sanitizer: Sanitizer) -> Outcome {
    let components = Components::here().map_err(Failure::new)?;
    let clang = components.clang().map_err(Failure::new)?.program;
    let linked = Job::new(&clang)
        .arg(format!("-fsanitize={}", sanitizer.name()))
        .args(["-x", "c", "-", "-o", "/dev/null"])
        .capture(b"int main(void) { return 0; }\n");
    linked.map(drop).map_err(|failure| {
        Failure::new(format!(
            "{failure}\nclang's libraries of sanitizers are not here: on Debian and Ubuntu they are the \
             package libclang-rt-19-dev"
        ))
    })
}

/// The folder of the instrumented library.
fn library(sanitizer: Sanitizer) -> Result<PathBuf, Failure> {
    let folder = places::target().join("sanitize/library");
    let name = sanitizer.name();
    let flags = format!("-Zsanitizer={name} -Cunsafe-allow-abi-mismatch=sanitizer");
    let mut job = cargo::plain("build")
        .args(["--quiet", "--package=sycl-runtime", "--lib"])
        .args(["--features=seeded-errors", "--target", TARGET])
        .arg("--target-dir")
        .arg(folder.join(name))
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", flags)
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1");
    if sanitizer == Sanitizer::Thread {
        job = job.arg("-Zbuild-std");
    }
    job.run().map_err(|_| Failure::Reported)?;
    Ok(folder.join(name).join(TARGET).join("debug"))
}

/// One run of the task.
struct Run<'a> {
    options: &'a Options,
    /// The folder of the instrumented library.
    library: PathBuf,
    /// Where programs go.
    work: PathBuf,
}

impl Run<'_> {
    /// Whether the sanitizer finds what is wrong on purpose.
    fn seeded(&self) -> Outcome {
        let source = places::root().join("fixtures/sanitizers/seeded.cpp");
        let program = self.compiled("seeded", &[source]).map_err(Failure::new)?;
        let (number, word) = self.options.sanitizer.seeded();
        let output = self.output(&program, &[number]).map_err(Failure::new)?;
        let found = String::from_utf8_lossy(&output.stderr).contains(word);
        match found && output.status.code() == Some(FINDING) {
            true => Ok(()),
            false => Err(Failure::new(format!(
                "the seeded error was not found ({}): nothing here could find anything\n{}",
                output.status,
                shown(&output)
            ))),
        }
    }

    /// That a program passes, and that nothing was found.
    fn judged(&self, name: &str, sources: &[PathBuf], words: &[&str]) -> Result<(), String> {
        let program = self.compiled(name, sources)?;
        let output = self.output(&program, words)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let passed = text.lines().any(|line| line.starts_with("PASSED"));
        match output.status.code() {
            Some(0) if passed => Ok(()),
            Some(FINDING) => Err(format!("a finding\n{}", shown(&output))),
            _ => Err(format!(
                "it did not pass ({})\n{}",
                output.status,
                shown(&output)
            )),
        }
    }

    fn compiled(&self, name: &str, sources: &[PathBuf]) -> Result<PathBuf, String> {
        fs::create_dir_all(&self.work).map_err(|e| format!("{}: {e}", self.work.display()))?;
        let program = self.work.join(name);
        let sanitize = format!("-fsanitize={}", self.options.sanitizer.name());
        let job = Job::new(places::staging().join("bin/sycl-clang++"))
            .args(["-fsycl", "-O1", "-g", &sanitize]);
        let job = job.args(sources).arg("-o").arg(&program);
        let output = job.output(b"").map_err(|e| e.to_string())?;
        match output.status.success() {
            true => Ok(program),
            false => Err(format!("{}\nto repeat: {job}", shown(&output))),
        }
    }

    fn output(&self, program: &Path, words: &[&str]) -> Result<Output, String> {
        let lists = places::root().join("fixtures/sanitizers");
        let (variable, options) = self.options.sanitizer.options(&lists);
        let job = Job::new(program)
            .args(words.iter().copied())
            .dir(&self.work)
            .env(variable, options)
            .env("LD_LIBRARY_PATH", &self.library)
            .env("PLUMBLINE_DEVICE", &self.options.device)
            .env("PLUMBLINE_CACHE", "off")
            .env(components::home::VARIABLE, places::components())
            // Intel's driver for GPUs opens libraries in a way that sanitizers end the process over.
            .env("NEOReadDebugKeys", "1")
            .env("DisableDeepBind", "1")
            .limit(LIMIT);
        let output = job.output(b"").map_err(|e| e.to_string())?;
        Ok(output)
    }
}

fn shown(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

/// The programs: a source file each, or a folder of them.
fn programs(folder: &Path) -> Result<Vec<(String, Vec<PathBuf>)>, Failure> {
    let listed = |folder: &Path| -> Result<Vec<PathBuf>, Failure> {
        let entries = fs::read_dir(folder).map_err(|e| Failure::at(folder, e))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        Ok(paths)
    };
    let is_source = |path: &PathBuf| path.extension().is_some_and(|e| e == "cpp");
    let mut programs = Vec::new();
    for path in listed(folder)? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let sources = match path.is_dir() {
            true => listed(&path)?.into_iter().filter(is_source).collect(),
            false if is_source(&path) => vec![path.clone()],
            false => continue,
        };
        programs.push((name.into_owned(), sources));
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_sources_is_one_program() {
        let programs = programs(&places::root().join("fixtures/programs")).unwrap();
        let sources = |name: &str| {
            let mut found = programs.iter().filter(|(each, _)| each == name);
            found.next().map(|(_, sources)| sources.len())
        };
        assert_eq!(sources("vector-add"), Some(1));
        assert!(sources("external-functions") > Some(1));
    }
}

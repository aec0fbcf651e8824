//! Programs built with and without ThinLTO and of objects of both kinds, and run.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use components::process::Job;

use crate::Options;
use crate::graph::Program;
use crate::random::Random;
use crate::text;

/// A way to compile and link device code.
#[derive(Debug, Clone, Copy)]
struct Way {
    name: &'static str,
    words: &'static [&'static str],
}

const WAYS: [Way; 2] = [
    Way {
        name: "full",
        words: &[],
    },
    Way {
        name: "thin",
        words: &["-foffload-lto=thin"],
    },
];

/// Device globals have initial values from here on.
const STANDARD: &str = "-std=c++20";

/// Nothing takes longer.
const LIMIT: Duration = Duration::from_secs(120);

/// Builds and runs the programs; how many are not as they should be.
pub fn run(options: &Options) -> Result<u64, String> {
    let common = options.folder.join("kernels");
    let ready = compile_kernels(&options.driver, &common)?;
    let (next, wrong) = (AtomicU64::new(0), AtomicU64::new(0));
    let said = Mutex::new(());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= options.count {
                return;
            }
            let number = options.first + number;
            let folder = options.folder.join(number.to_string());
            let outcome = one(options, number, &folder, &ready);
            let _one_at_a_time = said.lock();
            match outcome {
                Ok(()) if options.keep => {}
                // What is left over takes room alone.
                Ok(()) => drop(fs::remove_dir_all(&folder)),
                Err(reason) => {
                    println!("program {number} is WRONG: {reason}");
                    wrong.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    let wrong = wrong.into_inner();
    let right = options.count - wrong;
    println!(
        "{right} of {} programs are right in all ways",
        options.count
    );
    Ok(wrong)
}

/// The driver, to be given more words.
fn driver_job(driver: &[OsString]) -> Job {
    let mut words = driver.iter();
    let program = words.next().cloned().unwrap_or_default();
    Job::new(program).args(words)
}

/// The objects that all programs have in common, for each way.
fn compile_kernels(driver: &[OsString], folder: &Path) -> Result<Vec<Vec<PathBuf>>, String> {
    make(folder)?;
    let files = text::kernels();
    for (name, text) in &files {
        write(&folder.join(name), text)?;
    }
    let objects = WAYS.iter().map(|way| {
        let object = |(name, _): &(String, String)| {
            let object = folder.join(format!("{name}.{}.o", way.name));
            let job = driver_job(driver)
                .args(["-fsycl", STANDARD, "-O2", "-c"])
                .args(way.words);
            let job = job.arg(folder.join(name)).arg("-o").arg(&object);
            start(&job).map(|_| object)
        };
        files.iter().map(object).collect()
    });
    objects.collect()
}

/// Builds and runs one program.
fn one(
    options: &Options,
    number: u64,
    folder: &Path,
    ready: &[Vec<PathBuf>],
) -> Result<(), String> {
    let program = Program::of(number, options.beyond);
    make(folder)?;
    write(&folder.join("program.hpp"), &text::header(&program))?;
    for unit in 0..program.units.len() {
        let source = folder.join(format!("unit{unit}.cpp"));
        write(&source, &text::unit(&program, unit))?;
    }
    let driver = &*options.driver;
    let mut objects = Vec::new();
    for way in WAYS {
        objects.push(compile(driver, &program, folder, way)?);
    }
    // Links of both kinds of objects are links with ThinLTO.
    let mixed = Way {
        name: "mixed",
        ..WAYS[1]
    };
    let mixture = (mix(number, ready), mix(number >> 8, &objects));
    let of_one_kind = WAYS.into_iter().zip(ready.iter().cloned().zip(objects));
    let of_both = options.beyond.then_some((mixed, mixture));
    for (way, (kernels, units)) in of_one_kind.chain(of_both) {
        let executable = link(driver, &program, folder, (way, kernels, units))?;
        let job = Job::new(&executable).limit(LIMIT);
        let output = job.output(b"").map_err(|e| e.to_string())?;
        // Not 0, which a program that does nothing gives.
        if output.status.code() != Some(42) {
            let (out, err) = (&output.stdout, &output.stderr);
            let (out, err) = (String::from_utf8_lossy(out), String::from_utf8_lossy(err));
            return Err(format!("{job} ended with {}\n{out}{err}", output.status));
        }
    }
    Ok(())
}

/// Of each object that of one way or of the other.
fn mix(number: u64, ways: &[Vec<PathBuf>]) -> Vec<PathBuf> {
    let mut random = Random::of(number);
    let places = 0..ways.first().map_or(0, Vec::len);
    let chosen = places.filter_map(|place| ways.get(random.below(ways.len()))?.get(place).cloned());
    chosen.collect()
}

/// The objects of a program's units, compiled in one way.
fn compile(
    driver: &[OsString],
    program: &Program,
    folder: &Path,
    way: Way,
) -> Result<Vec<PathBuf>, String> {
    let units = program.units.iter().enumerate().map(|(number, unit)| {
        let object = folder.join(format!("unit{number}.{}.o", way.name));
        let job = driver_job(driver).args(["-fsycl", STANDARD, "-c", unit.level]);
        let job = job.args(unit.debug.then_some("-g")).args(way.words);
        let source = folder.join(format!("unit{number}.cpp"));
        start(&job.arg(source).arg("-o").arg(&object)).map(|()| object)
    });
    units.collect()
}

/// Links a program's kernels and units in one way.
fn link(
    driver: &[OsString],
    program: &Program,
    folder: &Path,
    (way, mut objects, units): (Way, Vec<PathBuf>, Vec<PathBuf>),
) -> Result<PathBuf, String> {
    let mut members = Vec::new();
    for (unit, object) in program.units.iter().zip(units) {
        match unit.in_archive {
            true => members.push(object),
            false => objects.push(object),
        }
    }
    if !members.is_empty() {
        let archive = folder.join(format!("lib.{}.a", way.name));
        start(&Job::new("ar").arg("rcs").arg(&archive).args(members))?;
        objects.push(archive);
    }
    let executable = folder.join(format!("program.{}", way.name));
    let split = format!("-fsycl-device-code-split={}", program.split);
    let job = driver_job(driver).arg("-fsycl").args(way.words);
    let job = job.args(way.words.is_empty().then_some(split));
    start(&job.args(objects).arg("-o").arg(&executable))?;
    Ok(executable)
}

fn start(job: &Job) -> Result<(), String> {
    let job = job.clone().limit(LIMIT);
    let output = job.output(b"").map_err(|e| e.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(format!("{job} ended with {}\n{said}", output.status))
        }
    }
}

fn make(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

//! Programs built with and without ThinLTO and of objects of both kinds, and run.

use std::path::{Path, PathBuf};

use components::process::Job;
use suites::generated::{self, Programs, Random, make, start, write};

use crate::Options;
use crate::graph::Program;
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

/// Builds and runs the programs; how many are not as they should be.
pub fn run(options: &Options) -> Result<u64, String> {
    let programs = &options.programs;
    let ready = compile_kernels(programs, &programs.folder.join("kernels"))?;
    let wrong = programs.each(|number, folder| one(options, number, folder, &ready));
    let right = programs.count - wrong;
    println!(
        "{right} of {} programs are right in all ways",
        programs.count
    );
    Ok(wrong)
}

/// The objects that all programs have in common, for each way.
fn compile_kernels(programs: &Programs, folder: &Path) -> Result<Vec<Vec<PathBuf>>, String> {
    make(folder)?;
    let files = text::kernels();
    for (name, text) in &files {
        write(&folder.join(name), text)?;
    }
    let objects = WAYS.iter().map(|way| {
        let object = |(name, _): &(String, String)| {
            let object = folder.join(format!("{name}.{}.o", way.name));
            let job = programs
                .driver_job()
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
    write(&folder.join("program.hpp"), &text::header(&program))?;
    for unit in 0..program.units.len() {
        let source = folder.join(format!("unit{unit}.cpp"));
        write(&source, &text::unit(&program, unit))?;
    }
    let programs = &options.programs;
    let mut objects = Vec::new();
    for way in WAYS {
        objects.push(compile(programs, &program, folder, way)?);
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
        let executable = link(programs, &program, folder, (way, kernels, units))?;
        generated::run(&executable)?;
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
    programs: &Programs,
    program: &Program,
    folder: &Path,
    way: Way,
) -> Result<Vec<PathBuf>, String> {
    let units = program.units.iter().enumerate().map(|(number, unit)| {
        let object = folder.join(format!("unit{number}.{}.o", way.name));
        let job = programs
            .driver_job()
            .args(["-fsycl", STANDARD, "-c", unit.level]);
        let job = job.args(unit.debug.then_some("-g")).args(way.words);
        let source = folder.join(format!("unit{number}.cpp"));
        start(&job.arg(source).arg("-o").arg(&object)).map(|()| object)
    });
    units.collect()
}

/// Links a program's kernels and units in one way.
fn link(
    programs: &Programs,
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
    let job = programs.driver_job().arg("-fsycl").args(way.words);
    let job = job.args(way.words.is_empty().then_some(split));
    start(&job.args(objects).arg("-o").arg(&executable))?;
    Ok(executable)
}

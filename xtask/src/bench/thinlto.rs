//! `bench thinlto`: the ThinLTO link of generated projects, against full links of the same units: one
//! that optimizes nothing, and one that optimizes the linked module, as `opt -O2` does.

mod project;

use std::fs;
use std::path::{Path, PathBuf};

use components::Component;
use components::process::Job;
use rayon::prelude::*;

use super::objects;
use super::{Contender, Contest, Finding, Measured};
use crate::failure::Failure;
use crate::{places, setup};
use project::{Language, Shape};

/// Projects: how functions call each other, in what language, of so many units, and how often each is linked.
const PROJECTS: [(Shape, Language, usize, usize); 12] = [
    (Shape::Shallow, Language::Ir, 10, 7),
    (Shape::Shallow, Language::Ir, 50, 5),
    (Shape::Shallow, Language::Ir, 200, 3),
    (Shape::Deep, Language::Ir, 10, 7),
    (Shape::Deep, Language::Ir, 50, 5),
    (Shape::Deep, Language::Ir, 200, 3),
    // To show how it grows.
    (Shape::Shallow, Language::Ir, 1000, 1),
    (Shape::Deep, Language::Ir, 1000, 1),
    (Shape::Shallow, Language::Cpp, 10, 5),
    (Shape::Deep, Language::Cpp, 10, 5),
    (Shape::Shallow, Language::Cpp, 50, 3),
    (Shape::Deep, Language::Cpp, 50, 3),
];

/// From here on the aim for memory holds, which is one process's peak: of the writer's most is its own code even here.
const LARGE: usize = 200;

const TRIPLE: &str = "spir64-unknown-unknown";

/// Peers by whose names findings tell figures apart.
const PLAIN: &str = "full link, nothing optimized";
const OPTIMIZED: &str = "full link, -O2 at the link";
const RELINK: &str = "ThinLTO link with a cache, one unit changed";
const SPLIT: &str = "the split of a full link alone";
const WRITERS: &str = "the writers of SPIR-V alone";

/// The contests, over projects made in `folder`.
pub fn contests(folder: &Path) -> Result<Vec<Contest>, Failure> {
    let mut contests = Vec::new();
    for (shape, language, size, rounds) in PROJECTS {
        let folder = folder.join(format!("{}-{}-{size}", shape.name(), language.name()));
        let units = units(&folder, (shape, language), size)?;
        let words = ["--sycl-post-link-options=-split=source"];
        let thin: Vec<&Path> = units.iter().map(|unit| &*unit.thin).collect();
        let whole: Vec<&Path> = units.iter().map(|unit| &*unit.whole).collect();
        let plain = link(&folder, &words, &whole, "plain.so")?;
        let mut peers = vec![
            Contender {
                name: PLAIN.to_owned(),
                steps: vec![vec![plain]],
            },
            optimized(&folder, &units, &words)?,
            relink(&folder, (shape, language), size, &thin)?,
        ];
        peers.extend(apart(&folder, &units)?);
        contests.push(Contest {
            name: format!("{size} {} units, {} calls", language.name(), shape.name()),
            ours: Contender {
                name: "ThinLTO link".to_owned(),
                steps: vec![vec![link(&folder, &["--sycl-thin-lto"], &thin, "thin.so")?]],
            },
            peers,
            rounds,
        });
    }
    Ok(contests)
}

/// The aims: half the time of the full link that optimizes too, no more of the processors, a quarter of
/// the memory; little more work than the full link that does not.
pub fn findings(_: &Path, measured: &[Measured]) -> Result<Vec<Finding>, Failure> {
    let mut findings = Vec::new();
    for contest in measured {
        let name = &contest.contest.name;
        let mut add = |what: &str, value: f64, at_most: Option<f64>| {
            findings.push(Finding::plain(format!("{name}: {what}"), value, at_most));
        };
        let ours = contest.of(&contest.contest.ours.name);
        if let Some(optimized) = contest.of(OPTIMIZED) {
            let wall = "time, to the full link with -O2";
            add(wall, optimized.ours_to_this, Some(0.5));
            let processor = "processor time, to the full link with -O2";
            add(processor, optimized.ours_to_this_processor, Some(1.0));
            if let Some(relink) = contest.of(RELINK) {
                let wall = relink.seconds / optimized.seconds;
                add(
                    "time with a cache and one changed unit, to the full link with -O2",
                    wall,
                    Some(0.1),
                );
            }
            let memory = ours.and_then(|ours| Some(ours.peak_mib? / optimized.peak_mib?));
            if let Some(memory) = memory {
                let size = name.split(' ').next().and_then(|size| size.parse().ok());
                let aim = size.filter(|size: &usize| *size >= LARGE).map(|_| 0.25);
                add("memory, to the full link with -O2", memory, aim);
            }
        }
        if let Some(plain) = contest.of(PLAIN) {
            let processor = "processor time, to the full link without optimization";
            add(processor, plain.ours_to_this_processor, Some(1.3));
        }
    }
    Ok(findings)
}

/// A unit, compiled.
struct Unit {
    bitcode: PathBuf,
    /// The object for a full link.
    whole: PathBuf,
    /// The object for a ThinLTO link.
    thin: PathBuf,
}

/// The units of a project, each optimized when it is compiled.
fn units(folder: &Path, project: (Shape, Language), size: usize) -> Result<Vec<Unit>, Failure> {
    fs::create_dir_all(folder).map_err(|e| Failure::at(folder, e))?;
    let units = (0..size).into_par_iter().map(|number| {
        let text = project::unit(project, number, size);
        compiled(
            folder,
            &format!("unit-{number}"),
            number,
            (project.1, &text),
        )
    });
    units.collect()
}

/// A unit out of its text.
fn compiled(
    folder: &Path,
    name: &str,
    number: usize,
    (language, text): (Language, &str),
) -> Result<Unit, Failure> {
    let stem = folder.join(name);
    let source = stem.with_extension(language.extension());
    let bitcode = stem.with_extension("bc");
    fs::write(&source, text).map_err(|e| Failure::at(&source, e))?;
    match language {
        Language::Ir => {
            let compile = Job::new(setup::require(Component::Opt)?.path);
            let compile = compile.arg("-passes=default<O2>").arg(&source);
            run(&compile.arg("-o").arg(&bitcode))?;
        }
        Language::Cpp => {
            let words = ["-O2", "-fsycl", "-fsycl-device-only", "-c"];
            let driver = Job::new(places::staging().join("bin/sycl-clang++")).args(words);
            let driver = driver.env(components::home::VARIABLE, places::components());
            let package = stem.with_extension("package");
            run(&driver.arg(&source).arg("-o").arg(&package))?;
            let unpack = Job::new(places::staging().join("bin/clang-offload-packager"));
            let image = format!(
                "--image=file={},kind=sycl,triple={TRIPLE}",
                bitcode.display()
            );
            run(&unpack.arg(&package).arg(image))?;
        }
    }
    let table = stem.with_extension("table");
    let split = Job::new(places::staging().join("bin/sycl-post-link"));
    let split = split.args(["--thin-lto", "-split=source"]).arg(&bitcode);
    run(&split.arg("-o").arg(&table))?;
    let thin = folder.join(format!("{name}_0.bc"));
    Ok(Unit {
        whole: objects::of_bitcode(&stem, number, ("sycl", TRIPLE), &bitcode)?,
        thin: objects::of_bitcode(
            &stem.with_extension("thin"),
            number,
            ("sycl", TRIPLE),
            &thin,
        )?,
        bitcode,
    })
}

/// A full link that optimizes what it has linked.
fn optimized(folder: &Path, units: &[Unit], words: &[&str]) -> Result<Contender, Failure> {
    let (whole, bitcode) = (folder.join("whole.bc"), folder.join("whole.opt.bc"));
    let join = Job::new(setup::require(Component::LlvmLink)?.path);
    let join = join.args(units.iter().map(|unit| &unit.bitcode));
    let optimize = Job::new(setup::require(Component::Opt)?.path);
    let optimize = optimize.arg("-passes=default<O2>").arg(&whole);
    let mut steps = vec![
        vec![join.arg("-o").arg(&whole)],
        vec![optimize.arg("-o").arg(&bitcode)],
    ];
    let stem = folder.join("whole");
    let (jobs, object) = objects::embed(&stem, 0, ("sycl", TRIPLE), &bitcode)?;
    steps.extend(jobs.into_iter().map(|job| vec![job]));
    steps.push(vec![link(folder, words, &[&object], "optimized.so")?]);
    Ok(Contender {
        name: OPTIMIZED.to_owned(),
        steps,
    })
}

/// A link over a cache that has all of the project but its first unit, which changed. The cache is the same
/// in every round: it is copied, and that counts.
fn relink(
    folder: &Path,
    project: (Shape, Language),
    size: usize,
    thin: &[&Path],
) -> Result<Contender, Failure> {
    let (warm, kept) = (folder.join("warm"), folder.join("kept"));
    let cached = |cache: &Path, objects: &[&Path], to| {
        let word = format!("--thinlto-cache-dir={}", cache.display());
        link(folder, &["--sycl-thin-lto", &word], objects, to)
    };
    run(&cached(&warm, thin, "warm.so")?)?;
    let text = project::changed(project, size);
    let changed = compiled(folder, "changed", 0, (project.1, &text))?;
    let objects: Vec<&Path> = std::iter::once(&*changed.thin)
        .chain(thin.iter().skip(1).copied())
        .collect();
    Ok(Contender {
        name: RELINK.to_owned(),
        steps: vec![
            vec![Job::new("rm").arg("-rf").arg(&kept)],
            vec![Job::new("cp").arg("-R").arg(&warm).arg(&kept)],
            vec![cached(&kept, &objects, "relinked.so")?],
        ],
    })
}

/// What of a full link is the split, and what is its writers' work: each alone.
fn apart(folder: &Path, units: &[Unit]) -> Result<[Contender; 2], Failure> {
    let whole = folder.join("apart.bc");
    let join = Job::new(setup::require(Component::LlvmLink)?.path);
    run(&join
        .args(units.iter().map(|unit| &unit.bitcode))
        .arg("-o")
        .arg(&whole))?;
    let split = Job::new(places::staging().join("bin/sycl-post-link"));
    let split = split.arg("-split=source").arg(&whole).arg("-o");
    let split = split.arg(folder.join("apart.table"));
    run(&split)?;
    let writer = setup::require(Component::SpirvBackend)?.path;
    let write = |number: usize| {
        let job = Job::new(&writer).args(["clang", "--target=spirv64v1.4-unknown-unknown"]);
        let job = job.args(["-Wno-override-module", "-c", "-x", "ir"]);
        let job = job.arg(folder.join(format!("apart_{number}.bc"))).arg("-o");
        job.arg(folder.join(format!("apart_{number}.spv")))
    };
    let writers = (0..units.len()).map(write).collect();
    Ok(
        [(SPLIT, vec![split]), (WRITERS, writers)].map(|(name, jobs)| Contender {
            name: name.to_owned(),
            steps: vec![jobs],
        }),
    )
}

/// The wrapper's link of a shared library.
fn link(folder: &Path, words: &[&str], objects: &[&Path], to: &str) -> Result<Job, Failure> {
    let job = Job::new(places::staging().join("bin/clang-linker-wrapper"));
    let linker = format!(
        "--linker-path={}",
        setup::require(Component::Linker)?.path.display()
    );
    let job = job.arg(linker).args(words.iter().copied());
    let job = job.args(["--", "-shared"]).args(objects.iter().copied());
    let job = job
        .arg(objects::stubs(folder)?)
        .arg("-o")
        .arg(folder.join(to));
    Ok(job.env(components::home::VARIABLE, places::components()))
}

fn run(job: &Job) -> Result<(), Failure> {
    job.capture(b"").map(|_| ()).map_err(Failure::new)
}

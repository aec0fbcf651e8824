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
use project::Shape;

/// Projects of so many units, and how often each is linked.
const SIZES: [(usize, usize); 3] = [(10, 7), (50, 5), (200, 3)];

/// The largest: only there memory counts.
const LARGEST: usize = 200;

const TRIPLE: &str = "spir64-unknown-unknown";

/// Peers by whose names findings tell figures apart.
const PLAIN: &str = "full link, nothing optimized";
const OPTIMIZED: &str = "full link, -O2 at the link";
const RELINK: &str = "ThinLTO link with a cache, one unit changed";

/// The contests, over projects made in `folder`.
pub fn contests(folder: &Path) -> Result<Vec<Contest>, Failure> {
    let mut contests = Vec::new();
    for shape in Shape::ALL {
        for (size, rounds) in SIZES {
            let folder = folder.join(format!("{}-{size}", shape.name()));
            let units = units(&folder, shape, size)?;
            let words = ["--sycl-post-link-options=-split=source"];
            let thin: Vec<&Path> = units.iter().map(|unit| &*unit.thin).collect();
            let whole: Vec<&Path> = units.iter().map(|unit| &*unit.whole).collect();
            let plain = link(&folder, &words, &whole, "plain.so")?;
            contests.push(Contest {
                name: format!("{size} units, {} calls", shape.name()),
                ours: Contender {
                    name: "ThinLTO link".to_owned(),
                    steps: vec![vec![link(&folder, &["--sycl-thin-lto"], &thin, "thin.so")?]],
                },
                peers: vec![
                    Contender {
                        name: PLAIN.to_owned(),
                        steps: vec![vec![plain]],
                    },
                    optimized(&folder, &units, &words)?,
                    relink(&folder, shape, size, &thin)?,
                ],
                rounds,
            });
        }
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
            findings.push(Finding {
                what: format!("{name}: {what}"),
                value,
                at_most,
            });
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
                let aim = name.starts_with(&LARGEST.to_string()).then_some(0.25);
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
fn units(folder: &Path, shape: Shape, size: usize) -> Result<Vec<Unit>, Failure> {
    fs::create_dir_all(folder).map_err(|e| Failure::at(folder, e))?;
    let units = (0..size).into_par_iter().map(|number| {
        let text = project::unit(shape, number, size);
        compiled(folder, &format!("unit-{number}"), number, &text)
    });
    units.collect()
}

/// A unit out of its text.
fn compiled(folder: &Path, name: &str, number: usize, text: &str) -> Result<Unit, Failure> {
    let opt = setup::require(Component::Opt)?.path;
    let stem = folder.join(name);
    let (source, bitcode) = (stem.with_extension("ll"), stem.with_extension("bc"));
    fs::write(&source, text).map_err(|e| Failure::at(&source, e))?;
    let compile = Job::new(&opt).arg("-passes=default<O2>").arg(&source);
    run(&compile.arg("-o").arg(&bitcode))?;
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
fn relink(folder: &Path, shape: Shape, size: usize, thin: &[&Path]) -> Result<Contender, Failure> {
    let (warm, kept) = (folder.join("warm"), folder.join("kept"));
    let cached = |cache: &Path, objects: &[&Path], to| {
        let word = format!("--thinlto-cache-dir={}", cache.display());
        link(folder, &["--sycl-thin-lto", &word], objects, to)
    };
    run(&cached(&warm, thin, "warm.so")?)?;
    let text = project::unit(shape, 0, size).replacen("add i32", "sub i32", 1);
    let changed = compiled(folder, "changed", 0, &text)?;
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

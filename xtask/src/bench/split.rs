//! `bench split`: splitting a large device module, against `llvm-extract` once per kernel and
//! against reading and writing the module once.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use components::process::Job;
use components::{Component, Components};

use super::{Contender, Contest, Finding, Measured};
use crate::failure::Failure;
use crate::places;

const LARGEST: usize = 1000;
/// The sizes that show, with the largest, how time grows.
const SMALLER: [usize; 2] = [250, 500];
/// Functions that one kernel alone reaches.
const OWN: usize = 8;
/// Functions for each kernel that several may reach: 10,000 functions for 1,000 kernels in all.
const SHARED: usize = 2;
const UNITS: usize = 50;

/// Contenders that findings compare.
const OURS_ALONE: &str = "sycl-post-link, one worker";
const READ: &str = "opt: read whole and verify";
const READ_EMPTY: &str = "opt on one kernel";
const EXTRACT: &str = "llvm-extract once per kernel";

/// Per kernel and per source against reading and writing once and against `llvm-extract`; in turns
/// with the former also smaller modules, one worker alone, and what only holds the input in memory.
pub fn contests(folder: &Path) -> Result<Vec<Contest>, Failure> {
    let components = Components::here().map_err(Failure::new)?;
    let program = |component| Ok(components.find(component).map_err(Failure::new)?.path);
    let (assembler, extract, link, opt): (PathBuf, PathBuf, PathBuf, PathBuf) = (
        program(Component::LlvmAs)?,
        program(Component::LlvmExtract)?,
        program(Component::LlvmLink)?,
        program(Component::Opt)?,
    );
    let read = |name, module: &Path| {
        let job = Job::new(&opt).args(["-passes=verify", "-disable-output"]);
        contender(name, vec![job.arg(module)])
    };
    let one = module(folder, 1, &assembler)?;
    let whole = module(folder, LARGEST, &assembler)?;
    let ours = |name: &str, module: &Path, kernels, mode| {
        let job = split(module, &images(folder, kernels, mode)?, mode);
        Ok::<_, Failure>(contender(name, vec![job]))
    };
    let copy = Job::new(&link)
        .arg(&whole)
        .arg("-o")
        .arg(folder.join("copy.bc"));
    let once = contender("llvm-link: read and write once", vec![copy]);
    let mut contests = Vec::new();
    for mode in ["kernel", "source"] {
        let mut peers = vec![once.clone()];
        if mode == "kernel" {
            for kernels in SMALLER {
                let module = module(folder, kernels, &assembler)?;
                peers.push(ours(&ours_on(kernels), &module, kernels, mode)?);
            }
            let mut alone = ours(OURS_ALONE, &whole, LARGEST, mode)?;
            for job in alone.steps.iter_mut().flatten() {
                job.env.push(("RAYON_NUM_THREADS".into(), "1".into()));
            }
            peers.push(alone);
            peers.push(ours(&ours_on(1), &one, 1, mode)?);
            peers.push(read(READ, &whole));
            peers.push(read(READ_EMPTY, &one));
        }
        contests.push(Contest {
            name: contest_name(mode),
            ours: ours(&ours_on(LARGEST), &whole, LARGEST, mode)?,
            peers,
            rounds: 5,
        });
        contests.push(Contest {
            name: format!("{}, against extraction", contest_name(mode)),
            ours: ours(&ours_on(LARGEST), &whole, LARGEST, mode)?,
            peers: vec![extractions(&extract, &whole, folder)],
            // A round extracts every kernel, and there is one more to warm up.
            rounds: 1,
        });
    }
    Ok(contests)
}

/// What the aims are about: the time against extraction, memory against that of the input, and how
/// time grows with what is written.
pub fn findings(folder: &Path, measured: &[Measured]) -> Result<Vec<Finding>, Failure> {
    let find = |name: &str| measured.iter().find(|one| one.contest.name == name);
    let figures = |contest: &str, contender: &str| find(contest).and_then(|one| one.of(contender));
    let seconds = |contest: &str, contender: &str| {
        figures(contest, contender).map_or(f64::NAN, |figures| figures.seconds)
    };
    let mut findings = Vec::new();
    let mut tell = |what: String, value, at_most| {
        findings.push(Finding::plain(what, value, at_most));
    };
    for mode in ["kernel", "source"] {
        let contest = format!("{}, against extraction", contest_name(mode));
        let ratio = seconds(&contest, &ours_on(LARGEST)) / seconds(&contest, EXTRACT);
        tell(
            format!("time of the split per {mode} / {EXTRACT}"),
            ratio,
            Some(0.2),
        );
    }
    let largest = contest_name("kernel");
    let peak = |contender: &str| figures(&largest, contender).and_then(|figures| figures.peak_mib);
    // What a program holds before it has read anything is not the module's.
    let grown = |of: &str, empty: &str| Some(peak(of)? - peak(empty)?);
    let input = grown(READ, READ_EMPTY).unwrap_or(f64::NAN);
    tell("the input in memory, MiB".to_owned(), input, None);
    let whole = ours_on(LARGEST);
    for (contender, workers) in [(&*whole, "all workers"), (OURS_ALONE, "one worker")] {
        let multiple = grown(contender, &ours_on(1)).unwrap_or(f64::NAN) / input;
        tell(
            format!("peak memory with {workers} / the input in memory"),
            multiple,
            Some(3.0),
        );
    }
    let mut rates = Vec::new();
    for kernels in SMALLER.into_iter().chain([LARGEST]) {
        let written = size_of_files(&images(folder, kernels, "kernel")?)?;
        let rate = seconds(&largest, &ours_on(kernels)) / written;
        tell(
            format!("seconds a MiB written, {kernels} kernels ({written:.2} MiB)"),
            rate,
            None,
        );
        rates.push(rate);
    }
    if let [least, .., most] = rates[..] {
        let what = "time a byte, most kernels / fewest (1 is linear)".to_owned();
        tell(what, most / least, Some(1.25));
    }
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let faster = seconds(&largest, OURS_ALONE) / seconds(&largest, &whole);
    tell(
        format!("times faster with all {cores} cores than with one"),
        faster,
        None,
    );
    Ok(findings)
}

fn contest_name(mode: &str) -> String {
    format!("{LARGEST} kernels, split per {mode}")
}

fn ours_on(kernels: usize) -> String {
    format!("sycl-post-link on {kernels} kernels")
}

fn contender(name: &str, jobs: Vec<Job>) -> Contender {
    Contender {
        name: name.to_owned(),
        steps: jobs.into_iter().map(|job| vec![job]).collect(),
    }
}

/// A generated module as bitcode.
fn module(folder: &Path, kernels: usize, assembler: &Path) -> Result<PathBuf, Failure> {
    let text = folder.join(format!("{kernels}.ll"));
    let module = folder.join(format!("{kernels}.bc"));
    fs::write(&text, module_text(kernels)).map_err(|e| Failure::at(&text, e))?;
    let assemble = Job::new(assembler).arg(&text).arg("-o").arg(&module);
    assemble.run().map_err(Failure::new)?;
    Ok(module)
}

/// The folder that the images of one split go to.
fn images(folder: &Path, kernels: usize, mode: &str) -> Result<PathBuf, Failure> {
    let images = folder.join(format!("{kernels}-{mode}"));
    fs::create_dir_all(&images).map_err(|e| Failure::at(&images, e))?;
    Ok(images)
}

fn split(module: &Path, images: &Path, mode: &str) -> Job {
    Job::new(places::staging().join("bin/sycl-post-link"))
        .arg(format!("-split={mode}"))
        .args(["-symbols", "-properties", "-o"])
        .arg(images.join("split.table"))
        .arg(module)
}

/// The files of a folder, in MiB.
fn size_of_files(folder: &Path) -> Result<f64, Failure> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).map_err(|e| Failure::at(folder, e))? {
        let data = entry.and_then(|entry| entry.metadata());
        bytes += data.map_err(|e| Failure::at(folder, e))?.len();
    }
    Ok(bytes as f64 / f64::from(1 << 20))
}

fn extractions(extract: &Path, module: &Path, folder: &Path) -> Contender {
    let one = |kernel| {
        Job::new(extract)
            .arg("--recursive")
            .arg(format!("--func=kernel_{kernel}"))
            .arg(module)
            .arg("-o")
            .arg(folder.join("extracted.bc"))
    };
    contender(EXTRACT, (0..LARGEST).map(one).collect())
}

/// A module of kernels that each reach a chain of functions of their own and two shared ones.
fn module_text(kernels: usize) -> String {
    let mut text = String::from("target triple = \"spir64-unknown-unknown\"\n");
    let shared = kernels * SHARED;
    // A sequence that looks random and is the same each time.
    let mut state = 1u64;
    let mut pick = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below.max(1)
    };
    for i in 0..shared {
        let callees = match i % 3 {
            1 => vec![format!("shared_{}", pick(i))],
            _ => Vec::new(),
        };
        function(&mut text, &format!("shared_{i}"), &callees, i);
    }
    for kernel in 0..kernels {
        for i in 0..OWN {
            let callees = match i + 1 == OWN {
                true => (0..2).map(|_| format!("shared_{}", pick(shared))).collect(),
                false => vec![format!("own_{kernel}_{}", i + 1)],
            };
            function(&mut text, &format!("own_{kernel}_{i}"), &callees, i);
        }
        let _ = writeln!(
            text,
            "define spir_kernel void @kernel_{kernel}(ptr addrspace(1) %out, i32 %a) #{} {{\n  \
             %r = call spir_func i32 @own_{kernel}_0(i32 %a)\n  \
             store i32 %r, ptr addrspace(1) %out\n  ret void\n}}",
            kernel % UNITS
        );
    }
    for unit in 0..UNITS {
        let _ = writeln!(
            text,
            "attributes #{unit} = {{ \"sycl-module-id\"=\"{unit}.cpp\" }}"
        );
    }
    text
}

/// A function of some arithmetic and calls.
fn function(text: &mut String, name: &str, callees: &[String], seed: usize) {
    let _ = writeln!(text, "define spir_func i32 @{name}(i32 %a) {{");
    let mut value = "%a".to_owned();
    for i in 0..12 {
        let _ = writeln!(
            text,
            "  %s{i} = add i32 {value}, {}\n  %x{i} = xor i32 %s{i}, %a",
            seed + i
        );
        value = format!("%x{i}");
    }
    for (i, callee) in callees.iter().enumerate() {
        let _ = writeln!(text, "  %c{i} = call spir_func i32 @{callee}(i32 {value})");
        value = format!("%c{i}");
    }
    let _ = writeln!(text, "  ret i32 {value}\n}}");
}

//! The link of many fat objects: what the wrapper costs on top of the outside tools it starts,
//! ahead-of-time compilation with one job and with all cores, and upstream's wrapper.
//!
//! Upstream's wrapper knows no SYCL: it links the same host objects with OpenMP device code of the
//! same size, for the host's own architecture.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use components::Component;
use components::process::Job;

use super::driver::driver;
use super::objects::{self, fat_object, fat_objects, kernel};
use super::{Contender, Contest, Finding, Measured};
use crate::failure::Failure;
use crate::{places, setup};

/// Programs of so many objects, and how often each is linked: a short time wants more rounds before it
/// tells a tenth.
const PROGRAMS: [(usize, usize); 3] = [(1, 31), (50, 21), (500, 11)];

/// How many of the smallest objects there are.
const MANY: usize = 500;

/// A standard stream in the place of a file's name.
const STREAM: &str = "-";

/// Kernels of the module that is compiled ahead of time, one module each.
const AOT_KERNELS: usize = 64;

/// What a link by the wrapper writes.
const OURS: &str = "ours.out";

/// What the contest over the smallest objects is called by.
const SMALLEST: &str = "fat objects of one small kernel and no host code";

/// Peers by whose names findings tell contests apart.
const UPSTREAM: &str = "clang-linker-wrapper-19";
const ONE_JOB: &str = "one job";

/// The contests, over objects made in `folder`.
pub fn contests(folder: &Path) -> Result<Vec<Contest>, Failure> {
    let mut contests = Vec::new();
    for (size, rounds) in PROGRAMS {
        let contest = |name: &str, own: String, words: &[&str]| {
            let contest = program(&folder.join(own), size, name, words)?;
            Ok::<_, Failure>(Contest { rounds, ..contest })
        };
        contests.push(contest("an image each", size.to_string(), &[])?);
        if size > 1 {
            let words = ["-fsycl-device-code-split=off"];
            contests.push(contest("one image", format!("{size}-in-one"), &words)?);
        }
    }
    contests.push(super::driver::link_contest(&folder.join("program"))?);
    contests.push(ahead_of_time(&folder.join("aot"))?);
    contests.extend(smallest(&folder.join("smallest"), MANY)?);
    Ok(contests)
}

/// The aims: little more time than the outside tools take, and no more than upstream's wrapper. How
/// far the offline compilers scale is the machine's matter, and the smallest objects are no
/// programs: no aim, only the ratio.
pub fn findings(_: &Path, measured: &[Measured]) -> Result<Vec<Finding>, Failure> {
    let findings = measured.iter().filter_map(|Measured { contest, figures }| {
        let [_, peer] = &figures[..] else {
            return None;
        };
        let against = &contest.peers.first()?.name;
        let smallest = contest.name.contains(SMALLEST);
        let at_most = match &**against {
            UPSTREAM => Some(1.0),
            ONE_JOB => None,
            _ if smallest => None,
            _ => Some(1.1),
        };
        let what = format!("time: {}", contest.name);
        Some(Finding::plain(what, peer.ours_to_this, at_most))
    });
    Ok(findings.collect())
}

/// The link of a program of `size` sources beside its main one, as the driver starts it when it is
/// given `words`.
fn program(folder: &Path, size: usize, name: &str, words: &[&str]) -> Result<Contest, Failure> {
    let objects = objects::units(folder, size)?;
    let plan = driver(folder).arg("-###").args(&objects).args(words);
    let plan = plan.arg("-o").arg(folder.join(OURS));
    let plan = plan.capture(b"").map_err(Failure::new)?.stderr;
    let plan = String::from_utf8_lossy(&plan);
    let link = plan.lines().rfind(|line| line.contains("linker-wrapper"));
    let words = link.and_then(shlex::split).unwrap_or_default();
    let [wrapper, words @ ..] = &words[..] else {
        return Err(Failure::new(format!(
            "the driver's plan has no link: {plan}"
        )));
    };
    let ours = Job::new(wrapper).args(words);
    let ours = ours.env(components::home::VARIABLE, places::components());
    overhead(folder, format!("{size} fat objects, {name}"), ours)
}

/// The wrapper against the tools that it starts, alone: the SPIR-V writer over the split modules, as
/// many at once as there are cores, and the host linker over the same objects and the same wrapped
/// images. What the wrapper does itself, the device link, the post-link stage and the wrapper object,
/// is on its side only.
fn overhead(folder: &Path, name: String, ours: Job) -> Result<Contest, Failure> {
    let mut kept = ours.clone();
    kept.args.splice(0..0, ["-v".into(), "--save-temps".into()]);
    let said = kept.capture(b"").map_err(Failure::new)?.stderr;
    let said = String::from_utf8_lossy(&said);
    let stem = |suffix: &str| folder.join(format!("{OURS}.{suffix}"));
    let writer = said.lines().filter_map(shlex::split).find_map(Writer::of);
    let writer = writer.ok_or_else(|| Failure::new("the link starts no SPIR-V writer"))?;
    let modules = (0..).map(|n| stem(&format!("spir64-unknown-unknown_{n}.bc")));
    let modules = modules.take_while(|module| module.is_file());
    let writers: Vec<Job> = modules
        .map(|module| writer.job(&module, &module.with_extension("outside.spv")))
        .collect();
    Ok(Contest {
        name,
        ours: contender("clang-linker-wrapper", ours.clone()),
        peers: vec![Contender {
            name: format!("the {} outside tools alone", writers.len() + 1),
            steps: vec![writers, vec![host_link(folder, &ours, &stem("wrapper.o"))]],
        }],
        rounds: 9,
    })
}

/// The words of a SPIR-V writer as the wrapper starts it: from standard input to standard output.
struct Writer(Vec<String>);

impl Writer {
    fn of(words: Vec<String>) -> Option<Self> {
        let streams = words.iter().filter(|word| *word == STREAM).count();
        (streams == 2).then_some(Writer(words))
    }

    /// The same from file to file.
    fn job(&self, from: &Path, to: &Path) -> Job {
        let mut words: Vec<OsString> = self.0.iter().map(Into::into).collect();
        let mut behind_o = false;
        for word in &mut words {
            let is_output = std::mem::replace(&mut behind_o, word == "-o");
            if word == STREAM {
                *word = if is_output { to.into() } else { from.into() };
            }
        }
        let mut words = words.into_iter();
        Job::new(words.next().unwrap_or_default()).args(words)
    }
}

/// The host link of a wrapper's line, with the object that the wrapper made.
fn host_link(folder: &Path, wrapper: &Job, object: &Path) -> Job {
    let words = wrapper.args.iter().skip_while(|word| *word != "--").skip(1);
    let ours = folder.join(OURS);
    let mut words: Vec<OsString> = words
        .map(|word| match Path::new(word) == ours {
            true => folder.join("outside.out").into(),
            false => word.clone(),
        })
        .collect();
    let first = words.iter().position(|word| {
        let path = Path::new(word);
        path.starts_with(folder) && path.extension().is_some_and(|e| e == "o")
    });
    words.insert(first.unwrap_or(words.len()), object.into());
    Job::new(linker()).args(words)
}

/// Modules compiled for a GPU with one job, against all cores.
fn ahead_of_time(folder: &Path) -> Result<Contest, Failure> {
    fs::create_dir_all(folder).map_err(|e| Failure::at(folder, e))?;
    let kernels: String = (0..AOT_KERNELS).map(kernel).collect();
    let objects = vec![
        fat_object(folder, 0, "sycl", "spir64_gen-unknown-unknown", &kernels)?,
        objects::stubs(folder)?,
    ];
    let with_jobs = |words: &[&str]| {
        let mut job = wrapper(folder, &objects, "aot.out");
        let own = [
            "--gen-tool-arg=-device tgllp",
            "--sycl-post-link-options=-split=kernel",
        ];
        let words = own.iter().chain(words).map(OsString::from);
        job.args.splice(0..0, words);
        job
    };
    Ok(Contest {
        name: format!("{AOT_KERNELS} modules for a GPU, all cores"),
        ours: contender("as many jobs as cores", with_jobs(&[])),
        peers: vec![contender(ONE_JOB, with_jobs(&["--wrapper-jobs=1"]))],
        rounds: 1,
    })
}

/// The smallest objects, which leave the outside tools hardly anything to do: what the wrapper costs
/// then, and upstream's wrapper over no device code, and over as many objects of a kind that it
/// knows.
fn smallest(folder: &Path, size: usize) -> Result<Vec<Contest>, Failure> {
    let sycl = fat_objects(folder, size, "sycl", "spir64-unknown-unknown")?;
    let ours = wrapper(folder, &sycl, OURS);
    let mut contests = vec![overhead(folder, format!("{size} {SMALLEST}"), ours)?];
    let Ok(upstream) = setup::require(Component::UpstreamLinkerWrapper) else {
        return Ok(contests);
    };
    let plain = vec![folder.join("host.o"), objects::stubs(folder)?];
    let theirs = fat_objects(
        &folder.join("openmp"),
        size,
        "openmp",
        "x86_64-unknown-linux-gnu",
    )?;
    let start = |objects: &[PathBuf], output: &str| {
        let job = Job::new(&upstream.path).arg("--host-triple=x86_64-unknown-linux-gnu");
        let job = job.arg(format!("--linker-path={}", linker().display()));
        // Upstream 19 hands everything that it does not know to the linker; a separator ends its line.
        job.args(link_words(folder, objects, output))
    };
    let contest = |name: String, ours: &[PathBuf], peer: &[PathBuf]| Contest {
        name,
        ours: contender("clang-linker-wrapper", wrapper(folder, ours, "a.out")),
        peers: vec![contender(UPSTREAM, start(peer, "b.out"))],
        rounds: 5,
    };
    contests.extend([
        contest("no device code".to_owned(), &plain, &plain),
        contest(
            format!("{size} fat objects, SYCL against OpenMP"),
            &sycl,
            &theirs,
        ),
    ]);
    Ok(contests)
}

fn contender(name: &str, job: Job) -> Contender {
    Contender {
        name: name.to_owned(),
        steps: vec![vec![job]],
    }
}

fn linker() -> PathBuf {
    setup::require(Component::Linker).map_or_else(|_| "ld".into(), |found| found.path)
}

fn wrapper(folder: &Path, objects: &[PathBuf], output: &str) -> Job {
    Job::new(places::staging().join("bin/clang-linker-wrapper"))
        .env(components::home::VARIABLE, places::components())
        .arg(format!("--linker-path={}", linker().display()))
        .arg("--")
        .args(link_words(folder, objects, output))
}

/// A line that links shared libraries with undefined symbols: no C library takes part.
fn link_words(folder: &Path, objects: &[PathBuf], output: &str) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["-shared".into(), "-o".into()];
    words.push(folder.join(output).into());
    words.extend(objects.iter().map(Into::into));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_is_replayed_from_file_to_file() {
        let job = |line: &str| {
            let writer = shlex::split(line).and_then(Writer::of)?;
            Some(
                writer
                    .job(Path::new("a.bc"), Path::new("a.spv"))
                    .to_string(),
            )
        };
        assert_eq!(
            job(r#""zig" "clang" "-c" "-x" "ir" "-" "-o" "-""#).unwrap(),
            r#""zig" "clang" "-c" "-x" "ir" "a.bc" "-o" "a.spv""#
        );
        assert_eq!(
            job("llvm-spirv - -o -").unwrap(),
            r#""llvm-spirv" "a.bc" "-o" "a.spv""#
        );
        assert!(job("ld -o a.out a.o").is_none());
    }
}

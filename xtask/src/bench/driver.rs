//! `bench driver`: compiling one program, and for `bench link` linking it, against nothing but the
//! outside programs that the driver starts for it. The difference is the toolchain's own work.

use std::fs;
use std::path::Path;

use components::Component;
use components::process::Job;

use super::{Contender, Contest};
use crate::failure::Failure;
use crate::{places, setup};

/// The program to compile.
const PROGRAM: &str = "vector-add";

/// How many sources the project has, and how often it is compiled.
const SOURCES: usize = 50;
const ROUNDS: usize = 3;

/// The driver's word for a folder of precompiled headers.
const AUTO_PCH: &str = "--persistent-auto-pch=precompiled";

/// Compiling the program, and a project of small sources, in `folder`.
pub fn contests(folder: &Path) -> Result<Vec<Contest>, Failure> {
    let source = source(folder)?;
    let whole = against_outside(folder, &format!("{PROGRAM} -O2"), &["-O2", &source])?;
    let precompiled = |level: &str| {
        let compile = driver(folder).args([level, &source, "-o", PROGRAM]);
        Contest {
            name: format!("{PROGRAM} {level}, sycl.hpp kept precompiled"),
            ours: contender("precompiled", vec![compile.clone().arg(AUTO_PCH)]),
            peers: vec![contender("text", vec![compile])],
            rounds: 7,
        }
    };
    let small = ["-O0", "-O2"].map(precompiled);
    Ok(std::iter::once(whole)
        .chain(small)
        .chain([project(folder)?])
        .collect())
}

/// A project of [`SOURCES`] copies of the program, as many at once as there are cores, against clang alone
/// at their host halves.
fn project(folder: &Path) -> Result<Contest, Failure> {
    let from = folder.join(format!("{PROGRAM}.cpp"));
    let names: Vec<String> = (0..SOURCES)
        .map(|nth| format!("source-{nth}.cpp"))
        .collect();
    for name in &names {
        fs::copy(&from, folder.join(name)).map_err(|e| Failure::at(&from, e))?;
    }
    let all = |words: &[&str]| -> Vec<Job> {
        let compile = |name: &String| driver(folder).args(["-O2", "-c", name]).args(words);
        names.iter().map(compile).collect()
    };
    Ok(Contest {
        name: format!("{SOURCES} sources -O2"),
        ours: contender("device and host halves, precompiled", all(&[AUTO_PCH])),
        peers: vec![
            contender("device and host halves, text", all(&[])),
            contender("clang alone, host halves", all(&["-fsycl-host-only"])),
        ],
        rounds: ROUNDS,
    })
}

/// Jobs that may run at once.
fn contender(name: &str, jobs: Vec<Job>) -> Contender {
    Contender {
        name: name.to_owned(),
        steps: vec![jobs],
    }
}

/// Linking the program as the driver links it, from its fat object.
pub fn link_contest(folder: &Path) -> Result<Contest, Failure> {
    let source = source(folder)?;
    let object = format!("{PROGRAM}.o");
    let compile = driver(folder).args(["-O2", "-c", &source, "-o", &object]);
    compile.capture(b"").map_err(Failure::new)?;
    against_outside(
        folder,
        &format!("{PROGRAM}, linked by the driver"),
        &[&object],
    )
}

/// The source of the program, copied into `folder`.
fn source(folder: &Path) -> Result<String, Failure> {
    let source = format!("{PROGRAM}.cpp");
    let from = places::root().join("fixtures/programs").join(&source);
    fs::create_dir_all(folder)
        .and_then(|()| fs::copy(&from, folder.join(&source)))
        .map_err(|e| Failure::at(&from, e))?;
    Ok(source)
}

/// The driver, at work in `folder`.
pub fn driver(folder: &Path) -> Job {
    Job::new(places::staging().join("bin/sycl-clang++"))
        .arg("-fsycl")
        .env(components::home::VARIABLE, places::components())
        .dir(folder)
}

/// The driver's whole command against the outside programs that it starts: clang's planning, and
/// what `-v` shows, with the files that `-save-temps` keeps as their inputs.
fn against_outside(folder: &Path, name: &str, words: &[&str]) -> Result<Contest, Failure> {
    let command = driver(folder).args(words).args(["-o", PROGRAM]);
    let shown = command.clone().args(["-v", "-save-temps"]).capture(b"");
    let shown = shown.map_err(Failure::new)?.stderr;
    let own = format!("\"{}", places::staging().join("bin").display());
    let clang = setup::require(Component::Clang)?.path;
    let planning = Job::new(clang).arg("-###").args(words).dir(folder);
    let text = String::from_utf8_lossy(&shown);
    let replays = text
        .lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with("\"/") && !line.starts_with(&own))
        .filter_map(|line| replay(line, folder));
    let replays: Vec<Job> = std::iter::once(planning).chain(replays).collect();
    let peer = format!("the {} outside programs alone", replays.len());
    Ok(Contest {
        name: name.to_owned(),
        ours: Contender {
            name: "sycl-clang++".to_owned(),
            steps: vec![vec![command]],
        },
        peers: vec![Contender {
            name: peer,
            steps: replays.into_iter().map(|job| vec![job]).collect(),
        }],
        rounds: 5,
    })
}

/// One command as `-v` shows it, with kept files in place of a pipe or a temporary file.
fn replay(line: &str, folder: &Path) -> Option<Job> {
    let mut words = shlex::split(line)?.into_iter();
    let mut job = Job::new(words.next()?).dir(folder);
    for word in words {
        let before = job.args.last().and_then(|word| word.to_str());
        let kept = match (before, word.as_str()) {
            (Some("-o"), "-") => "replayed.spv".to_owned(),
            (Some("ir"), "-") => format!("{PROGRAM}.spir64-unknown-unknown_0.bc"),
            _ if word.contains("plumbline-images-") => format!("{PROGRAM}.wrapper.o"),
            _ => word,
        };
        job = job.arg(kept);
    }
    Some(job)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipes_and_temporary_files_are_replaced_by_kept_ones() {
        let folder = Path::new("/f");
        let writer = replay(r#""/z/zig" "clang" "-x" "ir" "-" "-o" "-""#, folder).unwrap();
        let module = "vector-add.spir64-unknown-unknown_0.bc";
        assert_eq!(
            writer.args,
            ["clang", "-x", "ir", module, "-o", "replayed.spv"]
        );
        let linker = replay(
            r#""/usr/bin/ld" "/tmp/plumbline-images-x.o" "a\$.o""#,
            folder,
        );
        assert_eq!(linker.unwrap().args, ["vector-add.wrapper.o", "a$.o"]);
    }
}

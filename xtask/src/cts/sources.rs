//! SYCL-CTS's build: configured once, then category by category, as far as its sources compile.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use components::process::Job;

use crate::failure::{Failure, Outcome};
use crate::progress::Steps;
use crate::{build, places};

/// A folder that SYCL-CTS is built in.
pub struct Tree {
    folder: PathBuf,
    jobs: usize,
}

/// A test program: its name and the objects of its sources, as the build calls them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Without `test_` in front.
    pub name: String,
    pub objects: Vec<String>,
}

/// A test program, built.
pub struct Built {
    /// The program, when something could be linked.
    pub program: Option<PathBuf>,
    /// The sources that did not compile, each with what the compiler said.
    pub failed: Vec<(String, String)>,
}

impl Tree {
    /// Stages the toolchain and configures the build in `folder`, with what else `words` say.
    ///
    /// # Errors
    /// When either fails; both have told why.
    pub fn configure(
        source: &Path,
        folder: &Path,
        is_full: bool,
        words: &[OsString],
        jobs: usize,
    ) -> Result<Tree, Failure> {
        build::run()?;
        let define = |name: &str, value: &Path| {
            let mut word = OsString::from(format!("-D{name}="));
            word.push(value);
            word
        };
        let full = if is_full { "ON" } else { "OFF" };
        // SYCL-CTS brings OpenCL's headers; of its loader no development package is needed.
        let headers = source.join("vendor/OpenCL-Headers");
        let headers = headers.join("CL/cl.h").is_file().then_some(headers);
        let opencl = [
            headers.map(|folder| define("OpenCL_INCLUDE_DIR", &folder)),
            opencl_loader().map(|file| define("OpenCL_LIBRARY", &file)),
        ];
        let job = Job::new("cmake")
            .args(["-G", "Ninja", "-S"])
            .arg(source)
            .arg("-B")
            .arg(folder)
            .arg("-DSYCL_IMPLEMENTATION=Plumbline")
            .arg(define(
                "CMAKE_MODULE_PATH",
                &places::root().join("suites/cts/cmake"),
            ))
            .arg(define("Plumbline_ROOT", &places::staging()))
            .arg("-DCMAKE_CXX_COMPILER=clang++-19")
            .arg(format!("-DSYCL_CTS_ENABLE_FULL_CONFORMANCE={full}"))
            .args(opencl.into_iter().flatten())
            .args(words.iter().cloned());
        quietly(&job, &folder.join("configure.log"))?;
        Ok(Tree {
            folder: folder.to_owned(),
            jobs,
        })
    }

    /// Forgets what another toolchain made: the build follows headers, and not what compiles.
    ///
    /// # Errors
    /// When ninja fails, or the note of whose objects these are cannot be written.
    pub fn made_by(&self, toolchain: &str) -> Outcome {
        let note = self.folder.join("made-by");
        if fs::read_to_string(&note).is_ok_and(|made| made == toolchain) {
            return Ok(());
        }
        let clean = self.ninja(&["-t", "clean"]);
        clean.capture(b"").map_err(Failure::new)?;
        fs::write(&note, toolchain).map_err(|e| Failure::at(&note, e))
    }

    /// The test programs by category.
    pub fn categories(&self) -> Result<BTreeMap<String, Vec<Program>>, Failure> {
        let answer = self.ninja(&["-t", "targets", "all"]).capture(b"");
        let answer = answer.map_err(Failure::new)?;
        Ok(categories(&String::from_utf8_lossy(&answer.stdout)))
    }

    /// Builds a program: every source that compiles, and a program of those.
    pub fn build(&self, program: &Program) -> Result<Built, Failure> {
        let target = format!("test_{}", program.name);
        let file = self.folder.join("bin").join(&target);
        // A program of an earlier toolchain would pass for this one's.
        let _ = fs::remove_file(&file);
        let jobs = format!("-j{}", self.jobs);
        let mut progress = Steps::new(format!("building {target}"));
        let mut log = String::new();
        let job = self.ninja(&["-k", "0", &jobs, &target]);
        let ended = job.lines(|line| {
            if let Some((done, count, what)) = step(line) {
                progress.at(done, count, what);
            }
            log += line;
            log.push('\n');
        });
        progress.finish();
        let ended = ended.map_err(Failure::new)?;
        let kept = self.folder.join(format!("{target}.log"));
        fs::write(&kept, &log).map_err(|e| Failure::at(&kept, e))?;
        let mut failed = failures(&log);
        let is_missing = |object: &&String| !self.folder.join(object).is_file();
        for object in program.objects.iter().filter(is_missing) {
            let reason = || "was not compiled".to_owned();
            failed.entry(object.clone()).or_insert_with(reason);
        }
        let wrong = |object: &str| program.objects.iter().any(|own| own == object);
        let of_sources = failed.iter().filter(|(object, _)| wrong(object));
        let told: Vec<_> = of_sources
            .map(|(object, said)| (source_of(object), said.clone()))
            .collect();
        if ended.success() {
            return Ok(Built {
                program: Some(file),
                failed: told,
            });
        }
        if told.is_empty() || told.len() == program.objects.len() {
            let mut failed = told;
            if failed.is_empty() {
                let said = failed_lines(&log);
                failed.push(("link".to_owned(), said));
            }
            return Ok(Built {
                program: None,
                failed,
            });
        }
        let linked = self.link_without(&target, &failed)?;
        Ok(Built {
            program: linked.then_some(file),
            failed: told,
        })
    }

    /// Links the program of what there is.
    fn link_without(
        &self,
        target: &str,
        failed: &BTreeMap<String, String>,
    ) -> Result<bool, Failure> {
        let file = format!("bin/{target}");
        // All else that the link needs is there: failures end nothing else (`-k 0`).
        let command = self.ninja(&["-t", "commands", "-s", &file]).capture(b"");
        let command = command.map_err(Failure::new)?;
        let command = String::from_utf8_lossy(&command.stdout).into_owned();
        let words = command
            .split(' ')
            .filter(|word| !failed.contains_key(*word));
        let line = words.collect::<Vec<_>>().join(" ");
        let job = Job::new("sh").arg("-c").arg(line).dir(&self.folder);
        let output = job.output(b"").map_err(Failure::new)?;
        Ok(output.status.success())
    }

    fn ninja(&self, words: &[&str]) -> Job {
        Job::new("ninja")
            .arg("-C")
            .arg(&self.folder)
            .args(words.iter().copied())
            .env(components::home::VARIABLE, places::components())
    }
}

/// OpenCL's loader, where the compiler looks for libraries.
fn opencl_loader() -> Option<PathBuf> {
    ["libOpenCL.so", "libOpenCL.so.1"].iter().find_map(|name| {
        let ask = Job::new("clang++-19").arg(format!("-print-file-name={name}"));
        let answer = ask.capture(b"").ok()?;
        let file = PathBuf::from(String::from_utf8_lossy(&answer.stdout).trim());
        // What is not found comes back as it was asked for.
        file.is_absolute().then_some(file)
    })
}

/// Runs it with what it writes in `log`, which is told when it fails.
fn quietly(job: &Job, log: &Path) -> Outcome {
    let output = job.output(b"").map_err(Failure::new)?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text += &String::from_utf8_lossy(&output.stderr);
    if let Some(folder) = log.parent() {
        fs::create_dir_all(folder).map_err(|e| Failure::at(folder, e))?;
    }
    fs::write(log, &text).map_err(|e| Failure::at(log, e))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Failure::new(format!(
            "{}\nto repeat: {job}",
            text.trim_end()
        ))),
    }
}

/// Programs by category, from ninja's list of targets: every object of a program that is made in
/// `tests/CATEGORY` of a library `test_NAME_objects`.
fn categories(targets: &str) -> BTreeMap<String, Vec<Program>> {
    let mut found: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for line in targets.lines() {
        let Some((object, _)) = line.split_once(": ") else {
            continue;
        };
        let Some(place) = object
            .strip_prefix("tests/")
            .filter(|_| object.ends_with(".o"))
        else {
            continue;
        };
        let Some((category, place)) = place.split_once("/CMakeFiles/test_") else {
            continue;
        };
        let Some((name, _)) = place.split_once("_objects.dir/") else {
            continue;
        };
        let key = (category.to_owned(), name.to_owned());
        found.entry(key).or_default().push(object.to_owned());
    }
    let mut categories: BTreeMap<String, Vec<Program>> = BTreeMap::new();
    for ((category, name), objects) in found {
        categories
            .entry(category)
            .or_default()
            .push(Program { name, objects });
    }
    categories
}

/// What a line of ninja's tells of its progress: `[3/17] Building …`.
fn step(line: &str) -> Option<(u64, u64, &str)> {
    let (numbers, what) = line.strip_prefix('[')?.split_once("] ")?;
    let (done, count) = numbers.split_once('/')?;
    Some((
        done.parse().ok()?,
        count.parse().ok()?,
        what.rsplit('/').next()?,
    ))
}

/// The outputs that ninja could not make, each with the first error of what its command wrote.
fn failures(log: &str) -> BTreeMap<String, String> {
    let mut failures = BTreeMap::new();
    let mut lines = log.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(outputs) = line.strip_prefix("FAILED: ") else {
            continue;
        };
        let mut said = Vec::new();
        while let Some(line) =
            lines.next_if(|line| step(line).is_none() && !line.starts_with("FAILED: "))
        {
            said.push(line);
        }
        let reason = first_error(&said);
        // Newer releases put the command's exit status in front.
        let outputs = outputs.split(' ').filter(|word| !word.starts_with('['));
        for output in outputs.filter(|word| !word.is_empty()) {
            failures.insert(output.to_owned(), reason.clone());
        }
    }
    failures
}

fn failed_lines(log: &str) -> String {
    let all = failures(log).into_values().next();
    all.unwrap_or_else(|| log.lines().last().unwrap_or_default().to_owned())
}

fn first_error(said: &[&str]) -> String {
    let is_error = |line: &&&str| line.contains("error: ") || line.contains("undefined reference");
    let error = said.iter().find(is_error).or(said.last());
    error.map_or_else(
        || "it does not say why".to_owned(),
        |line| (*line).to_owned(),
    )
}

/// The source that an object is made of, as reports call it.
fn source_of(object: &str) -> String {
    let file = object.rsplit('/').next().unwrap_or(object);
    file.strip_suffix(".o").unwrap_or(file).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_among_the_targets() {
        let targets = "tests/usm/CMakeFiles/test_usm_objects.dir/a.cpp.o: CXX_COMPILER__x\n\
                       tests/usm/CMakeFiles/test_usm_objects.dir/b.cpp.o: CXX_COMPILER__x\n\
                       tests/kernel/CMakeFiles/test_one_objects.dir/one.cpp.o: CXX_COMPILER__x\n\
                       tests/usm/test_usm: phony\nbin/test_usm: CXX_EXECUTABLE_LINKER__x\n";
        let found = categories(targets);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["kernel", "usm"]);
        assert_eq!(found["usm"][0].name, "usm");
        assert_eq!(found["usm"][0].objects.len(), 2);
        assert_eq!(found["kernel"][0].name, "one");
    }

    #[test]
    fn what_failed_is_read_from_ninjas_words() {
        let log = "[1/3] Building CXX object tests/a.cpp.o\n\
                   FAILED: tests/x/a.cpp.o \nsycl-clang++ -c a.cpp\n\
                   a.cpp:3:1: error: no member\na.cpp:4:1: error: another\n\
                   [2/3] Building CXX object tests/b.cpp.o\n\
                   FAILED: [code=1] tests/x/b.cpp.o\nsycl-clang++ -c b.cpp\nkilled\n\
                   ninja: build stopped: cannot make progress due to previous errors.\n";
        let failed = failures(log);
        assert_eq!(failed["tests/x/a.cpp.o"], "a.cpp:3:1: error: no member");
        assert!(failed.contains_key("tests/x/b.cpp.o"));
        assert_eq!(failed.len(), 2);
        assert_eq!(source_of("tests/x/a.cpp.o"), "a.cpp");
        assert_eq!(
            step("[1/3] Building CXX object tests/a.cpp.o"),
            Some((1, 3, "a.cpp.o"))
        );
        assert_eq!(step("a.cpp[1/3]"), None);
    }
}

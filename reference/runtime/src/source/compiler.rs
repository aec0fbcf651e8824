//! This toolchain's compiler, as the runtime starts it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};
use std::time::SystemTime;

use components::process::Job;
use tempfile::TempDir;

use super::{Source, Targets};
use crate::binary::Binary;
use crate::cache;
use crate::error::{Error, Kind, Result};
use crate::trace::trace;

/// The folder that all is installed in, from the one of the runtime library.
const INSTALLED: &str = "..";
/// The compiler there.
const PROGRAM: &str = "bin/sycl-clang++";
/// What there makes a library what it is.
const PARTS: [&str; 3] = ["bin", "include", "lib"];

// Files of a folder that it works in.
const TEXT: &str = "source.cpp";
const FILES: &str = "include";
const DEPENDENCIES: &str = "source.d";
/// What it makes of a source.
pub(super) const OBJECT: &str = "source.o";
/// What it makes of objects.
pub(super) const LIBRARY: &str = "source.so";

/// The macro that says that a source is one of a program's, and of which headers and plugin make the list of
/// its kernels.
const MACRO: &str = "-DPLSYCL_SOURCE_BUNDLE=1";

/// The compiler that is installed with this library.
#[derive(Debug)]
pub(super) struct Compiler {
    installed: PathBuf,
}

impl Compiler {
    /// It; `None` where there is none, or where this library cannot tell where it is itself.
    pub fn found() -> Option<&'static Compiler> {
        static FOUND: LazyLock<Option<Compiler>> = LazyLock::new(|| {
            let own = Binary::of((&raw const FOUND).cast())?.file()?;
            let own = fs::canonicalize(own).ok()?;
            let installed = fs::canonicalize(own.parent()?.join(INSTALLED)).ok()?;
            let program = fs::metadata(installed.join(PROGRAM)).ok()?;
            program.is_file().then_some(Compiler { installed })
        });
        FOUND.as_ref()
    }

    /// When each file that is installed was written, and its size.
    fn stamps(&self) -> &'static [String] {
        static STAMPS: OnceLock<Vec<String>> = OnceLock::new();
        STAMPS.get_or_init(|| {
            let mut all = Vec::new();
            for part in PARTS {
                stamp(&self.installed.join(part), &mut all);
            }
            all.sort_unstable();
            all
        })
    }

    /// All that decides what it makes of a source that includes nothing of others.
    pub fn tells(&self, source: &Source<'_>, targets: &Targets) -> Vec<String> {
        let mut all = self.stamps().to_vec();
        all.extend([targets.option(), source.text.to_owned()]);
        let mut add = |list: Vec<&str>| {
            all.push(list.len().to_string());
            all.extend(list.into_iter().map(str::to_owned));
        };
        add(source
            .files
            .iter()
            .flat_map(|&(name, text)| [name, text])
            .collect());
        add(source.options.to_vec());
        add(source.names.to_vec());
        all
    }

    /// Makes the object of a source in a folder; gives what it said.
    ///
    /// # Errors
    /// `Build` with that when it failed.
    pub fn compile(&self, source: &Source<'_>, targets: &Targets, folder: &Path) -> Result<String> {
        written(source, folder).map_err(|error| no_files(folder, &error))?;
        let job = self.job(targets, folder);
        let job = job.args([MACRO, "-O2"]);
        let job = match source.files.is_empty() {
            // The folder is one of this source's, for which no header was precompiled.
            false => job.args(["-I", FILES]),
            true => {
                let headers = cache::headers();
                job.args(headers.map(|kept| option("--persistent-auto-pch=", &kept)))
            }
        };
        let job = job.args(source.options.iter().copied());
        let job = job.args(["-MMD", "-MF", DEPENDENCIES]);
        run(&job.args(["-c", TEXT, "-o", OBJECT]))
    }

    /// Makes the library of objects in a folder; gives what it said.
    ///
    /// # Errors
    /// As [`Compiler::compile`].
    pub fn link(
        &self,
        objects: &[PathBuf],
        targets: &Targets,
        options: &[&str],
        folder: &Path,
    ) -> Result<String> {
        let job = self.job(targets, folder).args(options.iter().copied());
        let job = job.args(objects);
        // Each library has its own functions and variables, also where the program has some of the same names.
        let job = job.args(["-Qunused-arguments", "-shared", "-Wl,-Bsymbolic"]);
        run(&job.args(["-o", LIBRARY]))
    }

    fn job(&self, targets: &Targets, folder: &Path) -> Job {
        let job = Job::new(self.installed.join(PROGRAM));
        let job = job.args(["-fsycl", "-fPIC", "-fno-color-diagnostics"]);
        job.arg(targets.option()).dir(folder)
    }
}

/// An option with a path behind it.
fn option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(path);
    option
}

/// Adds the stamps of the files below a folder.
fn stamp(folder: &Path, all: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match fs::metadata(&path) {
            Ok(about) if about.is_dir() => stamp(&path, all),
            Ok(about) => {
                let written = about.modified().ok();
                let since = written.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
                let since = since.unwrap_or_default().as_nanos();
                all.push(format!("{} {since} {}", path.display(), about.len()));
            }
            Err(_) => all.push(path.display().to_string()),
        }
    }
}

/// A folder to work in.
///
/// # Errors
/// `Build` when there is no room for one.
pub(super) fn folder() -> Result<TempDir> {
    let made = tempfile::Builder::new().prefix("plumbline-").tempdir();
    made.map_err(|error| no_files(&std::env::temp_dir(), &error))
}

fn no_files(folder: &Path, error: &io::Error) -> Error {
    let reason = format!("no file for the compiler in {}: {error}", folder.display());
    Error::new(Kind::Build, reason)
}

/// Writes a source down: its text, and behind it what names its kernels.
fn written(source: &Source<'_>, folder: &Path) -> io::Result<()> {
    let files = folder.join(FILES);
    fs::create_dir(&files)?;
    for (name, text) in source.files {
        let file = files.join(name);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(file, text)?;
    }
    let mut text = format!(
        "{}\n#include <sycl/detail/source_bundle.hpp>\n",
        source.text
    );
    for name in source.names {
        // Names are on one line each, so that what the compiler says of one shows it.
        let line = name.replace(['\n', '\r'], " ");
        text += &format!(
            "#line 1 \"names of the source's kernels\"\nPLSYCL_NAME_IN_SOURCE({}, {line})\n",
            literal(name)
        );
    }
    fs::write(folder.join(TEXT), text)
}

/// A text as C++ writes it.
fn literal(text: &str) -> String {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' | b'?' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        // Always three digits: what follows is not taken for more of them.
        _ => format!("\\{byte:03o}"),
    };
    let inner: String = text.bytes().map(escaped).collect();
    format!("\"{inner}\"")
}

fn run(job: &Job) -> Result<String> {
    trace(|| format!("compiler: {job}"));
    let failed = |reason| Error::new(Kind::Build, reason);
    let output = job.output(&[]).map_err(|error| failed(error.to_string()))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.success() {
        true => Ok(said),
        false => Err(failed(format!(
            "the source does not build\nbuild log:\n{said}"
        ))),
    }
}

/// Whether the compiler read nothing in a folder but the source, its files, and what comes with the compiler
/// and the system.
pub(super) fn reads_no_other_file(folder: &Path) -> bool {
    let rule = fs::read_to_string(folder.join(DEPENDENCIES));
    rule.is_ok_and(|rule| are_own(&rule))
}

/// Whether a rule for `make` names files of the source alone, which are relative.
fn are_own(rule: &str) -> bool {
    let Some((_, files)) = rule.split_once(": ") else {
        return false;
    };
    let mut names = files.split_whitespace().filter(|word| *word != "\\");
    names.all(|name| name == TEXT || name.starts_with(&format!("{FILES}/")) && !name.contains(".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_what_they_were_in_a_program() {
        assert_eq!(literal("f<int>"), "\"f<int>\"");
        assert_eq!(literal("a\"\\\n1\u{e9}"), "\"a\\\"\\\\\\0121\\303\\251\"");
    }

    #[test]
    fn a_source_that_reads_a_file_of_others_is_told() {
        assert!(are_own(
            "source.o: source.cpp include/a.h \\\n  include/b/c.h\n"
        ));
        assert!(!are_own("source.o: source.cpp /home/me/a.h\n"));
        assert!(!are_own("source.o: source.cpp include/../../a.h\n"));
        assert!(!are_own(""));
    }
}

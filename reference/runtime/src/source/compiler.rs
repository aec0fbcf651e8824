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

// Files of a folder that it works in. The text lies apart: what it includes by quotes is looked for beside
// it first.
const TEXTS: &str = "text";
const TEXT: &str = "source.cpp";
const OTHER_TEXT: &str = "the-source.cpp";
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
        let text = written(source, folder).map_err(|error| no_files(folder, &error))?;
        let job = self.job(targets).args([MACRO, "-O2"]);
        let job = match source.files.is_empty() {
            // The folder is one of this source's, for which no header was precompiled. What is in it comes
            // before all that the program names.
            false => {
                let files = folder.join(FILES);
                job.args([
                    OsString::from("-iquote"),
                    files.clone().into(),
                    "-I".into(),
                    files.into(),
                ])
            }
            true => {
                let headers = cache::headers();
                job.args(headers.map(|kept| option("--persistent-auto-pch=", &kept)))
            }
        };
        let job = job.args(source.options.iter().copied());
        let job = job.args(["-MMD", "-MF"]).arg(folder.join(DEPENDENCIES));
        let job = job.arg("-c").arg(text).arg("-o").arg(folder.join(OBJECT));
        run(&job, folder)
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
        let job = self.job(targets).args(options.iter().copied());
        let job = job.args(objects);
        // Each library has its own functions and variables, also where the program has some of the same names.
        let job = job.args(["-Qunused-arguments", "-shared", "-Wl,-Bsymbolic"]);
        run(&job.arg("-o").arg(folder.join(LIBRARY)), folder)
    }

    /// It runs where the program does, whose options may name files from there.
    fn job(&self, targets: &Targets) -> Job {
        let job = Job::new(self.installed.join(PROGRAM));
        let job = job.args(["-fsycl", "-fPIC", "-fno-color-diagnostics"]);
        job.arg(targets.option())
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
    let place = std::env::temp_dir();
    let made = std::path::absolute(&place).and_then(|place| {
        let mut folder = tempfile::Builder::new();
        folder.prefix("plumbline-").tempdir_in(place)
    });
    made.map_err(|error| no_files(&place, &error))
}

fn no_files(folder: &Path, error: &io::Error) -> Error {
    let reason = format!("no file for the compiler in {}: {error}", folder.display());
    Error::new(Kind::Build, reason)
}

/// Writes a source down: its text, and behind it what names its kernels; gives where the text is.
fn written(source: &Source<'_>, folder: &Path) -> io::Result<PathBuf> {
    let files = folder.join(FILES);
    fs::create_dir(&files)?;
    for (name, text) in source.files {
        let file = files.join(name);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(file, text)?;
    }
    // A line may go on in the next one.
    let end = "\n\n#include <sycl/detail/source_bundle.hpp>\n";
    let mut text = format!("{}{end}", source.text);
    for name in source.names {
        // Names are on one line each, so that what the compiler says of one shows it.
        let line = name.replace(['\n', '\r'], " ");
        text += &format!(
            "#line 1 \"names of the source's kernels\"\nPLSYCL_NAME_IN_SOURCE({}, {line})\n",
            literal(name)
        );
    }
    fs::create_dir(folder.join(TEXTS))?;
    let is_taken = |(name, _): &(&str, &str)| Path::new(name).ends_with(TEXT);
    let name = match source.files.iter().any(is_taken) {
        true => OTHER_TEXT,
        false => TEXT,
    };
    let place = folder.join(TEXTS).join(name);
    fs::write(&place, text)?;
    Ok(place)
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

fn run(job: &Job, folder: &Path) -> Result<String> {
    trace(|| format!("compiler: {job}"));
    let output = job.output(&[]);
    let output = output.map_err(|error| Error::new(Kind::Build, error.to_string()))?;
    let said = said_of(&String::from_utf8_lossy(&output.stderr), folder);
    if output.status.success() {
        return Ok(said);
    }
    let kind = match UNKNOWN.iter().any(|each| said.contains(each)) {
        true => Kind::Invalid,
        false => Kind::Build,
    };
    let reason = format!("the source does not build\nbuild log:\n{said}");
    Err(Error::new(kind, reason))
}

/// What the compiler says of options that it has not.
const UNKNOWN: [&str; 3] = [
    "error: unknown argument",
    "error: unsupported option",
    "error: unknown option",
];

/// What the compiler said, with files by the names that the program knows.
fn said_of(text: &str, folder: &Path) -> String {
    let below = |part: &str| format!("{}/", folder.join(part).display());
    let text = text.replace(&below(TEXTS), "").replace(&below(FILES), "");
    text.replace(&format!("{}/", folder.display()), "")
}

/// Whether the compiler read nothing for an object in a folder but the source, its files, and what comes with
/// the compiler and the system.
pub(super) fn reads_no_other_file(folder: &Path) -> bool {
    let rule = fs::read_to_string(folder.join(DEPENDENCIES));
    rule.is_ok_and(|rule| are_below(&rule, folder))
}

/// Whether a rule for `make` names files of a folder alone.
fn are_below(rule: &str, folder: &Path) -> bool {
    let Some((_, files)) = rule.split_once(": ") else {
        return false;
    };
    let mut names = files.split_whitespace().filter(|word| *word != "\\");
    names.all(|name| Path::new(name).starts_with(folder) && !name.contains(".."))
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
        let is_own = |rule| are_below(rule, Path::new("/tmp/x"));
        assert!(is_own(
            "source.o: /tmp/x/text/source.cpp /tmp/x/include/a.h \\\n  /tmp/x/include/b/c.h\n"
        ));
        assert!(!is_own("source.o: /tmp/x/text/source.cpp /home/me/a.h\n"));
        assert!(!is_own("source.o: /tmp/x/text/source.cpp /tmp/x/../a.h\n"));
        assert!(!is_own(""));
    }

    #[test]
    fn the_program_reads_of_its_own_files() {
        let folder = Path::new("/tmp/x");
        let said = "/tmp/x/text/source.cpp:3:1: error\n/tmp/x/include/a/b.h:1: note\n";
        assert_eq!(
            said_of(said, folder),
            "source.cpp:3:1: error\na/b.h:1: note\n"
        );
    }
}

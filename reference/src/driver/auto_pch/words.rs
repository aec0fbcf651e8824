//! clang's words of one compilation: what of them a precompiled header depends on.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use components::process::Job;

use super::reads;
use crate::frontend::header::FIRST_LINE;
use crate::store::{Key, KeyParts};

/// What one compilation alone has to do with, with a value each.
const OWN_WITH_VALUE: &[&str] = &[
    "-o",
    "-main-file-name",
    "-dumpdir",
    "-dependency-file",
    "-MT",
    "-MQ",
    "-split-dwarf-file",
    "-split-dwarf-output",
    "-include",
];

/// What one compilation alone has to do with. Colours and widths are those of whoever looks on.
const OWN: &[&str] = &["-MP", "-v", "-sys-header-deps", "-fcolor-diagnostics"];

/// Beginnings of such words.
const OWN_PREFIXES: &[&str] = &[
    "-fdebug-compilation-dir=",
    "-fcoverage-compilation-dir=",
    "-fembed-offload-object=",
    "-fmessage-length=",
];

/// What a compilation makes of its source, of which [`MAKES`] stands in the words once.
const MAKES: &[&str] = &["-emit-obj", "-emit-llvm", "-emit-llvm-bc", "-S"];

/// Words with which the text counts: they bring text of their own, look for headers in other ways, or tell
/// of what was read.
const OF_TEXT: &[&str] = &[
    "-include-pch",
    "-imacros",
    "-ivfsoverlay",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-cxx-isystem",
    "-stdlib++-isystem",
    "-index-header-map",
    "-F",
    "-iframework",
    "-working-directory",
    "-H",
    "-header-include-file",
    "-dependency-dot",
    "-module-dependency-dir",
    "-serialize-diagnostic-file",
    "-plugin",
    "-load-pass-plugin",
    "-verify",
    "-Wsystem-headers",
    "-print-stats",
    "-stack-usage-file",
    "-record-command-line",
];

/// Beginnings of such words, and of those that name files of one compilation.
const OF_TEXT_PREFIXES: &[&str] = &[
    "-fmodule",
    "-gmodules",
    "-ftime-",
    "-fdump-",
    "-fproc-stat-report",
    "-coverage-",
    "-opt-record-",
];

/// Options that name a folder to look for headers in, with the value that follows.
pub(in crate::driver) const FOLDERS: &[&str] = &["-I", "-iquote", "-isystem", "-idirafter"];

/// The same for folders of the compiler and of the system.
pub(in crate::driver) const SYSTEM_FOLDERS: &[&str] =
    &["-internal-isystem", "-internal-externc-isystem"];

/// A compilation of a SYCL source that a precompiled header may serve.
#[derive(Debug)]
pub(super) struct Compile<'j> {
    job: &'j Job,
    /// The source.
    pub source: PathBuf,
    /// Where the integration header stands in the words.
    ahead: Option<usize>,
    /// Where the input's language stands.
    language: usize,
    /// This toolchain's own folders of headers.
    own: &'j [PathBuf],
}

impl<'j> Compile<'j> {
    /// The compilation that `job` is; none when it is no compilation of a SYCL source, and the reason when
    /// the text has to be read.
    pub(super) fn of(job: &'j Job, own: &'j [PathBuf]) -> Option<Result<Self, String>> {
        let words = &job.args;
        let has = |name: &str| words.iter().any(|word| word == name);
        let is_sycl = has("-fsycl-is-device") || has("-fsycl-is-host");
        if words.first().is_none_or(|word| word != "-cc1") || !is_sycl {
            return None;
        }
        MAKES.iter().find(|word| has(word))?;
        Some(Self::read(job, own))
    }

    fn read(job: &'j Job, own: &'j [PathBuf]) -> Result<Self, String> {
        let words = &job.args;
        let mut texts = words.iter().map(|word| word.to_string_lossy());
        if let Some(word) = texts.find(|word| is_of_text(word)) {
            return Err(format!("'{word}' is for the text"));
        }
        let language = words
            .windows(2)
            .position(|two| two[0] == "-x" && two[1] == "c++");
        let language = language.ok_or("the source is no C++ text")?;
        let source = words.get(language + 2).ok_or("there is no source")?;
        let ahead: Vec<usize> = places(words, "-include").collect();
        let header_at = |at: usize| words.get(at + 1).map(Path::new).unwrap_or(Path::new(""));
        // Integration headers have nothing that the user wrote.
        if let Some(at) = ahead
            .iter()
            .find(|at| !is_integration_header(header_at(**at)))
        {
            return Err(format!(
                "'{}' is included before it",
                header_at(*at).display()
            ));
        }
        Ok(Compile {
            job,
            source: source.into(),
            ahead: ahead.first().copied(),
            language,
            own,
        })
    }

    /// The same start, with a precompiled header read first.
    pub(super) fn with(&self, pch: &Path) -> Job {
        let mut job = self.job.clone();
        let at = self.ahead.unwrap_or(self.language);
        job.args.splice(at..at, reads(pch));
        job
    }

    /// The start that precompiles `header` for compilations like this one.
    pub(super) fn precompile(&self, header: &Path, output: &Path, dependencies: &Path) -> Job {
        let mut words = self.shared();
        words.extend(["-emit-pch".into(), "-fpch-instantiate-templates".into()]);
        words.extend(["-sys-header-deps".into(), "-MT".into(), "pch".into()]);
        words.extend(["-dependency-file".into(), dependencies.into()]);
        words.extend(["-o".into(), output.into()]);
        words.extend(["-x".into(), "c++-header".into(), header.into()]);
        let mut job = Job::new(&self.job.program).args(words);
        (job.env, job.dir) = (self.job.env.clone(), self.job.dir.clone());
        job
    }

    /// The hash of all that decides what the precompiled header is, but for the headers' own texts.
    pub(super) fn key(&self) -> Key {
        let words = self.shared();
        let mut parts = KeyParts::default()
            .text("auto-pch")
            .version(&self.job.program);
        for word in &words {
            parts = parts.bytes(word.as_encoded_bytes());
        }
        for plugin in values(&words, &["-load"]) {
            parts = parts.version(Path::new(plugin));
        }
        let relative = |word: &OsStr| Path::new(word).is_relative();
        let all = [FOLDERS, SYSTEM_FOLDERS].concat();
        if values(&words, &all).any(relative) {
            let here = std::env::current_dir().unwrap_or_default();
            parts = parts.bytes(here.as_os_str().as_encoded_bytes());
        }
        parts.key()
    }

    /// The words that compilations of other sources have too.
    fn shared(&self) -> Vec<OsString> {
        let mut words = Vec::new();
        let mut rest = self.job.args.iter().enumerate();
        while let Some((at, word)) = rest.next() {
            let text = word.to_string_lossy();
            if at == self.language {
                // The language and the source.
                rest.nth(1);
            } else if OWN_WITH_VALUE.contains(&&*text) {
                rest.next();
            } else if !is_own(&text) {
                words.push(word.clone());
            }
        }
        words
    }

    /// The folders in which headers are looked for.
    pub(super) fn folders(&self) -> Vec<&'j Path> {
        let all = [FOLDERS, SYSTEM_FOLDERS].concat();
        let words = &self.job.args;
        values(words, &all).map(Path::new).collect()
    }

    /// Those of the user.
    pub(super) fn user_folders(&self) -> Vec<&'j Path> {
        let words = &self.job.args;
        let folders = values(words, FOLDERS).map(Path::new);
        folders
            .filter(|folder| !self.own.iter().any(|own| own == folder))
            .collect()
    }
}

/// Where a compilation lists what it read, if system headers are to be left out there.
pub(super) fn list_of_user_files(job: &Job) -> Option<&Path> {
    let lists_all = job.args.iter().any(|word| word == "-sys-header-deps");
    let list = values(&job.args, &["-dependency-file"]).last();
    list.filter(|_| !lists_all).map(Path::new)
}

pub(in crate::driver) fn is_of_text(word: &str) -> bool {
    OF_TEXT.contains(&word)
        || OF_TEXT_PREFIXES
            .iter()
            .any(|prefix| word.starts_with(prefix))
}

pub(in crate::driver) fn is_integration_header(file: &Path) -> bool {
    let mut start = vec![0; FIRST_LINE.len()];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == FIRST_LINE.as_bytes()
}

fn is_own(word: &str) -> bool {
    OWN.contains(&word)
        || MAKES.contains(&word)
        || OWN_PREFIXES.iter().any(|prefix| word.starts_with(prefix))
}

fn places<'w>(words: &'w [OsString], name: &'w str) -> impl Iterator<Item = usize> + 'w {
    let all = words.iter().enumerate();
    all.filter(move |(_, word)| *word == name).map(|(at, _)| at)
}

/// The words that follow one of `names`.
pub(in crate::driver) fn values<'w>(
    words: &'w [OsString],
    names: &[&str],
) -> impl Iterator<Item = &'w OsStr> {
    let follows = |two: &&[OsString]| names.iter().any(|name| two[0] == *name);
    let pairs: Vec<_> = words.windows(2).filter(follows).collect();
    pairs.into_iter().map(|two| two[1].as_os_str())
}

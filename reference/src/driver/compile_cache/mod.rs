//! Compilations that need not run again (`--compile-cache-dir=DIR`): what clang made of a half of a source, or
//! another compiler of the host's, is kept, and taken from there while nothing of what it was made of has changed. A program before the driver
//! that keeps whole objects (ccache) makes both halves again when either has changed, and the driver's own
//! stages with them; here the stages run each time.
//!
//! An entry of clang's is found in two steps, as nobody knows what a compilation reads before it has run. Under the hash
//! of its words and its source stands which files the last one read; under the hash of that and of what is in
//! these files, what it made. A plan does not speak of it.

mod preprocessed;
mod words;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use components::process::Job;

use self::preprocessed::Preprocessed;
use self::words::Compile;
use super::asked;
use super::dependency_list::DependencyList;
use crate::llvm::cache::Policy;
use crate::store::{Key, KeyParts, Store};
use crate::tool::write_whole;

/// How much a folder may hold, in LLVM's words.
const POLICY: &str = "prune_interval=1m:prune_after=168h:cache_size_bytes=2g";

/// The variable that names the folder where no option does.
pub const VARIABLE: &str = "PLUMBLINE_COMPILE_CACHE";

/// How much older than its reading a file must be for a change to show in its time.
const SETTLED: Duration = Duration::from_millis(20);

/// A folder of compilations.
#[derive(Debug)]
pub(super) struct CompileCache {
    store: Store,
}

/// A compilation that the cache may have, or may get.
#[derive(Debug)]
pub(super) struct Kept<'c> {
    store: &'c Store,
    /// The hash of all that is known of it before it runs.
    known: Key,
    compiler: Compiler,
}

/// By what a compilation is known again.
#[derive(Debug)]
enum Compiler {
    /// clang's words and what they had it read.
    Clang(Compile),
    /// The text that another compiler makes of the source.
    Other(Preprocessed),
}

/// A run of a compiler whose result is to be kept.
#[derive(Debug)]
pub(super) struct Run {
    /// clang, which lists what it reads.
    pub job: Job,
    /// Where, if nobody else asked for it.
    list: Option<tempfile::TempPath>,
    start: SystemTime,
}

/// What an entry of the first step says: the files that clang read, and those whose being there it asked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Reads {
    files: Vec<PathBuf>,
    asked: Vec<PathBuf>,
}

impl CompileCache {
    /// The folder that the option names, or else the variable; none where both are silent.
    ///
    /// # Errors
    /// When nothing can be written into it.
    pub(super) fn of(option: Option<&Path>) -> io::Result<Option<Self>> {
        let named = || std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty());
        let folder = option
            .map(PathBuf::from)
            .or_else(|| named().map(PathBuf::from));
        let Some(folder) = folder else {
            return Ok(None);
        };
        let policy = POLICY.parse().unwrap_or_else(|_| Policy::default());
        let wrong = |error: io::Error| {
            io::Error::new(
                error.kind(),
                format!(
                    "cannot keep compilations in '{}': {error}",
                    folder.display()
                ),
            )
        };
        let store = Store::open(folder.clone(), policy).map_err(wrong)?;
        Ok(Some(CompileCache { store }))
    }

    /// The compilation that a job is; none where it is none, or one that is not kept.
    pub(super) fn compilation(&self, job: &Job) -> Option<Kept<'_>> {
        let (known, compiler) = match Compile::of(job) {
            Some(compile) => (compile.key()?, Compiler::Clang(compile)),
            None => {
                let other = Preprocessed::of(job)?;
                (other.key, Compiler::Other(other))
            }
        };
        Some(Kept {
            store: &self.store,
            known,
            compiler,
        })
    }
}

impl Kept<'_> {
    /// Puts the results where the compilation would have, and gives what it said; none when it has to run.
    pub(super) fn bring(&self) -> Option<Vec<u8>> {
        match &self.compiler {
            Compiler::Clang(compile) => {
                let reads = Reads::parse(&self.store.read(&self.known)?)?;
                let made = self.store.read(&self.state(compile, &reads)?)?;
                let (list, rest) = first_part(&made)?;
                let (said, object) = first_part(rest)?;
                if let Some(file) = &compile.list {
                    write_whole(file, list).ok()?;
                }
                write_whole(&compile.output, object).ok()?;
                Some(said.to_owned())
            }
            Compiler::Other(other) => {
                let made = self.store.read(&self.known)?;
                let (said, object) = first_part(&made)?;
                write_whole(&other.output, object).ok()?;
                Some(said.to_owned())
            }
        }
    }

    /// The run whose results can be kept.
    pub(super) fn run(&self, job: &Job) -> Option<Run> {
        let mut job = job.clone();
        let compile = match &self.compiler {
            Compiler::Clang(compile) => compile,
            Compiler::Other(other) => {
                return Some(Run {
                    job,
                    list: None,
                    start: other.start,
                });
            }
        };
        let list = match &compile.list {
            Some(_) => None,
            None => Some(
                tempfile::NamedTempFile::new_in(self.store.folder())
                    .ok()?
                    .into_temp_path(),
            ),
        };
        if let Some(list) = &list {
            let at = compile.language;
            let words = ["-dependency-file", "-MT", "x", "-sys-header-deps"].map(Into::into);
            job.args.splice(at..at, words);
            job.args.insert(at + 1, list.as_os_str().to_owned());
        }
        Some(Run {
            job,
            list,
            start: SystemTime::now(),
        })
    }

    /// Keeps what a run has made and `said`, as long as it is certain what that was made of. Where there is no
    /// room for it, the next compilation runs again.
    pub(super) fn keep(&self, run: &Run, said: &[u8]) {
        let kept = match &self.compiler {
            Compiler::Clang(compile) => self.keep_listed(compile, run, said),
            Compiler::Other(other) => {
                let is_settled = |file: &PathBuf| is_settled(file, run.start);
                let object = fs::read(&other.output);
                let object = object.ok().filter(|_| other.files.iter().all(is_settled));
                object.and_then(|object| {
                    let made = [part(said), object].concat();
                    self.store.write(&self.known, &made).ok()
                })
            }
        };
        if kept.is_some() {
            self.store.prune();
        }
    }

    fn keep_listed(&self, compile: &Compile, run: &Run, said: &[u8]) -> Option<()> {
        if compile.tells_how && !said.is_empty() {
            return None;
        }
        let list = fs::read(run.list.as_deref().or(compile.list.as_deref())?).ok()?;
        let reads = compile.reads(&list)?;
        let is_settled = |file: &PathBuf| is_settled(file, run.start);
        if !reads.files.iter().all(is_settled) {
            return None;
        }
        let state = self.state(compile, &reads)?;
        let kept = match run.list {
            Some(_) => Vec::new(),
            None => compile.lasting(&list),
        };
        let object = fs::read(&compile.output).ok()?;
        let made = [part(&kept), part(said), object].concat();
        let text = reads.text()?;
        self.store.write(&state, &made).ok()?;
        self.store.write(&self.known, &text).ok()
    }

    /// The hash of all that the results depend on, as it is now; none where a file is not there.
    fn state(&self, compile: &Compile, reads: &Reads) -> Option<Key> {
        let mut parts = KeyParts::default()
            .text("compiled, and what was said")
            .bytes(self.known.as_bytes());
        for file in &reads.files {
            parts = parts.bytes(file.as_os_str().as_bytes());
            parts = match compile.is_of_system(file) {
                true => parts.version(file),
                false => parts.bytes(&fs::read(file).ok()?),
            };
        }
        // Files that would have been read in the place of others, were they there.
        let shadows = compile.shadows(&reads.files);
        for file in reads.asked.iter().chain(&shadows) {
            parts = parts.text(if file.exists() { "+" } else { "-" });
        }
        Some(parts.key())
    }
}

impl Reads {
    /// A line for each file, which says by its first letter what is known of it; none for odd names.
    fn text(&self) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        let files = self.files.iter().map(|file| (b'=', file));
        let asked = self.asked.iter().map(|file| (b'?', file));
        for (kind, file) in files.chain(asked) {
            let name = file.as_os_str().as_bytes();
            if name.contains(&b'\n') {
                return None;
            }
            text.push(kind);
            text.extend(name);
            text.push(b'\n');
        }
        Some(text)
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let mut reads = Reads::default();
        let lines = text
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        for line in lines {
            let (kind, name) = line.split_first()?;
            let name = PathBuf::from(OsStr::from_bytes(name));
            match kind {
                b'=' => reads.files.push(name),
                b'?' => reads.asked.push(name),
                _ => return None,
            }
        }
        Some(reads)
    }
}

/// A part of an entry, behind its length.
fn part(bytes: &[u8]) -> Vec<u8> {
    let length = (bytes.len() as u64).to_le_bytes();
    [&length[..], bytes].concat()
}

/// The first part of an entry, and what follows.
fn first_part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

/// Whether a file has not changed since a time, nor shortly before.
fn is_settled(file: &Path, start: SystemTime) -> bool {
    let time = fs::metadata(file).and_then(|data| data.modified());
    time.is_ok_and(|time| time + SETTLED < start)
}

impl Compile {
    /// What a compilation read, by its list of dependencies; none where that is not all that counts.
    fn reads(&self, list: &[u8]) -> Option<Reads> {
        let list = DependencyList::read(list);
        let own: BTreeSet<&Path> = self.own.iter().map(PathBuf::as_path).collect();
        let files: Vec<PathBuf> = list
            .first_files()
            .filter(|file| !own.contains(&**file))
            .collect();
        let asked = asked::asked(&files, |file| self.is_of_system(file), &self.folders)?;
        (!files.is_empty()).then_some(Reads { files, asked })
    }

    /// A list of dependencies less what has no name that lasts.
    fn lasting(&self, list: &[u8]) -> Vec<u8> {
        let mut list = DependencyList::read(list);
        list.drop_files(&self.own);
        list.text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_one_that_llvm_reads() {
        assert!(POLICY.parse::<Policy>().is_ok());
    }

    #[test]
    fn what_was_read_reads_back() {
        let reads = Reads {
            files: vec!["/a folder/b".into(), "c".into()],
            asked: vec!["=d".into()],
        };
        let text = reads.text().unwrap();
        assert_eq!(Reads::parse(&text), Some(reads));
        assert_eq!(Reads::parse(b"/a"), None);
        let odd = Reads {
            files: vec!["a\nb".into()],
            asked: Vec::new(),
        };
        assert_eq!(odd.text(), None);
    }
}

//! clang's words of one compilation: what they make of its result.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use components::process::Job;

use crate::driver::auto_pch::words::{
    FOLDERS, SYSTEM_FOLDERS, is_integration_header, is_of_text, values,
};
use crate::driver::clang_plan::value_of;
use crate::store::{Key, KeyParts};

/// What a compilation may make to be kept.
const MAKES: &[&str] = &["-emit-obj", "-emit-llvm", "-emit-llvm-bc"];

/// Words of [`is_of_text`] that a kept compilation may have all the same: what they name is listed, or counts
/// with its version.
const LISTED: &[&str] = &[
    "-include-pch",
    "-imacros",
    "-ivfsoverlay",
    "-cxx-isystem",
    "-Wsystem-headers",
];

/// Beginnings of words that have clang write more than a result and a list.
const WRITE_MORE: &[&str] = &["-split-dwarf", "-stats-file", "-save-temps"];

/// Words with names that no file is read by.
const NAMES: &[&str] = &["-MT", "-MQ", "-main-file-name", "-dumpdir"];

/// The word that has clang tell how it looks for headers, which makes no other result.
const TELLS_HOW: &str = "-v";

/// A compilation of a half of a SYCL source.
#[derive(Debug)]
pub(super) struct Compile {
    job: Job,
    /// What it writes.
    pub output: PathBuf,
    /// Where it lists what it reads, if it does.
    pub list: Option<PathBuf>,
    /// Whether it tells how it works.
    pub tells_how: bool,
    /// Where the input's language stands in the words.
    pub language: usize,
    /// Files that the driver made for it: integration headers.
    pub own: Vec<PathBuf>,
    /// All folders in which headers are looked for.
    pub folders: Vec<PathBuf>,
    /// Those of the compiler, of the system, and of this toolchain.
    system: Vec<PathBuf>,
}

impl Compile {
    /// The compilation that a job is; none where it is none, or one that cannot be kept.
    pub(super) fn of(job: &Job) -> Option<Self> {
        let words = &job.args;
        let has = |name: &str| words.iter().any(|word| word == name);
        let is_sycl = has("-fsycl-is-device") || has("-fsycl-is-host");
        if words.first().is_none_or(|word| word != "-cc1") || !is_sycl {
            return None;
        }
        MAKES.iter().find(|word| has(word))?;
        let tells_more = |word: &OsString| {
            let word = word.to_string_lossy();
            let is_of_text = is_of_text(&word) && !LISTED.contains(&&*word);
            is_of_text || WRITE_MORE.iter().any(|start| word.starts_with(start))
        };
        let list = value_of(words, "-dependency-file").map(PathBuf::from);
        if words.iter().any(tells_more) || list.is_some() && !has("-sys-header-deps") {
            return None;
        }
        let output = value_of(words, "-o").filter(|output| *output != "-")?;
        let language = words
            .windows(2)
            .position(|two| two[0] == "-x" && two[1] == "c++")?;
        let own = values(words, &["-include"]).map(PathBuf::from);
        let own = own.filter(|file| is_integration_header(file));
        let paths =
            |names: &[&str]| -> Vec<PathBuf> { values(words, names).map(PathBuf::from).collect() };
        // This toolchain's headers come by `-isystem`, as others' may.
        let system = paths(&[SYSTEM_FOLDERS, &["-isystem", "-resource-dir"]].concat());
        Some(Compile {
            output: output.into(),
            list,
            tells_how: has(TELLS_HOW),
            language,
            own: own.collect(),
            folders: paths(&[FOLDERS, SYSTEM_FOLDERS, &["-cxx-isystem"]].concat()),
            system,
            job: job.clone(),
        })
    }

    /// The hash of all that is known of it before it runs: its words, the files that they name, and the
    /// source. None where a file is not there.
    pub(super) fn key(&self) -> Option<Key> {
        let words = &self.job.args;
        let here = std::env::current_dir().ok()?;
        let mut parts = KeyParts::default()
            .text("compile")
            .version(&self.job.program)
            .bytes(here.as_os_str().as_bytes());
        for name in ["SOURCE_DATE_EPOCH", "TZ"] {
            parts = parts.bytes(std::env::var_os(name).unwrap_or_default().as_bytes());
        }
        let source = words.get(self.language + 2)?;
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let text = word.to_string_lossy();
            let package = text.strip_prefix("-fembed-offload-object=").map(Path::new);
            if text == "-o" || text == "-dependency-file" {
                rest.next();
            } else if NAMES.contains(&&*text) {
                parts = parts.bytes(word.as_bytes());
                parts = parts.bytes(rest.next()?.as_bytes());
            } else if word == source {
                parts = parts.bytes(word.as_bytes());
            } else if let Some(package) = package {
                parts = parts.text("embed").bytes(&fs::read(package).ok()?);
            } else if self.own.iter().any(|own| own == word) {
                // Debug information has its name, which is another each time and soon that of no file.
                parts = parts.bytes(&fs::read(word).ok()?);
            } else if text != TELLS_HOW {
                parts = named_file(parts.bytes(word.as_bytes()), word);
            }
        }
        // What is read of a pipe here is lost to clang.
        let is_file = fs::metadata(source).is_ok_and(|data| data.is_file());
        Some(parts.bytes(&is_file.then(|| fs::read(source).ok())??).key())
    }

    /// Whether a file is the compiler's, the system's or this toolchain's: one that changes when it is
    /// installed anew.
    pub(super) fn is_of_system(&self, file: &Path) -> bool {
        file.is_absolute() && self.system.iter().any(|folder| file.starts_with(folder))
    }

    /// Where files would be read in the place of those that were: below the folders of the user's, and beside
    /// what is the user's.
    pub(super) fn shadows(&self, files: &[PathBuf]) -> Vec<PathBuf> {
        let mut looked: Vec<&Path> = values(&self.job.args, FOLDERS).map(Path::new).collect();
        let users = files.iter().filter(|file| !self.is_of_system(file));
        for folder in users.filter_map(|file| file.parent()) {
            if !looked.contains(&folder) {
                looked.push(folder);
            }
        }
        let names = files.iter().filter_map(|file| {
            let within = self
                .folders
                .iter()
                .filter_map(|folder| file.strip_prefix(folder).ok());
            within.min_by_key(|name| name.as_os_str().len())
        });
        let names: Vec<&Path> = names.collect();
        let all = looked
            .iter()
            .flat_map(|folder| names.iter().map(|name| folder.join(name)));
        all.collect()
    }
}

/// With the version of the file that a word names, alone or behind a sign of equality.
fn named_file(parts: KeyParts, word: &OsStr) -> KeyParts {
    let bytes = word.as_bytes();
    let value = bytes
        .iter()
        .position(|byte| *byte == b'=')
        .map_or(bytes, |at| &bytes[at + 1..]);
    let file = Path::new(OsStr::from_bytes(value));
    match !value.is_empty() && file.is_file() {
        true => parts.version(file),
        false => parts,
    }
}

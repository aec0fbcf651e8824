//! Host compilations by another compiler (`-fsycl-host-compiler=`). Where it looks for headers, and what its
//! words have it read, it knows alone: so it is asked for the preprocessed text each time, which takes it a
//! small part of a compilation, and what it makes is kept under that.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use components::process::Job;

use crate::driver::auto_pch::words::{is_integration_header, values};
use crate::driver::clang_plan::{replace_value, value_of};
use crate::store::{Key, KeyParts};
use crate::temporary::wait_for_the_end;

/// Beginnings of words by which a compiler reads files that the text does not name, writes others than its
/// object, asks the machine, or is another one.
const TELL_MORE: &[&str] = &[
    "@",
    "-###",
    "-B",
    "-MJ",
    "-Q",
    "-Wa,",
    "-Wp,",
    "-aux-info",
    "-fauto-profile",
    "-fbranch-probabilities",
    "-fcallgraph-info",
    "-fcs-profile",
    "-fdump",
    "-fmodule",
    "-fopt-info",
    "-fplugin",
    "-fprofile",
    "-fsanitize-blacklist",
    "-fsanitize-ignorelist",
    "-fstack-usage",
    "-ftest-coverage",
    "-fthinlto",
    "-ftime",
    "-gsplit-dwarf",
    "-include-pch",
    "-load",
    "-save-temps",
    "-serialize-diagnostics",
    "-specs",
    "-stats",
    "-time",
    "-v",
    "-wrapper",
    "--config",
    "--coverage",
    "--save-temps",
    "--serialize-diagnostics",
    "--specs",
];

/// A compilation whose text is known.
#[derive(Debug)]
pub(super) struct Preprocessed {
    /// The object that it makes.
    pub output: PathBuf,
    /// When the text was made, at the latest.
    pub start: SystemTime,
    /// The files that the text is made of.
    pub files: BTreeSet<PathBuf>,
    /// The hash of all that decides what it makes.
    pub key: Key,
}

impl Preprocessed {
    /// The compilation that a job is, after its compiler has made the text of it; none where it is none, or
    /// one that cannot be kept. A list of dependencies is written with the text.
    pub(super) fn of(job: &Job) -> Option<Self> {
        let words = &job.args;
        let source = value_of(words, "-x").filter(|language| *language == "c++");
        if words.first().is_none_or(|word| word != "-c") || source.is_none() {
            return None;
        }
        let tells_more = |word: &OsString| {
            let word = word.to_string_lossy();
            word.ends_with("=native") || TELL_MORE.iter().any(|start| word.starts_with(start))
        };
        if words.iter().any(tells_more) {
            return None;
        }
        let output = value_of(words, "-o")?;
        let mut preprocess = job.clone();
        preprocess.args[0] = "-E".into();
        replace_value(&mut preprocess.args, "-o", OsStr::new("-"));
        let start = SystemTime::now();
        let made = preprocess.output(b"").ok()?;
        if !made.status.success() {
            wait_for_the_end();
            return None;
        }
        let own = values(words, &["-include"]).map(Path::new);
        let own: Vec<&Path> = own.filter(|file| is_integration_header(file)).collect();
        // Debug information has its name.
        let is_own = |file: &Path| own.contains(&file) && !has_debug_information(words);
        let parts = words_and_compiler(job, is_own)?;
        let (parts, files) = text(parts, &made.stdout, is_own)?;
        Some(Preprocessed {
            output: output.into(),
            start,
            files,
            key: parts.key(),
        })
    }
}

fn has_debug_information(words: &[OsString]) -> bool {
    let mut levels = words.iter().map(|word| word.as_bytes());
    levels.any(|word| word.starts_with(b"-g") && word != b"-g0")
}

/// What decides beside the text: the words but for names that the driver makes up, the compiler, and the
/// folder that debug information has.
fn words_and_compiler(job: &Job, is_own: impl Fn(&Path) -> bool) -> Option<KeyParts> {
    let folder = job.dir.clone().or_else(|| std::env::current_dir().ok())?;
    // What it says of itself is of the one behind it, where it is a script.
    let itself = Job::new(&job.program).arg("--version").output(b"").ok()?;
    let mut parts = KeyParts::default()
        .text("preprocessed, and what was said")
        .version(&found(&job.program)?)
        .bytes(&itself.stdout)
        .bytes(folder.as_os_str().as_bytes());
    let mut words = job.args.iter();
    while let Some(word) = words.next() {
        if word == "-o" || word == "-MF" {
            words.next();
        } else if !is_own(Path::new(word)) {
            parts = parts.bytes(word.as_bytes());
        }
    }
    Some(parts)
}

/// The file of a program, behind all links.
fn found(program: &Path) -> Option<PathBuf> {
    let place = match program.components().count() {
        1 => std::env::split_paths(&std::env::var_os("PATH")?)
            .map(|folder| folder.join(program))
            .find(|file| file.is_file())?,
        _ => program.to_path_buf(),
    };
    place.canonicalize().ok()
}

/// The text as a part of the key, with the names of files that are the driver's `own` left out, and the other
/// files that it is made of. None where it has the assembler read more.
fn text(
    parts: KeyParts,
    text: &[u8],
    is_own: impl Fn(&Path) -> bool,
) -> Option<(KeyParts, BTreeSet<PathBuf>)> {
    let mut files = BTreeSet::new();
    let mut hashed = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        match named_file(line) {
            Some(file) if is_own(&file) => hashed.extend(b"# own\n"),
            marker => {
                hashed.extend(line);
                files.extend(marker.filter(|file| file.is_absolute() || file.exists()));
            }
        }
    }
    let reads_more = hashed.windows(INCBIN.len()).any(|part| part == INCBIN);
    (!reads_more).then(|| (parts.bytes(&hashed), files))
}

/// What has an assembler read a file.
const INCBIN: &[u8] = b".incbin";

/// The file that a line marker (`# LINE "FILE" FLAGS`) names, without what is no file (`<built-in>`).
fn named_file(line: &[u8]) -> Option<PathBuf> {
    let rest = line.strip_prefix(b"# ")?;
    let start = rest.iter().position(|byte| *byte == b'"')? + 1;
    let (number, rest) = rest.split_at(start);
    if !number[..start - 2].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let name = rest.split(|byte| *byte == b'"').next()?;
    // Names with quotes or backslashes are written another way.
    let is_plain = !name.is_empty() && !name.starts_with(b"<") && !name.contains(&b'\\');
    is_plain.then(|| OsString::from_vec(name.to_vec()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_markers_name_files() {
        let named = |line: &str| named_file(line.as_bytes());
        assert_eq!(named("# 12 \"/a/b.h\" 3 4\n"), Some("/a/b.h".into()));
        for none in [
            "# 0 \"<built-in>\"\n",
            "#pragma x \"y\"\n",
            "# pragma \"y\"\n",
            "# 1\n",
            "int a;\n",
        ] {
            assert_eq!(named(none), None, "{none}");
        }
    }

    #[test]
    fn names_that_the_driver_makes_up_do_not_count() {
        let of = |name: &str, line: &str| {
            let whole = format!("# 1 \"{name}\"\nint a;\n# 1 \"/usr/x.h\"\n{line}\n");
            let is_own = |file: &Path| file.starts_with("/tmp");
            text(KeyParts::default(), whole.as_bytes(), is_own)
                .map(|(parts, files)| (parts.key(), files))
        };
        let one = of("/tmp/1.h", "int b;").unwrap();
        assert_eq!(Some(&one), of("/tmp/2.h", "int b;").as_ref());
        assert_ne!(one.0, of("/tmp/1.h", "int c;").unwrap().0);
        assert_ne!(one.0, of("/home/1.h", "int b;").unwrap().0);
        assert_eq!(one.1, BTreeSet::from(["/usr/x.h".into()]));
        assert!(of("/tmp/1.h", "asm(\".incbin \\\"x\\\"\");").is_none());
    }
}

//! Host compilations by another compiler (`-fsycl-host-compiler=`). Where it looks for headers, and what its
//! words have it read, it knows alone: so it is asked for the preprocessed text each time, which takes it a
//! small part of a compilation, and what it makes is kept under that.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use components::process::Job;
use regex::bytes::Regex;

use crate::driver::auto_pch::words::{is_integration_header, values};
use crate::driver::clang_plan::{replace_value, value_of};
use crate::driver::host_words::is_common;
use crate::store::{Key, KeyParts};
use crate::temporary::wait_for_the_end;

/// The words of the driver's own. All others have to be known to every compiler ([`is_common`]): what a word of
/// one compiler does beside its object nobody knows here.
const OWN: &[&str] = &["-c", "-MD", "-MMD", "-MP"];

/// Words with a value behind them.
const SEPARATE: &[&str] = &[
    "-D",
    "-I",
    "-MF",
    "-MQ",
    "-MT",
    "-U",
    "-idirafter",
    "-imacros",
    "-include",
    "-iquote",
    "-isystem",
    "-o",
];

/// The one word for clang's front end that the driver gives.
const IS_HOST: &str = "-fsycl-is-host";

/// Beginnings of common words by which a compiler reads or writes more files.
const TELL_MORE: &[&str] = &[
    "-Wa,",
    "-Wp,",
    "-fsanitize-blacklist",
    "-fsanitize-coverage",
    "-fsanitize-ignorelist",
    "-gsplit-dwarf",
];

/// Variables by which compilers are others, or have more words.
const VARIABLES: &[&str] = &[
    "CCC_OVERRIDE_OPTIONS",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "ICPXCFG",
    "LANG",
    "LC_ALL",
    "LC_MESSAGES",
    "__INTEL_POST_CFLAGS",
    "__INTEL_PRE_CFLAGS",
];

/// A compilation whose text is known.
#[derive(Debug)]
pub(super) struct Preprocessed {
    /// The object that it makes.
    pub output: PathBuf,
    /// When the text was made, at the latest.
    pub start: SystemTime,
    /// The files that the text is made of, but for the driver's own.
    pub files: BTreeSet<PathBuf>,
    /// The hash of all that decides what it makes.
    pub key: Key,
}

impl Preprocessed {
    /// The compilation that a job is, after its compiler has made the text of it; none where it is none, or
    /// one that cannot be kept. A list of dependencies is written with the text.
    pub(super) fn of(job: &Job) -> Option<Self> {
        let words = &job.args;
        if words.first().is_none_or(|word| word != "-c") || job.dir.is_some() || !are_known(words) {
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
        // Debug information has their names, which are others each time and soon those of no files.
        let is_own = |file: &Path| own.contains(&file);
        let mut parts = words_and_compiler(job, is_own)?.bytes(&made.stderr);
        let files;
        (parts, files) = text(parts, &made.stdout, is_own)?;
        // Where a word stands in its line, and comments that warnings look at, are in the files alone.
        for (file, _) in files.iter().filter(|(_, kind)| **kind == Kind::User) {
            if ["gch", "pch"]
                .iter()
                .any(|form| with_ending(file, form).exists())
            {
                return None;
            }
            parts = parts.bytes(&fs::read(file).ok()?);
        }
        Some(Preprocessed {
            output: output.into(),
            start,
            files: files.into_keys().collect(),
            key: parts.key(),
        })
    }
}

/// Whether nothing but the object and a list of dependencies comes of the words, and that of the text alone.
fn are_known(words: &[OsString]) -> bool {
    let has = |name: &str| words.iter().any(|word| word == name);
    let lists = words.iter().any(|word| word.as_bytes().starts_with(b"-M"));
    if lists && !(has("-MF") && (has("-MT") || has("-MQ"))) {
        return false;
    }
    let mut sources = 0;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        let is_known = match &*text {
            "-x" => words.next().is_some_and(|language| language == "c++"),
            "-Xclang" => words.next().is_some_and(|word| word == IS_HOST),
            name if SEPARATE.contains(&name) => words.next().is_some(),
            name if !name.starts_with('-') => {
                sources += 1;
                !name.starts_with('@')
            }
            name => {
                let tells_more = TELL_MORE.iter().any(|start| name.starts_with(start));
                let is_known = OWN.contains(&name) || is_common(name);
                is_known && !tells_more && !name.ends_with("=native")
            }
        };
        if !is_known {
            return false;
        }
    }
    sources == 1
}

/// A file with one more ending.
fn with_ending(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// What decides beside the text: the words but for names that the driver makes up, the compiler, and the
/// folder that debug information has.
fn words_and_compiler(job: &Job, is_own: impl Fn(&Path) -> bool) -> Option<KeyParts> {
    let folder = std::env::current_dir().ok()?;
    // What it says of itself is of the one behind it, where it is a script.
    let itself = Job::new(&job.program).arg("--version").output(b"").ok()?;
    let mut parts = KeyParts::default()
        .text("preprocessed, and what was said")
        .version(&found(&job.program)?)
        .bytes(&itself.stdout)
        .bytes(&itself.stderr)
        .bytes(folder.as_os_str().as_bytes());
    for name in VARIABLES {
        parts = parts.bytes(std::env::var_os(name).unwrap_or_default().as_bytes());
    }
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

/// Whose a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    System,
    User,
}

/// The text as a part of the key, with the names of files that are the driver's `own` left out, and the other
/// files that it is made of. None where it has the assembler read more.
fn text(
    parts: KeyParts,
    text: &[u8],
    is_own: impl Fn(&Path) -> bool,
) -> Option<(KeyParts, BTreeMap<PathBuf, Kind>)> {
    static READS_MORE: OnceLock<Option<Regex>> = OnceLock::new();
    let reads_more = READS_MORE.get_or_init(|| Regex::new(r"\.inc(?:bin|lude)\b").ok());
    if reads_more.as_ref()?.is_match(text) {
        return None;
    }
    let mut files = BTreeMap::new();
    let mut hashed = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        match named_file(line) {
            Some((file, _)) if is_own(&file) => hashed.extend(b"# own\n"),
            marker => {
                hashed.extend(line);
                if let Some((file, kind)) = marker {
                    let known = files.entry(file).or_insert(kind);
                    *known = if kind == Kind::User { kind } else { *known };
                }
            }
        }
    }
    Some((parts.bytes(&hashed), files))
}

/// The file that a line marker (`# LINE "FILE" FLAGS`) names, without what is no file (`<built-in>`, and the
/// folder of the compilation, which ends in slashes). 3 is the flag of a system's header.
fn named_file(line: &[u8]) -> Option<(PathBuf, Kind)> {
    let rest = line.strip_prefix(b"# ")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = rest[digits..].strip_prefix(b" \"").filter(|_| digits > 0)?;
    let end = rest.iter().position(|byte| *byte == b'"')?;
    let (name, flags) = rest.split_at(end);
    // Names with quotes or backslashes are written another way.
    let is_plain = !name.is_empty() && !name.contains(&b'\\');
    let is_file = !name.starts_with(b"<") && !name.ends_with(b"/");
    let mut flags = flags[1..].split(u8::is_ascii_whitespace);
    let kind = if flags.any(|flag| flag == b"3") {
        Kind::System
    } else {
        Kind::User
    };
    (is_plain && is_file).then(|| (OsString::from_vec(name.to_vec()).into(), kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_markers_name_files() {
        let named = |line: &str| named_file(line.as_bytes());
        let (system, user) = (Kind::System, Kind::User);
        assert_eq!(
            named("# 12 \"/a/b.h\" 3 4\n"),
            Some(("/a/b.h".into(), system))
        );
        assert_eq!(named("# 1 \"b.h\" 1\n"), Some(("b.h".into(), user)));
        for none in [
            "# 0 \"<built-in>\"\n",
            "# 1 \"/a//\"\n",
            "#pragma x \"y\"\n",
            "# pragma \"y\"\n",
            "# \"y\"\n",
            "# 1\n",
            "# 1 \"y\n",
            "int a;\n",
        ] {
            assert_eq!(named(none), None, "{none}");
        }
    }

    #[test]
    fn names_that_the_driver_makes_up_do_not_count() {
        let of = |name: &str, line: &str| {
            let whole = format!("# 1 \"{name}\"\nint a;\n# 1 \"/usr/x.h\" 1 3\n{line}\n");
            let is_own = |file: &Path| file.starts_with("/tmp");
            text(KeyParts::default(), whole.as_bytes(), is_own)
                .map(|(parts, files)| (parts.key(), files))
        };
        let one = of("/tmp/1.h", "int b;").unwrap();
        assert_eq!(Some(&one), of("/tmp/2.h", "int b;").as_ref());
        assert_ne!(one.0, of("/tmp/1.h", "int c;").unwrap().0);
        assert_ne!(one.0, of("/home/1.h", "int b;").unwrap().0);
        assert_eq!(one.1, BTreeMap::from([("/usr/x.h".into(), Kind::System)]));
        assert!(of("/tmp/1.h", "asm(\".incbin \\\"x\\\"\");").is_none());
        assert!(of("/tmp/1.h", "asm(\".include \\\"x\\\"\");").is_none());
    }

    #[test]
    fn words_that_do_more_are_not_known() {
        let known = |more: &str| {
            let line =
                format!("-c -include h.h -std=gnu++17 -O2 -isystem i {more} -x c++ a.cpp -o a.o");
            let words: Vec<_> = line.split_whitespace().map(OsString::from).collect();
            are_known(&words)
        };
        for more in [
            "",
            "-DX -g -Wall -fPIC -march=x86-64-v3",
            "-Xclang -fsycl-is-host",
            "-MD -MF d -MT t",
        ] {
            assert!(known(more), "{more}");
        }
        for more in [
            "-march=native",
            "-dM",
            "-P",
            "-coverage",
            "--coverage",
            "-fplugin=x",
            "-fpass-plugin=x",
            "-gsplit-dwarf",
            "-save-temps",
            "-MD",
            "-MD -MF d",
            "-Wp,-MD,d",
            "-Wa,-al=x",
            "@more",
            "-specs=x",
            "-fprofile-use",
            "-Xclang -load",
            "b.cpp",
            "-fdirectives-only",
            "-x c",
            "-fsanitize-ignorelist=x",
        ] {
            assert!(!known(more), "{more}");
        }
    }
}

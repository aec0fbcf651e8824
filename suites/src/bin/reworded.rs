//! The reference's tools with other words: `reworded tool|program COMMAND…` runs a command and changes
//! in what it says everything that another toolchain of the same tools may say otherwise: the words of
//! its messages, the columns of places in sources, the names of temporary files, and the form of the lines by
//! which a program tells what it does (`*-traced` of `suites/tools.yaml`). What a user has
//! named (on the command line, in the files at hand) stays, and so do the steps that a plan prints. By
//! it the suites show that no case asks for words that are this project's alone.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use components::process::Job;
use regex::{Captures, Regex};
use suites::layout::files_under;

/// The words that all compilers have for the weight of a message, and tools that the documents name.
const COMMON: [&str; 5] = ["error", "warning", "note", "aoc", "ocloc"];

/// Files that are longer name nothing that a message would.
const LONGEST: u64 = 1 << 20;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(status) => ExitCode::from(status),
        Err(mistake) => {
            eprintln!("reworded: {mistake}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[String]) -> Result<u8, String> {
    let [mode, program, arguments @ ..] = words else {
        return Err("a mode and a command are needed".to_owned());
    };
    let here = Path::new(".");
    let before: BTreeSet<PathBuf> = files_under(here)?.into_iter().collect();
    let mut stdin = Vec::new();
    let read = std::io::stdin().read_to_end(&mut stdin);
    read.map_err(|e| e.to_string())?;
    let job = Job::new(program).args(arguments);
    let output = job.output(&stdin).map_err(|e| e.to_string())?;
    let rewording = Rewording::new(arguments, &before)?;
    let is_program = mode == "program";
    let stdout = match is_program {
        true => rewording.exceptions(&output.stdout),
        false => output.stdout,
    };
    let written = std::io::stdout().write_all(&stdout);
    written.map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text.split_inclusive('\n').map(|line| match is_program {
        true => rewording.told(line),
        false => rewording.line(line),
    });
    eprint!("{}", lines.collect::<String>());
    if arguments.iter().any(|word| word.ends_with("-save-temps")) {
        rename_intermediates(arguments, &before)?;
    }
    let signal = output.status.signal().map(|signal| 128 + signal);
    let status = output.status.code().or(signal).unwrap_or(1);
    Ok(u8::try_from(status).unwrap_or(1))
}

/// What is said otherwise, and what stays.
struct Rewording {
    named: BTreeSet<String>,
    mangled: String,
    place: Regex,
    build: Regex,
    kernel: Regex,
    exception: Regex,
    temporary: Option<Regex>,
}

impl Rewording {
    fn new(arguments: &[String], files: &BTreeSet<PathBuf>) -> Result<Self, String> {
        let regex = |text: &str| Regex::new(text).map_err(|e| e.to_string());
        let name = regex(r"[A-Za-z_][A-Za-z0-9_]*")?;
        let mut named = BTreeSet::new();
        let mut mangled = String::new();
        let given = arguments.iter().map(PathBuf::from);
        for path in given
            .filter(|path| path.is_file())
            .chain(files.iter().cloned())
        {
            let text = text_of(&path);
            named.extend(name.find_iter(&text).map(|m| m.as_str().to_owned()));
        }
        for word in arguments {
            named.extend(name.find_iter(word).map(|m| m.as_str().to_owned()));
        }
        for name in named.iter().filter(|name| name.starts_with("_Z")) {
            mangled += name;
            mangled.push(' ');
        }
        let temporary = match std::env::var("TMPDIR") {
            Ok(folder) => Some(regex(&format!(
                r#"{}/([^/"'\s]+)"#,
                regex::escape(&folder)
            ))?),
            Err(_) => None,
        };
        Ok(Rewording {
            named,
            mangled,
            place: regex(r":(\d+):\d+: ")?,
            build: regex(r"^plumbline: build image (\d+) with options '(.*)'$")?,
            kernel: regex(r"^plumbline: kernel (.*) from image (\d+) \((.*)\)$")?,
            exception: regex(r"^(?:threw \w+|thrown|handled): ")?,
            temporary,
        })
    }

    /// A line of standard error.
    fn line(&self, line: &str) -> String {
        let line = match &self.temporary {
            Some(temporary) => temporary.replace_all(line, |found: &Captures<'_>| renamed(found)),
            None => line.into(),
        };
        if line.trim_start().starts_with('"') {
            return line.into_owned();
        }
        let line = self.place.replace_all(&line, ":$1: ");
        self.words(&line)
    }

    /// A line of standard error of a program: what the runtime tells, in another form; what a stand-in for a
    /// driver writes is no toolchain's.
    fn told(&self, line: &str) -> String {
        let text = line.trim_end_matches('\n');
        if text.starts_with("stand-in: ") {
            return line.to_owned();
        }
        if let Some(found) = self.build.captures(text) {
            return format!("compiling no. {} <{}>\n", &found[1], &found[2]);
        }
        if let Some(found) = self.kernel.captures(text) {
            return format!("no. {} for {} has {}\n", &found[2], &found[3], &found[1]);
        }
        self.line(line)
    }

    /// Standard output of a program that tells of exceptions as the suites' programs do.
    fn exceptions(&self, output: &[u8]) -> Vec<u8> {
        let mut said = Vec::new();
        for line in output.split_inclusive(|byte| *byte == b'\n') {
            let text = String::from_utf8_lossy(line);
            match self.exception.find(&text) {
                Some(head) => {
                    let what = self.words(&text[head.end()..]);
                    said.extend([head.as_str(), &what].concat().bytes());
                }
                None => said.extend(line),
            }
        }
        said
    }

    fn words(&self, text: &str) -> String {
        let chunks = text.split_inclusive(char::is_whitespace);
        let chunks = chunks.map(|chunk| {
            let word =
                chunk.trim_matches(|c: char| c.is_whitespace() || "'\"`()[],:;.!?".contains(c));
            // A word in quotes of its own is somebody's name.
            let outer = |c: char| c.is_whitespace() || "`()[],:;.!?".contains(c);
            let quoted = chunk.trim_matches(outer);
            let is_name = quoted
                .strip_prefix('\'')
                .and_then(|rest| rest.strip_suffix('\''))
                == Some(word);
            match self.is_own(word) && !is_name {
                true => chunk.replace(word, &other(word)),
                false => chunk.to_owned(),
            }
        });
        chunks.collect()
    }

    /// Whether a word is the tool's own: a plain word that nobody has named.
    fn is_own(&self, word: &str) -> bool {
        let is_plain = word.len() > 1 && word.chars().all(|c| c.is_ascii_alphabetic());
        let is_mangled = word.len() > 2 && self.mangled.contains(word);
        is_plain && !COMMON.contains(&word) && !self.named.contains(word) && !is_mangled
    }
}

fn text_of(path: &Path) -> String {
    let is_short = path.metadata().is_ok_and(|data| data.len() < LONGEST);
    let bytes = match is_short {
        true => std::fs::read(path).unwrap_or_default(),
        false => Vec::new(),
    };
    match bytes.contains(&0) {
        true => String::new(),
        false => String::from_utf8_lossy(&bytes).into_owned(),
    }
}

/// Another word of the same length.
fn other(word: &str) -> String {
    let turned = |c: char, first: u8| {
        char::from((u8::try_from(c).unwrap_or(first) - first + 13) % 26 + first)
    };
    let turn = |c: char| match c {
        'a'..='z' => turned(c, b'a'),
        'A'..='Z' => turned(c, b'A'),
        _ => c,
    };
    word.chars().map(turn).collect()
}

/// A temporary file under another name of the same kind.
fn renamed(found: &Captures<'_>) -> String {
    let (whole, name) = (&found[0], &found[1]);
    let folder = whole.strip_suffix(name).unwrap_or_default();
    let (stem, kind) = name.rsplit_once('.').unwrap_or((name, ""));
    let number = stem
        .bytes()
        .fold(7_u32, |sum, byte| sum.wrapping_mul(31) + u32::from(byte));
    let dot = if kind.is_empty() { "" } else { "." };
    format!("{folder}between-{number}{dot}{kind}")
}

/// Gives what `-save-temps` has left here other names, but for what the command line names.
fn rename_intermediates(arguments: &[String], before: &BTreeSet<PathBuf>) -> Result<(), String> {
    for path in files_under(Path::new("."))? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_named = arguments
            .iter()
            .any(|word| word.rsplit('/').next() == Some(&name));
        if !is_named && !before.contains(&path) {
            let to = path.with_file_name(format!("kept-{name}"));
            std::fs::rename(&path, &to).map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    Ok(())
}

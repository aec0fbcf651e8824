//! The judge: holds what a step did against what its case expects.

use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;

use components::process::Job;
use regex::RegexBuilder;
use tempfile::NamedTempFile;

use crate::case::{FileChecks, Outcome, TextChecks};
use crate::golden::Set;
use crate::normalise::Normaliser;
use crate::produced;

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this status.
    Exited(i32),
    /// By a signal, a panic, or a shell's word for a signal: never expected of anyone.
    Crashed(i32),
}

/// The status that Rust programs exit with after a panic.
const PANIC: i32 = 101;

impl Ending {
    /// Reads an exit status.
    #[must_use]
    pub fn of(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) if code == PANIC || code > 125 => Ending::Crashed(code),
            (Some(code), _) => Ending::Exited(code),
            (None, signal) => Ending::Crashed(signal.unwrap_or(0)),
        }
    }
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ending::Exited(code) => write!(f, "exit {code}"),
            Ending::Crashed(code) => write!(f, "crash {code}"),
        }
    }
}

/// Why a step ended otherwise than `outcome` (or the exact `exit`) says, if so.
#[must_use]
pub fn ending(
    ending: Ending,
    outcome: Outcome,
    allowed: &[i32],
    exit: Option<i32>,
) -> Option<String> {
    let code = match ending {
        Ending::Exited(code) => code,
        Ending::Crashed(code) => return Some(format!("crashed ({code}); no outcome is a crash")),
    };
    match exit {
        Some(exit) if exit != code => Some(format!("exit status {code}, expected {exit}")),
        Some(_) => None,
        None if allowed.contains(&code) => None,
        None => Some(format!(
            "exit status {code}, but {outcome:?} means {allowed:?}"
        )),
    }
}

/// What a text is judged with.
#[derive(Debug)]
pub struct Bench<'a> {
    /// The case's name.
    pub case: &'a str,
    /// The toolchain's golden files, if it has any.
    pub golden: Option<&'a Set>,
    /// The `FileCheck` program, or why there is none.
    pub filecheck: &'a Result<std::path::PathBuf, String>,
    /// Writes texts as cases see them.
    pub normaliser: &'a Normaliser,
    /// Whether the toolchain answers for more than the documents.
    pub answers_beyond: bool,
}

impl Bench<'_> {
    /// What is wrong with a text; empty when all checks hold.
    #[must_use]
    pub fn text(&self, checks: &TextChecks, bytes: &[u8]) -> Vec<String> {
        let text = self.normaliser.text(bytes);
        let mut wrong = plain(checks, &text);
        wrong.extend(patterns(checks, &text));
        wrong.extend(json(checks, &text));
        if let Some(checks) = &checks.filecheck {
            wrong.extend(self.filecheck(checks, &text).err());
        }
        if let (Some(golden), Some(set)) = (&checks.golden, self.golden) {
            wrong.extend(golden.compare(set, self.case, &text).err());
        }
        if let Some(own) = checks.own.as_ref().filter(|_| self.answers_beyond) {
            wrong.extend(self.text(own, bytes));
        }
        wrong
    }

    /// What is wrong with a file; empty when all checks hold. `resolve` finds other files by name.
    #[must_use]
    pub fn file(
        &self,
        path: &Path,
        checks: &FileChecks,
        resolve: &dyn Fn(&str) -> Result<std::path::PathBuf, String>,
    ) -> Vec<String> {
        if checks.absent {
            return match path.exists() {
                true => vec!["is there".to_owned()],
                false => Vec::new(),
            };
        }
        let bytes = match produced::read(path) {
            Ok(bytes) => bytes,
            Err(wrong) => return vec![wrong],
        };
        let mut wrong = Vec::new();
        if let Some(other) = &checks.same_as {
            wrong.extend(same(&bytes, other, resolve).err());
        }
        if let Some(hex) = &checks.begins_with {
            wrong.extend(begins(&bytes, hex).err());
        }
        if let Some(checks) = &checks.text {
            wrong.extend(self.text(checks, &bytes));
        }
        wrong
    }

    fn filecheck(&self, checks: &str, text: &str) -> Result<(), String> {
        let program = self.filecheck.as_ref().map_err(Clone::clone)?;
        // Not in the case's folder, where a step may have made a pipe of that name, or a link out of it.
        let mut file = NamedTempFile::new().map_err(|e| e.to_string())?;
        let written = file.write_all(checks.as_bytes());
        written.map_err(|e| format!("{}: {e}", file.path().display()))?;
        // An empty text is an input too; the judge is told so.
        let job = Job::new(program).arg(file.path()).arg("--allow-empty");
        let output = job.output(text.as_bytes()).map_err(|e| e.to_string())?;
        match output.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }
}

fn plain(checks: &TextChecks, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Some(expected) = &checks.equals {
        if expected.trim() != text.trim() {
            wrong.push(format!("is not {expected:?}"));
        }
    }
    if let Some(lines) = checks.lines {
        let found = text.lines().count();
        if found != lines {
            wrong.push(format!("has {found} lines, not {lines}"));
        }
    }
    let missing = checks.contains.iter().filter(|t| !text.contains(*t));
    wrong.extend(missing.map(|t| format!("does not contain {t:?}")));
    let present = checks.lacks.iter().filter(|t| text.contains(*t));
    wrong.extend(present.map(|t| format!("contains {t:?}")));
    for (part, count) in &checks.count {
        let found = text.matches(part).count();
        if found != *count {
            wrong.push(format!("contains {part:?} {found} times, not {count}"));
        }
    }
    wrong
}

fn patterns(checks: &TextChecks, text: &str) -> Vec<String> {
    let wanted = checks.matches.iter().map(|pattern| (pattern, true));
    let unwanted = checks.lacks_match.iter().map(|pattern| (pattern, false));
    wanted
        .chain(unwanted)
        .filter_map(|(pattern, expected)| {
            let found = RegexBuilder::new(pattern).multi_line(true).build();
            match found.map(|regex| regex.is_match(text)) {
                Ok(found) if found == expected => None,
                Ok(true) => Some(format!("matches /{pattern}/")),
                Ok(false) => Some(format!("does not match /{pattern}/")),
                Err(error) => Some(error.to_string()),
            }
        })
        .collect()
}

fn json(checks: &TextChecks, text: &str) -> Vec<String> {
    if checks.json.is_empty() {
        return Vec::new();
    }
    let value: serde_json::Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => return vec![format!("is no JSON: {error}")],
    };
    let found = |pointer: &str| value.pointer(pointer);
    checks
        .json
        .iter()
        .filter(|(pointer, expected)| found(pointer) != Some(expected))
        .map(|(pointer, expected)| match found(pointer) {
            Some(found) => format!("has {found} at '{pointer}', not {expected}"),
            None => format!("has nothing at '{pointer}'"),
        })
        .collect()
}

fn same(
    bytes: &[u8],
    other: &str,
    resolve: &dyn Fn(&str) -> Result<std::path::PathBuf, String>,
) -> Result<(), String> {
    let path = resolve(other)?;
    let expected = produced::read(&path).map_err(|wrong| format!("{other}: {wrong}"))?;
    if bytes == expected {
        return Ok(());
    }
    let at = bytes.iter().zip(&expected).take_while(|(a, b)| a == b);
    Err(format!(
        "differs from {other} from byte {} on ({} and {} bytes)",
        at.count(),
        bytes.len(),
        expected.len()
    ))
}

fn begins(bytes: &[u8], hex: &str) -> Result<(), String> {
    let digits: Vec<u32> = hex.chars().filter_map(|c| c.to_digit(16)).collect();
    let expected: Vec<u32> = digits
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |byte, digit| byte * 16 + digit))
        .collect();
    let found: Vec<u32> = bytes
        .iter()
        .take(expected.len())
        .map(|b| u32::from(*b))
        .collect();
    match found == expected {
        true => Ok(()),
        false => Err(format!("begins with {found:02x?}, not {expected:02x?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_is_never_an_outcome() {
        for (raw, crash) in [(0x0b, true), (101 << 8, true), (134 << 8, true), (0, false)] {
            let end = Ending::of(ExitStatus::from_raw(raw));
            assert_eq!(matches!(end, Ending::Crashed(_)), crash, "{raw}");
            let verdict = ending(end, Outcome::Passes, &[0], None);
            assert_eq!(verdict.is_some(), crash, "{raw}");
        }
        let aborted = Ending::of(ExitStatus::from_raw(6));
        assert!(ending(aborted, Outcome::Malformed, &[1], Some(6)).is_some());
    }

    #[test]
    fn statuses_are_held_against_outcomes() {
        let exited = Ending::Exited;
        assert!(ending(exited(1), Outcome::Malformed, &[1], None).is_none());
        assert!(ending(exited(0), Outcome::Malformed, &[1], None).is_some());
        assert!(ending(exited(42), Outcome::Passes, &[0], Some(42)).is_none());
        assert!(ending(exited(0), Outcome::Passes, &[0], Some(42)).is_some());
    }

    fn judge_for(checks: &str, text: &str, answers_beyond: bool) -> usize {
        let checks: TextChecks =
            offload_formats::yaml::from_str(checks, Path::new("checks")).unwrap();
        let missing = Err("no FileCheck".to_owned());
        let bench = Bench {
            case: "a/b",
            golden: None,
            filecheck: &missing,
            normaliser: &Normaliser::default(),
            answers_beyond,
        };
        bench.text(&checks, text.as_bytes()).len()
    }

    fn judge(checks: &str, text: &str) -> usize {
        judge_for(checks, text, true)
    }

    #[test]
    fn own_words_are_asked_of_those_who_answer_for_them() {
        let checks = "{contains: [a], own: {contains: [b]}}";
        assert_eq!(judge_for(checks, "ac", true), 1);
        assert_eq!(judge_for(checks, "ac", false), 0);
        assert_eq!(judge_for(checks, "bc", false), 1);
    }

    #[test]
    fn every_kind_of_text_check_can_hold_and_fail() {
        for (checks, good, bad) in [
            ("equals: ab", "ab\n", "abc"),
            ("contains: [b]", "abc", "ac"),
            ("lacks: [b]", "ac", "abc"),
            ("matches: ['^b$']", "a\nb\n", "ab"),
            ("lacks-match: ['^b$']", "ab", "a\nb\n"),
            ("count: {x: 2}", "axbx", "ax"),
            ("lines: 2", "a\nb\n", "a\n"),
            ("json: {/a/0: 1}", "{\"a\": [1]}", "{\"a\": []}"),
            ("json: {/a: 1}", "{\"a\": 1}", "no json"),
        ] {
            assert_eq!(judge(checks, good), 0, "{checks}");
            assert_eq!(judge(checks, bad), 1, "{checks}");
        }
        assert_eq!(judge("filecheck: 'CHECK: a'", "a"), 1);
        assert_eq!(judge("matches: ['(']", "a"), 1);
    }

    #[test]
    fn leading_bytes_are_compared_in_hexadecimal() {
        assert!(begins(&[0x10, 0xff, 3], "10 FF").is_ok());
        assert!(begins(&[0x10], "10ff").is_err());
    }
}

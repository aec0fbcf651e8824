//! `-MJ`: a fragment of clang's JSON compilation database, an entry for the host compilation of each
//! source. The words are clang's, with the headers' folder among them, so that tools built on clang
//! read the source as the host compilation does.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::clang_plan::{ClangPlan, HostCompile};
use super::clang_words::CLANG_SEPARATE;
use super::include_words;
use super::options::Options;
use crate::layout::Layout;
use crate::tool::{Failure, write_whole};

/// Options about lists of dependencies and fragments, which are no matter of the compilation.
const ABOUT_LISTS: &[&str] = &["-M", "-MM", "-MD", "-MMD", "-MG", "-MP", "-MV"];

/// The same with a value, in the same word or the next.
const ABOUT_FILES: &[&str] = &["-MF", "-MT", "-MQ", "-MJ"];

#[derive(Debug, Serialize)]
struct Entry {
    directory: String,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    arguments: Vec<String>,
}

/// Writes the fragment that the command line asks for, if it does.
///
/// # Errors
/// When the file cannot be written.
pub(super) fn write(options: &Options, plan: &ClangPlan, layout: &Layout) -> Result<(), Failure> {
    let Some(fragment) = asked(&options.clang) else {
        return Ok(());
    };
    let mut text = String::new();
    for compile in &plan.compiles {
        let entry = entry(options, plan, compile, layout);
        text.push_str(&serde_json::to_string(&entry).map_err(Failure::job)?);
        text.push_str(",\n");
    }
    write_whole(&fragment, text.as_bytes())
}

/// The file of the last `-MJ`.
fn asked(clang: &[OsString]) -> Option<PathBuf> {
    let joined = |word: &OsString| {
        let file = word.to_str()?.strip_prefix("-MJ")?;
        Some(file.to_owned())
    };
    let at = clang.iter().rposition(|word| joined(word).is_some())?;
    match joined(&clang[at]).filter(|file| !file.is_empty()) {
        Some(file) => Some(file.into()),
        None => clang.get(at + 1).map(PathBuf::from),
    }
}

fn entry(options: &Options, plan: &ClangPlan, compile: &HostCompile, layout: &Layout) -> Entry {
    let shown = |word: &OsStr| word.to_string_lossy().into_owned();
    let file = shown(compile.source().as_os_str());
    let output = compile.output().map(shown);
    let folder = options.working_directory();
    let folder = folder.or_else(|| std::env::current_dir().ok());
    let clang = compile.jobs.first().map(|job| job.program.as_path());
    let mut arguments = vec![shown(clang.unwrap_or(Path::new("clang")).as_os_str())];
    arguments.extend(compile.language().map(|language| format!("-x{language}")));
    arguments.push(file.clone());
    arguments.extend(output.iter().flat_map(|o| ["-o".to_owned(), o.clone()]));
    arguments.push("--driver-mode=g++".to_owned());
    let words = of_compilation(&options.clang).into_iter();
    arguments.extend(
        words
            .chain(include_words(options, layout))
            .map(|word| shown(&word)),
    );
    arguments.push(format!("--target={}", plan.target));
    Entry {
        directory: shown(folder.unwrap_or_default().as_os_str()),
        file,
        output,
        arguments,
    }
}

/// The words that say how to compile: neither inputs, nor outputs, nor what an entry says elsewhere.
fn of_compilation(clang: &[OsString]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut rest = clang.iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        let text = text.as_ref();
        let said_elsewhere = ["-o", "-x"].iter().chain(ABOUT_FILES);
        if said_elsewhere.clone().any(|name| *name == text) {
            rest.next();
        } else if CLANG_SEPARATE.contains(&text) {
            words.push(word.clone());
            words.extend(rest.next().cloned());
        } else if text.starts_with('-')
            && text != "-"
            && !ABOUT_LISTS.contains(&text)
            && !text.starts_with("--target=")
            && !said_elsewhere.clone().any(|name| text.starts_with(name))
        {
            words.push(word.clone());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(Into::into).collect()
    }

    #[test]
    fn an_entry_has_the_words_about_compiling() {
        let given = "-O2 a.cpp -MJ f.json -MMD -MFa.d -x c++ -I inc -c -oa.o -DX=1 -Xclang -foo -lm - b.cpp";
        assert_eq!(
            of_compilation(&words(given)),
            words("-O2 -I inc -c -DX=1 -Xclang -foo -lm")
        );
    }

    #[test]
    fn the_last_fragment_counts() {
        let file = |line| asked(&words(line));
        assert_eq!(file("-MJ a -c x.cpp -MJb"), Some("b".into()));
        assert_eq!(file("-MJa -MJ b"), Some("b".into()));
        assert_eq!(file("-c x.cpp"), None);
    }
}

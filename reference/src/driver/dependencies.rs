//! The list of dependencies that `-MD`, `-M` and their kin ask for: the host compilation's own, less
//! what is the driver's, and what only the device compilations read.

use std::collections::HashSet;
use std::path::PathBuf;

use components::process::Job;

use super::stages::read;
use crate::tool::{Failure, write_whole};

/// The lists of one source and the list that they become, all in make's format.
#[derive(Debug, Clone)]
pub struct Dependencies {
    /// The list of the host compilation, or of the device's where there is no other.
    pub list: PathBuf,
    /// The lists of the device compilations.
    pub device: Vec<PathBuf>,
    /// A file of the driver's own that leaves the list.
    pub own: Option<PathBuf>,
    /// Where the whole list goes; `-` is standard output.
    pub output: PathBuf,
}

impl Dependencies {
    /// Commands that do the same as far as make can tell: rules of one target add up.
    pub(super) fn job(&self) -> Job {
        let mut script = String::from("cat \"$@\"");
        if let Some(own) = &self.own {
            script.push_str(&format!(" | sed 's|{} *||'", own.display()));
        }
        if self.output.as_os_str() != "-" {
            script.push_str(&format!(
                " > '{0}.all' && mv '{0}.all' '{0}'",
                self.output.display()
            ));
        }
        Job::new("sh")
            .args(["-c", &script, "sh"])
            .arg(&self.list)
            .args(&self.device)
    }

    /// Writes the whole list.
    pub(super) fn run(&self) -> Result<(), Failure> {
        let text = |path: &PathBuf| -> Result<String, Failure> {
            Ok(String::from_utf8_lossy(&read(path)?).into_owned())
        };
        let mut list = text(&self.list)?;
        if let Some(own) = &self.own {
            list = without_word(&list, &own.to_string_lossy());
        }
        for device in &self.device {
            list = joined(list, &text(device)?);
        }
        write_whole(&self.output, list.as_bytes())
    }
}

/// `list` with the files that only `other` names at the end of its first rule, and with an empty rule
/// for each of them where `list` has such rules (`-MP`).
fn joined(mut list: String, other: &str) -> String {
    let known: HashSet<&str> = prerequisites(&list).collect();
    let new: Vec<&str> = prerequisites(other)
        .filter(|file| !known.contains(file))
        .collect();
    let (Some(end), false) = (first_rule(&list), new.is_empty()) else {
        return list;
    };
    let added: String = new.iter().map(|file| format!(" \\\n  {file}")).collect();
    let has_empty_rules = !list[end..].trim().is_empty();
    list.insert_str(end, &added);
    if has_empty_rules {
        list.extend(new.iter().map(|file| format!("{file}:\n")));
    }
    list
}

/// Where the first rule ends: at a line end that no backslash takes back. `None` without a rule.
fn first_rule(list: &str) -> Option<usize> {
    let ends = list.match_indices('\n').map(|(at, _)| at);
    let mut ends = ends.filter(|at| !list[..*at].ends_with('\\'));
    let end = ends.next().unwrap_or(list.len());
    (!list[..end].trim().is_empty()).then_some(end)
}

/// The files behind the colon of the first rule, as written there.
fn prerequisites(list: &str) -> impl Iterator<Item = &str> {
    let rule = &list[..first_rule(list).unwrap_or(0)];
    let mut words = words(rule).into_iter();
    let _target = words.by_ref().find(|word| word.ends_with(':'));
    words
}

/// The words of a rule; a blank behind a backslash is part of its word.
fn words(rule: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = None;
    let mut chars = rule.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let joins_lines = c == '\\' && chars.peek().is_some_and(|(_, next)| *next == '\n');
        if c.is_ascii_whitespace() || joins_lines {
            words.extend(start.take().map(|start| &rule[start..at]));
        } else {
            start.get_or_insert(at);
            if c == '\\' {
                chars.next();
            }
        }
    }
    words.extend(start.map(|start| &rule[start..]));
    words
}

/// `list` without the word `name` and the blanks behind it.
fn without_word(list: &str, name: &str) -> String {
    let mut kept = String::with_capacity(list.len());
    let mut rest = list;
    while let Some(at) = rest.find(name) {
        let (before, found) = rest.split_at(at);
        kept.push_str(before);
        rest = found
            .strip_prefix(name)
            .unwrap_or_default()
            .trim_start_matches(' ');
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_is_dropped_wherever_it_stands() {
        let list = "a.o: a.cpp /t/a-h.h \\\n  b.h /t/a-h.h\n";
        assert_eq!(without_word(list, "/t/a-h.h"), "a.o: a.cpp \\\n  b.h \n");
    }

    #[test]
    fn what_only_the_device_read_comes_in_once() {
        let device = "a.o: a.cpp \\\n  b.h my\\ d.h\n";
        assert_eq!(
            joined("a.o: a.cpp b.h\n".to_owned(), device),
            "a.o: a.cpp b.h \\\n  my\\ d.h\n"
        );
        assert_eq!(
            joined("a.o: a.cpp \\\n b.h\nb.h:\n".to_owned(), device),
            "a.o: a.cpp \\\n b.h \\\n  my\\ d.h\nb.h:\nmy\\ d.h:\n"
        );
        let all = "o\\ o: a.cpp b.h my\\ d.h\n";
        assert_eq!(joined(all.to_owned(), device), all);
        assert_eq!(joined(String::new(), device), "");
    }
}

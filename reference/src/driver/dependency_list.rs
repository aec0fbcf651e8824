//! Lists of what a compilation read, in make's format, as clang and g++ write them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// How long a line gets before the next file begins another one.
const COLUMNS: usize = 75;

/// The rules of a list: what was made of which files, and with `-MP` an empty rule for each file.
#[derive(Debug, Default)]
pub(super) struct DependencyList<'t> {
    rules: Vec<Rule<'t>>,
}

/// Words stay as written: what make takes for a part of the syntax stands behind a backslash.
#[derive(Debug)]
struct Rule<'t> {
    targets: Vec<&'t [u8]>,
    files: Vec<&'t [u8]>,
}

impl<'t> DependencyList<'t> {
    /// Reads a list. What is no rule is no part of it.
    pub(super) fn read(text: &'t [u8]) -> Self {
        let rules = rule_texts(text).into_iter().filter_map(|rule| {
            let words = words(rule);
            let colon = words.iter().position(|word| word.ends_with(b":"))?;
            let (targets, files) = words.split_at(colon + 1);
            let mut targets = targets.to_vec();
            if let Some(last) = targets.last_mut() {
                *last = last.strip_suffix(b":").unwrap_or(last);
            }
            Some(Rule {
                targets,
                files: files.to_vec(),
            })
        });
        DependencyList {
            rules: rules.collect(),
        }
    }

    /// The files of the first rule.
    pub(super) fn first_files(&self) -> impl Iterator<Item = PathBuf> {
        let files = self.rules.first().map_or(&[][..], |rule| &rule.files);
        files
            .iter()
            .map(|file| PathBuf::from(OsStr::from_bytes(&unescaped(file))))
    }

    /// Puts a file in front of the others, where it is one of them.
    pub(super) fn put_first(&mut self, file: &Path) {
        let is_it = |word: &&[u8]| file.as_os_str().as_bytes() == unescaped(word).as_ref();
        for rule in &mut self.rules {
            if let Some(at) = rule.files.iter().position(is_it) {
                rule.files[..=at].rotate_right(1);
            }
        }
    }

    /// Drops files, and the empty rules for them.
    pub(super) fn drop_files(&mut self, own: &[PathBuf]) {
        let is_own = |word: &[u8]| {
            let name = unescaped(word);
            own.iter()
                .any(|path| path.as_os_str().as_bytes() == name.as_ref())
        };
        for rule in &mut self.rules {
            rule.files.retain(|file| !is_own(file));
        }
        let is_for_own = |rule: &Rule<'_>| {
            rule.files.is_empty() && rule.targets.iter().any(|target| is_own(target))
        };
        self.rules.retain(|rule| !is_for_own(rule));
    }

    /// Takes in the files that only `other` names, each with an empty rule where this list has such
    /// rules.
    pub(super) fn take_in(&mut self, other: &DependencyList<'t>) {
        let with_empty_rules = self.rules.len() > 1;
        let (Some(first), Some(others)) = (self.rules.first_mut(), other.rules.first()) else {
            return;
        };
        let known: HashSet<_> = first.files.iter().copied().collect();
        let new = others.files.iter().filter(|file| !known.contains(*file));
        let new: Vec<_> = new.copied().collect();
        first.files.extend(&new);
        if with_empty_rules {
            self.rules.extend(new.into_iter().map(|file| Rule {
                targets: vec![file],
                files: Vec::new(),
            }));
        }
    }

    /// The text of the list.
    pub(super) fn text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for rule in &self.rules {
            let start = text.len();
            text.extend(rule.targets.join(&b' '));
            text.push(b':');
            let mut column = text.len() - start;
            for file in &rule.files {
                let breaks = column + 1 + file.len() > COLUMNS;
                text.extend_from_slice(if breaks { b" \\\n  " } else { b" " });
                text.extend_from_slice(file);
                column = if breaks { 2 } else { column + 1 } + file.len();
            }
            text.push(b'\n');
        }
        text
    }
}

/// A path as clang writes it into a list.
pub(super) fn escaped(path: &Path) -> String {
    let mut word = String::new();
    for c in path.to_string_lossy().chars() {
        match c {
            ' ' => {
                let backslashes = word.len() - word.trim_end_matches('\\').len();
                word.push_str(&"\\".repeat(backslashes + 1));
            }
            '#' => word.push('\\'),
            '$' => word.push('$'),
            _ => {}
        }
        word.push(c);
    }
    word
}

/// The name that a word means.
fn unescaped(word: &[u8]) -> Cow<'_, [u8]> {
    if !word.iter().any(|byte| matches!(byte, b'\\' | b'$')) {
        return Cow::Borrowed(word);
    }
    let mut name = Vec::with_capacity(word.len());
    let mut rest = word;
    while let [byte, behind @ ..] = rest {
        rest = behind;
        match (byte, rest.first()) {
            (b'$', Some(b'$')) => rest = &rest[1..],
            // The backslashes in front of a blank are doubled, and one more makes it part of a name.
            (b'\\', Some(b' ' | b'\t')) => {
                let backslashes = name.iter().rev().take_while(|b| **b == b'\\').count();
                name.truncate(name.len() - backslashes.div_ceil(2));
                continue;
            }
            (b'\\', Some(b'#' | b':')) => continue,
            _ => {}
        }
        name.push(*byte);
    }
    Cow::Owned(name)
}

/// The rules of `text`, each up to a line end that no backslash takes back.
fn rule_texts(text: &[u8]) -> Vec<&[u8]> {
    let mut rules = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut ends = (0..rest.len()).filter(|at| rest[*at] == b'\n');
        let end = ends.find(|at| !rest[..*at].ends_with(b"\\"));
        let (rule, behind) = rest.split_at(end.map_or(rest.len(), |at| at + 1));
        rules.push(rule);
        rest = behind;
    }
    rules
}

/// The words of a rule; a blank behind a backslash is part of its word.
fn words(rule: &[u8]) -> Vec<&[u8]> {
    let mut words = Vec::new();
    let mut start = None;
    let mut at = 0;
    while let Some(byte) = rule.get(at) {
        let joins_lines = *byte == b'\\' && rule.get(at + 1) == Some(&b'\n');
        if byte.is_ascii_whitespace() || joins_lines {
            words.extend(start.take().map(|start| &rule[start..at]));
        } else {
            start.get_or_insert(at);
            if *byte == b'\\' {
                at += 1;
            }
        }
        at += 1;
    }
    words.extend(start.map(|start| &rule[start..]));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str, own: &str) -> String {
        let mut list = DependencyList::read(text.as_bytes());
        list.drop_files(&[own.into()]);
        String::from_utf8(list.text()).unwrap()
    }

    fn joined(text: &str, other: &str) -> String {
        let mut list = DependencyList::read(text.as_bytes());
        list.take_in(&DependencyList::read(other.as_bytes()));
        String::from_utf8(list.text()).unwrap()
    }

    #[test]
    fn a_file_is_dropped_wherever_it_stands_and_whole() {
        let list = "a.o: a.cpp /t/a.h \\\n  b.h /t/a.hpp /t/a.h\n/t/a.h:\nb.h:\n";
        assert_eq!(without(list, "/t/a.h"), "a.o: a.cpp b.h /t/a.hpp\nb.h:\n");
        assert_eq!(without("-.o: /t/stdin.cpp\n", "/t/stdin.cpp"), "-.o:\n");
    }

    #[test]
    fn names_are_compared_as_they_are_and_kept_as_written() {
        for odd in ["/a b/h", "/a\\ b/h", "/a#$b$$/h", "/a\\\\ \\b/h", "/'\"|/h"] {
            let list = format!("a.o: my\\ d.h {} c.h\n", escaped(Path::new(odd)));
            assert_eq!(without(&list, odd), "a.o: my\\ d.h c.h\n", "{list}");
        }
        assert_eq!(without("a\\ b.o c: c\\:1.h\n", "c:1.h"), "a\\ b.o c:\n");
    }

    #[test]
    fn what_only_another_list_names_comes_in_once() {
        let device = "a.o: a.cpp \\\n  b.h my\\ d.h\n";
        assert_eq!(
            joined("a.o: a.cpp b.h\n", device),
            "a.o: a.cpp b.h my\\ d.h\n"
        );
        assert_eq!(
            joined("a.o: a.cpp \\\n b.h\nb.h:\n", device),
            "a.o: a.cpp b.h my\\ d.h\nb.h:\nmy\\ d.h:\n"
        );
        let all = "o\\ o: a.cpp b.h my\\ d.h\n";
        assert_eq!(joined(all, device), all);
        assert_eq!(joined("", device), "");
    }

    #[test]
    fn long_lines_are_broken_between_files() {
        let list = format!("a.o: {0}1 {0}2 {0}3\n", "h".repeat(30));
        let text = joined(&list, "");
        assert_eq!(
            text,
            list.replace(" hhh", " \\\n  hhh")
                .replacen(" \\\n  ", " ", 2)
        );
        assert_eq!(joined(&text, ""), text);
    }

    #[test]
    fn odd_text_is_no_list() {
        for odd in ["", "\\", "a", "\\\n", "a \\\n\\", ":\\ "] {
            let text = DependencyList::read(odd.as_bytes()).text();
            assert!(text.len() <= odd.len() + 1, "{odd:?}");
        }
    }
}

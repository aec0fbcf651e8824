//! Linker scripts in a library's place: a text that names the files to link (`libtbb.so` as
//! distributions have it). Of the language only what names inputs, folders to find them in, other
//! scripts and wanted symbols is understood.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A longer text is not read: it is no list of a few libraries.
const LONGEST: u64 = 1 << 16;

/// What a script says, names as they stand there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::link) enum Statement {
    /// An input (`INPUT`, `GROUP`, `STARTUP`): a path, or `-lname`.
    Input {
        name: String,
        /// A shared library counts only where something needs it.
        as_needed: bool,
    },
    /// A folder to look for libraries in (`SEARCH_DIR`).
    Folder(String),
    /// Another script that stands here (`INCLUDE`).
    Script(String),
    /// A symbol that is wanted (`EXTERN`).
    Symbol(String),
}

/// What the file says. Nothing where it is something else than a script.
#[must_use]
pub(in crate::link) fn statements(file: &Path) -> Vec<Statement> {
    read(file).map_or_else(Vec::new, |text| statements_of(&text))
}

/// The file's text, when it is one. A library in the usual forms ends this with its first bytes.
fn read(file: &Path) -> Option<String> {
    let mut file = File::open(file).ok()?;
    let mut start = [0; 8];
    let length = file.read(&mut start).ok()?;
    let start = &start[..length];
    if start.iter().any(|byte| *byte == 0 || !byte.is_ascii()) || start.starts_with(b"!<") {
        return None;
    }
    let mut bytes = start.to_vec();
    let rest = file.take(LONGEST).read_to_end(&mut bytes).ok()?;
    (rest < LONGEST as usize)
        .then(|| String::from_utf8(bytes).ok())
        .flatten()
}

fn statements_of(text: &str) -> Vec<Statement> {
    let mut statements = Vec::new();
    // Whose list is open, and how many parentheses of it are.
    let (mut list, mut depth) = ("", 0);
    let mut words = words(text).into_iter().peekable();
    while let Some(word) = words.next() {
        let opens = words.peek() == Some(&"(");
        match word {
            ")" if depth > 0 => depth -= 1,
            "INPUT" | "GROUP" | "STARTUP" | "SEARCH_DIR" | "EXTERN" if opens && depth == 0 => {
                words.next();
                (list, depth) = (word, 1);
            }
            "AS_NEEDED" if opens && depth > 0 => {
                words.next();
                depth += 1;
            }
            "INCLUDE" if depth == 0 => {
                statements.extend(words.next().map(|name| Statement::Script(name.to_owned())));
            }
            _ if depth > 0 => statements.push(match list {
                "SEARCH_DIR" => Statement::Folder(word.to_owned()),
                "EXTERN" => Statement::Symbol(word.to_owned()),
                _ => Statement::Input {
                    name: word.to_owned(),
                    as_needed: depth > 1,
                },
            }),
            _ => {}
        }
    }
    statements
}

/// The words of a script: names, which may be quoted, and parentheses by themselves. Comments are
/// left out.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || ",;".contains(c));
        let Some(first) = rest.chars().next() else {
            return words;
        };
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
        } else if let Some(quoted) = rest.strip_prefix('"') {
            let (word, after) = quoted.split_once('"').unwrap_or((quoted, ""));
            words.push(word);
            rest = after;
        } else {
            let ends = |c: char| c.is_whitespace() || "(){},;\"".contains(c);
            let end = match rest.find(ends) {
                Some(0) => first.len_utf8(),
                Some(end) => end,
                None => rest.len(),
            };
            let (word, after) = rest.split_at(end);
            words.push(word);
            rest = after;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(statements: Vec<Statement>) -> String {
        let words = statements.into_iter().map(|statement| match statement {
            Statement::Input { name, as_needed } => name + if as_needed { "?" } else { "" },
            Statement::Folder(name) => format!("{name}/"),
            Statement::Script(name) => format!("@{name}"),
            Statement::Symbol(name) => format!("-u{name}"),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_inputs_of_a_script_are_found_and_nothing_else() {
        let inputs = |text: &str| said(statements_of(text));
        assert_eq!(inputs("INPUT(libx.so.2)"), "libx.so.2");
        assert_eq!(
            inputs(
                "/* GROUP(no.a) */ OUTPUT_FORMAT(elf64-x86-64)\nGROUP ( /l/a.so, -lb AS_NEEDED ( c.so ) d.a )"
            ),
            "/l/a.so -lb c.so? d.a"
        );
        assert_eq!(
            inputs("INPUT(\"with space.a\") INPUT(e.a"),
            "with space.a e.a"
        );
        assert_eq!(
            inputs("SEARCH_DIR(\"=/l\"); INCLUDE b.ld STARTUP(a.o) EXTERN(f g)"),
            "=/l/ @b.ld a.o -uf -ug"
        );
        assert_eq!(inputs("SECTIONS { .text : { *(.text) } } INPUT"), "");
        assert_eq!(inputs(") /* open"), "");
        assert_eq!(inputs("INCLUDE"), "");
    }

    #[test]
    fn other_files_are_no_scripts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let inputs = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            said(statements(&path))
        };
        assert_eq!(inputs(b"INPUT(a)"), "a");
        for bytes in [
            &b"\x7fELF\0\0\0\0INPUT(a)"[..],
            b"!<arch>\nINPUT(a)",
            b"INPUT(a)  \xff",
            b"",
        ] {
            assert!(inputs(bytes).is_empty(), "{bytes:?}");
        }
        let long = [&b"INPUT(a)"[..], &vec![b' '; 1 << 16]].concat();
        assert!(inputs(&long).is_empty());
        assert!(statements(folder.path()).is_empty());
    }
}

//! Linker scripts in a library's place: a text that names the files to link (`libtbb.so` as
//! distributions have it). Of the language only `INPUT`, `GROUP` and `AS_NEEDED` are understood; what
//! else stands in such a file names no input.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A longer text is not read: it is no list of a few libraries.
const LONGEST: u64 = 1 << 16;

/// The inputs that the file names, as they stand there: a path, or `-lname`. None where the file is
/// something else than a script.
#[must_use]
pub(super) fn inputs(file: &Path) -> Vec<String> {
    read(file).map_or_else(Vec::new, |text| inputs_of(&text))
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

fn inputs_of(text: &str) -> Vec<String> {
    let mut inputs = Vec::new();
    // How many parentheses of a list of inputs are open.
    let mut depth = 0;
    let mut words = words(text).into_iter().peekable();
    while let Some(word) = words.next() {
        let opens = words.peek() == Some(&"(");
        match word {
            ")" if depth > 0 => depth -= 1,
            "INPUT" | "GROUP" if opens && depth == 0 => {
                words.next();
                depth = 1;
            }
            "AS_NEEDED" if opens && depth > 0 => {
                words.next();
                depth += 1;
            }
            _ if depth > 0 => inputs.push(word.to_owned()),
            _ => {}
        }
    }
    inputs
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

    #[test]
    fn the_inputs_of_a_script_are_found_and_nothing_else() {
        let inputs = |text: &str| inputs_of(text).join(" ");
        assert_eq!(inputs("INPUT(libx.so.2)"), "libx.so.2");
        assert_eq!(
            inputs(
                "/* GROUP(no.a) */ OUTPUT_FORMAT(elf64-x86-64)\nGROUP ( /l/a.so, -lb AS_NEEDED ( c.so ) d.a )"
            ),
            "/l/a.so -lb c.so d.a"
        );
        assert_eq!(
            inputs("INPUT(\"with space.a\") INPUT(e.a"),
            "with space.a e.a"
        );
        assert_eq!(inputs("SECTIONS { .text : { *(.text) } } INPUT"), "");
        assert_eq!(inputs(") /* open"), "");
    }

    #[test]
    fn other_files_are_no_scripts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let inputs = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            super::inputs(&path)
        };
        assert_eq!(inputs(b"INPUT(a)"), ["a"]);
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
        assert!(super::inputs(folder.path()).is_empty());
    }
}

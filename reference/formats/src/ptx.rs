//! Kernels of PTX text, from its `.entry` functions and their `.reqntid`.

use crate::Malformed;
use crate::kernel::Kernel;

/// The kernels of PTX text, in its order.
///
/// # Errors
/// When the text is not UTF-8, or an `.entry` has no name.
pub fn kernels(text: &[u8]) -> Result<Vec<Kernel>, Malformed> {
    // Tools close PTX with a NUL at times.
    let text = text.strip_suffix(&[0]).unwrap_or(text);
    let text = std::str::from_utf8(text)
        .map_err(|e| Malformed::new(e.valid_up_to() as u64, "the PTX is not UTF-8"))?;
    let text = without_comments(text);
    let mut kernels = Vec::new();
    for (at, _) in text.match_indices('.') {
        let (before, after) = text.split_at_checked(at).unwrap_or_default();
        if before.ends_with(is_word) {
            continue;
        }
        let mut words = Words(after);
        match words.next() {
            Some(".entry") => {
                let name = words.next().filter(|name| !is_punctuation(name));
                let name = name.ok_or_else(|| Malformed::new(0, "an .entry has no name"))?;
                kernels.push(Kernel::named(name));
            }
            Some(".reqntid") => {
                let sizes = words.numbers();
                if let Some(kernel) = kernels.last_mut() {
                    kernel.work_group_size = sizes;
                }
            }
            _ => {}
        }
    }
    Ok(kernels)
}

/// The words of PTX text: directives and names, and single other characters.
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.0 = self.0.trim_start();
        let first = self.0.chars().next()?;
        let end = match is_word(first) {
            true => self.0.find(|c| !is_word(c)).unwrap_or(self.0.len()),
            false => first.len_utf8(),
        };
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(word)
    }
}

impl Words<'_> {
    /// Numbers between commas.
    fn numbers(&mut self) -> Vec<u32> {
        let mut numbers = Vec::new();
        while let Some(number) = self.next().and_then(|word| word.parse().ok()) {
            numbers.push(number);
            if !self.0.trim_start().starts_with(',') {
                break;
            }
            self.next();
        }
        numbers
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$' | '%')
}

fn is_punctuation(word: &str) -> bool {
    !word.chars().all(is_word)
}

/// The text with each comment replaced by a space.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = at_comment(rest) {
        out.push_str(before);
        out.push(' ');
        let end = match comment.starts_with("//") {
            true => comment.find('\n'),
            false => comment
                .get(2..)
                .and_then(|c| c.find("*/"))
                .map(|end| end + 4),
        };
        rest = end.and_then(|end| comment.get(end..)).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// The text before its first comment, and from there on. Each byte is looked at once: machine code of a large
/// program has comments by the ten thousand.
fn at_comment(text: &str) -> Option<(&str, &str)> {
    let is_one = |comment: &str| comment.starts_with("//") || comment.starts_with("/*");
    let mut places = text.match_indices('/');
    places.find_map(|(at, _)| {
        let parts = text.split_at_checked(at)?;
        is_one(parts.1).then_some(parts)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_names_and_sizes() {
        let text = "// .entry no\n.version 7.0\n.target sm_70\n.visible .entry _ZTS3Add(\n\
                    .param .u64 p) /* .entry no */\n.reqntid 8, 4, 1\n{ ld.entry no; ret; }\n\
                    .file 1 \"a/b\" // .entry no\n\
                    .entry second() { ret; }\n/* .entry no\0";
        let kernels = kernels(text.as_bytes()).unwrap();
        let names: Vec<_> = kernels.iter().map(|kernel| &kernel.name[..]).collect();
        assert_eq!(names, ["_ZTS3Add", "second"]);
        assert_eq!(kernels[0].work_group_size, [8, 4, 1]);
        assert!(kernels[1].work_group_size.is_empty());
    }

    #[test]
    fn an_entry_without_a_name_is_an_error() {
        assert!(kernels(b".entry (").is_err());
        assert!(kernels(b".entry").is_err());
    }
}

//! Files of the repository shown in chapters: a line `{{#include PATH}}`, mdbook's own form, gives way to
//! the file, and `{{#include PATH#Heading}}` to what stands under that heading of a markdown file. Paths
//! are relative to the chapter's.

use std::path::Path;

/// A chapter's text with everything included.
///
/// # Errors
/// Names the chapter and what it asks for that is not there.
pub fn expanded(chapter: &Path) -> Result<String, String> {
    let fail =
        |what: &str, e: &dyn std::fmt::Display| format!("{}: {what}: {e}", chapter.display());
    let text = std::fs::read_to_string(chapter).map_err(|e| fail("chapter", &e))?;
    let mut expanded = String::new();
    for line in text.lines() {
        let asked = line.trim().strip_prefix("{{#include ");
        match asked.and_then(|rest| rest.strip_suffix("}}")) {
            Some(what) => {
                let (path, heading) = match what.split_once('#') {
                    Some((path, heading)) => (path, Some(heading)),
                    None => (what, None),
                };
                let file = chapter.parent().unwrap_or(Path::new(".")).join(path);
                let whole = std::fs::read_to_string(file).map_err(|e| fail(what, &e))?;
                let part = match heading {
                    Some(heading) => {
                        under(&whole, heading).ok_or_else(|| fail(what, &"no such heading"))?
                    }
                    None => whole.as_str(),
                };
                expanded.push_str(part.trim());
            }
            None => expanded.push_str(line),
        }
        expanded.push('\n');
    }
    Ok(expanded)
}

/// What stands under a heading, up to the next one that is not below it.
fn under<'a>(text: &'a str, heading: &str) -> Option<&'a str> {
    let level = |line: &str| line.bytes().take_while(|byte| *byte == b'#').count();
    let mut start = None;
    let mut at = 0;
    let mut in_code = false;
    for line in text.split_inclusive('\n') {
        in_code ^= line.starts_with("```");
        let depth = if in_code { 0 } else { level(line) };
        match start {
            None if depth > 0 && line.trim_start_matches('#').trim() == heading => {
                start = Some((at + line.len(), depth));
            }
            Some((from, above)) if depth > 0 && depth <= above => return text.get(from..at),
            _ => (),
        }
        at += line.len();
    }
    start.and_then(|(from, _)| text.get(from..))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_parts_of_files_take_the_place_of_their_lines() {
        let folder = tempfile::tempdir().unwrap();
        let chapter = folder.path().join("src/a.md");
        std::fs::create_dir(folder.path().join("src")).unwrap();
        let other =
            "# R\n\n## One\n\nfirst\n\n```\n# no heading\n```\n\n### Below\n\n## Two\n\nsecond\n";
        std::fs::write(folder.path().join("r.md"), other).unwrap();
        let expand = |text: &str| {
            std::fs::write(&chapter, text).unwrap();
            expanded(&chapter)
        };
        let text = expand("a\n{{#include ../r.md#One}}\nb\n").unwrap();
        assert_eq!(text, "a\nfirst\n\n```\n# no heading\n```\n\n### Below\nb\n");
        assert_eq!(expand("{{#include ../r.md#Two}}\n").unwrap(), "second\n");
        assert_eq!(expand("{{#include ../r.md}}").unwrap(), other);
        let mistake = expand("{{#include ../r.md#Three}}\n").unwrap_err();
        assert!(mistake.contains("r.md#Three: no such heading"), "{mistake}");
        assert!(
            expand("{{#include gone.md}}\n")
                .unwrap_err()
                .contains("gone.md")
        );
    }
}

//! Pieces of markdown that several chapters have.

use crate::matrix::{Judged, Standing};

/// Text of the catalogue, of cases and descriptions as markdown: what stands between backticks is code,
/// and nothing else is more than its letters.
#[must_use]
pub fn prose(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts: Vec<&str> = text.split('`').collect();
    // A backtick without a second one is a letter, too.
    let closes = parts.len() % 2 == 1;
    let mut prose = String::new();
    for (at, part) in parts.iter().enumerate() {
        match (at % 2 == 1, closes) {
            (true, true) if !part.is_empty() => {
                prose.push('`');
                prose.push_str(part);
                prose.push('`');
            }
            _ => {
                if at > 0 && !closes {
                    prose.push_str("\\`");
                }
                for c in part.chars() {
                    if "\\*_<>[]{}|#~$&".contains(c) {
                        prose.push('\\');
                    }
                    prose.push(c);
                }
            }
        }
    }
    prose
}

/// Text as a block of code of a language, whatever it holds.
#[must_use]
pub fn code(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

/// A verdict with its sign, in the colour that the book's style has for it.
#[must_use]
pub fn chip(standing: Standing) -> String {
    let (class, symbol) = (class(standing), standing.symbol());
    let words = standing.words();
    format!("<span class=\"verdict {class}\">{symbol} {words}</span>")
}

/// The sign alone, where a table has many.
#[must_use]
pub fn sign(standing: Standing) -> String {
    let (class, symbol) = (class(standing), standing.symbol());
    let words = standing.words();
    format!("<span class=\"verdict {class}\" title=\"{words}\">{symbol}</span>")
}

fn class(standing: Standing) -> String {
    standing.words().replace(' ', "-")
}

/// The day of a run, on one line.
#[must_use]
pub fn date(judged: &Judged) -> String {
    format!("<span class=\"date\">{}</span>", judged.date)
}

/// A number of things in words that fit it.
#[must_use]
pub fn counted(number: usize, thing: &str) -> String {
    match number {
        1 => format!("1 {thing}"),
        _ => format!("{number} {thing}s"),
    }
}

/// Words as a list in a sentence.
#[must_use]
pub fn listed(words: impl IntoIterator<Item = String>) -> String {
    words.into_iter().collect::<Vec<_>>().join(", ")
}

/// The page of a toolchain, from the book's root.
#[must_use]
pub fn toolchain_page(name: &str) -> String {
    format!("toolchains/{name}.md")
}

/// The place of a case's text, from the book's root.
#[must_use]
pub fn case_place(case: &str) -> String {
    let (suite, name) = case.split_once('/').unwrap_or(("", case));
    format!("cases/{suite}.md#{}", name.replace('/', "-"))
}

/// The place of a requirement, from the book's root.
#[must_use]
pub fn requirement_place(id: &str) -> String {
    let document = id.split('-').next().unwrap_or_default().to_lowercase();
    format!("requirements/{document}.md#{id}")
}

/// A link to a case from a page one folder down.
#[must_use]
pub fn case_link(case: &str) -> String {
    format!("[{}](../{})", prose(case), case_place(case))
}

/// A link to a requirement from a page one folder down.
#[must_use]
pub fn requirement_link(id: &str) -> String {
    format!("[{id}](../{})", requirement_place(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_in_backticks_is_code() {
        let text = prose("sections __A__ of <x>,\n  `__b__ | <c>` and [d](e)");
        assert_eq!(
            text,
            "sections \\_\\_A\\_\\_ of \\<x\\>, `__b__ | <c>` and \\[d\\](e)"
        );
        assert_eq!(prose("one ` alone"), "one \\` alone");
    }

    #[test]
    fn a_block_of_code_may_hold_fences() {
        assert_eq!(code("yaml", "a: b\n"), "```yaml\na: b\n```\n");
        assert_eq!(code("", "````"), "`````\n````\n`````\n");
    }

    #[test]
    fn places_are_those_of_the_pages() {
        assert_eq!(case_place("aot/cpu"), "cases/aot.md#cpu");
        let place = requirement_place("FEAT-AOT-001");
        assert_eq!(place, "requirements/feat.md#FEAT-AOT-001");
        let chip = chip(Standing::NotJudged);
        assert_eq!(
            chip,
            "<span class=\"verdict not-judged\">? not judged</span>"
        );
    }
}

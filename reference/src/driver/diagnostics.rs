//! What compilers say about one source, shown once: the device and host compilations read the same
//! text and would repeat each other's warnings.

use std::collections::HashSet;

/// The diagnostics shown so far for each source.
#[derive(Debug, Default)]
pub struct Shown {
    blocks: HashSet<(usize, String)>,
}

impl Shown {
    /// The part of `text` that has not been shown for `source` yet.
    pub fn new_part(&mut self, source: usize, text: &str) -> String {
        let mut fresh = String::new();
        let mut totals = String::new();
        for block in blocks(text) {
            if is_total(block) {
                totals.push_str(block);
            } else if self.blocks.insert((source, block.to_owned())) {
                fresh.push_str(block);
            }
        }
        if !fresh.is_empty() {
            fresh.push_str(&totals);
        }
        fresh
    }
}

/// Cuts a compiler's output in front of every line that begins a diagnostic. Notes, source lines
/// and inclusion chains stay with the diagnostic that they belong to.
fn blocks(text: &str) -> Vec<&str> {
    let mut starts = Vec::new();
    let mut chain = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("In file included from") {
            chain.get_or_insert(at);
        } else {
            if begins_diagnostic(line) || is_total(line) {
                starts.push(chain.unwrap_or(at));
            }
            chain = None;
        }
        at += line.len();
    }
    starts.first_mut().into_iter().for_each(|first| *first = 0);
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let cut: Vec<&str> = starts
        .iter()
        .zip(ends)
        .filter_map(|(start, end)| text.get(*start..end))
        .collect();
    if cut.is_empty() && !text.is_empty() {
        return vec![text];
    }
    cut
}

fn begins_diagnostic(line: &str) -> bool {
    [" error: ", " warning: ", "error: ", "warning: "]
        .iter()
        .any(|kind| line.contains(kind))
}

/// `2 warnings and 1 error generated.`
fn is_total(line: &str) -> bool {
    line.ends_with(" generated.\n") && line.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "In file included from a.cpp:1:\nh.h:2:3: warning: w1\n  2 | x\n    | ^\n\
                        h.h:1:1: note: n\na.cpp:9:1: warning: w2\n2 warnings generated.\n";

    #[test]
    fn the_same_diagnostic_is_shown_once_a_source() {
        let mut shown = Shown::default();
        assert_eq!(shown.new_part(0, SAID), SAID);
        assert_eq!(shown.new_part(0, SAID), "");
        assert_eq!(shown.new_part(1, SAID), SAID);
        let more = "a.cpp:9:1: warning: w2\nb.h:1:1: error: e\n1 warning and 1 error generated.\n";
        assert_eq!(
            shown.new_part(0, more),
            "b.h:1:1: error: e\n1 warning and 1 error generated.\n"
        );
    }

    #[test]
    fn text_without_a_diagnostic_passes() {
        let mut shown = Shown::default();
        assert_eq!(
            shown.new_part(0, "PLEASE submit a bug report\n"),
            "PLEASE submit a bug report\n"
        );
        assert_eq!(shown.new_part(0, ""), "");
    }
}

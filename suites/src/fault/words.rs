//! What can go wrong with a command line.

use serde::{Deserialize, Serialize};

use super::{Pattern, Substitution};

/// Changes of a command line, in the order of the fields. Patterns match whole words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct WordEdits {
    /// Words that are dropped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<Pattern>,
    /// Words that are dropped together with the one behind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop_with_next: Vec<Pattern>,
    /// Words of which the last alone stays.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep_last: Vec<Pattern>,
    /// Words of which the first alone stays.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep_first: Vec<Pattern>,
    /// What is put in the place of parts of words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replace: Vec<Substitution>,
    /// Words put in front.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<String>,
    /// Words put behind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub append: Vec<String>,
}

impl WordEdits {
    pub(super) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let whole = [
            &self.drop,
            &self.drop_with_next,
            &self.keep_last,
            &self.keep_first,
        ];
        let parts = self.replace.iter().map(|change| &change.pattern);
        whole.into_iter().flatten().chain(parts)
    }

    /// The wrong command line in the place of the right one.
    ///
    /// # Errors
    /// When a pattern is none.
    pub fn apply(&self, mut words: Vec<String>) -> Result<Vec<String>, String> {
        for pattern in &self.drop {
            let pattern = pattern.whole()?;
            words.retain(|word| !pattern.is_match(word));
        }
        for pattern in &self.drop_with_next {
            let pattern = pattern.whole()?;
            let mut rest = std::mem::take(&mut words).into_iter();
            while let Some(word) = rest.next() {
                if pattern.is_match(&word) {
                    rest.next();
                } else {
                    words.push(word);
                }
            }
        }
        for (patterns, last) in [(&self.keep_last, true), (&self.keep_first, false)] {
            for pattern in patterns {
                let pattern = pattern.whole()?;
                let is_match = |word: &String| pattern.is_match(word);
                let kept = match last {
                    true => words.iter().rposition(is_match),
                    false => words.iter().position(is_match),
                };
                let mut index = 0;
                words.retain(|word| {
                    index += 1;
                    Some(index - 1) == kept || !pattern.is_match(word)
                });
            }
        }
        let words = words
            .iter()
            .map(|word| super::substituted(word, &self.replace));
        let words = words.collect::<Result<Vec<_>, _>>()?;
        Ok([self.add.clone(), words, self.append.clone()].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_dropped_kept_changed_and_added() {
        let line = "-a -I x --image=1 -O2 --image=2 -b";
        for (edits, expected) in [
            ("drop: ['-.']", "x --image=1 -O2 --image=2"),
            ("drop-with-next: [-I]", "-a --image=1 -O2 --image=2 -b"),
            ("keep-last: ['--image=.*']", "-a -I x -O2 --image=2 -b"),
            ("keep-first: ['--image=.*']", "-a -I x --image=1 -O2 -b"),
            (
                "replace: [{pattern: '^-O(\\d)$', with: '-O1$1'}]",
                "-a -I x --image=1 -O12 --image=2 -b",
            ),
            ("{add: [c], append: [d], drop: ['-.*']}", "c x d"),
        ] {
            let file = std::path::Path::new("x");
            let edits: WordEdits = offload_formats::yaml::from_str(edits, file).unwrap();
            let words = line.split(' ').map(str::to_owned).collect();
            assert_eq!(edits.apply(words).unwrap().join(" "), expected);
        }
    }
}

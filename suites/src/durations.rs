//! How long cases took when they last ran here, so that the longest can begin first: one that begins last
//! keeps a machine waiting with all but one of its processors idle. A wish and no fact: without the file,
//! or with one that does not read, cases begin in the order of their names.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::layout::Layout;

/// Milliseconds by the names of cases, for one toolchain.
#[derive(Debug, Default)]
pub struct Durations {
    file: PathBuf,
    known: BTreeMap<String, u64>,
}

impl Durations {
    /// What earlier runs for the toolchain of this name left in the suites' working folder.
    #[must_use]
    pub fn read(layout: &Layout, toolchain: &str) -> Self {
        let file = layout.work.join(format!("{toolchain}.durations.json"));
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let known = serde_json::from_str(&text).unwrap_or_default();
        Durations { file, known }
    }

    /// Puts the longest first. Cases that never ran come before all: any may be the longest.
    pub fn longest_first<T>(&self, cases: &mut [T], name: impl Fn(&T) -> &str) {
        let took = |case: &T| self.known.get(name(case)).copied().unwrap_or(u64::MAX);
        cases.sort_by_key(|case| Reverse(took(case)));
    }

    /// Keeps these, in seconds, and the earlier ones of other cases.
    pub fn keep<'a>(mut self, took: impl Iterator<Item = (&'a str, f64)>) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a time, which no case has so much of"
        )]
        let milliseconds = |seconds: f64| (seconds * 1e3) as u64;
        let took = took.map(|(case, seconds)| (case.to_owned(), milliseconds(seconds)));
        self.known.extend(took);
        // Without it the next run has another order, and the same verdicts.
        let text = serde_json::to_string(&self.known).unwrap_or_default();
        let new = self.file.with_extension("new");
        let _ = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, &self.file));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_longest_come_first_and_those_that_never_ran_before_them() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout {
            work: folder.path().to_owned(),
            ..Layout::of(Path::new("/none"))
        };
        let order = || {
            let mut cases = ["a", "b", "c", "d"];
            Durations::read(&layout, "mine").longest_first(&mut cases, |case| case);
            cases
        };
        assert_eq!(order(), ["a", "b", "c", "d"], "nothing is known");
        let kept = |took: &[(&str, f64)]| {
            Durations::read(&layout, "mine").keep(took.iter().copied());
        };
        kept(&[("a", 0.01), ("b", 3.0), ("d", 0.5)]);
        assert_eq!(order(), ["c", "b", "d", "a"]);
        kept(&[("c", 1.0), ("a", 9.0)]);
        assert_eq!(order(), ["a", "b", "c", "d"]);
        std::fs::write(folder.path().join("mine.durations.json"), "{").unwrap();
        assert_eq!(order(), ["a", "b", "c", "d"], "what does not read");
    }
}

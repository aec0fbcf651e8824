//! Golden files: long expected texts that are read whole, kept by `insta` under `golden/`, a folder a
//! toolchain. What they hold is a toolchain's own, so that one without a folder is held to none.

mod form;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use similar::TextDiff;

pub use form::{Form, Rule};

/// A golden text of a case, as its file names it: `golden: NAME`, or `{name: NAME, form: plan}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Entry")]
pub struct Golden {
    /// Its name within the case.
    pub name: String,
    /// What kind of text it is.
    pub form: Form,
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Entry {
    Name(String),
    Formed { name: String, form: Form },
}

impl From<Entry> for Golden {
    fn from(entry: Entry) -> Self {
        match entry {
            Entry::Name(name) => Golden {
                name,
                form: Form::default(),
            },
            Entry::Formed { name, form } => Golden { name, form },
        }
    }
}

impl Golden {
    /// Its file, within a toolchain's folder, for the case called `case`.
    #[must_use]
    pub fn file_name(&self, case: &str) -> String {
        format!("{case}.{}.snap", self.name)
    }

    /// What the golden file in `folder` says, if it is there.
    #[must_use]
    pub fn expected(&self, folder: &Path, case: &str) -> Option<String> {
        let file = std::fs::read_to_string(folder.join(self.file_name(case))).ok()?;
        Some(contents(&file).to_owned())
    }

    /// Holds `text` against the golden file in `folder`. When they differ, `insta` does what
    /// `INSTA_UPDATE` says: it leaves the new text beside the file for `cargo insta review`, or writes
    /// the file anew.
    ///
    /// # Errors
    /// With the difference, unless the file was written anew.
    pub fn compare(&self, folder: &Path, case: &str, text: &str) -> Result<(), String> {
        let text = self.form.normalised(text);
        let file = self.file_name(case);
        let place = folder.join(&file);
        let expected = self.expected(folder, case);
        let is_said = |expected: &String| expected.trim_end() == text.trim_end();
        if expected.as_ref().is_some_and(is_said) {
            return Ok(());
        }
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(place.parent().unwrap_or(folder));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_description(case);
        let stem = place.file_stem().unwrap_or_default().to_string_lossy();
        let compared = catch_unwind(AssertUnwindSafe(|| {
            settings.bind(|| insta::assert_snapshot!(stem.as_ref(), text));
        }));
        compared.map_err(|_| {
            let set = folder.file_name().unwrap_or_default().to_string_lossy();
            match expected {
                Some(expected) => format!(
                    "differs from golden/{set}/{file}:\n{}",
                    difference(&expected, &text)
                ),
                None => format!("there is no golden/{set}/{file}; `cargo xtask bless` writes it"),
            }
        })
    }
}

/// The folder of a toolchain's golden files, if it has any.
#[must_use]
pub fn set_of(toolchain: &str, golden: &Path) -> Option<PathBuf> {
    let folder = golden.join(toolchain);
    folder.is_dir().then_some(folder)
}

/// What a golden file holds below its head.
fn contents(file: &str) -> &str {
    file.splitn(3, "---\n").nth(2).unwrap_or(file)
}

/// The lines that differ, with a few around them.
fn difference(expected: &str, found: &str) -> String {
    let ended = |text: &str| format!("{}\n", text.trim_end());
    let (expected, found) = (ended(expected), ended(found));
    let diff = TextDiff::from_lines(&expected, &found);
    let mut diff = diff.unified_diff();
    diff.context_radius(3).header("golden", "found").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_golden_is_a_name_or_a_name_with_a_form() {
        let read = |text| offload_formats::yaml::from_str::<Golden>(text, Path::new("x"));
        let plain = Golden {
            name: "a".to_owned(),
            form: Form::Text,
        };
        assert_eq!(read("a").unwrap(), plain);
        let plan = read("{name: a, form: plan}").unwrap();
        assert_eq!(plan.form, Form::Plan);
        assert_eq!(plan.file_name("s/c"), "s/c.a.snap");
        assert!(read("{name: a, form: novel}").is_err());
        assert!(read("{name: a}").is_err());
    }

    #[test]
    fn only_what_is_below_the_head_counts() {
        let folder = tempfile::tempdir().unwrap();
        let set = folder.path().join("mine");
        std::fs::create_dir_all(set.join("s")).unwrap();
        let file = set.join("s/c.a.snap");
        std::fs::write(&file, "---\nsource: x\n---\none\n---\ntwo\n").unwrap();
        let golden = Golden {
            name: "a".to_owned(),
            form: Form::Text,
        };
        assert_eq!(golden.compare(&set, "s/c", "one\n---\ntwo\n\n"), Ok(()));
    }

    #[test]
    fn a_difference_shows_the_lines_around_it() {
        let expected = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let found = expected.replace('8', "eight");
        let shown = difference(expected, &found);
        assert!(shown.contains("\n 7\n-8\n+eight\n 9"), "{shown}");
        assert!(!shown.contains("\n 2\n"), "{shown}");
    }

    #[test]
    fn a_toolchain_has_a_set_when_it_has_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("mine")).unwrap();
        assert!(set_of("mine", folder.path()).is_some());
        assert_eq!(set_of("yours", folder.path()), None);
    }
}

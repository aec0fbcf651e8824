//! Golden files: long expected texts that are read whole, kept by `insta` under `golden/`, a folder a
//! toolchain. What they hold is a toolchain's own, so that one without a folder is held to none, but where its
//! description says that another's hold for it ([`Set`]).

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

    /// What the golden file of `set` says, if it is there.
    #[must_use]
    pub fn expected(&self, set: &Set, case: &str) -> Option<String> {
        let name = self.file_name(case);
        let mut folders = set.folders();
        let file = folders.find_map(|folder| std::fs::read_to_string(folder.join(&name)).ok())?;
        Some(contents(&file).to_owned())
    }

    /// Holds `text` against the golden file of `set`. When they differ, `insta` does what
    /// `INSTA_UPDATE` says: it leaves the new text beside the toolchain's own file for `cargo insta review`,
    /// or writes that file anew.
    ///
    /// # Errors
    /// With the difference, unless the file was written anew.
    pub fn compare(&self, set: &Set, case: &str, text: &str) -> Result<(), String> {
        let text = self.form.normalised(text);
        let file = self.file_name(case);
        let folder = set.own.as_path();
        let place = folder.join(&file);
        let expected = self.expected(set, case);
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
            let mut folders = set.folders();
            let found = folders.find(|folder| folder.join(&file).exists());
            let name = found.unwrap_or(folder).file_name().unwrap_or_default();
            let name = name.to_string_lossy();
            match expected {
                Some(expected) => format!(
                    "differs from golden/{name}/{file}:\n{}",
                    difference(&expected, &text)
                ),
                None => format!("there is no golden/{name}/{file}; `cargo xtask bless` writes it"),
            }
        })
    }
}

/// The golden files that a toolchain is held to: its own and, where it has none of a text, those of another
/// toolchain that its description names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// The folder of its own, where new ones are written.
    pub own: PathBuf,
    /// The folder of the other's.
    pub other: Option<PathBuf>,
}

impl Set {
    /// The set of a toolchain, if it has any, where those of `other` hold for it too.
    #[must_use]
    pub fn of(toolchain: &str, other: Option<&str>, golden: &Path) -> Option<Self> {
        let own = golden.join(toolchain);
        let other = other.map(|name| golden.join(name));
        let set = Set { own, other };
        let is_there = set.folders().any(Path::is_dir);
        is_there.then_some(set)
    }

    /// Where its files are, in the order in which they hold.
    fn folders(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.own.as_path()).chain(self.other.as_deref())
    }
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
        std::fs::create_dir_all(folder.path().join("mine/s")).unwrap();
        let set = Set::of("mine", None, folder.path()).unwrap();
        let file = set.own.join("s/c.a.snap");
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
    fn a_toolchain_has_a_set_when_it_has_a_folder_or_another_s_holds_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let set = |name, other| Set::of(name, other, folder.path());
        std::fs::create_dir(folder.path().join("mine")).unwrap();
        assert!(set("mine", None).is_some());
        assert_eq!(set("yours", None), None);
        assert!(set("yours", Some("mine")).is_some());
        assert_eq!(set("yours", Some("nobody's")), None);
    }

    #[test]
    fn what_a_toolchain_has_of_its_own_stands_before_another_s() {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let file = folder.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, format!("---\nsource: x\n---\n{text}\n")).unwrap();
        };
        write("base/s/c.a.snap", "theirs");
        write("base/s/c.b.snap", "theirs");
        write("mine/s/c.b.snap", "mine");
        let set = Set::of("mine", Some("base"), folder.path()).unwrap();
        let compare = |name: &str, text| {
            let golden = Golden {
                name: name.to_owned(),
                form: Form::Text,
            };
            golden.compare(&set, "s/c", text)
        };
        assert_eq!(compare("a", "theirs\n"), Ok(()));
        assert_eq!(compare("b", "mine\n"), Ok(()));
        let said = compare("b", "theirs\n").unwrap_err();
        assert!(
            said.starts_with("differs from golden/mine/s/c.b.snap"),
            "{said}"
        );
        let said = compare("a", "mine\n").unwrap_err();
        assert!(
            said.starts_with("differs from golden/base/s/c.a.snap"),
            "{said}"
        );
    }
}

//! What a toolchain says in other words than the documents: spellings of options, targets, metadata
//! and properties. Cases speak as the documents do; a description's `dialect` translates them.
//!
//! A translation is a regular expression and what takes its place (`$1` for a group), over commands
//! before their placeholders are filled in, over inputs, or over what checks look for. All that is
//! given of a description applies, in its order, each to what the one before it left.

use std::collections::BTreeMap;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::case::{Case, FileChecks, Step, TextChecks};
use crate::obstacle::names_in;

/// Where a translation applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Commands.
    Commands,
    /// Inputs, and what steps read from standard input.
    Inputs,
    /// What checks look for.
    Checks,
}

/// One translation, as a description holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Translation {
    /// A regular expression over the documents' words.
    pub from: String,
    /// The toolchain's words for them. Without any, a case whose commands match is not observable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Why the toolchain cannot show what the words ask for, where it has none for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cannot_show: Option<String>,
    /// Where it applies; everywhere when nothing is said.
    #[serde(rename = "in", default = "everywhere")]
    pub places: Vec<Place>,
    /// Of commands, those that name the tool of this role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

fn everywhere() -> Vec<Place> {
    vec![Place::Commands, Place::Inputs, Place::Checks]
}

/// A description's translations, ready to be used.
#[derive(Debug, Clone, Default)]
pub struct Dialect {
    translations: Vec<(Regex, Translation)>,
}

impl Dialect {
    /// Reads translations.
    ///
    /// # Errors
    /// Names the expression that is none, or the translation that neither translates nor says why not.
    pub fn new(translations: &[Translation]) -> Result<Self, String> {
        let read = |translation: &Translation| {
            let regex = Regex::new(&translation.from).map_err(|e| e.to_string())?;
            if translation.to.is_some() == translation.cannot_show.is_some() {
                let from = &translation.from;
                return Err(format!(
                    "dialect: '{from}' has either 'to' or 'cannot-show'"
                ));
            }
            Ok((regex, translation.clone()))
        };
        let translations = translations.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Dialect { translations })
    }

    /// Why the toolchain has no words for something that a case's commands say, if so.
    #[must_use]
    pub fn hides(&self, case: &Case) -> Option<&str> {
        self.translations.iter().find_map(|(regex, translation)| {
            let reason = translation.cannot_show.as_deref()?;
            let mut steps = case.body.steps.iter();
            steps
                .any(|step| translation.is_about(step) && regex.is_match(&step.run))
                .then_some(reason.trim())
        })
    }

    /// A case in the toolchain's words.
    #[must_use]
    pub fn translated(&self, case: &Case) -> Case {
        let mut case = case.clone();
        for (regex, translation) in &self.translations {
            if let Some(to) = &translation.to {
                apply(&mut case, translation, &|text| {
                    *text = regex.replace_all(text, to).into_owned();
                });
            }
        }
        case
    }
}

impl Translation {
    fn is_about(&self, step: &Step) -> bool {
        match &self.role {
            Some(role) => names_in(step).contains(role),
            None => true,
        }
    }
}

fn apply(case: &mut Case, translation: &Translation, change: &dyn Fn(&mut String)) {
    let within = |place| translation.places.contains(&place);
    if within(Place::Inputs) {
        case.body.inputs.values_mut().for_each(change);
    }
    for step in &mut case.body.steps {
        if within(Place::Inputs) {
            step.stdin.iter_mut().for_each(change);
        }
        let is_about = translation.is_about(step);
        if within(Place::Checks) && is_about {
            checks(step, change);
        }
        if within(Place::Commands) && is_about {
            change(&mut step.run);
        }
    }
}

fn checks(step: &mut Step, change: &dyn Fn(&mut String)) {
    for text in step.stdout.iter_mut().chain(&mut step.stderr) {
        in_text(text, change);
    }
    let files = std::mem::take(&mut step.files);
    step.files = files
        .into_iter()
        .map(|(mut name, mut file): (String, FileChecks)| {
            change(&mut name);
            file.same_as.iter_mut().for_each(change);
            file.text.iter_mut().for_each(|text| in_text(text, change));
            (name, file)
        })
        .collect();
}

fn in_text(checks: &mut TextChecks, change: &dyn Fn(&mut String)) {
    let lists = [
        &mut checks.contains,
        &mut checks.lacks,
        &mut checks.matches,
        &mut checks.lacks_match,
    ];
    lists.into_iter().flatten().for_each(change);
    let texts = checks.equals.iter_mut().chain(&mut checks.filecheck);
    texts.for_each(change);
    if let Some(own) = &mut checks.own {
        in_text(own, change);
    }
    let count = std::mem::take(&mut checks.count).into_iter();
    checks.count = count
        .map(|(mut text, number)| {
            change(&mut text);
            (text, number)
        })
        .collect::<BTreeMap<_, _>>();
    for value in checks.json.values_mut() {
        if let serde_json::Value::String(text) = value {
            change(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    fn case(text: &str) -> Case {
        Case {
            name: "a/b".to_owned(),
            file: PathBuf::new(),
            body: offload_formats::yaml::from_str(text, Path::new("case")).unwrap(),
        }
    }

    fn dialect(text: &str) -> Result<Dialect, String> {
        let translations: Vec<Translation> =
            offload_formats::yaml::from_str(text, Path::new("dialect")).unwrap();
        Dialect::new(&translations)
    }

    const CASE: &str = "requirements: [X]\nabout: x\ninputs: {a: for spir64}\nsteps:\n\
        - {run: '%cook -t spir64', stdout: {contains: [spir64 done], count: {spir64: 2}}}\n\
        - {run: '%eat spir64', files: {spir64.o: {text: {json: {/a: spir64}}}}}\n";

    #[test]
    fn words_are_translated_where_they_stand() {
        let all = dialect("- {from: 'spir(64)', to: 'spirv$1'}").unwrap();
        let text = format!("{:?}", all.translated(&case(CASE)));
        assert_eq!(text.matches("spirv64").count(), 7, "{text}");
        assert!(!text.contains("spir64"), "{text}");
        let one = dialect("- {from: spir64, to: x, in: [commands], role: cook}").unwrap();
        let translated = one.translated(&case(CASE));
        assert_eq!(translated.body.steps[0].run, "%cook -t x");
        assert_eq!(translated.body.steps[1].run, "%eat spir64");
        assert_eq!(translated.body.inputs["a"], "for spir64");
    }

    #[test]
    fn what_has_no_words_hides_the_case() {
        let hides = dialect("- {from: ' -t ', cannot-show: no such option, role: cook}").unwrap();
        assert_eq!(hides.hides(&case(CASE)), Some("no such option"));
        let other = dialect("- {from: ' -t ', cannot-show: no such option, role: eat}").unwrap();
        assert_eq!(other.hides(&case(CASE)), None);
    }

    #[test]
    fn a_translation_says_one_thing() {
        for text in [
            "- {from: a}",
            "- {from: a, to: b, cannot-show: c}",
            "- {from: '(', to: b}",
        ] {
            assert!(dialect(text).is_err(), "{text}");
        }
    }
}

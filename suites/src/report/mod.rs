//! What a run came to, as data: by case, and by requirement. Written as JSON (the form that
//! `report.schema.json` publishes), as JUnit XML and as a page; read back to be merged and compared.

pub mod compare;
pub mod html;
pub mod junit;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use components::process::Job;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::catalogue::{Catalogue, Document, Strength};
use crate::deviation::{Deviation, verdict_on};
use crate::evidence::Evidence;
use crate::toolchain::{Described, Toolchain as _};
use crate::verdict::{Counts, Verdict};

/// How long a toolchain may take to tell its version.
const VERSION: Duration = Duration::from_secs(20);

/// The version of the form; goes up when a reader has to change.
pub const FORM: u32 = 1;

/// How one case went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct CaseResult {
    /// `suite/name`.
    pub case: String,
    /// What the case shows, in a sentence.
    pub about: String,
    /// The requirements that it cites.
    pub requirements: Vec<String>,
    /// Why it asks for more than the documents do, if so; it shows no requirement then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond: Option<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason for any verdict but [`Verdict::Passed`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where it is said what a known deviation departs from: an address, or a section of a document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// A shell script that shows a known deviation with the toolchain's tools alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<String>,
    /// Of a known deviation, the requirements that are broken, where those are not all that the case
    /// cites: of the others it shows nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaks: Option<Vec<String>>,
    /// What was seen.
    #[serde(flatten)]
    pub evidence: Evidence,
}

/// How one requirement stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct RequirementResult {
    /// Its id.
    pub id: String,
    /// The document that asks for it.
    pub document: Document,
    /// The heading that it stands under.
    pub section: String,
    /// How binding it is.
    pub strength: Strength,
    /// Who has to meet it.
    pub role: String,
    /// What is asked for, in our own words.
    pub statement: String,
    /// The verdict of its cases; none when no case of the run shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The cases that show it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<String>,
}

/// The toolchain that a report is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// What it is.
    pub about: String,
    /// What it says of its own version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The roles that are played for it by another toolchain's: nothing is said of their requirements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub borrows: Vec<String>,
}

impl Subject {
    /// What a description and the toolchain's own first line of its version say.
    #[must_use]
    pub fn of(toolchain: &Described) -> Self {
        let version = toolchain.version().split_first();
        let version = version.and_then(|(program, arguments)| {
            let job = Job::new(program).args(arguments).limit(VERSION);
            let output = job.output(b"").ok()?;
            let text = String::from_utf8_lossy(&output.stdout);
            let line = text.lines().next()?.trim();
            (!line.is_empty()).then(|| line.to_owned())
        });
        Subject {
            name: toolchain.name().to_owned(),
            about: toolchain.about().to_owned(),
            version,
            borrows: toolchain.borrows().to_vec(),
        }
    }
}

/// Requirements by verdict, in groups that have any. Those that no case of the run shows are in none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Groups {
    /// By the short names of documents.
    pub document: BTreeMap<String, Counts>,
    /// By the tools that have to meet them.
    pub role: BTreeMap<String, Counts>,
    /// By how binding they are.
    pub strength: BTreeMap<String, Counts>,
}

impl Groups {
    fn of(requirements: &[RequirementResult]) -> Self {
        let by = |name: fn(&RequirementResult) -> &str| {
            let mut groups: BTreeMap<String, Vec<Verdict>> = BTreeMap::new();
            for requirement in requirements {
                let verdicts = groups.entry(name(requirement).to_owned()).or_default();
                verdicts.extend(requirement.verdict);
            }
            groups.retain(|_, verdicts| !verdicts.is_empty());
            let counts = groups.into_iter();
            counts
                .map(|(name, verdicts)| (name, verdicts.into_iter().collect()))
                .collect()
        };
        Groups {
            document: by(|requirement| requirement.document.short_name()),
            role: by(|requirement| &requirement.role),
            strength: by(|requirement| requirement.strength.word()),
        }
    }
}

/// A run of the suites for one toolchain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Report {
    /// [`FORM`].
    pub form: u32,
    /// The toolchain.
    pub toolchain: Subject,
    /// When the run ended, in UTC, as RFC 3339 has it.
    pub ended: String,
    /// Cases by verdict.
    pub cases_by_verdict: Counts,
    /// Requirements by verdict; those that no case of the run shows are in none.
    pub requirements_by_verdict: Counts,
    /// The same by what groups requirements.
    #[serde(default)]
    pub requirements_by: Groups,
    /// The cases, in the order of their names.
    pub cases: Vec<CaseResult>,
    /// The requirements, in the order of their ids.
    pub requirements: Vec<RequirementResult>,
}

impl CaseResult {
    /// The result of `case`.
    #[must_use]
    pub fn new(case: &Case, verdict: Verdict, reason: Option<String>, evidence: Evidence) -> Self {
        CaseResult {
            case: case.name.clone(),
            about: case.body.about.trim().to_owned(),
            requirements: case.body.requirements.clone(),
            beyond: case.body.beyond.as_ref().map(|b| b.trim().to_owned()),
            verdict,
            reason,
            link: None,
            by_hand: None,
            breaks: None,
            evidence,
        }
    }

    /// Adds what a list says of it besides the reason.
    pub fn deviates(&mut self, known: &Deviation) {
        self.link = Some(known.link.to_string());
        self.by_hand.clone_from(&known.by_hand);
        if self.verdict == Verdict::KnownDeviation {
            self.breaks.clone_from(&known.breaks);
        }
    }
}

impl Report {
    /// Puts results and catalogue together.
    #[must_use]
    pub fn new(
        toolchain: Subject,
        ended: String,
        cases: Vec<CaseResult>,
        catalogue: &Catalogue,
    ) -> Self {
        let requirements = catalogue.entries.values().map(|entry| RequirementResult {
            id: entry.requirement.id.clone(),
            document: entry.document,
            section: entry.requirement.section.clone(),
            strength: entry.requirement.strength,
            role: entry.requirement.role.clone(),
            statement: entry.requirement.statement.trim().to_owned(),
            verdict: None,
            cases: Vec::new(),
        });
        let requirements = requirements.collect();
        Report::of(toolchain, ended, cases, requirements)
    }

    /// Derives what follows from the cases: the standing of each requirement, and the counts.
    fn of(
        toolchain: Subject,
        ended: String,
        mut cases: Vec<CaseResult>,
        mut requirements: Vec<RequirementResult>,
    ) -> Self {
        cases.sort_by(|a, b| a.case.cmp(&b.case));
        let mut shown: BTreeMap<&str, Vec<&CaseResult>> = BTreeMap::new();
        for case in cases.iter().filter(|case| case.beyond.is_none()) {
            for id in &case.requirements {
                shown.entry(id).or_default().push(case);
            }
        }
        for requirement in &mut requirements {
            let cases = shown.remove(requirement.id.as_str()).unwrap_or_default();
            let (id, strength) = (&requirement.id, requirement.strength);
            let borrowed = toolchain.borrows.contains(&requirement.role);
            let verdicts = cases.iter().map(|case| match borrowed {
                true => Verdict::NotObservable,
                false => verdict_on(id, strength, case.verdict, case.breaks.as_deref()),
            });
            requirement.verdict = Verdict::of_requirement(verdicts);
            requirement.cases = cases.iter().map(|case| case.case.clone()).collect();
        }
        Report {
            form: FORM,
            toolchain,
            ended,
            cases_by_verdict: cases.iter().map(|case| case.verdict).collect(),
            requirements_by_verdict: requirements.iter().filter_map(|r| r.verdict).collect(),
            requirements_by: Groups::of(&requirements),
            cases,
            requirements,
        }
    }

    /// Reads a report.
    ///
    /// # Errors
    /// With the file, and what is wrong with it; also when it is of another form.
    pub fn read(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let report: Report =
            serde_json::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))?;
        match report.form {
            FORM => Ok(report),
            other => Err(format!(
                "{}: a report of form {other}, and this reads form {FORM}",
                file.display()
            )),
        }
    }

    /// The JSON Schema of the form, as `suites/report.schema.json` publishes it.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn schema() -> Result<String, String> {
        let schema = schemars::schema_for!(Report);
        serde_json::to_string_pretty(&schema).map_err(|e| e.to_string())
    }

    /// Writes `conformance.json`, `junit.xml` and `index.html` into `folder`.
    ///
    /// # Errors
    /// With the file that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let json = serde_json::to_string_pretty(self).map_err(|e| e.to_string())?;
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for (name, text) in [
            ("conformance.json", json),
            ("junit.xml", junit::text(self)?),
            ("index.html", html::page(std::slice::from_ref(self))?),
        ] {
            let file = folder.join(name);
            std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
        }
        Ok(())
    }

    /// Writes the JSON alone, into a folder that is called as the one case: for the processes that nextest
    /// starts, one a case, whose reports [`compare::merge`] puts together. Of a case that is tried again the
    /// last report stays. A report of more cases is no part, and written whole.
    ///
    /// # Errors
    /// Names the file or folder that cannot be written.
    pub fn write_part(&self, folder: &Path) -> Result<(), String> {
        let [one] = &self.cases[..] else {
            return self.write(folder);
        };
        let json = serde_json::to_string_pretty(self).map_err(|e| e.to_string())?;
        let file = folder
            .join(one.case.replace('/', "."))
            .join("conformance.json");
        let parent = file.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&file, json))
            .map_err(|e| format!("{}: {e}", file.display()))
    }

    /// What was left out of cases that were run for the rest, by setting: why, and how many steps of how many cases.
    #[must_use]
    pub fn left_out(&self) -> BTreeMap<&str, (&str, usize, usize)> {
        let mut all = BTreeMap::new();
        for left_out in self.cases.iter().flat_map(|case| &case.evidence.left_out) {
            let none = (left_out.reason.as_str(), 0, 0);
            let (_, steps, cases) = all.entry(left_out.setting.as_str()).or_insert(none);
            *steps += left_out.steps.len();
            *cases += 1;
        }
        all
    }

    /// The requirements of one document that failed, each with the cases that failed.
    pub fn failed(&self, document: Document) -> impl Iterator<Item = (&str, Vec<&str>)> {
        let cases = self.cases.iter();
        let failed = cases.filter(|case| case.verdict == Verdict::Failed);
        let failed: BTreeSet<&str> = failed.map(|case| case.case.as_str()).collect();
        let requirements = self.requirements.iter().filter(move |requirement| {
            requirement.document == document && requirement.verdict == Some(Verdict::Failed)
        });
        requirements.map(move |requirement| {
            let cases = requirement.cases.iter().map(String::as_str);
            let cases = cases.filter(|case| failed.contains(case)).collect();
            (requirement.id.as_str(), cases)
        })
    }

    /// Requirements of one document by verdict, with those that no case of the run shows.
    #[must_use]
    pub fn standing(&self, document: Document) -> (Counts, usize) {
        let of = || {
            self.requirements
                .iter()
                .filter(move |r| r.document == document)
        };
        let counts = of().filter_map(|r| r.verdict).collect();
        (counts, of().filter(|r| r.verdict.is_none()).count())
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    pub(crate) fn case(name: &str, requirement: &str, verdict: Verdict) -> CaseResult {
        let reason = (verdict != Verdict::Passed).then(|| format!("because of {name} <&>"));
        CaseResult {
            case: name.to_owned(),
            about: "It does.".to_owned(),
            requirements: vec![requirement.to_owned()],
            beyond: None,
            verdict,
            reason,
            link: None,
            by_hand: None,
            breaks: None,
            evidence: Evidence::default(),
        }
    }

    pub(crate) fn requirement(id: &str) -> RequirementResult {
        RequirementResult {
            id: id.to_owned(),
            document: Document::Off,
            section: "S".to_owned(),
            strength: Strength::Must,
            role: "runtime".to_owned(),
            statement: "It does.".to_owned(),
            verdict: None,
            cases: Vec::new(),
        }
    }

    pub(crate) fn report(name: &str, cases: Vec<CaseResult>) -> Report {
        let subject = Subject {
            name: name.to_owned(),
            about: "a sample".to_owned(),
            version: None,
            borrows: Vec::new(),
        };
        let requirements = vec![requirement("OFF-A-001"), requirement("OFF-B-001")];
        Report::of(
            subject,
            "2026-01-01T00:00:00Z".to_owned(),
            cases,
            requirements,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::samples::{case, report};
    use super::*;
    use crate::evidence::LeftOut;

    #[test]
    fn requirements_stand_as_their_cases_do() {
        let mut beyond = case("d/more", "OFF-B-001", Verdict::DiffersBeyond);
        beyond.beyond = Some("ours".to_owned());
        let report = report(
            "x",
            vec![
                case("b/two", "OFF-A-001", Verdict::KnownDeviation),
                case("a/one", "OFF-A-001", Verdict::Passed),
                beyond,
            ],
        );
        let [a, b] = &report.requirements[..] else {
            panic!("{:?}", report.requirements)
        };
        assert_eq!(a.verdict, Some(Verdict::KnownDeviation));
        assert_eq!(a.cases, ["a/one", "b/two"]);
        assert_eq!(b.verdict, None);
        assert_eq!(report.cases_by_verdict.differs_beyond, 1);
        assert_eq!(report.requirements_by_verdict.known_deviation, 1);
        assert_eq!(report.standing(Document::Off).1, 1);
        let by = &report.requirements_by;
        for (group, name) in [
            (&by.document, "OFF"),
            (&by.role, "runtime"),
            (&by.strength, "must"),
        ] {
            let groups: Vec<_> = group
                .iter()
                .map(|(name, counts)| (name.as_str(), counts.brief()))
                .collect();
            assert_eq!(groups, [(name, "1 known deviation".to_owned())]);
        }
    }

    #[test]
    fn what_was_left_out_is_counted_by_setting() {
        let with = |name: &str, settings: &[&str]| {
            let mut case = case(name, "OFF-A-001", Verdict::Passed);
            let left_out = settings.iter().map(|setting| LeftOut {
                setting: (*setting).to_owned(),
                steps: vec!["%t/a.out".to_owned(); 2],
                reason: "none here".to_owned(),
            });
            case.evidence.left_out = left_out.collect();
            case
        };
        let report = report(
            "x",
            vec![with("a/one", &["gpu", "fpga"]), with("a/two", &["fpga"])],
        );
        let expected = [("fpga", ("none here", 4, 2)), ("gpu", ("none here", 2, 1))];
        assert_eq!(report.left_out(), BTreeMap::from(expected));
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["cases"][1]["left-out"][0]["setting"], "fpga");
    }

    #[test]
    fn a_deviation_concerns_what_it_breaks_and_nothing_that_is_borrowed() {
        let mut deviates = case("a/one", "OFF-A-001", Verdict::KnownDeviation);
        deviates.requirements.push("OFF-B-001".to_owned());
        deviates.breaks = Some(vec!["OFF-B-001".to_owned()]);
        let cases = vec![deviates, case("a/two", "OFF-A-001", Verdict::Passed)];
        let sample = report("x", cases);
        let [a, b] = &sample.requirements[..] else {
            panic!("{:?}", sample.requirements)
        };
        assert_eq!(a.verdict, Some(Verdict::NotObservable));
        assert_eq!(b.verdict, Some(Verdict::KnownDeviation));

        let mut subject = sample.toolchain.clone();
        subject.borrows = vec!["runtime".to_owned()];
        let of = Report::of(subject, String::new(), sample.cases, sample.requirements);
        assert_eq!(of.requirements_by_verdict.not_observable, 2);
        assert_eq!(of.cases_by_verdict.known_deviation, 1);
    }

    #[test]
    fn a_written_report_is_of_the_published_schema() {
        let schema = serde_json::from_str(&Report::schema().unwrap()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let verdicts = [Verdict::Failed, Verdict::KnownDeviation, Verdict::Passed];
        let cases = verdicts.map(|verdict| case("a/one", "OFF-A-001", verdict));
        let mut written = serde_json::to_value(report("x", cases.to_vec())).unwrap();
        assert_eq!(
            validator.validate(&written).map_err(|e| e.to_string()),
            Ok(())
        );
        written["cases"][0]["verdict"] = "fine".into();
        assert!(!validator.is_valid(&written));
    }

    #[test]
    fn a_report_reads_back_and_another_form_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let report = report("x", vec![case("a/one", "OFF-A-001", Verdict::Failed)]);
        report.write(folder.path()).unwrap();
        let file = folder.path().join("conformance.json");
        assert_eq!(Report::read(&file).unwrap(), report);
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replacen("\"form\": 1", "\"form\": 9", 1)).unwrap();
        assert!(Report::read(&file).unwrap_err().contains("form 9"));
        std::fs::write(&file, "{").unwrap();
        assert!(
            Report::read(&file)
                .unwrap_err()
                .contains("conformance.json")
        );
    }
}

//! What is known to fail, and how that changes what a test's outcome means.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::catalogue::{Document, Strength};
use crate::evidence::{Cause, Wrong};
use crate::tools::SPIRV_WRITER;
use crate::verdict::Verdict;

/// A test that is known to fail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// The test: a case as `suite/name`, or a program of the hardware tier as `device/program`.
    pub case: String,
    /// Why it fails, and who decided to live with it.
    pub reason: String,
    /// Where what it departs from is said, or where that is reported.
    pub link: Link,
    /// The one writer of SPIR-V with which it fails (`backend`, `translator`); with both where none is
    /// named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spirv_writer: Option<String>,
    /// Of the requirements that the case cites, those that are broken; all of them where nothing is
    /// said. Of the others the case shows nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaks: Option<Vec<String>>,
    /// Whether a program of the toolchain crashes or runs past its limit in it: no other entry covers
    /// that, and this one covers nothing else.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub crashes: bool,
    /// A piece of what is told of the failure: a test that fails without it fails of something that
    /// nobody looked at. Any failure is meant where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
    /// A shell script that shows it with the toolchain's tools alone, and in its comments what is asked for and
    /// what is printed instead ([`crate::by_hand`]). A description names the file, by its path from there.
    #[serde(rename = "try", default, skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<String>,
}

/// Where it is said what a test departs from: an address, such as that of an issue, or a section of a document
/// (`OFF, "Device linking"`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Link {
    /// An address.
    Address(String),
    /// A document, and the heading there.
    Section(Document, String),
}

impl TryFrom<String> for Link {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if ["https://", "http://"]
            .iter()
            .any(|scheme| text.starts_with(scheme))
        {
            return Ok(Link::Address(text));
        }
        let section = text.split_once(", ").and_then(|(name, heading)| {
            let document = Document::ALL.into_iter().find(|d| d.short_name() == name)?;
            let heading = heading.strip_prefix('"')?.strip_suffix('"')?;
            Some(Link::Section(document, heading.to_owned()))
        });
        section.ok_or_else(|| {
            format!("link '{text}' is neither an address nor a section (OFF, \"Device linking\")")
        })
    }
}

impl From<Link> for String {
    fn from(link: Link) -> String {
        link.to_string()
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Link::Address(address) => f.write_str(address),
            Link::Section(document, heading) => {
                write!(f, "{}, \"{heading}\"", document.short_name())
            }
        }
    }
}

impl Deviation {
    /// Whether the test called `case` is known to fail with the writer that the run takes: the back end,
    /// where the environment names none.
    #[must_use]
    pub fn is_of(&self, case: &str) -> bool {
        let named = std::env::var(SPIRV_WRITER)
            .ok()
            .filter(|name| !name.is_empty() && name != "auto");
        let writer = named.as_deref().unwrap_or("backend");
        let wanted = self.spirv_writer.as_deref();
        self.case == case && wanted.is_none_or(|wanted| wanted == writer)
    }
}

/// The verdict on a test called `case` that ran with `outcome`, with the reason for any other than
/// [`Verdict::Passed`]. A deviation that begins to pass is a failure, so that the list stays true;
/// `list` says whose it is. A failure of what goes `beyond` the documents, for the reason given, is
/// none. What the harness could not do is a failure always: it says nothing of a toolchain. A crash is
/// one, too, unless the list has it as a crash, and so is a failure that does not say what the list has.
#[must_use]
pub fn judged(
    case: &str,
    outcome: Result<(), Wrong>,
    deviations: &[Deviation],
    list: &str,
    beyond: Option<&str>,
) -> (Verdict, Option<String>) {
    let known = deviations.iter().find(|known| known.is_of(case));
    let failed = |reason: String| (Verdict::Failed, Some(reason));
    let listed = |known: &Deviation| format!("{list} lists it as a deviation: {}", known.reason);
    let wrong = match (outcome, known) {
        (Ok(()), None) => return (Verdict::Passed, None),
        (Ok(()), Some(known)) => return failed(format!("passes, but {}", listed(known))),
        (Err(wrong), _) => wrong,
    };
    match (wrong.cause, known) {
        (Cause::Harness, _) => failed(wrong.text),
        (Cause::Crash, Some(known)) if !known.crashes => {
            failed(format!("crashes, but {}\n{}", listed(known), wrong.text))
        }
        (Cause::Unmet, Some(known)) if known.crashes => failed(format!(
            "no longer crashes, but {}\n{}",
            listed(known),
            wrong.text
        )),
        (_, Some(known)) => match &known.says {
            Some(says) if !is_said(says, &wrong.text) => failed(format!(
                "does not say '{says}' where it fails, but {}\n{}",
                listed(known),
                wrong.text
            )),
            _ => (Verdict::KnownDeviation, Some(known.reason.clone())),
        },
        (Cause::Crash, None) => failed(wrong.text),
        (Cause::Unmet, None) => match beyond {
            Some(reason) => (
                Verdict::DiffersBeyond,
                Some(format!("{}\n{}", reason.trim(), wrong.text)),
            ),
            None => failed(wrong.text),
        },
    }
}

/// Whether what is told of a failure has a piece of text, apart from the commands that it repeats.
fn is_said(piece: &str, text: &str) -> bool {
    let is_command = |line: &&str| {
        ["step ", "to repeat: ", "the whole case: "]
            .iter()
            .any(|begin| line.starts_with(begin))
    };
    let mut lines = text.lines().filter(|line| !is_command(line));
    lines.any(|line| line.contains(piece))
}

/// What a case with `verdict` says of a requirement that it cites: a deviation is one from what it
/// breaks alone, and from nothing that a document leaves open. Of the rest, the case shows nothing.
#[must_use]
pub fn verdict_on(
    id: &str,
    strength: Strength,
    verdict: Verdict,
    breaks: Option<&[String]>,
) -> Verdict {
    let broken = || breaks.is_none_or(|ids| ids.iter().any(|broken| broken == id));
    match verdict {
        Verdict::KnownDeviation if strength == Strength::May || !broken() => Verdict::NotObservable,
        verdict => verdict,
    }
}

/// A mistake for each deviation of `list` that names no test.
#[must_use]
pub fn stale(deviations: &[Deviation], is_test: impl Fn(&str) -> bool, list: &str) -> Vec<String> {
    deviations
        .iter()
        .filter(|deviation| !is_test(&deviation.case))
        .map(|deviation| format!("{list}: a deviation names no case: {}", deviation.case))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<Deviation> {
        vec![Deviation {
            case: "a/b".to_owned(),
            reason: "an outside fault".to_owned(),
            link: Link::Address("https://example.org/1".to_owned()),
            spirv_writer: None,
            breaks: None,
            crashes: false,
            says: None,
            by_hand: None,
        }]
    }

    #[test]
    fn only_what_is_listed_may_fail_and_it_must() {
        let judge = |case, outcome| judged(case, outcome, &known(), "the list", None);
        let fails = || Err(Wrong::unmet("it broke"));
        assert_eq!(judge("a/c", Ok(())), (Verdict::Passed, None));
        let failed = (Verdict::Failed, Some("it broke".to_owned()));
        assert_eq!(judge("a/c", fails()), failed);
        let deviates = (Verdict::KnownDeviation, Some("an outside fault".to_owned()));
        assert_eq!(judge("a/b", fails()), deviates);
        let (verdict, reason) = judge("a/b", Ok(()));
        assert_eq!(verdict, Verdict::Failed);
        let reason = reason.unwrap();
        assert!(
            reason.contains("the list") && reason.contains("outside"),
            "{reason}"
        );
    }

    #[test]
    fn a_failure_beyond_the_documents_is_told_apart() {
        let judge = |case, outcome| judged(case, outcome, &known(), "the list", Some("ours"));
        let (verdict, reason) = judge("a/c", Err(Wrong::unmet("it broke")));
        assert_eq!(verdict, Verdict::DiffersBeyond);
        assert_eq!(reason.unwrap(), "ours\nit broke");
        assert_eq!(judge("a/c", Ok(())), (Verdict::Passed, None));
        // What a list says stays true of such a test too.
        assert_eq!(judge("a/b", Ok(())).0, Verdict::Failed);
    }

    #[test]
    fn a_crash_is_a_failure_unless_it_is_listed_as_one() {
        let of = |cause| {
            Err(Wrong {
                cause,
                text: "it broke".to_owned(),
            })
        };
        let beyond = Some("ours");
        let judge =
            |case, outcome, list: &[Deviation]| judged(case, outcome, list, "the list", beyond).0;
        for cause in [Cause::Crash, Cause::Harness] {
            assert_eq!(
                judge("a/b", of(cause), &known()),
                Verdict::Failed,
                "{cause:?}"
            );
            assert_eq!(
                judge("a/c", of(cause), &known()),
                Verdict::Failed,
                "{cause:?}"
            );
        }
        let mut crashes = known();
        crashes[0].crashes = true;
        assert_eq!(
            judge("a/b", of(Cause::Crash), &crashes),
            Verdict::KnownDeviation
        );
        assert_eq!(judge("a/b", of(Cause::Unmet), &crashes), Verdict::Failed);
        assert_eq!(judge("a/b", of(Cause::Harness), &crashes), Verdict::Failed);
    }

    #[test]
    fn another_failure_than_the_listed_one_is_a_failure() {
        let mut list = known();
        list[0].says = Some("unknown argument".to_owned());
        let judge = |text: &str| judged("a/b", Err(Wrong::unmet(text)), &list, "the list", None);
        let repeated = judge("step 1 of 1: %sh -c 'echo unknown argument'\nit broke");
        assert_eq!(repeated.0, Verdict::Failed);
        let listed = judge("a: unknown argument: '-x'");
        assert_eq!(listed.0, Verdict::KnownDeviation);
        let (verdict, reason) = judge("a: it broke");
        assert_eq!(verdict, Verdict::Failed);
        let reason = reason.unwrap();
        for part in ["unknown argument", "the list", "outside", "it broke"] {
            assert!(reason.contains(part), "{reason}");
        }
    }

    #[test]
    fn a_deviation_is_one_from_what_it_breaks() {
        let breaks = ["X-1".to_owned()];
        let of = |id, strength, breaks| verdict_on(id, strength, Verdict::KnownDeviation, breaks);
        assert_eq!(
            of("X-1", Strength::Must, Some(&breaks[..])),
            Verdict::KnownDeviation
        );
        assert_eq!(
            of("X-2", Strength::Must, Some(&breaks[..])),
            Verdict::NotObservable
        );
        assert_eq!(of("X-2", Strength::Should, None), Verdict::KnownDeviation);
        assert_eq!(of("X-2", Strength::May, None), Verdict::NotObservable);
        let failed = verdict_on("X-2", Strength::May, Verdict::Failed, Some(&breaks));
        assert_eq!(failed, Verdict::Failed);
    }

    #[test]
    fn a_link_is_an_address_or_a_section() {
        let link = |text: &str| Link::try_from(text.to_owned());
        let section = Link::Section(Document::Off, "Device linking".to_owned());
        assert_eq!(link("OFF, \"Device linking\""), Ok(section));
        for text in ["OFF, \"Device linking\"", "https://example.org/1"] {
            assert_eq!(link(text).unwrap().to_string(), text);
        }
        for text in [
            "",
            "an issue",
            "OFF",
            "ON, \"Device linking\"",
            "OFF, Device linking",
        ] {
            assert!(link(text).is_err(), "{text}");
        }
        let without = "case: a/b\nreason: it does not\n";
        let file = std::path::Path::new("x");
        let read = offload_formats::yaml::from_str::<Deviation>(without, file);
        assert!(read.unwrap_err().to_string().contains("link"));
    }

    #[test]
    fn a_deviation_that_names_no_test_is_stale() {
        assert!(stale(&known(), |case| case == "a/b", "the list").is_empty());
        let mistakes = stale(&known(), |case| case == "a/c", "the list");
        assert_eq!(mistakes, ["the list: a deviation names no case: a/b"]);
    }
}

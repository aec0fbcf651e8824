//! What Catch2's XML reporter writes: lists of test cases, and how they went. A program that dies
//! leaves the beginning of a report; what it says of the cases that ended is good all the same.

use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

/// How a test case went.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    pub name: String,
    pub outcome: Outcome,
    pub seconds: f64,
}

/// What a test case came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    /// It said that it cannot run here, or that it fails wherever it runs, and why.
    Skipped(String),
    /// What it said of its failures.
    Failed(String),
}

/// The tags of test cases that succeed where they fail.
const MAY_FAIL: [&str; 2] = ["[!shouldfail]", "[!mayfail]"];

/// How many failures of one test case are told.
const TOLD: usize = 10;

/// The names in a list of test cases (`--list-tests`).
pub fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    walk(text, |node| {
        if let Node::End("Name", text) = node {
            names.push(text.to_owned());
        }
    });
    names
}

/// The test cases that ended, in the order in which they did.
pub fn ended(text: &str) -> Vec<Ended> {
    let mut all = Vec::new();
    let mut case = Running::default();
    walk(text, |node| match node {
        Node::Start("TestCase", element) => {
            case = Running {
                name: attribute(element, "name"),
                may_fail: MAY_FAIL
                    .iter()
                    .any(|tag| attribute(element, "tags").contains(tag)),
                ..Running::default()
            }
        }
        Node::Start("Expression" | "Failure" | "Exception" | "FatalErrorCondition", element) => {
            case.starts(element);
        }
        Node::Start("Skip", element) => case.place = place(element),
        Node::Start("OverallResult", element) => {
            case.seconds = attribute(element, "durationInSeconds")
                .parse()
                .unwrap_or(0.0);
            case.succeeded = attribute(element, "success") == "true";
        }
        Node::Start(..) => (),
        Node::End("Original", text) => text.clone_into(&mut case.original),
        Node::End("Expanded", text) => case.expression(text),
        Node::End("Failure" | "Exception" | "FatalErrorCondition", text) => case.tell(text),
        Node::End("Skip", text) => case.skipped = Some(format!("{}: {text}", case.place)),
        Node::End("TestCase", _) => all.push(std::mem::take(&mut case).end()),
        Node::End(..) => (),
    });
    all
}

/// A test case whose end has not been read.
#[derive(Default)]
struct Running {
    name: String,
    /// Whether it says that it fails.
    may_fail: bool,
    /// Where what is being read stands in the source.
    place: String,
    /// Whether what is being read is a failure.
    fails: bool,
    /// The text of the expression that is being read.
    original: String,
    told: Vec<String>,
    skipped: Option<String>,
    succeeded: bool,
    seconds: f64,
}

impl Running {
    fn starts(&mut self, element: &BytesStart<'_>) {
        self.place = place(element);
        self.fails = attribute(element, "success") != "true";
    }

    fn expression(&mut self, expanded: &str) {
        let text = match self.original == expanded {
            true => expanded.to_owned(),
            false => format!("{}, which is {expanded}", self.original),
        };
        self.tell(&text);
    }

    fn tell(&mut self, text: &str) {
        if self.fails && self.told.len() < TOLD {
            self.told.push(format!("{}: {text}", self.place));
        }
    }

    fn end(self) -> Ended {
        let outcome = match (self.succeeded, self.skipped) {
            (false, _) if self.told.is_empty() => Outcome::Failed("it does not say why".to_owned()),
            (false, _) => Outcome::Failed(self.told.join("\n")),
            (true, Some(reason)) => Outcome::Skipped(reason),
            (true, None) if self.told.is_empty() || !self.may_fail => Outcome::Passed,
            // It shows nothing.
            (true, None) => {
                let told = self.told.join("\n");
                Outcome::Skipped(format!("fails, as it says itself that it does: {told}"))
            }
        };
        Ended {
            name: self.name,
            outcome,
            seconds: self.seconds,
        }
    }
}

/// A step of the walk over a report.
enum Node<'a> {
    Start(&'a str, &'a BytesStart<'a>),
    /// With the text within it that stands in no element of its own.
    End(&'a str, &'a str),
}

/// Hands on starts and ends of elements until the text ends or is XML no more.
fn walk(text: &str, mut each: impl FnMut(Node<'_>)) {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut texts: Vec<String> = Vec::new();
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(element) => {
                texts.push(String::new());
                let name = String::from_utf8_lossy(element.name().as_ref()).into_owned();
                each(Node::Start(&name, &element));
            }
            Event::End(element) => {
                let text = texts.pop().unwrap_or_default();
                let name = String::from_utf8_lossy(element.name().as_ref()).into_owned();
                each(Node::End(&name, text.trim()));
            }
            Event::Text(part) => {
                if let (Some(text), Ok(part)) = (texts.last_mut(), part.decode()) {
                    text.push_str(&part);
                }
            }
            Event::GeneralRef(part) => {
                let Some(text) = texts.last_mut() else {
                    continue;
                };
                if let Ok(Some(character)) = part.resolve_char_ref() {
                    text.push(character);
                } else if let Ok(name) = part.decode() {
                    text.push_str(resolve_predefined_entity(&name).unwrap_or_default());
                }
            }
            Event::Eof => return,
            _ => (),
        }
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> String {
    let found = element.try_get_attribute(name).ok().flatten();
    let value = found.and_then(|value| {
        Some(
            value
                .normalized_value(XmlVersion::Explicit1_0)
                .ok()?
                .into_owned(),
        )
    });
    value.unwrap_or_default()
}

/// `FILE:LINE`, without the folders.
fn place(element: &BytesStart<'_>) -> String {
    let file = attribute(element, "filename");
    let file = file.rsplit(['/', '\\']).next().unwrap_or_default();
    format!("{file}:{}", attribute(element, "line"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Catch2TestRun name="test_x" rng-seed="1" xml-format-version="3" catch2-version="3.7.1">
  <TestCase name="adds &lt;int&gt;" tags="[a]" filename="/s/a.cpp" line="3">
    <Section name="s" filename="/s/a.cpp" line="4">
      <OverallResults successes="1" failures="0" expectedFailures="0" skipped="false"/>
    </Section>
    <OverallResult success="true" skips="0" durationInSeconds="0.5"/>
  </TestCase>
  <TestCase name="fails" tags="[a]" filename="/s/a.cpp" line="9">
    <Expression success="true" type="CHECK" filename="/s/a.cpp" line="10">
      <Original>true</Original>
      <Expanded>true</Expanded>
    </Expression>
    <Expression success="false" type="CHECK" filename="/s/a.cpp" line="11">
      <Original>a &lt; b</Original>
      <Expanded>2 &lt; 1</Expanded>
    </Expression>
    <Exception filename="/s/a.cpp" line="12">threw</Exception>
    <OverallResult success="false" skips="0" durationInSeconds="0"/>
  </TestCase>
  <TestCase name="skips" tags="[a]" filename="/s/a.cpp" line="20">
    <Skip filename="/s/a.cpp" line="21">no images</Skip>
    <OverallResult success="true" skips="1" durationInSeconds="0"/>
  </TestCase>
  <TestCase name="is to come" tags="[!shouldfail][todo]" filename="/s/a.cpp" line="25">
    <Failure filename="/s/a.cpp" line="25">
      Not yet.
    </Failure>
    <OverallResult success="true" skips="0"/>
  </TestCase>
  <TestCase name="dies" tags="[a]" filename="/s/a.cpp" line="30">
    <Info>
"#;

    #[test]
    fn cases_that_ended_are_read_from_a_report_that_breaks_off() {
        let cases = ended(REPORT);
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["adds <int>", "fails", "skips", "is to come"]);
        assert_eq!(cases[0].outcome, Outcome::Passed);
        assert!((cases[0].seconds - 0.5).abs() < 1e-9);
        let told = "a.cpp:11: a < b, which is 2 < 1\na.cpp:12: threw";
        assert_eq!(cases[1].outcome, Outcome::Failed(told.to_owned()));
        let skipped = Outcome::Skipped("a.cpp:21: no images".to_owned());
        assert_eq!(cases[2].outcome, skipped);
        let to_come = "fails, as it says itself that it does: a.cpp:25: Not yet.";
        assert_eq!(cases[3].outcome, Outcome::Skipped(to_come.to_owned()));
    }

    #[test]
    fn a_list_gives_names() {
        let list = "<MatchingTests><TestCase><Name>a &amp; b</Name><ClassName/></TestCase>\
                    <TestCase><Name>c, d</Name></TestCase></MatchingTests>";
        assert_eq!(names(list), ["a & b", "c, d"]);
        assert!(names("").is_empty());
    }
}

//! What a run of a case showed: each step's command, how it ended, and the beginning of what it
//! wrote. Reports keep it beside the verdict.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One step, as it went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct StepEvidence {
    /// A line to paste that repeats it for this toolchain.
    pub repeat: String,
    /// How it ended: `exit 0`, `crash 11`, `past its limit`.
    pub ended: String,
    /// Wall time.
    pub seconds: f64,
    /// The beginning of its standard output, with placeholders for the folders of the run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stdout: String,
    /// The beginning of its standard error, likewise.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// What did not hold; empty when everything did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrong: Vec<String>,
    /// Golden texts that it was not held to, because the toolchain has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_golden: Vec<String>,
    /// Golden texts that it was held to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goldens: Vec<GoldenText>,
}

/// A golden text of the toolchain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct GoldenText {
    /// Its name within the case.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// Steps that were not run, because their setting is not here: of what they look at, the case shows nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct LeftOut {
    /// The setting.
    pub setting: String,
    /// The commands of the steps, as the case has them.
    pub steps: Vec<String>,
    /// Why the setting is not here.
    pub reason: String,
}

/// What makes a case go wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Something that the case expects does not hold.
    #[default]
    Unmet,
    /// A program of the toolchain crashed, or ran or wrote past its limit.
    Crash,
    /// The harness could not do its part, such as start a tool or make a folder: that says nothing of
    /// the toolchain.
    Harness,
}

/// What went wrong, and whose fault that can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// Whose.
    pub cause: Cause,
    /// What, as the terminal shows it.
    pub text: String,
}

impl Wrong {
    /// An expectation that does not hold.
    #[must_use]
    pub fn unmet(text: impl Into<String>) -> Self {
        let (cause, text) = (Cause::Unmet, text.into());
        Wrong { cause, text }
    }

    /// Something that the harness could not do.
    #[must_use]
    pub fn harness(text: impl Into<String>) -> Self {
        let (cause, text) = (Cause::Harness, text.into());
        Wrong { cause, text }
    }
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// A case, as it went.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Evidence {
    /// Wall time of the whole case, in seconds.
    pub seconds: f64,
    /// The steps that ran; the last one is the one that went wrong, if any did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepEvidence>,
    /// The steps that were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// What went wrong, as the terminal shows it; `None` when nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong: Option<String>,
    /// Whose fault that can be, where it is no expectation that does not hold.
    #[serde(default, skip_serializing_if = "is_unmet")]
    pub cause: Cause,
}

fn is_unmet(cause: &Cause) -> bool {
    *cause == Cause::Unmet
}

impl Evidence {
    /// What went wrong, if anything did.
    ///
    /// # Errors
    /// With that.
    pub fn outcome(&self) -> Result<(), Wrong> {
        match &self.wrong {
            Some(text) => Err(Wrong {
                cause: self.cause,
                text: text.clone(),
            }),
            None => Ok(()),
        }
    }
}

/// How much of a text is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    lines: usize,
    bytes: usize,
}

impl Extent {
    /// Of what a step wrote with which nothing was wrong.
    pub const BRIEF: Extent = Extent {
        lines: 12,
        bytes: 1_000,
    };
    /// Of what a step wrote with which something was.
    pub const FULL: Extent = Extent {
        lines: 60,
        bytes: 16_000,
    };

    /// Of a golden text, which is there to be read whole.
    pub const GOLDEN: Extent = Extent {
        lines: 1_000,
        bytes: 16_000,
    };

    /// The beginning of a text, and how much more there is.
    #[must_use]
    pub fn of(self, text: &str) -> String {
        let text = text.trim_end();
        let lines = text.lines().take(self.lines);
        let kept: usize = lines.map(|line| line.len() + 1).sum();
        let mut end = kept.saturating_sub(1).min(self.bytes).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let (kept, rest) = text.split_at(end);
        match rest.trim().is_empty() {
            true => kept.to_owned(),
            false => format!("{kept}\n… and {} bytes more", rest.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_and_say_so() {
        assert_eq!(Extent::FULL.of("a\nb\n"), "a\nb");
        let many = "line\n".repeat(100);
        let cut = Extent::FULL.of(&many);
        assert_eq!(cut.lines().count(), 61);
        assert!(cut.ends_with("… and 200 bytes more"), "{cut}");
        let wide = "ä".repeat(20_000);
        assert!(Extent::FULL.of(&wide).len() < 16_100);
    }
}

//! Diagnostics of the front end's passes, in clang's form, and the command line's say over them.

use std::fmt::Write as _;

use super::{LowerError, LowerOptions, WarningOptions};
use crate::llvm::location::Location;

/// The warnings of the toolchain itself, each with an option of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warning {
    /// `-Wsycl-device-has`: a function uses an aspect that its `device_has` does not list.
    DeviceHas,
    /// `-Wsycl-fixed-targets`: device code needs what a fixed target lacks.
    FixedTargets,
    /// `-Wsycl-weak`: device code uses a definition that the program may have another one for.
    Weak,
    /// `-Wsycl-target`: a target of the command line gets no device code.
    Target,
    /// `-Wsycl-host-half`: a source that only the host's half can be made of.
    HostHalf,
    /// `-Wunused-command-line-argument`, which is clang's too: a word that has no effect.
    Unused,
}

impl Warning {
    /// The name of its option, after `-W`.
    fn option(self) -> &'static str {
        match self {
            Warning::DeviceHas => "sycl-device-has",
            Warning::FixedTargets => "sycl-fixed-targets",
            Warning::Weak => "sycl-weak",
            Warning::Target => "sycl-target",
            Warning::HostHalf => "sycl-host-half",
            Warning::Unused => "unused-command-line-argument",
        }
    }

    /// What stands behind its text: the words that it comes by.
    #[must_use]
    pub fn mark(self, as_error: bool) -> String {
        match as_error {
            false => format!(" [-W{}]", self.option()),
            true => format!(" [-Werror,-W{}]", self.option()),
        }
    }
}

/// How diagnostics look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Style {
    /// Colours, as clang uses them.
    colours: bool,
    /// The option that controls a warning stands behind it.
    option: bool,
}

impl Style {
    /// As the last words about it have it.
    fn of(options: &WarningOptions) -> Self {
        let mut style = Style {
            colours: false,
            option: true,
        };
        for word in &options.words {
            match word.as_str() {
                "-fcolor-diagnostics" | "-fdiagnostics-color" | "-fdiagnostics-color=always" => {
                    style.colours = true;
                }
                "-fno-color-diagnostics"
                | "-fno-diagnostics-color"
                | "-fdiagnostics-color=never" => {
                    style.colours = false;
                }
                "-fdiagnostics-show-option" => style.option = true,
                "-fno-diagnostics-show-option" => style.option = false,
                _ => {}
            }
        }
        style
    }

    /// A text between the codes of a look.
    fn paint(self, look: &str, text: &str) -> String {
        match self.colours {
            true => format!("\x1b[{look}m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }
}

/// Whether a word of the command line is about how diagnostics look.
#[must_use]
pub fn is_about_looks(word: &str) -> bool {
    word.ends_with("color-diagnostics")
        || word.contains("diagnostics-color")
        || word.ends_with("diagnostics-show-option")
}

/// Every warning option of ours; `sycl-aspects` stands for all of the lowering.
const GROUPS: [(&str, &[Warning]); 7] = [
    ("unused-command-line-argument", &[Warning::Unused]),
    ("sycl-weak", &[Warning::Weak]),
    ("sycl-target", &[Warning::Target]),
    ("sycl-host-half", &[Warning::HostHalf]),
    ("sycl-device-has", &[Warning::DeviceHas]),
    ("sycl-fixed-targets", &[Warning::FixedTargets]),
    ("sycl-aspects", &[Warning::DeviceHas, Warning::FixedTargets]),
];

/// Whether a `-W…` word is about these warnings, so that clang must not see it.
#[must_use]
pub fn is_own_word(word: &str) -> bool {
    let Some(rest) = word.strip_prefix("-W") else {
        return false;
    };
    let rest = rest.strip_prefix("no-").unwrap_or(rest);
    let rest = rest.strip_prefix("error=").unwrap_or(rest);
    let mut own = GROUPS.iter().filter(|(name, _)| name.starts_with("sycl-"));
    own.any(|(name, _)| *name == rest)
}

/// How bad a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Something to think about.
    Warning(Warning),
    /// The run fails.
    Error,
}

/// One diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    pub location: Option<Location>,
    /// What.
    pub message: String,
    /// Lines that follow.
    pub notes: Vec<String>,
    /// A chain of calls that follows them, each function with the place of the call to it.
    pub chain: Vec<(String, Option<Location>)>,
}

impl Diagnostic {
    /// A warning.
    #[must_use]
    pub fn warning(warning: Warning, location: Option<Location>, message: String) -> Self {
        Diagnostic {
            severity: Severity::Warning(warning),
            location,
            message,
            notes: Vec::new(),
            chain: Vec::new(),
        }
    }

    /// An error.
    #[must_use]
    pub fn error(location: Option<Location>, message: String) -> Self {
        Diagnostic {
            severity: Severity::Error,
            location,
            message,
            notes: Vec::new(),
            chain: Vec::new(),
        }
    }

    /// The text, with locations or, for want of them, with the advice how to get them.
    fn text(&self, as_error: bool, with_locations: bool, style: Style) -> String {
        const BOLD: &str = "1";
        let location = |of: &Option<Location>| of.clone().filter(|_| with_locations);
        let mut text = match location(&self.location) {
            Some(location) => style.paint(BOLD, &format!("{location}: ")),
            None => String::new(),
        };
        text.push_str(&match as_error {
            true => style.paint("0;1;31", "error: "),
            false => style.paint("0;1;35", "warning: "),
        });
        let option = match self.severity {
            Severity::Warning(warning) => warning.mark(as_error),
            Severity::Error => String::new(),
        };
        let option = option.as_str();
        let shown = if style.option { option } else { "" };
        text.push_str(&style.paint(BOLD, &format!("{}{shown}", self.message)));
        for note in &self.notes {
            let _ = write!(text, "\n{note}");
        }
        for (function, call) in &self.chain {
            let _ = write!(text, "\n  {function}()");
            if let Some(call) = location(call) {
                let _ = write!(text, " {call}");
            }
        }
        if !with_locations {
            text.push_str("\ncompile with '-g' to get source location");
        }
        text
    }
}

/// What a warning becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Treatment {
    /// Nothing.
    Silent,
    /// A warning.
    #[default]
    Warn,
    /// An error.
    Error,
}

/// The last word that concerns a warning counts; `-Wno-error` and its kin leave it a warning.
#[must_use]
pub fn treatment(options: &WarningOptions, warning: Warning) -> Treatment {
    let (mut on, mut all_errors, mut own_error, mut none) = (true, false, None, false);
    for word in &options.words {
        match word.as_str() {
            "-w" => none = true,
            "-Werror" => all_errors = true,
            "-Wno-error" => all_errors = false,
            word => {
                let Some(rest) = word.strip_prefix("-W") else {
                    continue;
                };
                let (off, rest) = match rest.strip_prefix("no-") {
                    Some(rest) => (true, rest),
                    None => (false, rest),
                };
                let (error, name) = match rest.strip_prefix("error=") {
                    Some(name) => (true, name),
                    None => (false, rest),
                };
                let concerns = |(group, members): &(&str, &[Warning])| {
                    *group == name && members.contains(&warning)
                };
                if !GROUPS.iter().any(concerns) {
                    continue;
                }
                match (error, off) {
                    (true, off) => {
                        own_error = Some(!off);
                        on |= !off;
                    }
                    (false, off) => on = !off,
                }
            }
        }
    }
    match own_error.unwrap_or(all_errors) {
        _ if !on => Treatment::Silent,
        true => Treatment::Error,
        false if none => Treatment::Silent,
        false => Treatment::Warn,
    }
}

/// The texts to print for `found`, in order.
///
/// # Errors
/// All the texts, when one of them is an error.
pub fn report(found: &[Diagnostic], options: &LowerOptions) -> Result<Vec<String>, LowerError> {
    let style = Style::of(&options.warnings);
    let mut failed = false;
    let mut texts = Vec::new();
    for diagnostic in found {
        let (treatment, with_locations) = match diagnostic.severity {
            Severity::Warning(warning) => (treatment(&options.warnings, warning), options.debug),
            // Errors always show where they are.
            Severity::Error => (Treatment::Error, true),
        };
        if treatment != Treatment::Silent {
            failed |= treatment == Treatment::Error;
            texts.push(diagnostic.text(treatment == Treatment::Error, with_locations, style));
        }
    }
    match failed {
        true => Err(LowerError::Diagnosed { diagnostics: texts }),
        false => Ok(texts),
    }
}

/// The failure that one error makes.
#[must_use]
pub fn failure(error: Diagnostic, options: &LowerOptions) -> LowerError {
    match report(&[error], options) {
        Err(failure) => failure,
        Ok(diagnostics) => LowerError::Diagnosed { diagnostics },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn treated(words: &str) -> Treatment {
        let words = words.split_whitespace().map(str::to_owned).collect();
        treatment(&WarningOptions { words }, Warning::DeviceHas)
    }

    #[test]
    fn the_last_word_counts_as_with_clang() {
        assert_eq!(treated(""), Treatment::Warn);
        assert_eq!(treated("-Wno-sycl-device-has"), Treatment::Silent);
        assert_eq!(
            treated("-Wno-sycl-aspects -Wsycl-device-has"),
            Treatment::Warn
        );
        assert_eq!(treated("-Wno-sycl-fixed-targets"), Treatment::Warn);
        assert_eq!(treated("-Werror"), Treatment::Error);
        assert_eq!(treated("-Werror -Wno-error"), Treatment::Warn);
        assert_eq!(
            treated("-Werror -Wno-error=sycl-device-has"),
            Treatment::Warn
        );
        assert_eq!(treated("-Werror -Wno-sycl-device-has"), Treatment::Silent);
        assert_eq!(treated("-w"), Treatment::Silent);
        assert_eq!(
            treated("-Wno-sycl-aspects -Werror=sycl-aspects"),
            Treatment::Error
        );
    }

    #[test]
    fn a_warning_shows_its_option_and_colours_only_when_asked() {
        let shown = |words: &str, as_error| {
            let words = words.split_whitespace().map(str::to_owned).collect();
            let warning = Diagnostic::warning(Warning::DeviceHas, None, "m".to_owned());
            warning.text(as_error, true, Style::of(&WarningOptions { words }))
        };
        assert_eq!(shown("", false), "warning: m [-Wsycl-device-has]");
        assert_eq!(shown("", true), "error: m [-Werror,-Wsycl-device-has]");
        assert_eq!(shown("-fno-diagnostics-show-option", false), "warning: m");
        assert_eq!(
            shown("-fcolor-diagnostics -fno-diagnostics-show-option", false),
            "\x1b[0;1;35mwarning: \x1b[0m\x1b[1mm\x1b[0m"
        );
        assert_eq!(
            shown("-fcolor-diagnostics -fno-color-diagnostics", false),
            "warning: m [-Wsycl-device-has]"
        );
    }

    #[test]
    fn words_of_ours_are_told_from_clang_s() {
        assert!(is_own_word("-Wno-error=sycl-aspects"));
        assert!(!is_own_word("-Wall"));
        assert!(!is_own_word("-Wno-unused"));
    }
}

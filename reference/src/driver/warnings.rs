//! The driver's own warnings, and what the command line says of warnings.

use std::ffi::OsString;

use super::options::Options;
use super::{TOOL, default_colours};
use crate::frontend::WarningOptions;
use crate::frontend::diagnostics::{Treatment, Warning, is_about_looks, treatment};
use crate::tool::{Failure, say};

/// Says a warning as the command line wants it.
///
/// # Errors
/// When it wants the warning to be an error.
pub(super) fn warn(options: &Options, warning: Warning, what: &str) -> Result<(), Failure> {
    match treatment(&warning_options(&options.clang), warning) {
        Treatment::Silent => {}
        Treatment::Warn => {
            let mark = warning.mark(false);
            say(&format!("{TOOL}: warning: {what}{mark}\n"));
        }
        Treatment::Error => return Err(Failure::Job(format!("{what}{}", warning.mark(true)))),
    }
    Ok(())
}

/// The words about warnings and how they look.
pub(super) fn warning_options(words: &[OsString]) -> WarningOptions {
    let colours = default_colours(words);
    let all = words.iter().chain(&colours);
    let texts = all.filter_map(|word| word.to_str());
    let ours = texts.filter(|text| {
        *text == "-w"
            || is_about_looks(text)
            || (text.starts_with("-W")
                && !["-Wl,", "-Wa,", "-Wp,"].iter().any(|p| text.starts_with(p)))
    });
    WarningOptions {
        words: ours.map(str::to_owned).collect(),
    }
}

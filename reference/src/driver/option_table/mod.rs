//! The options that the driver itself knows, as data: how each is spelled, how it takes its value,
//! and where the value goes. Everything else belongs to clang.

mod compilation;
mod intel;
mod link;
mod output;
pub(super) mod refused;
mod shared;
mod targets;
pub(super) mod without_effect;

pub(super) use shared::SHARED;

use super::options::{Options, OptionsError};

/// How an option takes its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// No value.
    Flag,
    /// The value follows in the same word.
    Joined,
    /// The value is the next word.
    Separate,
    /// An optional `=TARGET` in the same word, and the value in the next.
    ForTarget,
}

/// One option of the driver.
pub(super) struct Spec {
    /// The spelling; for [`Shape::Joined`] with its `=`.
    pub name: &'static str,
    /// How it takes its value.
    pub shape: Shape,
    /// The value's name in `--help`.
    pub value: &'static str,
    /// One line for `--help`.
    pub help: &'static str,
    /// Stores target (of [`Shape::ForTarget`]) and value.
    pub apply: fn(&mut Options, Option<&str>, &str) -> Result<(), OptionsError>,
}

macro_rules! option {
    ($name:literal, $shape:ident, $value:literal, $help:literal, $apply:expr) => {
        Spec {
            name: $name,
            shape: Shape::$shape,
            value: $value,
            help: $help,
            apply: $apply,
        }
    };
}
use option;

/// Every option that does not go to clang, by theme. Of two that fit a word the first counts.
pub(super) static OPTIONS: &[&[Spec]] = &[
    targets::OPTIONS,
    compilation::OPTIONS,
    intel::OPTIONS,
    link::OPTIONS,
    output::OPTIONS,
];

/// The items of a list; an empty one is what a lost variable leaves in a build script.
fn list(option: &'static str, value: &str) -> Result<Vec<String>, OptionsError> {
    let items: Vec<_> = value.split(',').map(str::trim).collect();
    if items.contains(&"") {
        let expected = "names with commas between them, none of them empty";
        return Err(OptionsError::value(option, value, expected));
    }
    Ok(items.into_iter().map(str::to_owned).collect())
}

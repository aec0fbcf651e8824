//! How a task fails: one reason, printed once, exit status 1.

use std::fmt;
use std::path::Path;

/// What a task comes to.
pub type Outcome = Result<(), Failure>;

/// Why a task failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The reason is still to be told.
    #[error("{0}")]
    Reason(String),
    /// A program that ran has told the reason on standard error.
    #[error("already reported")]
    Reported,
}

impl Failure {
    /// A failure from any error that displays with its own context.
    pub fn new(reason: impl fmt::Display) -> Self {
        Failure::Reason(reason.to_string())
    }

    /// A failure of the file system at `path`.
    pub fn at(path: &Path, reason: impl fmt::Display) -> Self {
        Failure::Reason(format!("{}: {reason}", path.display()))
    }
}

//! The two kinds of error that readers of this package give.

/// Bytes that do not hold what their format asks for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at offset {offset:#x}: {reason}")]
pub struct Malformed {
    /// Where, in bytes from the start of what was being read.
    pub offset: u64,
    /// What is wrong there.
    pub reason: String,
}

impl Malformed {
    /// An error at `offset`.
    pub fn new(offset: u64, reason: impl Into<String>) -> Self {
        Malformed {
            offset,
            reason: reason.into(),
        }
    }

    /// The same error, seen from a place that begins `base` bytes earlier.
    #[must_use]
    pub fn shifted(mut self, base: u64) -> Self {
        self.offset = self.offset.saturating_add(base);
        self
    }
}

/// Text that does not hold what its format asks for, or a value that the text form cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct TextError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

impl TextError {
    /// An error in `line`, counted from 1.
    pub fn new(line: usize, reason: impl Into<String>) -> Self {
        TextError {
            line,
            reason: reason.into(),
        }
    }
}

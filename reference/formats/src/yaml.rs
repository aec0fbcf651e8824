//! YAML, behind one door: the only module of the project that knows which crate reads it.
//!
//! Every reader says where a mistake is: file, line, column, and what was expected. Structures that
//! are read through here carry `#[serde(deny_unknown_fields)]`, so that a misspelled key is a
//! mistake and not a silence.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A YAML text that cannot be read as what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {reason}", file.display(), place(*line, *column))]
pub struct YamlError {
    /// The file the text came from.
    pub file: PathBuf,
    /// Line of the mistake, from 1; 0 when it is known to no line.
    pub line: usize,
    /// Column of the mistake, from 1; 0 when it is known to no line.
    pub column: usize,
    /// What is wrong, and what was expected.
    pub reason: String,
}

fn place(line: usize, column: usize) -> String {
    match line {
        0 => String::new(),
        _ => format!(":{line}:{column}"),
    }
}

/// Reads one YAML document; `file` is named in errors.
///
/// # Errors
/// With file, line and column, when the text is no YAML or not of the expected shape.
pub fn from_str<T: DeserializeOwned>(text: &str, file: &Path) -> Result<T, YamlError> {
    serde_yaml::from_str(text).map_err(|error| {
        let (line, column) = error
            .location()
            .map_or((0, 0), |at| (at.line(), at.column()));
        let reason = error.to_string();
        // The reader ends its messages with the place, which stands in front here.
        let reason = match reason.rfind(" at line ") {
            Some(end) if line > 0 => reason[..end].to_owned(),
            _ => reason,
        };
        YamlError {
            file: file.to_owned(),
            line,
            column,
            reason,
        }
    })
}

/// Reads one YAML file.
///
/// # Errors
/// When the file cannot be read, and as [`from_str`].
pub fn from_file<T: DeserializeOwned>(file: &Path) -> Result<T, YamlError> {
    let text = std::fs::read_to_string(file).map_err(|error| YamlError {
        file: file.to_owned(),
        line: 0,
        column: 0,
        reason: error.to_string(),
    })?;
    from_str(&text, file)
}

/// Writes a value as one YAML document.
///
/// # Errors
/// When the value has no YAML form (a map with keys that are maps, for instance).
pub fn to_string<T: Serialize>(value: &T) -> Result<String, YamlError> {
    serde_yaml::to_string(value).map_err(|error| YamlError {
        file: PathBuf::new(),
        line: 0,
        column: 0,
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize, serde::Serialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Device {
        aspects: Vec<u32>,
    }

    #[test]
    fn an_unknown_key_is_named_with_file_line_and_column() {
        let error =
            from_str::<Device>("aspects: [1]\naspect: 2\n", Path::new("d.yaml")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "d.yaml:2:1: unknown field `aspect`, expected `aspects`"
        );
    }

    #[test]
    fn a_wrong_type_says_what_was_expected() {
        let error = from_str::<Device>("aspects: [x]\n", Path::new("d.yaml")).unwrap_err();
        assert_eq!((error.line, error.column), (1, 11));
        assert!(error.reason.contains("expected u32"), "{error}");
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = from_file::<Device>(Path::new("/nonexistent/d.yaml")).unwrap_err();
        assert!(error.to_string().starts_with("/nonexistent/d.yaml: "));
    }

    #[test]
    fn what_is_written_reads_back() {
        let device = Device {
            aspects: vec![1, 6],
        };
        let text = to_string(&device).unwrap();
        assert_eq!(
            from_str::<Device>(&text, Path::new("d.yaml")).unwrap(),
            device
        );
    }
}

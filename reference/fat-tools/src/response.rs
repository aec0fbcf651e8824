//! Response files: `@FILE` on a command line stands for the words in FILE, split as GNU tools
//! split them (blanks separate, quotes and backslashes protect), at any depth.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// How deep response files may name others before it counts as a circle.
const MAX_DEPTH: usize = 20;

/// A response file that cannot be expanded.
#[derive(Debug, thiserror::Error)]
pub enum ResponseError {
    /// Files that name each other.
    #[error("response file '{}' names itself, directly or through others", .0.display())]
    Circle(PathBuf),
    /// The file ends inside a quoted word.
    #[error("response file '{}' ends inside a quoted word", .0.display())]
    OpenQuote(PathBuf),
}

/// Replaces every `@FILE` of `words` by the words of FILE. A word whose file does not exist stays
/// as it is, as with GNU tools and clang.
///
/// # Errors
/// See [`ResponseError`].
pub fn expand(words: Vec<OsString>) -> Result<Vec<OsString>, ResponseError> {
    let mut expanded = Vec::with_capacity(words.len());
    for word in words {
        expand_word(word, 0, &mut expanded)?;
    }
    Ok(expanded)
}

/// Like [`expand`] for the words before the first `--`; those behind it are taken as they are. Files
/// that a linker reads itself stand there.
///
/// # Errors
/// See [`ResponseError`].
pub fn expand_own(words: Vec<OsString>) -> Result<Vec<OsString>, ResponseError> {
    let own = words.iter().position(|word| word == "--");
    let mut own_words = words;
    let others = own_words.split_off(own.unwrap_or(own_words.len()));
    let mut expanded = expand(own_words)?;
    expanded.extend(others);
    Ok(expanded)
}

fn expand_word(word: OsString, depth: usize, out: &mut Vec<OsString>) -> Result<(), ResponseError> {
    let Some(name) = word.as_bytes().strip_prefix(b"@") else {
        out.push(word);
        return Ok(());
    };
    let path = PathBuf::from(OsString::from_vec(name.to_vec()));
    let Ok(text) = std::fs::read(&path) else {
        out.push(word);
        return Ok(());
    };
    if depth == MAX_DEPTH {
        return Err(ResponseError::Circle(path));
    }
    for inner in split(&text, &path)? {
        expand_word(inner, depth + 1, out)?;
    }
    Ok(())
}

/// The words of a quoted option value such as `-Xsycl-target-backend "-a '-b c'"`; a value with an
/// open quote is taken as blank-separated words.
#[must_use]
pub fn words_of(value: &str) -> Vec<String> {
    match split(value.as_bytes(), Path::new("")) {
        Ok(words) => words
            .into_iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect(),
        Err(_) => value.split_whitespace().map(str::to_owned).collect(),
    }
}

fn split(text: &[u8], path: &Path) -> Result<Vec<OsString>, ResponseError> {
    match words(text) {
        (_, true) => Err(ResponseError::OpenQuote(path.to_owned())),
        (words, false) => Ok(words),
    }
}

/// The words of a response file, as GNU tools read one, and whether a quote is open at its end.
#[must_use]
pub fn words(text: &[u8]) -> (Vec<OsString>, bool) {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (None, b' ' | b'\t' | b'\r' | b'\n') => {
                words.extend(word.take().map(OsString::from_vec));
            }
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (Some(open), _) if open == byte => quote = None,
            (None | Some(b'"'), b'\\') => word.get_or_insert_default().extend(bytes.next()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    (words, quote.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(words: &[String]) -> Result<Vec<String>, ResponseError> {
        let words = expand(words.iter().map(OsString::from).collect())?;
        Ok(words
            .into_iter()
            .map(|w| w.into_string().unwrap())
            .collect())
    }

    #[test]
    fn files_expand_with_quotes_and_at_any_depth() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("inner");
        let outer = dir.path().join("outer");
        std::fs::write(&inner, "-DX='a b' \"c \\\" d\" e\\ f ''\n").unwrap();
        std::fs::write(&outer, format!("-c\n@{}\tlast", inner.display())).unwrap();
        let words = expanded(&["first".into(), format!("@{}", outer.display())]).unwrap();
        assert_eq!(
            words,
            ["first", "-c", "-DX=a b", "c \" d", "e f", "", "last"]
        );
    }

    #[test]
    fn a_missing_file_stays_a_word() {
        assert_eq!(
            expanded(&["@/no/such/file".into()]).unwrap(),
            ["@/no/such/file"]
        );
    }

    #[test]
    fn circles_and_open_quotes_are_errors() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("r");
        std::fs::write(&file, format!("@{}", file.display())).unwrap();
        let word = format!("@{}", file.display());
        assert!(matches!(
            expanded(std::slice::from_ref(&word)),
            Err(ResponseError::Circle(_))
        ));
        std::fs::write(&file, "'open").unwrap();
        assert!(matches!(
            expanded(&[word]),
            Err(ResponseError::OpenQuote(_))
        ));
    }

    #[test]
    fn what_stands_behind_the_separator_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("r");
        std::fs::write(&file, "-a 'b c' -- d").unwrap();
        let word = OsString::from(format!("@{}", file.display()));
        let words = vec![word.clone(), "--".into(), word.clone()];
        let words = expand_own(words).unwrap();
        assert_eq!(words[..5], ["-a", "b c", "--", "d", "--"]);
        assert_eq!(words[5], word);
    }
}

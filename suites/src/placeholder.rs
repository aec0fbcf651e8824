//! Placeholders in commands: `%name` or `%{name}`; `%%` is a percent sign.
//!
//! `%name` takes letters, digits, `+`, `-` and `_`, as many as follow; braces end a name anywhere.

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Taken as it is.
    Text(String),
    /// To be filled in.
    Name(String),
}

/// A placeholder that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceholderError {
    /// A percent sign with no name after it.
    #[error("'%' in '{0}' is followed by no name; a percent sign is written %%")]
    NoName(String),
    /// Nobody knows the name.
    #[error("no placeholder '%{0}'; known: {1}")]
    Unknown(String, String),
    /// A placeholder that stands for several words inside another word.
    #[error("'%{0}' stands for several words and cannot be a part of one")]
    NotAWord(String),
}

/// Takes a word apart.
///
/// # Errors
/// When a percent sign has no name.
pub fn pieces(word: &str) -> Result<Vec<Piece>, PlaceholderError> {
    let mut pieces = Vec::new();
    let mut rest = word;
    while let Some((text, after)) = rest.split_once('%') {
        if !text.is_empty() {
            pieces.push(Piece::Text(text.to_owned()));
        }
        if let Some(after) = after.strip_prefix('%') {
            pieces.push(Piece::Text("%".to_owned()));
            rest = after;
            continue;
        }
        let (name, after) = match after.strip_prefix('{') {
            Some(braced) => braced.split_once('}').unwrap_or(("", "")),
            None => after.split_at(
                after
                    .find(|c: char| !(c.is_ascii_alphanumeric() || "+-_".contains(c)))
                    .unwrap_or(after.len()),
            ),
        };
        if name.is_empty() {
            return Err(PlaceholderError::NoName(word.to_owned()));
        }
        pieces.push(Piece::Name(name.to_owned()));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    Ok(pieces)
}

/// Fills in one word; a placeholder that is the whole word may become several. In a word with spaces,
/// a shell's script, several words stand as the shell parts them.
///
/// # Errors
/// When a percent sign has no name, `value` knows no such name, or a part of a word would become
/// several words.
pub fn fill(
    word: &str,
    value: &dyn Fn(&str) -> Result<Vec<String>, PlaceholderError>,
) -> Result<Vec<String>, PlaceholderError> {
    let pieces = pieces(word)?;
    if let [Piece::Name(name)] = pieces.as_slice() {
        return value(name);
    }
    let is_script = word.contains(char::is_whitespace);
    let mut filled = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => filled.push_str(&text),
            Piece::Name(name) => match value(&name)?.as_slice() {
                [one] => filled.push_str(one),
                words if is_script => filled.push_str(&words.join(" ")),
                _ => return Err(PlaceholderError::NotAWord(name)),
            },
        }
    }
    Ok(vec![filled])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str) -> Result<Vec<String>, PlaceholderError> {
        match name {
            "t" => Ok(vec!["/tmp/x".to_owned()]),
            "c++" => Ok(vec!["clang".to_owned(), "--driver-mode=g++".to_owned()]),
            _ => Err(PlaceholderError::Unknown(
                name.to_owned(),
                "t c++".to_owned(),
            )),
        }
    }

    #[test]
    fn words_are_filled_in() {
        for (word, expected) in [
            ("plain", vec!["plain"]),
            ("%t/a.o", vec!["/tmp/x/a.o"]),
            ("-I%{t}-b", vec!["-I/tmp/x-b"]),
            ("%c++", vec!["clang", "--driver-mode=g++"]),
            ("100%%", vec!["100%"]),
            ("run %c++ -c", vec!["run clang --driver-mode=g++ -c"]),
        ] {
            assert_eq!(fill(word, &value).unwrap(), expected, "{word}");
        }
    }

    #[test]
    fn what_is_no_placeholder_is_refused() {
        for word in ["%", "% d", "%{t", "%x", "a%c++"] {
            assert!(fill(word, &value).is_err(), "{word}");
        }
    }
}

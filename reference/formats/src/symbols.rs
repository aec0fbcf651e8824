//! Symbols files: the entry points of one device image, a name per line.

use crate::TextError;

/// Reads the names in file order; empty lines carry none.
#[must_use]
pub fn parse(text: &str) -> Vec<String> {
    let names = text.lines().filter(|line| !line.is_empty());
    names.map(str::to_owned).collect()
}

/// Writes `names` in the given order.
///
/// # Errors
/// When a name is empty or holds a line break: the form cannot carry it.
pub fn to_text<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Result<String, TextError> {
    let mut text = String::new();
    for (index, name) in names.into_iter().enumerate() {
        let name = name.as_ref();
        if name.is_empty() || name.contains(['\n', '\r']) {
            let reason = format!("{name:?} cannot stand in a symbols file");
            return Err(TextError::new(index + 1, reason));
        }
        text.push_str(name);
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_in_order() {
        let names = ["_ZTS5Zebra", "_ZTS3Ant"];
        let text = to_text(names).unwrap();
        assert_eq!(text, "_ZTS5Zebra\n_ZTS3Ant\n");
        assert_eq!(parse(&text), names);
    }

    #[test]
    fn a_name_with_a_line_break_is_refused() {
        let error = to_text(["fine", "a\nb"]).unwrap_err();
        assert_eq!(error.line, 2);
    }
}

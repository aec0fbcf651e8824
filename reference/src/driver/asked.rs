//! What texts ask for of files that they need not read (`__has_include`), and what makes of the same texts
//! something else each time.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use regex::bytes::Regex;

/// What asks for a header, with its name where it says that by itself.
const ASKS: &str = r#"__has_(?:include(?:_next)?|embed)\s*\(\s*(?:<([^>\n]+)>|"([^"\n]+)"|)"#;

/// What keeps compilations of a text of the user's from being kept: the time, and files that no list names.
const EACH_TIME: &str = r"__DATE__|__TIME__|__TIMESTAMP__|\.incbin";

/// Where the files that texts ask for would be, by all folders for headers; none where that cannot be told.
pub(super) fn asked(
    files: &[PathBuf],
    is_of_system: impl Fn(&Path) -> bool,
    folders: &[PathBuf],
) -> Option<Vec<PathBuf>> {
    static PATTERNS: OnceLock<Option<[Regex; 2]>> = OnceLock::new();
    let patterns =
        PATTERNS.get_or_init(|| Some([Regex::new(ASKS).ok()?, Regex::new(EACH_TIME).ok()?]));
    let [asks, each_time] = patterns.as_ref()?;
    let mut places = BTreeSet::new();
    for file in files {
        let text = fs::read(file).ok()?;
        let own = is_of_system(file);
        if !own && each_time.is_match(&text) {
            return None;
        }
        for asked in asks.captures_iter(&text) {
            let Some(name) = asked.get(1).or(asked.get(2)) else {
                // A name that a macro brings.
                if own {
                    continue;
                }
                return None;
            };
            let name = std::str::from_utf8(name.as_bytes()).ok()?;
            let beside = file.parent().map(|folder| folder.join(name));
            places.extend(beside);
            places.extend(folders.iter().map(|folder| folder.join(name)));
        }
    }
    Some(places.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_places_of_what_is_asked_for() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("a.hpp");
        let of = |text: &str, own: bool| {
            fs::write(&file, text).unwrap();
            asked(std::slice::from_ref(&file), |_| own, &["/f".into()])
        };
        let text =
            "#if defined(__has_include) && __has_include(<x/y.h>) || __has_include_next( \"z\" )";
        let beside = |name: &str| scratch.path().join(name);
        let mut all = vec![
            "/f/x/y.h".into(),
            "/f/z".into(),
            beside("x/y.h"),
            beside("z"),
        ];
        all.sort();
        assert_eq!(of(text, false), Some(all));
        assert_eq!(of("int a;", false), Some(Vec::new()));
        for text in ["#if __has_include(NAME)", "const char *t = __TIME__;"] {
            assert_eq!(of(text, false), None, "{text}");
            assert_eq!(of(text, true), Some(Vec::new()), "{text}");
        }
    }
}

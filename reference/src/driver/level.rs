//! The optimization level of device code: that of the device's own `-cc1` line, whichever words of the
//! command line, of a configuration file or of a target it comes from (`OPT`, "Changes to the clang
//! front-end"). clang writes a level there only when somebody gave one.

use std::ffi::{OsStr, OsString};

use super::clang_words::{takes_value, without_values};
use crate::frontend::OptLevel;

/// The last level among the words of a `-cc1` line; `None` when none names one.
pub(super) fn level(words: &[OsString]) -> Option<OptLevel> {
    without_values(words).filter_map(|word| named(word)).last()
}

/// The words that are no levels, with the values of those that have one.
pub(super) fn without_levels(words: &[OsString]) -> Vec<OsString> {
    let mut kept = Vec::with_capacity(words.len());
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if takes_value(word) {
            kept.push(word.clone());
            kept.extend(rest.next().cloned());
        } else if named(word).is_none() {
            kept.push(word.clone());
        }
    }
    kept
}

/// The level that a word means to clang: sizes are optimized for at the second level, debuggers at the
/// first, and what is above the highest one is the highest.
fn named(word: &OsStr) -> Option<OptLevel> {
    Some(match word.to_str()?.strip_prefix("-O")? {
        "0" => OptLevel::O0,
        "" | "1" | "g" => OptLevel::O1,
        "2" | "s" | "z" => OptLevel::O2,
        "fast" => OptLevel::O3,
        number => number.parse::<u32>().ok().map(|_| OptLevel::O3)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(Into::into).collect()
    }

    #[test]
    fn the_last_level_counts_and_values_are_none() {
        for (line, expected) in [
            ("-cc1 -O0 -g -O2", Some(OptLevel::O2)),
            ("-cc1 -O2 -O0", Some(OptLevel::O0)),
            ("-cc1 -O2 -mllvm -O0", Some(OptLevel::O2)),
            ("-cc1 -main-file-name -O0 -D -O1", None),
            ("-cc1 -Og", Some(OptLevel::O1)),
            ("-cc1 -Oz", Some(OptLevel::O2)),
            ("-cc1 -Ofast", Some(OptLevel::O3)),
            ("-cc1 -O9", Some(OptLevel::O3)),
            ("-cc1 -Object", None),
            ("-cc1", None),
        ] {
            assert_eq!(level(&words(line)), expected, "{line}");
        }
    }

    #[test]
    fn levels_go_and_what_looks_like_one_stays() {
        assert_eq!(
            without_levels(&words("-O0 -DX=1 -mllvm -O0 -O2 -Object")),
            words("-DX=1 -mllvm -O0 -Object")
        );
    }
}

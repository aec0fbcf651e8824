//! The SYCL runtime library in a link: the words by which it is linked, and those by which build files for DPC++
//! name theirs, which is another's here.

use std::ffi::OsString;

use crate::layout::Layout;

/// How build files name DPC++'s, in a word of its own.
const NAMES: [&str; 2] = ["-lsycl", "-l:libsycl.so"];

/// The same behind `-l`.
const AFTER_OPTION: [&str; 2] = ["sycl", ":libsycl.so"];

/// The words that link the runtime library, and have programs find it.
pub fn words(layout: &Layout) -> [OsString; 3] {
    let mut folder = OsString::from("-L");
    folder.push(layout.lib());
    let mut rpath = OsString::from("-Wl,-rpath,");
    rpath.push(layout.lib());
    [folder, rpath, "-lplumbline_sycl".into()]
}

/// Whether the words name the library of DPC++.
pub fn is_named(words: &[OsString]) -> bool {
    without_names(words) != words
}

/// The words without the names of DPC++'s library: as `-lsycl`, as `-l sycl`, behind `-Xlinker`, and within
/// `-Wl,`.
pub fn without_names(words: &[OsString]) -> Vec<OsString> {
    let mut kept: Vec<OsString> = Vec::with_capacity(words.len());
    for word in words {
        let before = kept.last().and_then(|before| before.to_str());
        if NAMES.iter().any(|name| word == name) {
            if before == Some("-Xlinker") {
                kept.pop();
            }
        } else if before == Some("-l") && AFTER_OPTION.iter().any(|name| word == name) {
            kept.pop();
        } else if let Some(rest) = beside_name(word) {
            if !rest.is_empty() {
                kept.push(format!("-Wl,{}", rest.join(",")).into());
            }
        } else {
            kept.push(word.clone());
        }
    }
    kept
}

/// What else stands in a word for the linker (`-Wl,…`) that names the library; none of other words.
fn beside_name(word: &OsString) -> Option<Vec<&str>> {
    let mut kept: Vec<&str> = Vec::new();
    let all: Vec<&str> = word.to_str()?.strip_prefix("-Wl,")?.split(',').collect();
    for part in &all {
        let is_name = NAMES.contains(part) || *part == "--library=sycl";
        if AFTER_OPTION.contains(part) && kept.last() == Some(&"-l") {
            kept.pop();
        } else if !is_name {
            kept.push(part);
        }
    }
    (kept != all).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_spellings_of_the_name_go() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        for (line, kept) in [
            ("a.o -lsycl -lm", "a.o -lm"),
            ("a.o -l sycl -lm", "a.o -lm"),
            ("a.o -l:libsycl.so -lm", "a.o -lm"),
            ("a.o -l :libsycl.so -lm", "a.o -lm"),
            ("a.o -Wl,-l,sycl -Wl,--library=sycl -lm", "a.o -lm"),
            ("a.o -Xlinker -lsycl -lm", "a.o -lm"),
            ("a.o -Wl,-lsycl -lm", "a.o -lm"),
            (
                "a.o -Wl,--no-as-needed,-lsycl,-z,now -lm",
                "a.o -Wl,--no-as-needed,-z,now -lm",
            ),
        ] {
            assert!(is_named(&words(line)), "{line}");
            assert_eq!(without_names(&words(line)), words(kept), "{line}");
        }
        for line in ["a.o -lsycl2 -o sycl", "-l m sycl", "-Wl,-rpath,-lsyclx"] {
            assert!(!is_named(&words(line)), "{line}");
            assert_eq!(without_names(&words(line)), words(line), "{line}");
        }
    }
}

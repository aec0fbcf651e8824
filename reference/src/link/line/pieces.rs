//! The words of a linker's line, taken apart: what stands in response files, in `-Wl,a,b` and behind
//! `-Xlinker` counts as words of its own.

use std::ffi::{OsStr, OsString};

use crate::response;

/// A word after all that can hold several has been taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::link) struct Piece {
    pub(in crate::link) text: OsString,
    /// Which word of the line it stands in.
    pub(in crate::link) word: usize,
    /// It is for the linker, past the compiler driver that starts it.
    pub(in crate::link) wrapped: bool,
}

/// Response files that are read, at most, as GNU linkers have it: one that names itself ends there.
const MOST_FILES: usize = 2000;

/// Takes `-Wl,a,b`, `-Xlinker a` and response files apart.
pub(in crate::link) fn unwrap(words: &[OsString]) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(words.len());
    let mut wrapped = false;
    let mut files = MOST_FILES;
    for (index, word) in words.iter().enumerate() {
        unwrap_word(index, word, &mut wrapped, &mut files, &mut pieces);
    }
    pieces
}

/// Takes one word apart; `wrapped` says whether it is for the linker, and then whether the next is,
/// `files` how many response files may be read yet.
fn unwrap_word(
    index: usize,
    word: &OsStr,
    wrapped: &mut bool,
    files: &mut usize,
    pieces: &mut Vec<Piece>,
) {
    let text = word.to_str().unwrap_or_default();
    if text == "-Xlinker" && !*wrapped {
        *wrapped = true;
        return;
    }
    if let Some(words) = text.strip_prefix("-Wl,").filter(|_| !*wrapped) {
        for word in words.split(',') {
            unwrap_word(index, word.as_ref(), &mut true, files, pieces);
        }
        return;
    }
    let file = text.strip_prefix('@').filter(|_| *files > 0);
    let Some(words) = file.and_then(response_file) else {
        pieces.push(Piece {
            text: word.to_owned(),
            word: index,
            wrapped: *wrapped,
        });
        *wrapped = false;
        return;
    };
    *files -= 1;
    let all_wrapped = std::mem::take(wrapped);
    for word in words {
        *wrapped |= all_wrapped;
        unwrap_word(index, &word, wrapped, files, pieces);
    }
}

/// The words of a response file. With no such file the word stands for itself, and a quote that is
/// open at its end is closed there, as linkers have it.
fn response_file(path: &str) -> Option<Vec<OsString>> {
    let (words, _) = response::words(&std::fs::read(path).ok()?);
    Some(words)
}

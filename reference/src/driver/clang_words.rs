//! What the driver has to know of options that are clang's: those whose value is a word of its own, so
//! that the value is never taken for an input or another option.

use std::ffi::{OsStr, OsString};

/// Options of clang and of linkers whose value is the next word.
pub(super) static CLANG_SEPARATE: &[&str] = &[
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-U",
    "-Xarch_host",
    "-Xassembler",
    "-Xclang",
    "-Xlinker",
    "-Xpreprocessor",
    "-arch",
    "-b",
    "-cxx-isystem",
    "-dumpdir",
    "-e",
    "-framework",
    "-idirafter",
    "-imacros",
    "-imultilib",
    "-include",
    "-include-pch",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-l",
    "-m",
    "-main-file-name",
    "-mllvm",
    "-mthread-model",
    "-resource-dir",
    "-rpath",
    "-serialize-diagnostics",
    "-specs",
    "-stdlib++-isystem",
    "-target",
    "-u",
    "-undefined",
    "-working-directory",
    "-x",
    "-z",
    "--config",
    "--param",
    "--sysroot",
    "--serialize-diagnostics",
];

/// Whether the word after `word` is its value.
pub(super) fn takes_value(word: &OsStr) -> bool {
    word == "-o" || CLANG_SEPARATE.iter().any(|separate| word == *separate)
}

/// The words that are no values of those before them.
pub(super) fn without_values(clang: &[OsString]) -> impl Iterator<Item = &OsString> {
    let mut words = clang.iter();
    std::iter::from_fn(move || {
        let word = words.next()?;
        if takes_value(word) {
            words.next();
        }
        Some(word)
    })
}

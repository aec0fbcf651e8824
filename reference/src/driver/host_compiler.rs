//! The host compilation by another compiler (`-fsycl-host-compiler=`): it gets the words that mean
//! the same to every compiler of the g++ family, and what `-fsycl-host-compiler-options=` adds.

use std::ffi::OsString;
use std::path::Path;

use components::process::Job;

use super::clang_plan::{HostCompile, value_of};
use super::clang_words::CLANG_SEPARATE;
use super::options::{Options, Phase};
use super::stdin;
use crate::layout::Layout;

/// Options whose value is part of them or the next word.
const WITH_VALUE: &[&str] = &[
    "-D",
    "-U",
    "-I",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
];

/// Beginnings of options without a separate value.
const PREFIXES: &[&str] = &[
    "-std=",
    "-O",
    "-g",
    "-fvisibility",
    "-fopenmp",
    "-m",
    "-fsanitize",
    "-fno-sanitize",
    "-fstack-protector",
    "-fno-stack-protector",
    "-nostdinc",
];

/// Whole options.
const WHOLE: &[&str] = &[
    "-w",
    "-pthread",
    "-pipe",
    "-fPIC",
    "-fpic",
    "-fPIE",
    "-fpie",
    "-fno-pic",
    "-fno-PIC",
    "-fno-pie",
    "-fno-PIE",
    "-fno-rtti",
    "-frtti",
    "-fno-exceptions",
    "-fexceptions",
    "-ffast-math",
    "-fno-fast-math",
    "-fno-strict-aliasing",
    "-fomit-frame-pointer",
    "-fno-omit-frame-pointer",
    "-fwrapv",
    "-fno-builtin",
    "-ffunction-sections",
    "-fdata-sections",
];

/// The compilation of `host`'s source by `compiler` to `host`'s output, with `forced` in front of
/// everything that the user gave.
pub(super) fn job(
    compiler: &Path,
    options: &Options,
    layout: &Layout,
    host: &HostCompile,
    forced: &[OsString],
) -> Job {
    let mode = match options.phase {
        Phase::Assembly => "-S",
        Phase::Syntax => "-fsyntax-only",
        _ => "-c",
    };
    Job::new(compiler)
        .arg(mode)
        .args(forced.iter().cloned())
        .args(common_words(&options.clang))
        .args(dependency_words(host))
        .args(stdin::folder_words(host))
        .arg("-isystem")
        .arg(layout.include())
        .args(&options.host_compiler_options)
        .args(["-x", "c++"])
        .arg(host.source())
        .arg("-o")
        .arg(host.output().unwrap_or_default())
}

/// The words among clang's that every compiler takes.
fn common_words(clang: &[OsString]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut rest = clang.iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        let text = text.as_ref();
        if WITH_VALUE.contains(&text) {
            words.push(word.clone());
            words.extend(rest.next().cloned());
        } else if CLANG_SEPARATE.contains(&text) || text == "-o" {
            rest.next();
        } else if WHOLE.contains(&text)
            || PREFIXES.iter().any(|prefix| text.starts_with(prefix))
            || WITH_VALUE.iter().any(|name| text.starts_with(name))
        {
            words.push(word.clone());
        }
    }
    words
}

/// The words that write the same dependency file as clang would.
fn dependency_words(host: &HostCompile) -> Vec<OsString> {
    let clang = host.first_words();
    let Some(file) = value_of(clang, "-dependency-file") else {
        return Vec::new();
    };
    let all = clang.iter().any(|word| word == "-sys-header-deps");
    let mut words: Vec<OsString> = vec![if all { "-MD" } else { "-MMD" }.into()];
    words.extend(["-MF".into(), file.to_owned()]);
    for name in ["-MT", "-MQ"] {
        words.extend(
            value_of(clang, name)
                .into_iter()
                .flat_map(|v| [name.into(), v.to_owned()]),
        );
    }
    if clang.iter().any(|word| word == "-MP") {
        words.push("-MP".into());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_every_compiler_knows_go_over() {
        let words: Vec<OsString> =
            "-O2 -Xclang -foo -DX=1 -I inc -Weverything -std=c++20 a.cpp -o out -lm -fPIC -target x"
                .split(' ')
                .map(Into::into)
                .collect();
        assert_eq!(
            common_words(&words),
            "-O2 -DX=1 -I inc -std=c++20 -fPIC"
                .split(' ')
                .collect::<Vec<_>>()
        );
    }
}

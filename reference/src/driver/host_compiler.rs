//! The host compilation by another compiler (`-fsycl-host-compiler=`): it gets the words that mean
//! the same to every compiler of the g++ family, and what `-fsycl-host-compiler-options=` adds.

use std::ffi::OsString;
use std::path::Path;

use components::process::Job;

use super::LANGUAGE_MACRO;
use super::clang_plan::{HostCompile, value_of};
use super::host_words;
use super::options::{Options, Phase};
use super::stdin;
use crate::layout::Layout;

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
    let job = match options.working_directory() {
        Some(folder) => Job::new(compiler).dir(folder),
        None => Job::new(compiler),
    };
    job.arg(mode)
        .args(forced.iter().cloned())
        .args(host_words::common(&options.clang))
        .args(dependency_words(host))
        .args(stdin::folder_words(host))
        .args(LANGUAGE_MACRO)
        .arg("-isystem")
        .arg(layout.include())
        .args(&options.host_compiler_options)
        .args(["-x", "c++"])
        .arg(host.source())
        .arg("-o")
        .arg(host.output().unwrap_or_default())
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

//! The host compilation by another compiler (`-fsycl-host-compiler=`): it gets the words that mean
//! the same to every compiler of the g++ family, and what `-fsycl-host-compiler-options=` adds.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use components::process::Job;

use super::LANGUAGE_MACRO;
use super::clang_plan::{HostCompile, value_of};
use super::host_words;
use super::options::{Options, Phase};
use super::stdin;
use crate::layout::Layout;
use crate::tool::Failure;

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
        .arg(STANDARD)
        .args(sycl_words(compiler))
        .args(host_words::common(&options.clang))
        .args(dependency_words(host))
        .args(stdin::folder_words(host))
        .args(LANGUAGE_MACRO)
        .arg("-isystem")
        .arg(layout.include())
        .args(&options.host_compiler_options)
        .args(["-x", "c++"])
        .arg(host.source())
        .args(
            host.output()
                .into_iter()
                .flat_map(|o| [OsStr::new("-o"), o]),
        )
}

/// The standard that the device half is compiled for where the user names none: clang's own. Another
/// compiler's is a later one (C++20 with g++ 16), and the halves would be of two programs. The user's
/// words come after it.
const STANDARD: &str = "-std=gnu++17";

/// What another clang has to be told, so that it numbers closures at all.
fn sycl_words(compiler: &Path) -> &'static [&'static str] {
    let name = compiler.file_name().unwrap_or_default().to_string_lossy();
    match name.contains("clang") {
        true => &["-Xclang", "-fsycl-is-host"],
        false => &[],
    }
}

/// Preprocesses the host's half, `-E`, with the compiler that would compile it; its exit status.
///
/// # Errors
/// When it cannot be started.
pub(super) fn preprocess(
    compiler: &Path,
    options: &Options,
    layout: &Layout,
) -> Result<ExitCode, Failure> {
    let form = options.clang.iter();
    let form = form.filter(|word| word.to_str().is_some_and(|w| PREPROCESSOR.contains(&w)));
    let job = match options.working_directory() {
        Some(folder) => Job::new(compiler).dir(folder),
        None => Job::new(compiler),
    };
    let job = job
        .arg("-E")
        .args(form.cloned())
        .arg(STANDARD)
        .args(sycl_words(compiler))
        .args(host_words::common(&options.clang))
        .args(LANGUAGE_MACRO)
        .arg("-isystem")
        .arg(layout.include())
        .args(&options.host_compiler_options)
        .args(["-x", "c++"])
        .args(&options.inputs);
    let job = match &options.output {
        Some(output) => job.arg("-o").arg(output),
        None => job,
    };
    if options.print_only {
        eprintln!(" {job}");
        return Ok(ExitCode::SUCCESS);
    }
    super::status_of(job.run())
}

/// The words about the form of preprocessed text, and what goes with it.
const PREPROCESSOR: &[&str] = &[
    "-P", "-C", "-CC", "-dM", "-dD", "-dN", "-dI", "-dU", "-H", "-MD", "-MMD", "-MP",
];

/// What tells the device compilation that another compiler names and lays out the host's kernels.
pub(super) fn device_words(options: &Options) -> Vec<OsString> {
    let Some(compiler) = &options.host_compiler else {
        return Vec::new();
    };
    let mut words: Vec<OsString> = vec![FOR_PLUGIN.into(), "other-host-compiler".into()];
    if let Some(version) = gcc_version(compiler) {
        words.extend([FOR_PLUGIN.into(), format!("gcc={version}").into()]);
    }
    words
}

/// What stands before a word for the plugin.
const FOR_PLUGIN: &str = "-plugin-arg-plumbline-host-code";

/// The major version of a g++; nothing for another compiler, or one that does not answer: then its own
/// compilation says why.
fn gcc_version(compiler: &Path) -> Option<u32> {
    let words = ["-dM", "-E", "-x", "c++", "-"];
    let said = Job::new(compiler).args(words).capture(b"").ok()?;
    let text = String::from_utf8_lossy(&said.stdout);
    let value = |name: &str| {
        let mut lines = text
            .lines()
            .filter_map(|line| line.strip_prefix("#define "));
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
    };
    match value("__clang__") {
        Some(_) => None,
        None => value("__GNUC__")?.parse().ok(),
    }
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

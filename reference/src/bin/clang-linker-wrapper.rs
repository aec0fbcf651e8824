//! `clang-linker-wrapper <wrapper options> -- <linker options>`: links device code, then the
//! program.

use std::ffi::OsString;
use std::process::ExitCode;

use reference::link::{self, WrapperOptions};
use reference::tool::{self, Failure};

fn main() -> ExitCode {
    let parse =
        |words: Vec<OsString>| WrapperOptions::parse_words(words.get(1..).unwrap_or_default());
    tool::main("clang-linker-wrapper", parse, |options| {
        link::run(&options).map_err(Failure::from)
    })
}

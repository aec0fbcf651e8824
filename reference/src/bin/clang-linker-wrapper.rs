//! `clang-linker-wrapper <wrapper options> -- <linker options>`: links device code, then the
//! program.

use std::ffi::OsString;
use std::process::ExitCode;

use reference::link::{self, WrapperOptions};
use reference::tool::{self, Failure};

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let options = WrapperOptions::parse_words(&words);
    tool::main("clang-linker-wrapper", options, |options| {
        link::run(&options).map_err(Failure::from)
    })
}

//! `clang-linker-wrapper <wrapper options> -- <linker options>`: links device code, then the
//! program.

use std::ffi::OsString;
use std::process::ExitCode;

use reference::link::{self, WrapperOptions};
use reference::tool::{self, Failure};

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let options = match WrapperOptions::parse_words(&words) {
        Ok(options) => options,
        // Prints help and version with status 0, and a wrong command line with status 2.
        Err(error) => error.exit(),
    };
    tool::run("clang-linker-wrapper", || {
        link::run(&options).map_err(Failure::from)
    })
}

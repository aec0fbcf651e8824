//! `plumbline-link WRITER WORDS…`: the part of `clang-linker-wrapper` that needs LLVM. The wrapper
//! starts it in its own place, with the same words; `WRITER` describes the SPIR-V writer that waits
//! for its module (`components::ahead`), or is `-`.

use std::ffi::OsString;
use std::process::ExitCode;

use components::ahead;
use reference::link::{self, WrapperOptions};
use reference::tool::{self, Failure};

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let writer = words.next().unwrap_or_default();
    let _writer = writer.to_str().and_then(ahead::take_over);
    let words: Vec<OsString> = words.collect();
    let options = match WrapperOptions::parse_words(&words) {
        Ok(options) => options,
        // Prints help and version with status 0, and a wrong command line with status 2.
        Err(error) => error.exit(),
    };
    tool::run("clang-linker-wrapper", || {
        link::run(&options).map_err(Failure::from)
    })
}

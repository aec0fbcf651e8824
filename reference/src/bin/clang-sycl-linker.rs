//! `clang-sycl-linker -triple=T [options] inputs -o out`: links device code alone.

use std::ffi::OsString;
use std::process::ExitCode;

use reference::link::sycl_link::{self, SyclLinkOptions};
use reference::tool::{self, Failure};

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let options = match SyclLinkOptions::parse_words(&words) {
        Ok(options) => options,
        // Prints help and version with status 0, and a wrong command line with status 2.
        Err(error) => error.exit(),
    };
    tool::run("clang-sycl-linker", || {
        sycl_link::run(&options).map_err(Failure::from)
    })
}

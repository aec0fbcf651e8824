//! `clang-sycl-linker -triple=T [options] inputs -o out`: links device code alone.

use std::ffi::OsString;
use std::process::ExitCode;

use reference::link::sycl_link::{self, SyclLinkOptions};
use reference::tool::{self, Failure};

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let options = SyclLinkOptions::parse_words(&words);
    tool::main("clang-sycl-linker", options, |options| {
        sycl_link::run(&options).map_err(Failure::from)
    })
}

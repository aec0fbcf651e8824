//! `clang-sycl-linker -triple=T [options] inputs -o out`: links device code alone.

use std::ffi::OsString;
use std::process::ExitCode;

use reference::link::sycl_link::{self, SyclLinkOptions};
use reference::tool::{self, Failure};

fn main() -> ExitCode {
    let parse =
        |words: Vec<OsString>| SyclLinkOptions::parse_words(words.get(1..).unwrap_or_default());
    tool::main("clang-sycl-linker", parse, |options| {
        sycl_link::run(&options).map_err(Failure::from)
    })
}

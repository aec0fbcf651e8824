//! `clang-linker-wrapper <wrapper options> -- <linker options>`: links device code, then the
//! program.

use std::ffi::OsString;
use std::process::ExitCode;

use components::process::Job;
use reference::layout::own_tool;
use reference::link::WrapperOptions;
use reference::link::front::{self, Rest};
use reference::tool::{self, Failure};

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let options = match WrapperOptions::parse_words(&words) {
        Ok(options) => options,
        // Prints help and version with status 0, and a wrong command line with status 2.
        Err(error) => error.exit(),
    };
    tool::run("clang-linker-wrapper", || {
        let Rest::Link(writer) = front::run(&options)? else {
            return Ok(());
        };
        let writer = writer.and_then(|writer| writer.hand_over());
        let job = Job::new(own_tool("plumbline-link")).arg(writer.unwrap_or_else(|| "-".into()));
        Err(Failure::job(job.args(words).replace()))
    })
}

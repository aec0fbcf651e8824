//! `sycl-post-link`: splits a linked device module into device images.

use std::io::Read as _;
use std::process::ExitCode;

use reference::llvm::{context, read};
use reference::post_link::command_line::CommandLine;
use reference::post_link::outputs;
use reference::tool::{self, Failure};

fn main() -> ExitCode {
    let parse = |words: Vec<_>| CommandLine::parse_words(words.into_iter().skip(1));
    tool::main("sycl-post-link", parse, |line| {
        let (bytes, origin) = input(&line)?;
        let context = context();
        let module = read::module(&context, &bytes, &origin).map_err(Failure::job)?;
        drop(bytes);
        let outcome = outputs::write(module, &line)?;
        for warning in &outcome.warnings {
            tool::say(&format!("warning: {warning}\n"));
        }
        Ok(())
    })
}

/// The input's bytes and what messages call it.
fn input(line: &CommandLine) -> Result<(Vec<u8>, String), Failure> {
    let standard = line.input.as_os_str() == "-";
    let origin = match standard {
        true => "<stdin>".to_owned(),
        false => line.input.display().to_string(),
    };
    let bytes = match standard {
        true => {
            let mut bytes = Vec::new();
            std::io::stdin()
                .lock()
                .read_to_end(&mut bytes)
                .map(|_| bytes)
        }
        false => std::fs::read(&line.input),
    };
    match bytes {
        Ok(bytes) => Ok((bytes, origin)),
        Err(e) => Err(Failure::Job(format!("cannot read '{origin}': {e}"))),
    }
}

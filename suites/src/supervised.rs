//! Jobs below a process of their own, which takes in what they leave running, wherever that went and
//! whatever environment it gave itself, and ends it with them: the program `supervise`.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;

use components::process::{Job, JobError, Output};
use rustix::process::Signal;

/// What `supervise` ends by when it cannot start the program, with the reason on its standard error. Linux
/// itself sends this signal to nobody.
pub const NOT_STARTED: Signal = Signal::STKFLT;

/// What parts the variables from the program in the words of `supervise`.
pub const MARK: &str = "--";

/// Like [`Job::output`]; nothing that the program has started is left in the end.
///
/// # Errors
/// As [`Job::output`]; that it cannot start names `supervise` where that is what does not start.
pub fn output(job: &Job, stdin: &[u8]) -> Result<Output, JobError> {
    let output = below_another(job).output(stdin)?;
    if output.status.signal() == Some(NOT_STARTED.as_raw()) {
        let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(JobError::Start {
            program: job.program.clone(),
            reason: io::Error::other(reason),
        });
    }
    Ok(output)
}

/// The job as `supervise` starts it. The variables are the program's alone: those that change what is loaded
/// into a process would change `supervise`, too.
fn below_another(job: &Job) -> Job {
    let variables = job.env.iter().map(|(name, value)| {
        let mut word = name.clone();
        word.push("=");
        word.push(value);
        word
    });
    let runner = OsString::from(std::process::id().to_string());
    let words = std::iter::once(runner)
        .chain(variables)
        .chain([OsString::from(MARK), job.program.clone().into_os_string()])
        .chain(job.args.iter().cloned());
    Job {
        program: supervisor(),
        args: words.collect(),
        env: Vec::new(),
        clean_env: true,
        ..job.clone()
    }
}

/// The program beside this one, or beside the folder of this one: cargo puts tests into a folder of theirs.
fn supervisor() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    let mut places = own
        .ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join("supervise"));
    let found = places.find(|program| program.is_file());
    found.unwrap_or_else(|| PathBuf::from("supervise"))
}

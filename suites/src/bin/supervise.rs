//! Starts the program of a step and ends with it, as it ended:
//! `supervise RUNNER MEMORY NAME=VALUE… -- PROGRAM WORDS…`. What the program leaves running comes to this process
//! as a child of its own, since it takes in what processes below it leave behind, and is ended; so is all of it
//! when the process RUNNER, which started this one, has ended (a person has stopped the run), and when it holds
//! more than MEMORY MiB. On its own it lets no time pass and writes nothing.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitCode, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};

use components::descendants;
use components::process::{Job, JobError};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, getpid, getppid, kill_process,
    pidfd_open, set_child_subreaper, setrlimit, wait,
};
use suites::supervised::{MARK, NOT_STARTED, TOO_MUCH_MEMORY};

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let mut number = || words.next()?.to_str()?.parse::<u64>().ok();
    let runner = number().and_then(|number| Pid::from_raw(i32::try_from(number).ok()?));
    let memory = number().map(|number| number.saturating_mul(1 << 20));
    let (Some(runner), Some(memory), Some(job)) = (runner, memory, job(words)) else {
        eprintln!("supervise: usage: supervise RUNNER MEMORY NAME=VALUE… -- PROGRAM WORDS…");
        return ExitCode::from(2);
    };
    // Where memory runs out before this one has looked, the system ends the program before others.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    if let Err(error) = set_child_subreaper(Some(getpid())) {
        eprintln!("supervise: cannot take in what the program leaves: {error}");
        return ends_by(NOT_STARTED);
    }
    std::thread::spawn(move || watch(runner, memory));
    let ended = job.run();
    // What is left is a child of this process or below one. What has ended is taken off the system's list:
    // not every system has someone else who does.
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => descendants::end(getpid()),
            Err(_) => break,
        }
    }
    if HOLDS_TOO_MUCH.load(Ordering::Relaxed) {
        return ends_by(TOO_MUCH_MEMORY);
    }
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(JobError::Failed { status, .. }) => as_it_ended(status),
        Err(JobError::Start { reason, .. }) => {
            eprintln!("{reason}");
            ends_by(NOT_STARTED)
        }
        Err(error) => {
            eprintln!("{error}");
            ends_by(NOT_STARTED)
        }
    }
}

/// Whether the program was ended for its memory.
static HOLDS_TOO_MUCH: AtomicBool = AtomicBool::new(false);

/// How often memory is looked at; most steps are over before the first time.
const LOOK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 250_000_000,
};

/// Waits for the end of the process that started this one, and ends this one with all that is below it; and
/// ends what is below when it holds too much memory. Where the system does not tell of the end of a process,
/// the step goes on to its own.
fn watch(runner: Pid, memory: u64) {
    let file = pidfd_open(runner, PidfdFlags::empty());
    // It may have ended before the file was there, and its number be another's.
    while getppid() == Some(runner) {
        let files = file.iter().map(|file| PollFd::new(file, PollFlags::IN));
        let mut files: Vec<PollFd<'_>> = files.collect();
        match poll(&mut files, Some(&LOOK)) {
            Ok(0) if descendants::hold_more_than(getpid(), memory) => {
                HOLDS_TOO_MUCH.store(true, Ordering::Relaxed);
                descendants::end(getpid());
            }
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => break,
            Err(_) => return,
        }
    }
    descendants::end(getpid());
    std::process::exit(1);
}

/// What the words ask for.
fn job(mut words: impl Iterator<Item = OsString>) -> Option<Job> {
    let mut variables = Vec::new();
    loop {
        let word = words.next()?;
        if word == MARK {
            break;
        }
        let at = word.as_bytes().iter().position(|byte| *byte == b'=')?;
        let (name, value) = word.as_bytes().split_at(at);
        let text = |bytes: &[u8]| std::ffi::OsStr::from_bytes(bytes).to_owned();
        variables.push((text(name), text(&value[1..])));
    }
    let mut job = Job::new(words.next()?).args(words).clean_env();
    job.env = variables;
    Some(job)
}

fn as_it_ended(status: ExitStatus) -> ExitCode {
    let signal = status.signal().and_then(Signal::from_named_raw);
    match (
        status.code().and_then(|code| u8::try_from(code).ok()),
        signal,
    ) {
        (Some(code), _) => ExitCode::from(code),
        (None, Some(signal)) => ends_by(signal),
        (None, None) => ExitCode::FAILURE,
    }
}

/// Ends this process by a signal, and no core of it is kept: the program's own has been.
fn ends_by(signal: Signal) -> ExitCode {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    let _ = setrlimit(Resource::Core, none);
    // Rust's own handler for overflowing stacks takes the first one off and goes on.
    for _ in 0..2 {
        let _ = kill_process(getpid(), signal);
    }
    // One that this process leaves alone is told as shells do.
    ExitCode::from(u8::try_from(128 + signal.as_raw()).unwrap_or(u8::MAX))
}

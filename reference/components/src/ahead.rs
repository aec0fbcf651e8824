//! Programs that are started before what they are to read is there, so that they load while other
//! work goes on.
//!
//! A program that was started ahead serves the first [`Job::capture`] or [`Job::output`] of an equal
//! job. It survives `exec`: the process hands it over as text ([`Ahead::hand_over`]), and what takes
//! this process's place takes it over ([`take_over`]).

use std::io::{Read as _, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};

use rustix::fs::FileType;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::process::{Job, Output};

/// What was started and is not in use yet.
static WAITING: Mutex<Vec<Started>> = Mutex::new(Vec::new());

/// A started program, waiting for its input.
#[derive(Debug)]
pub(crate) struct Started {
    /// The job as it prints.
    pub(crate) line: String,
    pub(crate) pid: Pid,
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

/// A program started ahead of its input. When this goes away before a job used the program, the
/// program is ended.
#[derive(Debug)]
#[must_use]
pub struct Ahead {
    line: String,
}

impl Job {
    /// Starts the program now; it waits for the input of the first capture of an equal job. `None`
    /// when one waits already, or when it cannot be started: the capture then says why.
    pub fn start_ahead(&self) -> Option<Ahead> {
        let line = self.to_string();
        let mut waiting = waiting();
        if waiting.iter().any(|started| started.line == line) {
            return None;
        }
        waiting.push(self.spawn_piped(line.clone()).ok()?);
        Some(Ahead { line })
    }
}

/// The waiting program of an equal job, for this use alone.
pub(crate) fn take(job: &Job) -> Option<Started> {
    let mut waiting = waiting();
    if waiting.is_empty() {
        return None;
    }
    take_line(&mut waiting, &job.to_string())
}

fn take_line(waiting: &mut Vec<Started>, line: &str) -> Option<Started> {
    let at = waiting.iter().position(|started| started.line == line)?;
    Some(waiting.swap_remove(at))
}

fn waiting() -> std::sync::MutexGuard<'static, Vec<Started>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ahead {
    /// Lets the program's pipes survive `exec`, and says which they are.
    #[must_use]
    pub fn hand_over(self) -> Option<String> {
        let Started {
            line,
            pid,
            stdin,
            stdout,
            stderr,
        } = take_line(&mut waiting(), &self.line)?;
        let mut text = pid.as_raw_nonzero().to_string();
        for pipe in [&stdin, &stdout, &stderr] {
            fcntl_setfd(pipe, FdFlags::empty()).ok()?;
            text.push_str(&format!(" {}", pipe.as_raw_fd()));
        }
        // They stay open until `exec` replaces this process.
        std::mem::forget((stdin, stdout, stderr));
        Some(format!("{text} {line}"))
    }
}

/// Takes over the program that the process which this one replaced started ahead and described in
/// `text`; `None` when the text describes none.
///
/// Call it before anything else in the process opens files or starts programs.
pub fn take_over(text: &str) -> Option<Ahead> {
    let mut words = text.splitn(5, ' ');
    let pid = Pid::from_raw(words.next()?.parse().ok()?)?;
    let mut pipe = || pipe(words.next()?.parse().ok()?);
    let (stdin, stdout, stderr) = (pipe()?, pipe()?, pipe()?);
    let line = words.next()?.to_owned();
    // Only a child of this process can be waited for, and one that has ended is of no use.
    if waitpid(Some(pid), WaitOptions::NOHANG).ok()?.is_some() {
        return None;
    }
    waiting().push(Started {
        line: line.clone(),
        pid,
        stdin,
        stdout,
        stderr,
    });
    Some(Ahead { line })
}

/// The open pipe of that number, from here on hidden from other programs.
fn pipe(number: RawFd) -> Option<OwnedFd> {
    let kind = std::fs::metadata(format!("/proc/self/fd/{number}")).ok()?;
    let kind = std::os::unix::fs::MetadataExt::mode(&kind);
    if number <= 2 || FileType::from_raw_mode(kind) != FileType::Fifo {
        return None;
    }
    // SAFETY: the descriptor is open and, by the contract of `take_over`, nobody's in this process.
    let pipe = unsafe { OwnedFd::from_raw_fd(number) };
    fcntl_setfd(&pipe, FdFlags::CLOEXEC).ok()?;
    Some(pipe)
}

impl Drop for Ahead {
    fn drop(&mut self) {
        let Some(started) = take_line(&mut waiting(), &self.line) else {
            return;
        };
        // It has done nothing yet, and nobody wants what it would say.
        let _ = kill_process(started.pid, Signal::KILL);
        let _ = waitpid(Some(started.pid), WaitOptions::empty());
    }
}

impl Started {
    /// Gives the program its input and waits for its end.
    pub(crate) fn finish(self, input: &[u8]) -> std::io::Result<Output> {
        let Started {
            pid,
            stdin,
            stdout,
            stderr,
            ..
        } = self;
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let (read, said) = std::thread::scope(|scope| {
            scope.spawn(move || {
                // A program that stops reading early is no failure of ours: its status says.
                let _ = std::fs::File::from(stdin).write_all(input);
            });
            let said = scope.spawn(|| std::fs::File::from(stderr).read_to_end(&mut err));
            let read = std::fs::File::from(stdout).read_to_end(&mut out);
            (read, said.join())
        });
        let status = waitpid(Some(pid), WaitOptions::empty())?;
        read?;
        said.unwrap_or(Ok(0))?;
        let status = status.map_or(0, |(_, status)| status.as_raw());
        Ok(Output {
            status: ExitStatus::from_raw(status),
            stdout: out,
            stderr: err,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_equal_job_gets_the_program_that_waits() {
        let job = Job::new("sh").args(["-c", "echo $$; cat; exit 3"]);
        let ahead = job.start_ahead().unwrap();
        assert!(job.start_ahead().is_none(), "one waits already");
        let pid = waiting()
            .iter()
            .find(|started| started.line == ahead.line)
            .map(|started| started.pid.as_raw_nonzero().to_string());
        let first = job.output(b"one").unwrap();
        let text = String::from_utf8_lossy(&first.stdout).into_owned();
        assert_eq!(text, format!("{}\none", pid.unwrap()));
        assert_eq!(first.status.code(), Some(3));
        // The next one is started anew.
        assert!(job.output(b"two").unwrap().stdout.ends_with(b"two"));
    }

    #[test]
    fn a_program_that_nobody_uses_is_ended() {
        let job = Job::new("sh").args(["-c", "cat; # unused"]);
        let ahead = job.start_ahead().unwrap();
        let pid = waiting()
            .iter()
            .find(|started| started.line == ahead.line)
            .map(|started| started.pid);
        drop(ahead);
        let gone = kill_process(pid.unwrap(), Signal::CONT);
        assert!(gone.is_err(), "ended and waited for");
    }

    #[test]
    fn text_that_describes_no_program_is_not_taken_over() {
        for text in ["", "-", "1 0 1 2 sh", "1 90 91 92 sh", "x 3 4 5 sh"] {
            assert!(take_over(text).is_none(), "{text}");
        }
    }
}

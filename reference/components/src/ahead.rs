//! Programs that are started before what they are to read is there, so that they load while other
//! work goes on.
//!
//! A program that was started ahead serves the first [`Job::capture`] or [`Job::output`] of an equal
//! job.

use std::io::Write as _;
use std::process::Child;
use std::sync::{Mutex, PoisonError};

use crate::process::{Job, Output};

/// What was started and is not in use yet.
static WAITING: Mutex<Vec<Started>> = Mutex::new(Vec::new());

/// A started program, waiting for its input.
#[derive(Debug)]
pub(crate) struct Started {
    /// The job as it prints.
    line: String,
    child: Child,
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
        let child = self.spawn_piped().ok()?;
        waiting.push(Started {
            line: line.clone(),
            child,
        });
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

impl Drop for Ahead {
    fn drop(&mut self) {
        let Some(mut started) = take_line(&mut waiting(), &self.line) else {
            return;
        };
        // It has done nothing yet, and nobody wants what it would say.
        let _ = started.child.kill();
        let _ = started.child.wait();
    }
}

impl Started {
    /// Gives the program its input and waits for its end.
    pub(crate) fn finish(mut self, input: &[u8]) -> std::io::Result<Output> {
        let output = std::thread::scope(|scope| {
            if let Some(mut pipe) = self.child.stdin.take() {
                // A program that stops reading early is no failure of ours: its status says.
                scope.spawn(move || pipe.write_all(input));
            }
            self.child.wait_with_output()
        })?;
        Ok(Output {
            status: output.status,
            stdout: output.stdout,
            stderr: output.stderr,
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
            .map(|started| started.child.id().to_string());
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
            .map(|started| started.child.id());
        drop(ahead);
        let entry = format!("/proc/{}", pid.unwrap());
        assert!(
            !std::path::Path::new(&entry).exists(),
            "ended and waited for"
        );
    }
}

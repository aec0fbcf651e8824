//! Programs that are started before what they are to read is there, so that they load while other
//! work goes on.
//!
//! A program that was started ahead serves the first [`Job::capture`] or [`Job::output`] of an equal
//! job.

use std::io::{self, Write as _};
use std::process::Child;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crate::process::{Job, Output};

/// What was started and is not in use yet.
static WAITING: Mutex<Vec<Started>> = Mutex::new(Vec::new());

/// A started program, waiting for its input.
#[derive(Debug)]
pub(crate) struct Started {
    /// The job as it prints.
    line: String,
    /// The start itself takes some milliseconds for a large program, so that a thread does it.
    child: JoinHandle<io::Result<Child>>,
}

/// A program started ahead of its input. When this goes away before a job used the program, the
/// program is ended.
#[derive(Debug)]
#[must_use]
pub struct Ahead {
    line: String,
}

impl Job {
    /// Starts the program now; it waits for the input of the first capture of an equal job, which
    /// also says when it cannot be started. `None` when one waits already.
    pub fn start_ahead(&self) -> Option<Ahead> {
        let line = self.to_string();
        let mut waiting = waiting();
        if waiting.iter().any(|started| started.line == line) {
            return None;
        }
        let job = self.clone();
        waiting.push(Started {
            line: line.clone(),
            child: thread::spawn(move || job.spawn_piped()),
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
        let started = take_line(&mut waiting(), &self.line);
        let Some(Ok(mut child)) = started.map(Started::child) else {
            return;
        };
        // It has done nothing yet, and nobody wants what it would say.
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl Started {
    /// Gives the program its input and waits for its end.
    pub(crate) fn finish(self, input: &[u8]) -> io::Result<Output> {
        let mut child = self.child()?;
        let output = thread::scope(|scope| {
            if let Some(mut pipe) = child.stdin.take() {
                // A program that stops reading early is no failure of ours: its status says.
                scope.spawn(move || pipe.write_all(input));
            }
            child.wait_with_output()
        })?;
        Ok(Output {
            status: output.status,
            stdout: output.stdout,
            stderr: output.stderr,
        })
    }

    /// The program, once it is there.
    fn child(self) -> io::Result<Child> {
        let lost = |_| io::Error::other("the thread that starts it ended");
        self.child.join().map_err(lost)?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::time::Duration;

    /// A program that writes its number into `file` when it begins.
    fn job(file: &Path, then: &str) -> Job {
        let script = format!("echo $$ > {}; {then}", file.display());
        Job::new("sh").arg("-c").arg(script)
    }

    fn number(file: &Path) -> String {
        loop {
            let text = std::fs::read_to_string(file).unwrap_or_default();
            if let Some(number) = text.strip_suffix('\n') {
                return number.to_owned();
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn the_first_equal_job_gets_the_program_that_waits() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("number");
        let job = job(&file, "cat; exit 3");
        let _ahead = job.start_ahead().unwrap();
        assert!(job.start_ahead().is_none(), "one waits already");
        let waits = number(&file);
        let first = job.output(b"one").unwrap();
        assert_eq!(first.stdout, b"one");
        assert_eq!(first.status.code(), Some(3));
        assert_eq!(number(&file), waits);
        // The next one is started anew.
        assert_eq!(job.output(b"two").unwrap().stdout, b"two");
        assert_ne!(number(&file), waits);
    }

    #[test]
    fn a_program_that_nobody_uses_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("number");
        let ahead = job(&file, "cat; # unused").start_ahead().unwrap();
        let entry = Path::new("/proc").join(number(&file));
        assert!(entry.exists());
        drop(ahead);
        assert!(!entry.exists(), "ended and waited for");
    }

    #[test]
    fn a_program_that_cannot_be_started_is_told_of_when_it_is_wanted() {
        let job = Job::new("/nowhere/program");
        let _ahead = job.start_ahead().unwrap();
        let error = job.capture(b"").unwrap_err().to_string();
        assert!(error.contains("/nowhere/program"), "{error}");
    }
}

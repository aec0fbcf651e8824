//! Programs that are started before what they are to read is there, so that they load while other
//! work goes on.
//!
//! Each program that was started ahead serves one [`Job::capture`] or [`Job::output`] of an equal job,
//! the first such program the first of these.

use std::io::{self, Write as _};
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crate::process::{Job, Output};

/// What was started and is not in use yet.
static WAITING: Mutex<Vec<Started>> = Mutex::new(Vec::new());

/// A started program, waiting for its input.
#[derive(Debug)]
struct Started {
    /// The job as it prints. This text itself tells one program of equal jobs from another.
    line: Arc<str>,
    /// The start itself takes some milliseconds for a large program, so that a thread does it.
    child: JoinHandle<io::Result<Child>>,
}

/// A program started ahead of its input. When this goes away before a job used the program, the
/// program is ended.
#[derive(Debug)]
#[must_use]
pub struct Ahead {
    line: Arc<str>,
}

impl Job {
    /// Starts the program now; it waits for the input of the next capture of an equal job. When it
    /// cannot be started, that one tries anew.
    pub fn start_ahead(&self) -> Ahead {
        let line: Arc<str> = self.to_string().into();
        let job = self.clone();
        // Where there is no thread for it, the program starts when it is wanted.
        if let Ok(child) = thread::Builder::new().spawn(move || job.spawn_piped()) {
            let line = Arc::clone(&line);
            waiting().push(Started { line, child });
        }
        Ahead { line }
    }
}

/// The waiting program of an equal job, for this use alone.
pub(crate) fn take(job: &Job) -> Option<Child> {
    let started = {
        let mut waiting = waiting();
        if waiting.is_empty() {
            return None;
        }
        let line = job.to_string();
        take_that(&mut waiting, |started| *started.line == *line)?
    };
    started.child()
}

/// Gives a program that has waited its input, and waits for its end. `None` where there is no thread
/// that could feed it: it is ended then.
pub(crate) fn finish(mut child: Child, input: &[u8]) -> io::Result<Option<Output>> {
    let Some(mut pipe) = child.stdin.take() else {
        return Ok(None);
    };
    thread::scope(|scope| {
        // A program that stops reading early is no failure of ours: its status says.
        let feed = move || pipe.write_all(input);
        if thread::Builder::new().spawn_scoped(scope, feed).is_err() {
            end(child);
            return Ok(None);
        }
        let output = child.wait_with_output()?;
        Ok(Some(Output {
            status: output.status,
            stdout: output.stdout,
            stderr: output.stderr,
        }))
    })
}

/// Ends a program that has done nothing yet, of which nobody wants what it would say.
fn end(mut child: Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn take_that(waiting: &mut Vec<Started>, that: impl Fn(&Started) -> bool) -> Option<Started> {
    let at = waiting.iter().position(that)?;
    Some(waiting.remove(at))
}

fn waiting() -> std::sync::MutexGuard<'static, Vec<Started>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Ahead {
    fn drop(&mut self) {
        let own = |started: &Started| Arc::ptr_eq(&started.line, &self.line);
        let started = take_that(&mut waiting(), own);
        if let Some(child) = started.and_then(Started::child) {
            end(child);
        }
    }
}

impl Started {
    /// The program, once it is there, if it could be started.
    fn child(self) -> Option<Child> {
        self.child.join().ok()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::time::Duration;

    #[test]
    fn equal_jobs_get_the_programs_that_wait() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("numbers");
        let script = format!("echo $$ >> {}; cat; exit 3", file.display());
        let job = Job::new("sh").arg("-c").arg(script);
        let started = || std::fs::read_to_string(&file).unwrap_or_default();
        let _ahead = [job.start_ahead(), job.start_ahead()];
        while started().lines().count() < 2 {
            thread::sleep(Duration::from_millis(1));
        }
        let waiting = started();
        for text in [b"one", b"two"] {
            let output = job.output(text).unwrap();
            assert_eq!(output.stdout, text);
            assert_eq!(output.status.code(), Some(3));
        }
        assert_eq!(started(), waiting);
        // The next one is started anew.
        assert_eq!(job.output(b"three").unwrap().stdout, b"three");
        assert_ne!(started(), waiting);
    }

    #[test]
    fn a_program_that_nobody_uses_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("number");
        let script = format!("echo $$ > {}; cat; # unused", file.display());
        let job = Job::new("sh").arg("-c").arg(script);
        let number = || loop {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            if let Some(number) = text.strip_suffix('\n') {
                std::fs::remove_file(&file).unwrap();
                return number.to_owned();
            }
            thread::sleep(Duration::from_millis(1));
        };
        let programs = [(); 2].map(|()| {
            let ahead = job.start_ahead();
            (ahead, Path::new("/proc").join(number()))
        });
        assert!(programs.iter().all(|(_, entry)| entry.exists()));
        let [(first, first_entry), (second, second_entry)] = programs;
        drop(second);
        assert!(!second_entry.exists(), "ended and waited for");
        assert!(first_entry.exists());
        drop(first);
        assert!(!first_entry.exists());
    }

    #[test]
    fn a_program_that_cannot_be_started_is_told_of_when_it_is_wanted() {
        let job = Job::new("/nowhere/program");
        let _ahead = job.start_ahead();
        let error = job.capture(b"").unwrap_err().to_string();
        assert!(error.contains("/nowhere/program"), "{error}");
    }
}

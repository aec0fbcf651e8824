//! Programs that are told what to do line by line, and answer in lines.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::process::{Job, JobError};

/// A running program. When this goes away, the program is ended.
#[derive(Debug)]
pub struct Dialogue {
    job: Job,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Job {
    /// Starts the program for a dialogue; its standard error is this process's own. [`Job::limit`] is the
    /// longest that it may take for a line.
    ///
    /// # Errors
    /// When it does not start.
    pub fn converse(&self) -> Result<Dialogue, JobError> {
        let mut child = self.spawn_for_lines().map_err(|e| self.start_error(e))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let no_pipe = || self.start_error(io::ErrorKind::BrokenPipe.into());
        Ok(Dialogue {
            job: self.clone(),
            child,
            input,
            output: BufReader::new(output.ok_or_else(no_pipe)?),
        })
    }
}

impl Dialogue {
    /// Tells the program a line. One that reads no more says why when it is heard.
    pub fn say(&mut self, line: &str) {
        if let Some(input) = &mut self.input {
            let _ = writeln!(input, "{line}").and_then(|()| input.flush());
        }
    }

    /// The program's next line, without its end; `None` when it has closed its output.
    ///
    /// # Errors
    /// When the program says nothing within the job's limit, or cannot be read.
    pub fn hear(&mut self) -> Result<Option<String>, JobError> {
        if let Some(limit) = self.job.limit
            && self.output.buffer().is_empty()
            && !self.is_readable_within(limit)
        {
            return Err(JobError::TimedOut {
                program: self.job.program.clone(),
                limit,
                command_line: self.job.to_string(),
                output: None,
            });
        }
        let mut line = String::new();
        let read = self.output.read_line(&mut line);
        match read.map_err(|e| self.job.start_error(e))? {
            0 => Ok(None),
            _ => Ok(Some(line.trim_end_matches('\n').to_owned())),
        }
    }

    /// Tells the program that nothing more comes, and gives what it says until its end.
    ///
    /// # Errors
    /// When it does not end with status 0, or as [`Dialogue::hear`].
    pub fn end(mut self) -> Result<Vec<String>, JobError> {
        self.input = None;
        let mut lines = Vec::new();
        while let Some(line) = self.hear()? {
            lines.push(line);
        }
        let status = self.status()?;
        match status.success() {
            true => Ok(lines),
            false => Err(self.job.failed(status, None)),
        }
    }

    /// How the program ended, which has closed its output.
    ///
    /// # Errors
    /// When it cannot be waited for.
    pub fn status(&mut self) -> Result<ExitStatus, JobError> {
        self.input = None;
        self.child.wait().map_err(|e| self.job.start_error(e))
    }

    fn is_readable_within(&self, limit: Duration) -> bool {
        let mut watched = [PollFd::new(self.output.get_ref(), PollFlags::IN)];
        let limit = Timespec::try_from(limit).ok();
        // What cannot be watched is read, and says so itself.
        !matches!(poll(&mut watched, limit.as_ref()), Ok(0))
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        // One that has ended already has nothing left to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_both_ways_until_the_end() {
        let mut cat = Job::new("cat").converse().unwrap();
        for line in ["first", "", "third"] {
            cat.say(line);
            assert_eq!(cat.hear().unwrap().as_deref(), Some(line));
        }
        cat.say("last");
        assert_eq!(cat.end().unwrap(), ["last"]);
    }

    #[test]
    fn a_program_that_fails_or_says_nothing_is_told() {
        let mut failing = Job::new("sh").args(["-c", "exit 3"]).converse().unwrap();
        failing.say("nobody reads it");
        assert_eq!(failing.hear().unwrap(), None);
        assert!(matches!(failing.end(), Err(JobError::Failed { .. })));
        let limit = Duration::from_millis(50);
        let silent = Job::new("sleep").arg("60").limit(limit);
        let heard = silent.converse().unwrap().hear();
        assert!(matches!(heard, Err(JobError::TimedOut { .. })));
    }
}

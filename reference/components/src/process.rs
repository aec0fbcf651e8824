//! Outside programs as values: a [`Job`] can be printed as clang prints its plans, pasted into a
//! shell, and run.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// One start of an outside program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The program: a path, or a name to look up in `PATH`.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Variables set for it, on top of this process's own.
    pub env: Vec<(OsString, OsString)>,
    /// The folder it runs in; this process's own when `None`.
    pub dir: Option<PathBuf>,
}

/// What a finished program wrote.
#[derive(Debug, Clone)]
pub struct Output {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// A program could not be started, or ended with a failure.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The program could not be started.
    #[error("cannot start '{}': {reason}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
    /// The program ended with a failure.
    #[error("'{}' failed ({status}); to repeat: {command_line}", program.display())]
    Failed {
        /// The program.
        program: PathBuf,
        /// How it ended.
        status: ExitStatus,
        /// A line that can be pasted to repeat it.
        command_line: String,
        /// What it wrote, when it was captured.
        output: Option<Output>,
    },
}

impl Job {
    /// A start of `program` with no arguments yet.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Job {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            dir: None,
        }
    }

    /// Appends one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Appends arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable for the program.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Sets the folder that the program runs in.
    #[must_use]
    pub fn dir(mut self, dir: impl AsRef<Path>) -> Self {
        self.dir = Some(dir.as_ref().to_owned());
        self
    }

    /// Runs with inherited standard streams, so that a compiler's diagnostics reach the user as
    /// they are.
    ///
    /// # Errors
    /// When the program does not start or does not end with status 0.
    pub fn run(&self) -> Result<(), JobError> {
        let status = self.command().status().map_err(|e| self.start_error(e))?;
        self.check(status, None)
    }

    /// Runs with `stdin` as standard input and captures what the program writes.
    ///
    /// # Errors
    /// When the program does not start or does not end with status 0.
    pub fn capture(&self, stdin: &[u8]) -> Result<Output, JobError> {
        let output = self.output(stdin)?;
        self.check(output.status, Some(output.clone()))?;
        Ok(output)
    }

    /// Like [`Job::capture`], but any exit status is an answer.
    ///
    /// # Errors
    /// When the program does not start.
    pub fn output(&self, stdin: &[u8]) -> Result<Output, JobError> {
        let mut child = self
            .command()
            .stdin(if stdin.is_empty() {
                Stdio::null()
            } else {
                Stdio::piped()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| self.start_error(e))?;
        let output = std::thread::scope(|scope| {
            if let Some(mut pipe) = child.stdin.take() {
                // A program that stops reading early is no failure of ours: its status says.
                scope.spawn(move || pipe.write_all(stdin));
            }
            child.wait_with_output()
        });
        let output = output.map_err(|e| self.start_error(e))?;
        Ok(Output {
            status: output.status,
            stdout: output.stdout,
            stderr: output.stderr,
        })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .envs(self.env.iter().map(|(k, v)| (k, v)));
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        command
    }

    fn start_error(&self, reason: std::io::Error) -> JobError {
        JobError::Start {
            program: self.program.clone(),
            reason,
        }
    }

    fn check(&self, status: ExitStatus, output: Option<Output>) -> Result<(), JobError> {
        if status.success() {
            return Ok(());
        }
        Err(JobError::Failed {
            program: self.program.clone(),
            status,
            command_line: self.to_string(),
            output,
        })
    }
}

/// The job as clang's `-###` prints one: every word in double quotes, variables in front.
impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(dir) = &self.dir {
            write!(f, "cd {} && ", quoted(dir.as_os_str()))?;
        }
        for (name, value) in &self.env {
            write!(f, "{}={} ", name.to_string_lossy(), quoted(value))?;
        }
        write!(f, "{}", quoted(self.program.as_os_str()))?;
        for arg in &self.args {
            write!(f, " {}", quoted(arg))?;
        }
        Ok(())
    }
}

/// A word that a shell reads back as the same word.
#[must_use]
pub fn quoted(word: &OsStr) -> String {
    let mut text = String::from("\"");
    for c in word.to_string_lossy().chars() {
        if matches!(c, '"' | '\\' | '$' | '`') {
            text.push('\\');
        }
        text.push(c);
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_a_line_that_a_shell_reads_back() {
        let job = Job::new("echo").arg("a \"b\" $HOME").env("X", "1 2");
        assert_eq!(job.to_string(), r#"X="1 2" "echo" "a \"b\" \$HOME""#);
        let shell = Job::new("sh")
            .arg("-c")
            .arg(job.to_string())
            .capture(b"")
            .unwrap();
        assert_eq!(shell.stdout, b"a \"b\" $HOME\n");
    }

    #[test]
    fn a_failing_program_says_how_to_repeat_it() {
        let error = Job::new("sh")
            .args(["-c", "exit 3"])
            .capture(b"")
            .unwrap_err();
        assert!(
            error
                .to_string()
                .contains(r#"to repeat: "sh" "-c" "exit 3""#),
            "{error}"
        );
    }
}

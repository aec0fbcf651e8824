//! Outside programs as values: a [`Job`] can be printed as clang prints its plans, pasted into a
//! shell, and run.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{BufRead as _, Seek as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::fs::{MemfdFlags, memfd_create};

use crate::bounded::Breach;
use crate::{ahead, bounded, children};

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
    /// Whether it sees only the variables of `env`, and none of this process's own.
    pub clean_env: bool,
    /// How long [`Job::output`] and [`Job::capture`] let it run; without end when `None`. With a limit
    /// there is also one to what it may write ([`bounded::MOST`]), and what it leaves running in its
    /// process group is ended with it.
    pub limit: Option<Duration>,
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
    /// The program ran past its limit and was killed, with everything it had started.
    #[error("'{}' was killed after {} s; to repeat: {command_line}", program.display(), limit.as_secs())]
    TimedOut {
        /// The program.
        program: PathBuf,
        /// How long it was let run.
        limit: Duration,
        /// A line that can be pasted to repeat it.
        command_line: String,
        /// What it wrote until then.
        output: Option<Output>,
    },
    /// The program wrote more than anybody reads and was killed, with everything it had started.
    #[error("'{}' was killed when it had written {} MiB; to repeat: {command_line}", program.display(), bounded::MOST >> 20)]
    Flooded {
        /// The program.
        program: PathBuf,
        /// A line that can be pasted to repeat it.
        command_line: String,
        /// What it wrote until then.
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
            clean_env: false,
            limit: None,
        }
    }

    /// A start of `program` by way of `starter`, where there is one: a program that is given others to
    /// start with their arguments.
    pub fn started(starter: Option<&Path>, program: impl Into<PathBuf>) -> Self {
        match starter {
            Some(starter) => Job::new(starter).arg(program.into()),
            None => Job::new(program),
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

    /// Hides this process's own variables from the program.
    #[must_use]
    pub fn clean_env(mut self) -> Self {
        self.clean_env = true;
        self
    }

    /// Kills the program, and everything that it started, when it runs longer than `limit`.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Runs with inherited standard streams, so that a compiler's diagnostics reach the user as
    /// they are.
    ///
    /// # Errors
    /// When the program does not start or does not end with status 0.
    pub fn run(&self) -> Result<(), JobError> {
        let status = start(&mut self.command()).and_then(|mut child| child.wait());
        let status = status.map_err(|e| self.start_error(e))?;
        match status.success() {
            true => Ok(()),
            false => Err(self.failed(status, None)),
        }
    }

    /// Runs with `stdin` as standard input and captures what the program writes.
    ///
    /// # Errors
    /// When the program does not start or does not end with status 0.
    pub fn capture(&self, stdin: &[u8]) -> Result<Output, JobError> {
        let output = self.output(stdin)?;
        match output.status.success() {
            true => Ok(output),
            false => Err(self.failed(output.status, Some(output))),
        }
    }

    /// Like [`Job::capture`], but any exit status is an answer.
    ///
    /// # Errors
    /// When the program does not start, or breaks a bound of [`Job::limit`].
    pub fn output(&self, stdin: &[u8]) -> Result<Output, JobError> {
        let waiting = match self.limit {
            None => ahead::take(self),
            Some(_) => None,
        };
        if let Some(child) = waiting {
            let output = ahead::finish(child, stdin).map_err(|e| self.start_error(e))?;
            if let Some(output) = output {
                return Ok(output);
            }
        }
        let mut command = self.command();
        if self.limit.is_some() {
            // A group of its own, so that what it started can be ended with it.
            command.process_group(0);
        }
        let child = input(stdin).and_then(|stdin| {
            let command = command.stdin(stdin).stdout(Stdio::piped());
            start(command.stderr(Stdio::piped()))
        });
        let child = child.map_err(|e| self.start_error(e))?;
        let Some(limit) = self.limit else {
            let output = child.wait_with_output().map_err(|e| self.start_error(e))?;
            return Ok(Output {
                status: output.status,
                stdout: output.stdout,
                stderr: output.stderr,
            });
        };
        let (output, breach) = bounded::finish(child, limit).map_err(|e| self.start_error(e))?;
        let (program, command_line) = (self.program.clone(), self.to_string());
        match breach {
            None => Ok(output),
            Some(Breach::Time) => Err(JobError::TimedOut {
                program,
                limit,
                command_line,
                output: Some(output),
            }),
            Some(Breach::Output) => Err(JobError::Flooded {
                program,
                command_line,
                output: Some(output),
            }),
        }
    }

    /// Runs with standard error inherited and hands each line of standard output on as it comes;
    /// any exit status is an answer.
    ///
    /// # Errors
    /// When the program does not start, or its output cannot be read.
    pub fn lines(&self, mut each: impl FnMut(&str)) -> Result<ExitStatus, JobError> {
        let fail = |e| self.start_error(e);
        let mut command = self.command();
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = start(command).map_err(fail)?;
        if let Some(pipe) = child.stdout.take() {
            let mut pipe = std::io::BufReader::new(pipe);
            let mut line = Vec::new();
            while pipe.read_until(b'\n', &mut line).map_err(fail)? > 0 {
                each(String::from_utf8_lossy(&line).trim_end_matches('\n'));
                line.clear();
            }
        }
        child.wait().map_err(fail)
    }

    /// Starts the program with pipes for all its standard streams.
    pub(crate) fn spawn_piped(&self) -> std::io::Result<Child> {
        let mut command = self.command();
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        start(command.stderr(Stdio::piped()))
    }

    /// Starts the program with pipes for its input and output, and this process's own standard error.
    pub(crate) fn spawn_for_lines(&self) -> std::io::Result<Child> {
        let mut command = self.command();
        start(command.stdin(Stdio::piped()).stdout(Stdio::piped()))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        if self.clean_env {
            command.env_clear();
        }
        command
            .args(&self.args)
            .envs(self.env.iter().map(|(k, v)| (k, v)));
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        command
    }

    pub(crate) fn start_error(&self, reason: std::io::Error) -> JobError {
        JobError::Start {
            program: self.program.clone(),
            reason,
        }
    }

    pub(crate) fn failed(&self, status: ExitStatus, output: Option<Output>) -> JobError {
        JobError::Failed {
            program: self.program.clone(),
            status,
            command_line: self.to_string(),
            output,
        }
    }
}

/// Starts a program.
fn start(command: &mut Command) -> std::io::Result<Child> {
    children::noted(|| command.spawn())
}

/// A standard input with these bytes: a file in memory, which no thread has to feed.
fn input(bytes: &[u8]) -> std::io::Result<Stdio> {
    if bytes.is_empty() {
        return Ok(Stdio::null());
    }
    let mut file = File::from(memfd_create("stdin", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file.into())
}

/// The job as clang's `-###` prints one: every word in double quotes, variables in front.
impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(dir) = &self.dir {
            write!(f, "cd {} && ", quoted(dir.as_os_str()))?;
        }
        if self.clean_env {
            f.write_str("env -i ")?;
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
    fn input_of_any_size_arrives_whole() {
        for size in [0, 1, 3 << 20] {
            let bytes = vec![b'x'; size];
            assert_eq!(Job::new("cat").capture(&bytes).unwrap().stdout, bytes);
        }
    }

    #[test]
    fn lines_come_one_by_one_with_the_status_at_the_end() {
        let job = Job::new("sh").args(["-c", "echo a; echo; printf b; exit 3"]);
        let mut lines = Vec::new();
        let status = job.lines(|line| lines.push(line.to_owned())).unwrap();
        assert_eq!(lines, ["a", "", "b"]);
        assert_eq!(status.code(), Some(3));
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

    #[test]
    fn a_program_past_its_limit_is_killed_with_its_children() {
        let started = std::time::Instant::now();
        let error = Job::new("sh")
            .args(["-c", "echo begun; sleep 60 & setsid sleep 60 & wait"])
            .limit(Duration::from_millis(300))
            .output(b"")
            .unwrap_err();
        assert!(started.elapsed() < Duration::from_secs(30));
        let JobError::TimedOut { output, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(output.unwrap().stdout, b"begun\n");
    }

    #[test]
    fn a_program_that_writes_without_end_is_killed() {
        let limit = Duration::from_secs(60);
        let error = Job::new("yes").limit(limit).output(b"").unwrap_err();
        let JobError::Flooded { output, .. } = error else {
            panic!("{error}");
        };
        assert!(output.unwrap().stdout.len() > bounded::MOST);
    }

    #[test]
    fn what_a_program_leaves_running_is_ended_and_not_waited_for() {
        let started = std::time::Instant::now();
        let job = Job::new("sh").args(["-c", "sleep 300 & echo $!"]);
        let output = job.limit(Duration::from_secs(200)).output(b"").unwrap();
        assert!(started.elapsed() < Duration::from_secs(100));
        assert!(output.status.success());
        let child = String::from_utf8(output.stdout).unwrap();
        // Gone, or dead and not yet reaped by whoever inherits it: the signal is on its way.
        let is_ended = || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.trim()));
            stat.map_or(true, |stat| stat.contains(") Z "))
        };
        let is_late = || started.elapsed() > Duration::from_secs(150);
        while !is_ended() {
            assert!(!is_late(), "{child} runs on");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn a_clean_environment_holds_only_what_is_set() {
        let job = Job::new("/usr/bin/env").clean_env().env("A", "1");
        assert_eq!(job.capture(b"").unwrap().stdout, b"A=1\n");
        assert_eq!(job.to_string(), r#"env -i A="1" "/usr/bin/env""#);
    }
}

//! Jobs below a process of their own, which takes in what they leave running, wherever that went and
//! whatever environment it gave itself, and ends it with them: the program `supervise`. What a job leaves that
//! has ended that process comes to this one.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::sync::LazyLock;

use components::process::{Job, JobError, Output};
use components::{bounded, children};
use rustix::process::Signal;

/// What `supervise` ends by when it cannot start the program, with the reason on its standard error. Linux
/// itself sends this signal to nobody.
pub const NOT_STARTED: Signal = Signal::STKFLT;

/// What it ends by when the program and what that started held more memory than they may. Linux sends this
/// signal to the first process alone.
pub const TOO_MUCH_MEMORY: Signal = Signal::POWER;

/// What parts the variables from the program in the words of `supervise`.
pub const MARK: &str = "--";

/// How much memory the processes of a job may hold together: half of what there is, so that those that run beside
/// it have some. A bound for each process (`setrlimit`) would be one of addresses, of which sanitizers and
/// drivers take many times the memory that they use.
static MEMORY: LazyLock<u64> = LazyLock::new(|| {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let machine = read("/proc/meminfo");
    let machine = machine.lines().find_map(|line| {
        let size = line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?;
        size.parse::<u64>().ok()?.checked_mul(1024)
    });
    // A container's own.
    let container = read("/sys/fs/cgroup/memory.max").trim().parse().ok();
    let all = [machine, container].into_iter().flatten().min();
    all.map_or(u64::MAX, |all| all / 2)
});

/// How a job went.
#[derive(Debug)]
pub enum Ran {
    /// It ended by itself.
    Ended(Output),
    /// It was ended, for it broke a bound.
    Past {
        /// What it did, in words.
        breach: String,
        /// What it wrote until then.
        output: Option<Output>,
    },
}

/// Like [`Job::output`], within bounds; nothing that the program has started is left in the end.
///
/// # Errors
/// When the program does not start; the error names `supervise` where that is what does not start.
pub fn output(job: &Job, stdin: &[u8]) -> Result<Ran, JobError> {
    // Where it cannot be, what is left there is nobody's but the system's.
    static TAKES_IN: LazyLock<bool> = LazyLock::new(children::take_in);
    let takes_in = *TAKES_IN;
    let ran = match below_another(job).output(stdin) {
        Ok(output) => told(job, output)?,
        Err(JobError::TimedOut { output, limit, .. }) => Ran::Past {
            breach: format!("ran longer than {} s", limit.as_secs()),
            output,
        },
        Err(JobError::Flooded { output, .. }) => Ran::Past {
            breach: format!("wrote more than {} MiB", bounded::MOST >> 20),
            output,
        },
        Err(error) => return Err(error),
    };
    let exited = matches!(&ran, Ran::Ended(output) if output.status.code().is_some());
    if takes_in && !exited {
        // It may be `supervise` itself that was ended, by what it was to end.
        children::end_adopted();
    }
    Ok(ran)
}

/// What the end of `supervise` says of the job.
fn told(job: &Job, output: Output) -> Result<Ran, JobError> {
    let signal = output.status.signal();
    if signal == Some(NOT_STARTED.as_raw()) {
        let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(JobError::Start {
            program: job.program.clone(),
            reason: io::Error::other(reason),
        });
    }
    if signal == Some(TOO_MUCH_MEMORY.as_raw()) {
        return Ok(Ran::Past {
            breach: format!("held more than {} MiB of memory", *MEMORY >> 20),
            output: Some(output),
        });
    }
    Ok(Ran::Ended(output))
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
    let runner = std::process::id().to_string();
    let memory = (*MEMORY >> 20).to_string();
    let words = [runner, memory]
        .map(OsString::from)
        .into_iter()
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

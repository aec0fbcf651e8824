//! Programs that a number makes, always the same from the same one, built and run: what `call-graphs` and
//! `random-kernels` share.
//!
//! A failure names the number, and `--first NUMBER --count 1 --keep` makes that program again. What runs is chosen by
//! the environment, as for any program (`PLUMBLINE_DEVICE=opencl:cpu`).

mod random;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use components::process::Job;

pub use random::Random;

/// Nothing that such a program is compiled, linked or run by takes longer.
const LIMIT: Duration = Duration::from_secs(240);

/// Which programs, made by which driver, and where.
#[derive(Debug, Clone, clap::Args)]
pub struct Programs {
    /// The compiler driver, one word or several
    #[arg(long, num_args = 1.., required = true)]
    pub driver: Vec<OsString>,
    /// How many programs
    #[arg(long, default_value_t = 4)]
    pub count: u64,
    /// The number of the first one
    #[arg(long, default_value_t = 1)]
    pub first: u64,
    /// Leave the programs that were right too
    #[arg(long)]
    pub keep: bool,
    /// A folder for them
    pub folder: PathBuf,
}

impl Programs {
    /// Has `one` build and run each program in a folder of its own, as many at once as there are processors; says on
    /// standard output which are wrong, and why. How many those are.
    pub fn each(&self, one: impl Fn(u64, &Path) -> Result<(), String> + Sync) -> u64 {
        let (next, wrong) = (AtomicU64::new(0), AtomicU64::new(0));
        let said = Mutex::new(());
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= self.count {
                    return;
                }
                let number = self.first + number;
                let folder = self.folder.join(number.to_string());
                let outcome = make(&folder).and_then(|()| one(number, &folder));
                let _one_at_a_time = said.lock();
                match outcome {
                    Ok(()) if self.keep => {}
                    // What is left over takes room alone.
                    Ok(()) => drop(fs::remove_dir_all(&folder)),
                    Err(reason) => {
                        println!("program {number} is WRONG: {reason}");
                        wrong.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
        };
        let workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(work);
            }
        });
        wrong.into_inner()
    }

    /// The driver, to be given more words.
    pub fn driver_job(&self) -> Job {
        let mut words = self.driver.iter();
        let program = words.next().cloned().unwrap_or_default();
        Job::new(program).args(words)
    }
}

/// Runs a command that has to succeed.
///
/// # Errors
///
/// That it did not start or end in time, or its exit status and what it wrote on standard error.
pub fn start(job: &Job) -> Result<(), String> {
    let job = job.clone().limit(LIMIT);
    let output = job.output(b"").map_err(|e| e.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(format!("{job} ended with {}\n{said}", output.status))
        }
    }
}

/// Runs a program that ends with 42 where all is right: not with 0, which a program that does nothing gives.
///
/// # Errors
///
/// That it did not start or end in time, or its exit status and what it wrote.
pub fn run(program: &Path) -> Result<(), String> {
    let job = Job::new(program).limit(LIMIT);
    let output = job.output(b"").map_err(|e| e.to_string())?;
    if output.status.code() == Some(42) {
        return Ok(());
    }
    let (out, err) = (&output.stdout, &output.stderr);
    let (out, err) = (String::from_utf8_lossy(out), String::from_utf8_lossy(err));
    Err(format!("{job} ended with {}\n{out}{err}", output.status))
}

/// Makes a folder and those that it is in.
///
/// # Errors
///
/// The system's reason, with the folder.
pub fn make(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}

/// Writes a file of a program.
///
/// # Errors
///
/// The system's reason, with the file.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

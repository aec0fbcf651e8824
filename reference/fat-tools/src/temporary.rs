//! Files and folders that must not outlive the process, however that ends: they go away with their
//! owner, when the process is told to end by a signal, and when LLVM ends it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// All that is there now.
static PATHS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A signal has asked the process to end.
static ENDING: AtomicBool = AtomicBool::new(false);

/// A file or folder that is removed when this goes away, with all that is in it, and when the process
/// is ended before.
#[derive(Debug)]
pub struct Temporary {
    path: PathBuf,
}

impl Temporary {
    /// A file or folder at a place of its own, there already or not.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        watch_signals();
        let path = path.into();
        paths().push(path.clone());
        Temporary { path }
    }

    /// A new folder among the system's temporary ones.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn folder(prefix: &str) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(prefix).tempdir()?;
        Ok(Self::at(folder.keep()))
    }

    /// A new file among the system's temporary ones.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn file(prefix: &str, suffix: &str) -> io::Result<Self> {
        let mut file = tempfile::Builder::new();
        let file = file.prefix(prefix).suffix(suffix).tempfile()?;
        Ok(Self::at(file.into_temp_path().keep()?))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // The lock is held meanwhile, so that a signal waits for what it would remove itself.
        let mut paths = paths();
        if let Some(at) = paths.iter().position(|path| *path == self.path) {
            paths.swap_remove(at);
        }
        remove(&self.path);
    }
}

/// Removes all that is there, for an end of the process that no owner sees.
pub fn remove_all() {
    paths().iter().for_each(|path| remove(path));
}

/// Comes back only when no signal is about to end the process: what has failed by now may have failed
/// by that signal, which went to the programs that this one started as well.
pub fn wait_for_the_end() {
    while ENDING.load(Ordering::SeqCst) {
        thread::park();
    }
}

fn paths() -> MutexGuard<'static, Vec<PathBuf>> {
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes a file, or a folder with what is in it. A program that was told to end may write there for
/// a moment yet.
fn remove(path: &Path) {
    for _ in 0..20 {
        let removed = match std::fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => std::fs::remove_dir_all(path),
            Ok(_) => std::fs::remove_file(path),
            Err(_) => return,
        };
        if removed.is_ok() {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Sees to it that a signal which ends the process removes all that is there first.
fn watch_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let ignored = ignored_signals();
        let wanted = [SIGHUP, SIGINT, SIGTERM];
        let wanted = wanted
            .into_iter()
            .filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let wanted: Vec<_> = wanted.collect();
        // Where there is no thread for it, signals end the process as ever.
        let _ = thread::Builder::new().spawn(move || {
            let Ok(mut signals) = Signals::new(wanted) else {
                return;
            };
            if let Some(signal) = signals.forever().next() {
                ENDING.store(true, Ordering::SeqCst);
                end_children();
                remove_all();
                let _ = emulate_default_handler(signal);
            }
        });
    });
}

/// The signals that whoever started this process wants ignored, a bit each (`nohup`).
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or_default()
}

/// Ends the programs that this one has started; those that a terminal's signal reached end already.
fn end_children() {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else {
        return;
    };
    for task in tasks.flatten() {
        let children = std::fs::read_to_string(task.path().join("children"));
        for child in children.unwrap_or_default().split_whitespace() {
            if let Some(child) = child.parse().ok().and_then(Pid::from_raw) {
                // It may have ended in this very moment.
                let _ = kill_process(child, Signal::TERM);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_temporary_goes_away_with_its_owner() {
        let folder = Temporary::folder("plumbline-test-").unwrap();
        let place = folder.path().to_owned();
        std::fs::write(place.join("file"), "").unwrap();
        let file = Temporary::at(place.join("other"));
        std::fs::write(file.path(), "").unwrap();
        drop(file);
        assert!(!place.join("other").exists() && place.join("file").exists());
        drop(folder);
        assert!(!place.exists());
        // One that is gone already, as after a file got its final name.
        drop(Temporary::at(place));
    }
}

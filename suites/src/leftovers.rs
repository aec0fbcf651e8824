//! Processes that outlive the case that started them, and went out of its process groups: daemons of
//! a toolchain, or a bad one's children. They are known by their `TMPDIR`, which is the case's own.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

/// Ends every process whose `TMPDIR` is `temporary`; how many there were.
pub fn end(temporary: &Path) -> usize {
    let mark = [b"TMPDIR=", temporary.as_os_str().as_bytes()].concat();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let left = processes.filter_map(|process| {
        let pid: i32 = process.file_name().to_str()?.parse().ok()?;
        // Those of other users cannot be read, and are none of ours.
        let environment = std::fs::read(process.path().join("environ")).ok()?;
        let is_left = environment
            .split(|byte| *byte == 0)
            .any(|entry| entry == mark);
        // It may end in this very moment; then there is nothing left to do.
        is_left.then(|| kill_process(Pid::from_raw(pid)?, Signal::KILL).ok())?
    });
    left.count()
}

//! What cases leave. Processes that outlive the case that started them, and went out of its process
//! groups: daemons of a toolchain, or a bad one's children. They are known by their `TMPDIR`, which is
//! the case's own. And folders of failed cases, which are kept to be looked at, unless others would have
//! no room beside them.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::statvfs;
use rustix::process::{Pid, Signal, kill_process};

/// The most that a failed case's folder may hold to be kept, and the room that has to be left then.
const MOST: u64 = 1 << 30;
const ROOM: u64 = 64 << 20;

/// What most environments have room in, in bytes.
const ENVIRONMENT: usize = 64 << 10;

/// Why the folder of a failed case is not kept, if so.
#[must_use]
pub fn too_much(folder: &Path) -> Option<String> {
    let size = size(folder);
    let room = statvfs(folder).map_or(u64::MAX, |disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    if size > MOST {
        return Some(format!("it holds {} MiB", size >> 20));
    }
    (room < ROOM).then(|| format!("{} MiB are left on its disk", room >> 20))
}

/// How many bytes the files below a folder hold; links are not followed.
fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(data) if data.is_dir() => size(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

/// Ends every process whose `TMPDIR` is `temporary`; how many there were.
pub fn end(temporary: &Path) -> usize {
    let mark = [b"TMPDIR=", temporary.as_os_str().as_bytes()].concat();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    // Every process is looked at after every case: what is read at once is not read a word at a time.
    let mut environment = Vec::with_capacity(ENVIRONMENT);
    let left = processes.filter_map(|process| {
        let pid: i32 = process.file_name().to_str()?.parse().ok()?;
        // Those of other users cannot be read, and are none of ours.
        let mut file = File::open(process.path().join("environ")).ok()?;
        environment.clear();
        file.read_to_end(&mut environment).ok()?;
        let is_left = environment
            .split(|byte| *byte == 0)
            .any(|entry| entry == mark);
        // It may end in this very moment; then there is nothing left to do.
        is_left.then(|| kill_process(Pid::from_raw(pid)?, Signal::KILL).ok())?
    });
    left.count()
}

//! What cases leave: folders of failed ones, which are kept to be looked at, unless others would have no
//! room beside them.

use std::path::Path;

use rustix::fs::statvfs;

/// The most that a failed case's folder may hold to be kept, and the room that has to be left then.
const MOST: u64 = 1 << 30;
const ROOM: u64 = 64 << 20;

/// Why the folder of a failed case is not kept, if so.
#[must_use]
pub fn too_much(folder: &Path) -> Option<String> {
    let size = size(folder);
    let room = room(folder);
    if size > MOST {
        return Some(format!("it holds {} MiB", size >> 20));
    }
    (room < ROOM).then(|| format!("{} MiB are left on its disk", room >> 20))
}

/// How many bytes are free on the disk of a folder; one that does not tell has room for everything.
#[must_use]
pub fn room(folder: &Path) -> u64 {
    statvfs(folder).map_or(u64::MAX, |disk| disk.f_bavail.saturating_mul(disk.f_frsize))
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

//! Files that programs under test leave, read with care: under the name of an output may lie a pipe that nobody
//! writes to, a device without an end, or a file with more bytes than there is memory.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use rustix::fs::{Mode, OFlags, open};

/// How many bytes of a file are held against what a case expects.
pub const MOST: u64 = 256 << 20;

/// The bytes of a regular file.
///
/// # Errors
/// With what is wrong, in words that follow the file's name.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    let told = |error: io::Error| error.to_string();
    // The other end of a pipe is not waited for.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = open(path, flags, Mode::empty()).map_err(|errno| told(errno.into()))?;
    let file = File::from(file);
    if !file.metadata().map_err(told)?.is_file() {
        return Err("is no file".to_owned());
    }
    let mut bytes = Vec::new();
    let read = file.take(MOST + 1).read_to_end(&mut bytes);
    read.map_err(told)?;
    match bytes.len() as u64 > MOST {
        true => Err(format!("has more than {} MiB", MOST >> 20)),
        false => Ok(bytes),
    }
}

//! Copying into an installed layout: only what differs, and each file whole or not at all.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, FileTimes};
use std::path::Path;

use crate::failure::{Failure, Outcome};

/// Copies a file unless the copy is there already, as its size and time show.
pub fn copy(from: &Path, to: &Path) -> Outcome {
    let source = fs::metadata(from).map_err(|e| Failure::at(from, e))?;
    let time = source.modified().map_err(|e| Failure::at(from, e))?;
    let same = fs::metadata(to).is_ok_and(|copy| {
        copy.len() == source.len() && copy.modified().is_ok_and(|there| there == time)
    });
    if same {
        return Ok(());
    }
    let folder = to.parent().unwrap_or(Path::new("."));
    let beside = folder.join(format!(".plumbline-{}", std::process::id()));
    let copied = fs::create_dir_all(folder)
        .and_then(|()| fs::copy(from, &beside))
        .and_then(|_| File::options().write(true).open(&beside))
        .and_then(|file| file.set_times(FileTimes::new().set_modified(time)))
        .and_then(|()| fs::rename(&beside, to));
    copied.map_err(|e| Failure::at(to, e))
}

/// Writes a file unless it holds the text already.
pub fn write(to: &Path, text: &str) -> Outcome {
    if fs::read_to_string(to).is_ok_and(|there| there == text) {
        return Ok(());
    }
    let folder = to.parent().unwrap_or(Path::new("."));
    let beside = folder.join(format!(".plumbline-{}", std::process::id()));
    let written = fs::create_dir_all(folder)
        .and_then(|()| fs::write(&beside, text))
        .and_then(|()| fs::rename(&beside, to));
    written.map_err(|e| Failure::at(to, e))
}

/// Makes `to` a link to the file called `name` beside it.
pub fn link(name: &str, to: &Path) -> Outcome {
    if fs::read_link(to).is_ok_and(|there| there == Path::new(name)) {
        return Ok(());
    }
    let folder = to.parent().unwrap_or(Path::new("."));
    let beside = folder.join(format!(".plumbline-{}", std::process::id()));
    let linked = fs::create_dir_all(folder)
        .and_then(|()| std::os::unix::fs::symlink(name, &beside))
        .and_then(|()| fs::rename(&beside, to));
    linked.map_err(|e| Failure::at(to, e))
}

/// Makes the folder `to` hold what the folder `from` holds, and nothing else.
pub fn mirror(from: &Path, to: &Path) -> Outcome {
    fs::create_dir_all(to).map_err(|e| Failure::at(to, e))?;
    let names = names(from)?;
    for name in self::names(to)?.difference(&names) {
        let stale = to.join(name);
        let removed = match stale.is_dir() {
            true => fs::remove_dir_all(&stale),
            false => fs::remove_file(&stale),
        };
        removed.map_err(|e| Failure::at(&stale, e))?;
    }
    for name in names {
        let (from, to) = (from.join(&name), to.join(&name));
        match from.is_dir() {
            true => mirror(&from, &to)?,
            false => copy(&from, &to)?,
        }
    }
    Ok(())
}

fn names(folder: &Path) -> Result<BTreeSet<OsString>, Failure> {
    let entries = fs::read_dir(folder).map_err(|e| Failure::at(folder, e))?;
    Ok(entries.flatten().map(|entry| entry.file_name()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_follows_changes_and_removals() {
        let root = tempfile::tempdir().unwrap();
        let (from, to) = (root.path().join("from"), root.path().join("to"));
        fs::create_dir_all(from.join("sub")).unwrap();
        fs::write(from.join("sub/a"), "1").unwrap();
        fs::write(from.join("b"), "1").unwrap();
        mirror(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("sub/a")).unwrap(), "1");
        fs::write(from.join("sub/a"), "22").unwrap();
        fs::remove_file(from.join("b")).unwrap();
        link("b", &from.join("c")).unwrap();
        link("sub/a", &from.join("c")).unwrap();
        mirror(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("sub/a")).unwrap(), "22");
        assert!(!to.join("b").exists());
        assert_eq!(fs::read_to_string(from.join("c")).unwrap(), "22");
    }
}

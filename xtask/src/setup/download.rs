//! Downloading wheels through the user's own package client, which knows their index, proxies and
//! certificates. A wheel that was fetched before an interruption is not fetched again.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use components::process::{Job, JobError};
use indicatif::ProgressBar;
use sha2::{Digest as _, Sha256};

use super::pins::{Bundle, Wheel};
use super::system;
use crate::failure::{Failure, Outcome};

/// Fetches the wheels of `bundles` into `folder`.
pub fn wheels(bundles: &[&Bundle], folder: &Path) -> Outcome {
    std::fs::create_dir_all(folder).map_err(|e| Failure::at(folder, e))?;
    let mut wanted: Vec<&Wheel> = Vec::new();
    for wheel in bundles.iter().flat_map(|bundle| bundle.wheels) {
        if !wanted.contains(wheel) && !is_whole(wheel, &folder.join(wheel.file)) {
            wanted.push(wheel);
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let pip = system::pip()?;
    let total: u64 = wanted.iter().map(|wheel| wheel.bytes).sum();
    eprintln!(
        "set-up: downloading {} wheels, {} MB",
        wanted.len(),
        total / 1_000_000
    );
    let progress = crate::progress::bytes(total);
    let mut before = 0;
    for wheel in wanted {
        progress.set_message(format!("{} {}", wheel.package, wheel.version));
        fetch(&pip, wheel, folder, &progress, before)?;
        before += wheel.bytes;
        progress.set_position(before);
    }
    progress.finish_and_clear();
    Ok(())
}

/// Fetches one wheel; `before` is how much of the whole came before it.
fn fetch(pip: &Job, wheel: &Wheel, folder: &Path, bar: &ProgressBar, before: u64) -> Outcome {
    let fail = |e: std::io::Error| Failure::at(folder, e);
    // pip writes into a temporary folder first; its growth is the progress.
    let scratch = tempfile::tempdir_in(folder).map_err(fail)?;
    let requirements = scratch.path().join("requirements.txt");
    let line = format!(
        "{}=={} --hash=sha256:{}\n",
        wheel.package, wheel.version, wheel.sha256
    );
    std::fs::write(&requirements, line).map_err(fail)?;
    let job = pip
        .clone()
        .args(["download", "--quiet", "--disable-pip-version-check"])
        .args(["--no-deps", "--only-binary=:all:", "--require-hashes"])
        .args(["--no-cache-dir", "--progress-bar=off", "--dest"])
        .arg(scratch.path())
        .arg("--requirement")
        .arg(&requirements)
        .env("TMPDIR", scratch.path());
    std::thread::scope(|scope| {
        let pip = scope.spawn(|| job.capture(b""));
        while !pip.is_finished() {
            std::thread::sleep(Duration::from_millis(100));
            bar.set_position(before + size_below(scratch.path()).min(wheel.bytes));
        }
        match pip.join() {
            Ok(result) => result.map_err(|e| reason(wheel, &e)),
            Err(_) => Err(Failure::new("the download thread failed")),
        }
    })?;
    let file = scratch.path().join(wheel.file);
    if !is_whole(wheel, &file) {
        return Err(Failure::new(format!(
            "{} {}: pip brought no file {}",
            wheel.package, wheel.version, wheel.file
        )));
    }
    std::fs::rename(&file, folder.join(wheel.file)).map_err(fail)
}

/// What pip said in the end, with the wheel's name in front.
fn reason(wheel: &Wheel, error: &JobError) -> Failure {
    let mut said = error.to_string();
    if let JobError::Failed {
        output: Some(output),
        ..
    } = error
    {
        let errors = String::from_utf8_lossy(&output.stderr);
        if let Some(last) = errors.lines().rfind(|line| line.starts_with("ERROR:")) {
            said = last.to_owned();
        }
    }
    let Wheel {
        package, version, ..
    } = wheel;
    Failure::new(format!(
        "cannot download {package} {version}; is the network there?\n  pip: {said}\nwheels that \
         have come are kept: the next `cargo xtask setup` goes on from here"
    ))
}

/// Whether the file is there with the pinned contents.
fn is_whole(wheel: &Wheel, path: &Path) -> bool {
    let is_long = std::fs::metadata(path).is_ok_and(|m| m.len() == wheel.bytes);
    is_long && sha256(path).is_ok_and(|hash| hash == wheel.sha256)
}

/// The SHA-256 of a file, in hexadecimal.
pub fn sha256(path: &Path) -> Result<String, Failure> {
    let mut hash = Sha256::new();
    let read = File::open(path).and_then(|mut file| {
        super::pieces(&mut file, |piece| {
            hash.update(piece);
            Ok(())
        })
    });
    read.map_err(|e| Failure::at(path, e))?;
    Ok(hex(&hash.finalize()))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The bytes in all files below `folder`; files that vanish meanwhile count nothing.
fn size_below(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    let paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let sizes = paths.iter().map(|path| match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => size_below(path),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wheel_is_whole_only_with_its_size_and_hash() {
        let wheel = Wheel {
            package: "p",
            version: "1",
            file: "p-1.whl",
            sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            bytes: 3,
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(wheel.file);
        assert!(!is_whole(&wheel, &path));
        std::fs::write(&path, "abd").unwrap();
        assert!(!is_whole(&wheel, &path));
        std::fs::write(&path, "abc").unwrap();
        assert!(is_whole(&wheel, &path));
        assert_eq!(size_below(folder.path()), 3);
    }
}

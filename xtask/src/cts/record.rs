//! Results that are kept, so that a run that was stopped goes on where it was.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use suites::report::CaseResult;

use crate::failure::{Failure, Outcome};

/// What a category, or a program that was built elsewhere, came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What the results are of: see [`Key`].
    pub key: String,
    pub sources: usize,
    pub compiled: usize,
    /// Before known deviations are taken into account.
    pub cases: Vec<CaseResult>,
}

/// Tells results of one toolchain, checkout and manner of running from those of another.
#[derive(Default)]
pub struct Key(Sha256);

impl Key {
    /// Adds a word.
    #[must_use]
    pub fn word(mut self, word: &str) -> Key {
        self.0.update((word.len() as u64).to_le_bytes());
        self.0.update(word);
        self
    }

    /// Adds what a file, or every file below a folder, holds.
    ///
    /// # Errors
    /// When something cannot be read.
    pub fn contents(self, path: &Path) -> Result<Key, Failure> {
        if !path.is_dir() {
            return self.file(path);
        }
        let entries = fs::read_dir(path).map_err(|e| Failure::at(path, e))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths.iter().try_fold(self, |key, path| key.contents(path))
    }

    fn file(mut self, path: &Path) -> Result<Key, Failure> {
        let mut file = fs::File::open(path).map_err(|e| Failure::at(path, e))?;
        let mut part = vec![0; 1 << 20];
        self = self.word(&path.file_name().unwrap_or_default().to_string_lossy());
        loop {
            match file.read(&mut part).map_err(|e| Failure::at(path, e))? {
                0 => return Ok(self),
                count => self.0.update(&part[..count]),
            }
        }
    }

    /// The key in letters and digits.
    pub fn end(self) -> String {
        let digest = self.0.finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Where the results of `name` are kept.
pub fn file(folder: &Path, device: &str, name: &str) -> PathBuf {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let device: String = device
        .chars()
        .map(|c| if is_plain(c) { c } else { '-' })
        .collect();
    folder
        .join("results")
        .join(device)
        .join(format!("{name}.json"))
}

/// The record in `file`, when it is of that key.
pub fn kept(file: &Path, key: &str) -> Option<Record> {
    let text = fs::read_to_string(file).ok()?;
    let record: Record = serde_json::from_str(&text).ok()?;
    (record.key == key).then_some(record)
}

/// Writes the record, whole or not at all.
///
/// # Errors
/// With the file that cannot be written.
pub fn keep(file: &Path, record: &Record) -> Outcome {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|e| Failure::at(folder, e))?;
    let text = serde_json::to_vec_pretty(record).map_err(Failure::new)?;
    let new = tempfile::NamedTempFile::new_in(folder).map_err(|e| Failure::at(folder, e))?;
    fs::write(new.path(), text).map_err(|e| Failure::at(new.path(), e))?;
    new.persist(file).map_err(|e| Failure::at(file, e))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_kept_for_their_key_alone() {
        let folder = tempfile::tempdir().unwrap();
        let key = |text: &str| {
            fs::write(folder.path().join("tool"), text).unwrap();
            Key::default()
                .word("x")
                .contents(&folder.path().join("tool"))
                .unwrap()
                .end()
        };
        let (first, second) = (key("1"), key("2"));
        assert_ne!(first, second);
        let file = file(folder.path(), "opencl:cpu", "queue");
        assert!(file.ends_with("results/opencl-cpu/queue.json"), "{file:?}");
        let record = Record {
            key: first.clone(),
            sources: 3,
            compiled: 2,
            cases: Vec::new(),
        };
        keep(&file, &record).unwrap();
        assert_eq!(kept(&file, &first), Some(record));
        assert_eq!(kept(&file, &second), None);
        fs::write(&file, "{").unwrap();
        assert_eq!(kept(&file, &first), None);
    }
}

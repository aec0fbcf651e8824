//! Results of work, kept in a folder for later commands, each under the hash of all that it depends on.
//!
//! Many processes may use one folder at once: an entry is written beside and then renamed. It carries a
//! checksum of its contents and of its key, so that one that was cut short, changed or copied under
//! another name is made again; it is never believed, and never an error. How large the folder may get is
//! said in LLVM's words and seen to by LLVM ([`Policy`]).

use std::fmt;
use std::fs::{self, File, FileTimes};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest as _, Sha256};

use crate::llvm::cache::{PREFIX, Policy, prune};

/// What an entry begins with; the number counts its forms.
const MAGIC: &[u8; 8] = b"PLMBLTO1";

/// A folder of entries.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    policy: Policy,
}

/// A hash of all that decides what an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key([u8; 32]);

/// A hash in the making. Each part counts with its length, so that no two lists of parts are alike.
#[derive(Debug, Clone, Default)]
pub struct KeyParts(Sha256);

impl KeyParts {
    /// With one more part.
    #[must_use]
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// With a text.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    /// With the version of a file of somebody else's, as far as its path, size and time tell: a program, or
    /// a library.
    #[must_use]
    pub fn version(self, file: &Path) -> Self {
        let parts = self.bytes(file.as_os_str().as_encoded_bytes());
        let Ok(data) = fs::metadata(file) else {
            return parts.bytes(b"");
        };
        let time = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let age = time.duration_since(SystemTime::UNIX_EPOCH);
        let age = age.map_or(0, |age| age.as_nanos());
        parts
            .bytes(&data.len().to_le_bytes())
            .bytes(&age.to_le_bytes())
    }

    /// The key.
    #[must_use]
    pub fn key(self) -> Key {
        Key(self.0.finalize().into())
    }
}

impl Key {
    /// Of contents.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Key {
        KeyParts::default().bytes(bytes).key()
    }

    /// As a part of other keys.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Store {
    /// The entries of a folder, which is made where it is not there.
    ///
    /// # Errors
    /// When nothing can be written into the folder.
    pub fn open(folder: PathBuf, policy: Policy) -> io::Result<Self> {
        fs::create_dir_all(&folder).and_then(|()| tempfile::tempfile_in(&folder))?;
        Ok(Store { folder, policy })
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What was kept under a key, where that is there and whole.
    #[must_use]
    pub fn read(&self, key: &Key) -> Option<Vec<u8>> {
        let place = self.place(key);
        // Something else than a file of that name must not keep anybody waiting.
        if !fs::metadata(&place).is_ok_and(|data| data.is_file()) {
            return None;
        }
        let bytes = fs::read(&place).ok()?;
        let contents = unsealed(key, &bytes)?.to_vec();
        // What is used is kept longest, also where the system notes no uses.
        let used = FileTimes::new().set_accessed(SystemTime::now());
        let _ = File::open(&place).and_then(|file| file.set_times(used));
        Some(contents)
    }

    /// Keeps something under a key, in the place of what may be there: beside it first, and renamed, so that
    /// what has the name by now, a link or a pipe, is not written to.
    ///
    /// # Errors
    /// When that cannot be done.
    pub fn write(&self, key: &Key, contents: &[u8]) -> io::Result<()> {
        // As any other file: others may share the folder.
        let as_others = fs::Permissions::from_mode(0o666);
        let mut file = tempfile::Builder::new()
            .permissions(as_others)
            .tempfile_in(&self.folder)?;
        file.write_all(&sealed(key, contents))?;
        let kept = file.persist(self.place(key));
        kept.map(drop).map_err(|error| error.error)
    }

    /// Takes away what there is no room for.
    pub fn prune(&self) {
        let _ = prune(&self.folder, &self.policy);
    }

    /// The file of an entry.
    #[must_use]
    pub fn place(&self, key: &Key) -> PathBuf {
        self.folder.join(format!("{PREFIX}{key}"))
    }
}

/// Contents as a file has them.
#[must_use]
pub fn sealed(key: &Key, contents: &[u8]) -> Vec<u8> {
    [MAGIC, &checksum(key, contents).0[..], contents].concat()
}

/// What a file holds, when it is whole and of this key.
#[must_use]
pub fn unsealed<'a>(key: &Key, bytes: &'a [u8]) -> Option<&'a [u8]> {
    let (sum, contents) = bytes.strip_prefix(MAGIC)?.split_at_checked(32)?;
    (sum == checksum(key, contents).0).then_some(contents)
}

fn checksum(key: &Key, contents: &[u8]) -> Key {
    KeyParts::default().bytes(&key.0).bytes(contents).key()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(folder: &Path) -> Store {
        Store::open(folder.to_owned(), Policy::default()).unwrap()
    }

    #[test]
    fn what_was_kept_is_found_and_nothing_else() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("a/b");
        let store = store(&folder);
        let (one, two) = (Key::of(b"one"), Key::of(b"two"));
        assert_eq!(store.read(&one), None);
        store.write(&one, b"result").unwrap();
        assert_eq!(store.read(&one).as_deref(), Some(&b"result"[..]));
        // Another's entry under this name is none of it, and is written over.
        fs::copy(store.place(&one), store.place(&two)).unwrap();
        assert_eq!(store.read(&two), None);
        store.write(&two, b"").unwrap();
        assert_eq!(store.read(&two).as_deref(), Some(&b""[..]));
        // A folder of an entry's name is none.
        let three = Key::of(b"three");
        fs::create_dir(store.place(&three)).unwrap();
        assert_eq!(store.read(&three), None);
    }

    #[test]
    fn a_damaged_entry_is_not_believed_wherever_it_is_damaged() {
        let scratch = tempfile::tempdir().unwrap();
        let store = store(scratch.path());
        let key = Key::of(b"one");
        store.write(&key, b"a result").unwrap();
        let whole = fs::read(store.place(&key)).unwrap();
        for place in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[place] ^= 1;
            fs::write(store.place(&key), &flipped).unwrap();
            assert_eq!(store.read(&key), None, "byte {place}");
            fs::write(store.place(&key), &whole[..place]).unwrap();
            assert_eq!(store.read(&key), None, "{place} bytes");
        }
        fs::write(store.place(&key), [&whole[..], b"x"].concat()).unwrap();
        assert_eq!(store.read(&key), None);
    }

    #[test]
    fn what_an_entry_is_kept_in_the_place_of_is_not_written_to() {
        let scratch = tempfile::tempdir().unwrap();
        let store = store(&scratch.path().join("cache"));
        let other = scratch.path().join("other");
        fs::write(&other, "another's").unwrap();
        let (link, pipe) = (Key::of(b"link"), Key::of(b"pipe"));
        std::os::unix::fs::symlink(&other, store.place(&link)).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(store.place(&pipe))
            .status();
        assert!(made.unwrap().success());
        for key in [link, pipe] {
            store.write(&key, b"result").unwrap();
            assert_eq!(store.read(&key).as_deref(), Some(&b"result"[..]));
        }
        assert_eq!(fs::read(&other).unwrap(), b"another's");
    }

    #[test]
    fn many_processes_may_write_and_read_one_entry() {
        let scratch = tempfile::tempdir().unwrap();
        let result: Vec<u8> = (0..100_000u32).map(|i| i as u8).collect();
        let key = Key::of(b"one");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    // As in a process of its own.
                    let store = store(scratch.path());
                    for _ in 0..20 {
                        store.write(&key, &result).unwrap();
                        assert_eq!(store.read(&key).as_deref(), Some(&result[..]));
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
    }

    #[test]
    fn keys_tell_lists_of_parts_apart() {
        let key = |parts: &[&str]| {
            let parts = parts
                .iter()
                .fold(KeyParts::default(), |all, part| all.text(part));
            parts.key()
        };
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["ab"]), key(&["ab", ""]));
        assert_eq!(key(&["ab", "c"]), key(&["ab", "c"]));
    }
}

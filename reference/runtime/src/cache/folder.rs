//! A folder of kept programs, which processes share.
//!
//! A file is written under a name of its own and renamed when it is complete, so that whoever reads
//! sees it whole; a checksum tells what became of it since. The files that were used least recently
//! go when there are too many.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};

use super::key::Key;

/// What a file begins with; the number counts its forms.
const MAGIC: &[u8; 8] = b"PLMBPRG1";
/// Its end, by which others' files are left alone.
const EXTENSION: &str = "program";
/// The beginning of a file that is being written.
const UNFINISHED: &str = ".unfinished-";
/// An unfinished file as old as this has lost its writer.
const LOST: Duration = Duration::from_secs(60 * 60);
/// How old a use has to be before a newer one is noted.
const NOTED: Duration = Duration::from_secs(60);

/// A folder of kept programs.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// The most bytes that it should hold.
    most: u64,
    /// What it holds, as far as this process knows; `None` before the first file was written.
    held: Mutex<Option<u64>>,
}

impl Folder {
    /// The folder at a path, which need not be there yet.
    pub fn new(path: PathBuf, most: u64) -> Folder {
        let held = Mutex::default();
        Folder { path, most, held }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The most bytes that it should hold.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// The file of a key.
    pub fn place(&self, key: &Key) -> PathBuf {
        self.path.join(format!("{key}.{EXTENSION}"))
    }

    /// What was kept under the key, when anything was.
    ///
    /// # Errors
    /// When the file cannot be read or is not what was written.
    pub fn read(&self, key: &Key) -> Result<Option<Vec<u8>>, String> {
        let place = self.place(key);
        let said = |error: io::Error| format!("{}: {error}", place.display());
        let mut options = File::options();
        options.read(true);
        // Something else than a file of that name must not keep the program waiting.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
        let file = match options.open(&place) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(said(error)),
        };
        let data = file.metadata().map_err(said)?;
        if !data.is_file() || !is_own(&data) || !is_own(&fs::metadata(&self.path).map_err(said)?) {
            return Err(format!("{} may be another user's", place.display()));
        }
        let mut bytes = Vec::new();
        // What is longer than the folder may be is none of ours.
        (&file)
            .take(self.most)
            .read_to_end(&mut bytes)
            .map_err(said)?;
        let program = contents(key, &bytes)
            .ok_or_else(|| format!("{} is damaged", place.display()))?
            .to_vec();
        note_use(&file);
        Ok(Some(program))
    }

    /// Keeps a program under a key, in the place of what may be there.
    ///
    /// # Errors
    /// When the folder takes no file, or the program is larger than the folder may be.
    pub fn write(&self, key: &Key, program: &[u8]) -> Result<(), String> {
        let said = |error: io::Error| format!("{}: {error}", self.path.display());
        let size = (MAGIC.len() + 32 + program.len()) as u64;
        if size > self.most {
            return Err(format!(
                "it has {size} bytes, the cache may have {}",
                self.most
            ));
        }
        create(&self.path).map_err(said)?;
        if !is_own(&fs::metadata(&self.path).map_err(said)?) {
            return Err(format!("{} may be another user's", self.path.display()));
        }
        let mut file = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempfile_in(&self.path)
            .map_err(said)?;
        file.write_all(MAGIC).map_err(said)?;
        file.write_all(&checksum(key, program)).map_err(said)?;
        file.write_all(program).map_err(said)?;
        file.persist(self.place(key)).map_err(|e| said(e.error))?;
        self.make_room(size);
        Ok(())
    }

    /// Takes away what was used least recently when the folder holds too much after `added` bytes.
    fn make_room(&self, added: u64) {
        let mut held = self.held.lock().unwrap_or_else(|e| e.into_inner());
        let known = held.map(|held| held.saturating_add(added));
        if known.is_some_and(|known| known <= self.most) {
            *held = known;
            return;
        }
        let mut files = self.files();
        files.sort_by_key(|file| file.used);
        let mut total: u64 = files.iter().map(|file| file.size).sum();
        if total > self.most {
            // More than needed, so that the next file finds room without a look at all of them.
            let wanted = self.most - self.most / 8;
            for file in files {
                if total <= wanted {
                    break;
                }
                // Another process may have done so already.
                let _ = fs::remove_file(&file.path);
                total = total.saturating_sub(file.size);
            }
        }
        *held = Some(total);
    }

    /// The kept programs; files that lost their writers go.
    fn files(&self) -> Vec<Kept> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let mut kept = Vec::new();
        for entry in entries {
            let (path, name) = (entry.path(), entry.file_name());
            // A file that goes meanwhile counts no more.
            let Ok(data) = entry.metadata() else { continue };
            let used = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if name.to_string_lossy().starts_with(UNFINISHED) {
                if used.elapsed().is_ok_and(|age| age > LOST) {
                    let _ = fs::remove_file(&path);
                }
            } else if path.extension().is_some_and(|end| end == EXTENSION) {
                let size = data.len();
                kept.push(Kept { path, size, used });
            }
        }
        kept
    }
}

/// A kept program.
struct Kept {
    path: PathBuf,
    size: u64,
    used: SystemTime,
}

/// What a file holds, when it is whole and of this key.
fn contents<'a>(key: &Key, bytes: &'a [u8]) -> Option<&'a [u8]> {
    let (sum, program) = bytes.strip_prefix(MAGIC)?.split_at_checked(32)?;
    (sum == checksum(key, program)).then_some(program)
}

/// The checksum of a program that is kept under a key.
fn checksum(key: &Key, program: &[u8]) -> [u8; 32] {
    let mut sum = Sha256::new();
    sum.update(key.bytes());
    sum.update(program);
    sum.finalize().into()
}

/// Makes the folder, for its user alone: what it holds is run.
fn create(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Whether nobody but the user can have written it: what the folder holds is run.
#[cfg(unix)]
fn is_own(data: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    // SAFETY: it asks nothing of its caller.
    let user = unsafe { libc::geteuid() };
    data.uid() == user && data.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn is_own(_: &fs::Metadata) -> bool {
    true
}

/// Notes that a file was used now. Where that cannot be noted, it goes earlier than it need.
fn note_use(file: &File) {
    let used = file.metadata().and_then(|data| data.modified());
    if used.is_ok_and(|used| used.elapsed().is_ok_and(|age| age > NOTED)) {
        let _ = file.set_modified(SystemTime::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::key::tests::key_of;
    use crate::plugin::Part;

    fn key(text: &str) -> Key {
        let part = Part {
            bytes: text.as_bytes(),
            options: "",
            spec_values: &[],
        };
        key_of(&[part])
    }

    #[test]
    fn what_was_written_is_read_and_nothing_else() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = Folder::new(scratch.path().join("a/b"), 1 << 20);
        let (one, two) = (key("one"), key("two"));
        assert_eq!(folder.read(&one), Ok(None));
        folder.write(&one, b"program").unwrap();
        assert_eq!(folder.read(&one), Ok(Some(b"program".to_vec())));
        assert_eq!(folder.read(&two), Ok(None));
        // Another's file under this name is none of it.
        fs::copy(folder.place(&one), folder.place(&two)).unwrap();
        assert!(folder.read(&two).unwrap_err().contains("damaged"));
        folder.write(&two, b"").unwrap();
        assert_eq!(folder.read(&two), Ok(Some(Vec::new())));
    }

    #[cfg(unix)]
    #[test]
    fn what_another_user_may_have_written_is_not_taken() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = tempfile::tempdir().unwrap();
        let folder = Folder::new(scratch.path().join("cache"), 10_000);
        let key = key("image");
        folder.write(&key, b"program").unwrap();
        let open_to_all = |path: &Path| fs::set_permissions(path, PermissionsExt::from_mode(0o777));
        open_to_all(&folder.place(&key)).unwrap();
        assert!(folder.read(&key).unwrap_err().contains("another user's"));
        folder.write(&key, b"program").unwrap();
        assert_eq!(folder.read(&key).unwrap().as_deref(), Some(&b"program"[..]));
        open_to_all(folder.path()).unwrap();
        assert!(folder.read(&key).is_err() && folder.write(&key, b"program").is_err());
        // A folder of a program's name is none.
        let other = Folder::new(scratch.path().join("other"), 10_000);
        fs::create_dir_all(other.place(&key)).unwrap();
        assert!(other.read(&key).is_err());
    }

    #[test]
    fn a_damaged_file_is_noticed_wherever_it_is_damaged() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = Folder::new(scratch.path().to_owned(), 1 << 20);
        let key = key("one");
        folder.write(&key, b"a program").unwrap();
        let whole = fs::read(folder.place(&key)).unwrap();
        for place in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[place] ^= 1;
            fs::write(folder.place(&key), &flipped).unwrap();
            assert!(folder.read(&key).is_err(), "byte {place}");
            fs::write(folder.place(&key), &whole[..place]).unwrap();
            assert!(folder.read(&key).is_err(), "{place} bytes");
        }
        fs::write(folder.place(&key), [&whole[..], b"x"].concat()).unwrap();
        assert!(folder.read(&key).is_err());
    }

    #[test]
    fn what_was_used_least_recently_goes_first() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = Folder::new(scratch.path().to_owned(), 8 * 140);
        let others = scratch.path().join("notes.txt");
        fs::write(&others, [0; 2000]).unwrap();
        let age = |path: &Path, minutes: u64| {
            let then = SystemTime::now() - Duration::from_secs(60 * minutes);
            File::options()
                .append(true)
                .open(path)
                .unwrap()
                .set_modified(then)
                .unwrap();
        };
        let keys: Vec<Key> = (0..9).map(|i| key(&i.to_string())).collect();
        for (i, key) in keys[..8].iter().enumerate() {
            folder.write(key, &[0; 100]).unwrap();
            age(&folder.place(key), 100 - i as u64);
        }
        // A use is worth as much as a write.
        folder.read(&keys[0]).unwrap().unwrap();
        let lost = scratch.path().join(".unfinished-x");
        let at_work = scratch.path().join(".unfinished-y");
        fs::write(&lost, "").unwrap();
        fs::write(&at_work, "").unwrap();
        age(&lost, 120);
        folder.write(&keys[8], &[0; 100]).unwrap();
        let there: Vec<bool> = keys.iter().map(|key| folder.place(key).exists()).collect();
        assert_eq!(
            there,
            [true, false, false, true, true, true, true, true, true]
        );
        assert!(others.exists() && at_work.exists() && !lost.exists());
        let too_large = folder.write(&keys[1], &[0; 2000]);
        assert!(too_large.unwrap_err().contains("may have"));
    }

    #[test]
    fn many_threads_may_write_and_read_one_program() {
        let scratch = tempfile::tempdir().unwrap();
        let program: Vec<u8> = (0..100_000u32).map(|i| i as u8).collect();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    // As in a process of its own.
                    let folder = Folder::new(scratch.path().to_owned(), 1 << 20);
                    for _ in 0..20 {
                        folder.write(&key("one"), &program).unwrap();
                        assert_eq!(folder.read(&key("one")).unwrap().unwrap(), program);
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_takes_no_file_is_an_error_with_its_path() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("file");
        fs::write(&file, "").unwrap();
        let folder = Folder::new(file.join("cache"), 1 << 20);
        assert!(folder.read(&key("one")).is_err());
        assert!(
            folder
                .write(&key("one"), b"program")
                .unwrap_err()
                .contains("file/cache")
        );
    }
}

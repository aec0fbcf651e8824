//! What links keep for later ones in a folder of the user's (`--thinlto-cache-dir=`): results of work,
//! each under the hash of all that it depends on.
//!
//! Many links may use one folder at once: an entry is written beside and then renamed. It carries a
//! checksum of its contents and of its key, so that one that was cut short, changed or copied under
//! another name is made again; it is never believed, and never an error. How large the folder may get is
//! said in LLVM's words and seen to by LLVM ([`Policy`]).

use std::fmt;
use std::fs::{self, File, FileTimes};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use object::Object as _;
use offload_formats::container::map_file;
use sha2::{Digest as _, Sha256};

use crate::layout::own_tool;
use crate::link::LinkError;
use crate::llvm::cache::{PREFIX, Policy, prune};
use crate::tool::say;

/// What an entry begins with; the number counts its forms.
const MAGIC: &[u8; 8] = b"PLMBLTO1";

/// The tool whose work it is.
pub const WRAPPER: &str = "clang-linker-wrapper";

/// A folder of entries.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    policy: Policy,
    counts: [Counts; 2],
    /// Why an entry could not be written.
    failed: OnceLock<String>,
}

/// What an entry holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// A unit, optimized by LLVM's link.
    Unit,
    /// The images of one module.
    Images,
}

#[derive(Debug, Default)]
struct Counts {
    found: AtomicUsize,
    made: AtomicUsize,
}

/// A hash of all that decides what an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key([u8; 32]);

/// A hash in the making. Each part counts with its length, so that no two lists of parts are alike.
#[derive(Debug, Clone, Default)]
pub struct KeyParts(Sha256);

impl KeyParts {
    /// Those of what this tool makes, in this version of it.
    #[must_use]
    pub fn of_this_tool() -> Self {
        static TOOL: OnceLock<Key> = OnceLock::new();
        KeyParts::default().bytes(&TOOL.get_or_init(this_tool).0)
    }

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

/// The linker wrapper beside the running program, or else that: what its linker names it by, or else all of
/// its bytes. The driver does the wrapper's work in its own process, and is of the same build.
fn this_tool() -> Key {
    let version = KeyParts::default().text(env!("CARGO_PKG_VERSION"));
    let program = map_file(&own_tool(WRAPPER));
    let program = program.or_else(|_| std::env::current_exe().and_then(|path| map_file(&path)));
    let Ok(program) = program else {
        return version.key();
    };
    let file = object::File::parse(&*program).ok();
    match file.and_then(|file| file.build_id().ok().flatten()) {
        Some(id) => version.bytes(id).key(),
        None => version.bytes(&program).key(),
    }
}

impl Cache {
    /// The cache in a folder, which is made where it is not there.
    ///
    /// # Errors
    /// When nothing can be written into the folder.
    pub fn open(folder: PathBuf, policy: Policy) -> Result<Self, LinkError> {
        let tried = fs::create_dir_all(&folder).and_then(|()| tempfile::tempfile_in(&folder));
        tried.map_err(|reason| {
            LinkError::Write(format!(
                "cannot write into the folder of --thinlto-cache-dir, '{}': {reason}",
                folder.display()
            ))
        })?;
        Ok(Cache {
            folder,
            policy,
            counts: Default::default(),
            failed: OnceLock::new(),
        })
    }

    /// What was kept under a key, where that is there and whole.
    #[must_use]
    pub fn read(&self, key: &Key) -> Option<Vec<u8>> {
        let place = self.place(key);
        // Something else than a file of that name must not keep the link waiting.
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

    /// Keeps something under a key, in the place of what may be there. Where that cannot be done, the link
    /// goes on, and [`Cache::close`] says it.
    pub fn write(&self, key: &Key, contents: &[u8]) {
        let place = self.place(key);
        if let Err(reason) = self.put(&place, &sealed(key, contents)) {
            let reason = format!("cannot write '{}': {reason}", place.display());
            let _ = self.failed.set(reason);
        }
    }

    /// Writes a file beside and renames it: what has the name by now, a link or a pipe, is not written to.
    fn put(&self, place: &Path, bytes: &[u8]) -> std::io::Result<()> {
        // As any other file: others may share the folder.
        let as_others = fs::Permissions::from_mode(0o666);
        let mut file = tempfile::Builder::new()
            .permissions(as_others)
            .tempfile_in(&self.folder)?;
        file.write_all(bytes)?;
        file.persist(place).map(drop).map_err(|error| error.error)
    }

    /// Counts what was found and what had to be made.
    pub fn count(&self, entry: Entry, found: bool) {
        let counts = &self.counts[entry as usize];
        let count = if found { &counts.found } else { &counts.made };
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes away what there is no room for, and says what the link found: a line for `-v`.
    pub fn close(&self) -> String {
        if let Some(reason) = self.failed.get() {
            say(&format!(
                "clang-linker-wrapper: warning: results are not kept for later links: {reason}\n"
            ));
        }
        let _ = prune(&self.folder, &self.policy);
        let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        let [units, images] = &self.counts;
        format!(
            "cache '{}': {} optimized units found and {} made, images of {} modules found and of {} made",
            self.folder.display(),
            count(&units.found),
            count(&units.made),
            count(&images.found),
            count(&images.made),
        )
    }

    fn place(&self, key: &Key) -> PathBuf {
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

    fn cache(folder: &Path) -> Cache {
        Cache::open(folder.to_owned(), Policy::default()).unwrap()
    }

    #[test]
    fn what_was_kept_is_found_and_nothing_else() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("a/b");
        let cache = cache(&folder);
        let (one, two) = (Key::of(b"one"), Key::of(b"two"));
        assert_eq!(cache.read(&one), None);
        cache.write(&one, b"result");
        assert_eq!(cache.read(&one).as_deref(), Some(&b"result"[..]));
        // Another's entry under this name is none of it, and is written over.
        fs::copy(cache.place(&one), cache.place(&two)).unwrap();
        assert_eq!(cache.read(&two), None);
        cache.write(&two, b"");
        assert_eq!(cache.read(&two).as_deref(), Some(&b""[..]));
        // A folder of an entry's name is none.
        let three = Key::of(b"three");
        fs::create_dir(cache.place(&three)).unwrap();
        assert_eq!(cache.read(&three), None);
    }

    #[test]
    fn a_damaged_entry_is_not_believed_wherever_it_is_damaged() {
        let scratch = tempfile::tempdir().unwrap();
        let cache = cache(scratch.path());
        let key = Key::of(b"one");
        cache.write(&key, b"a result");
        let whole = fs::read(cache.place(&key)).unwrap();
        for place in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[place] ^= 1;
            fs::write(cache.place(&key), &flipped).unwrap();
            assert_eq!(cache.read(&key), None, "byte {place}");
            fs::write(cache.place(&key), &whole[..place]).unwrap();
            assert_eq!(cache.read(&key), None, "{place} bytes");
        }
        fs::write(cache.place(&key), [&whole[..], b"x"].concat()).unwrap();
        assert_eq!(cache.read(&key), None);
    }

    #[test]
    fn what_an_entry_is_kept_in_the_place_of_is_not_written_to() {
        let scratch = tempfile::tempdir().unwrap();
        let cache = cache(&scratch.path().join("cache"));
        let other = scratch.path().join("other");
        fs::write(&other, "another's").unwrap();
        let (link, pipe) = (Key::of(b"link"), Key::of(b"pipe"));
        std::os::unix::fs::symlink(&other, cache.place(&link)).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(cache.place(&pipe))
            .status();
        assert!(made.unwrap().success());
        for key in [link, pipe] {
            cache.write(&key, b"result");
            assert_eq!(cache.read(&key).as_deref(), Some(&b"result"[..]));
        }
        assert_eq!(fs::read(&other).unwrap(), b"another's");
    }

    #[test]
    fn many_links_may_write_and_read_one_entry() {
        let scratch = tempfile::tempdir().unwrap();
        let result: Vec<u8> = (0..100_000u32).map(|i| i as u8).collect();
        let key = Key::of(b"one");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    // As in a process of its own.
                    let cache = cache(scratch.path());
                    for _ in 0..20 {
                        cache.write(&key, &result);
                        assert_eq!(cache.read(&key).as_deref(), Some(&result[..]));
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
        let error = Cache::open(file.join("cache"), Policy::default()).unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains("--thinlto-cache-dir") && error.contains("file/cache"),
            "{error}"
        );
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

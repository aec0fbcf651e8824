//! What links keep for later ones in a folder of the user's (`--thinlto-cache-dir=`).

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use object::Object as _;
use offload_formats::container::map_file;

use crate::layout::own_tool;
use crate::link::LinkError;
use crate::llvm::cache::Policy;
use crate::store::{Key, KeyParts, Store};
use crate::tool::say;

/// The tool whose work it is.
pub const WRAPPER: &str = "clang-linker-wrapper";

/// A folder of entries.
#[derive(Debug)]
pub struct Cache {
    store: Store,
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

/// The parts of a key of what this tool makes, in this version of it.
#[must_use]
pub fn parts_of_this_tool() -> KeyParts {
    static TOOL: OnceLock<Key> = OnceLock::new();
    KeyParts::default().bytes(TOOL.get_or_init(this_tool).as_bytes())
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
        let wrong = |reason| {
            LinkError::Write(format!(
                "cannot write into the folder of --thinlto-cache-dir, '{}': {reason}",
                folder.display()
            ))
        };
        Ok(Cache {
            store: Store::open(folder.clone(), policy).map_err(wrong)?,
            counts: Default::default(),
            failed: OnceLock::new(),
        })
    }

    /// What was kept under a key, where that is there and whole.
    #[must_use]
    pub fn read(&self, key: &Key) -> Option<Vec<u8>> {
        self.store.read(key)
    }

    /// Keeps something under a key, in the place of what may be there. Where that cannot be done, the link
    /// goes on, and [`Cache::close`] says it.
    pub fn write(&self, key: &Key, contents: &[u8]) {
        if let Err(reason) = self.store.write(key, contents) {
            let place = self.store.place(key);
            let reason = format!("cannot write '{}': {reason}", place.display());
            let _ = self.failed.set(reason);
        }
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
        self.store.prune();
        let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        let [units, images] = &self.counts;
        format!(
            "cache '{}': {} optimized units found and {} made, images of {} modules found and of {} made",
            self.store.folder().display(),
            count(&units.found),
            count(&units.made),
            count(&images.found),
            count(&images.made),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

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
}

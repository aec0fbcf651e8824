//! Libraries that were made of sources.

use std::error::Error as _;
use std::ffi::{CString, c_void};
use std::path::Path;

use libloading::os::unix::{Library as Loaded, RTLD_LAZY, RTLD_LOCAL};

use crate::binary::Binary;
use crate::error::{Error, Kind, Result};
use crate::registry;

/// What each of them has (`sycl/detail/source_bundle.hpp`).
const ENTRIES: &str = "plsycl_source_entries";

/// A library that stays loaded: commands under way have code in it, and who knows how long programs keep what
/// they got from it.
pub struct Library {
    loaded: Loaded,
    /// Where it is.
    pub binary: Binary,
    /// What the compiler said of it.
    pub log: String,
}

impl Library {
    /// Loads the file, which may go then.
    ///
    /// # Errors
    /// `Build` when it does not load.
    pub fn load(file: &Path, log: String) -> Result<&'static Library> {
        let failed = |error: &dyn std::fmt::Display| {
            let reason = format!("what the compiler made of the source does not load: {error}");
            Error::new(Kind::Build, reason)
        };
        // SAFETY: its constructors are those of the program's own source, and what this toolchain adds to
        // that registers images.
        let loaded =
            registry::of_source(|| unsafe { Loaded::open(Some(file), RTLD_LAZY | RTLD_LOCAL) });
        let loaded = loaded.map_err(|error| {
            let reason = error.source().map(ToString::to_string);
            failed(&reason.unwrap_or_else(|| error.to_string()))
        })?;
        let place = symbol(&loaded, ENTRIES);
        let binary = place.and_then(|place| Binary::of(place));
        let binary = binary.ok_or_else(|| failed(&"it has no list of its kernels"))?;
        let library = Library {
            loaded,
            binary,
            log,
        };
        Ok(Box::leak(Box::new(library)))
    }

    /// Where it has what it calls so.
    pub fn symbol(&self, name: &str) -> Option<*mut c_void> {
        symbol(&self.loaded, name)
    }
}

fn symbol(loaded: &Loaded, name: &str) -> Option<*mut c_void> {
    let name = CString::new(name).ok()?;
    // SAFETY: nothing is done with what is there.
    let found = unsafe { loaded.get::<*mut c_void>(name.as_bytes_with_nul()) };
    let place = found.ok()?.into_raw();
    (!place.is_null()).then_some(place)
}

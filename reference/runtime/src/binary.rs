//! Which binary of the process, the program or one of its libraries, an address lies in.

use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;

/// A program or library, by where it is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Binary(usize);

impl Binary {
    /// The binary that the address lies in; `None` where the loader knows none.
    #[must_use]
    pub fn of(address: *const c_void) -> Option<Binary> {
        let mut found = MaybeUninit::<libc::Dl_info>::uninit();
        // SAFETY: the function takes any address, and writes the answer when it has one.
        let base = unsafe {
            (libc::dladdr(address, found.as_mut_ptr()) != 0)
                .then(|| found.assume_init().dli_fbase as usize)
        };
        base.filter(|base| *base != 0).map(Binary)
    }

    /// The name of its file, as the loader was given it.
    #[must_use]
    pub fn file(self) -> Option<String> {
        let mut found = MaybeUninit::<libc::Dl_info>::uninit();
        let base = self.0 as *const c_void;
        // SAFETY: the function takes any address, and writes the answer when it has one: a text that
        // lives as long as the binary is loaded, and is copied at once.
        unsafe {
            if libc::dladdr(base, found.as_mut_ptr()) == 0 {
                return None;
            }
            let name = found.assume_init().dli_fname;
            let name = (!name.is_null()).then(|| CStr::from_ptr(name))?;
            Some(name.to_string_lossy().into_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static OWN: u8 = 0;

    #[test]
    fn addresses_of_one_binary_are_in_the_same() {
        let own = Binary::of((&raw const OWN).cast());
        assert!(own.is_some());
        assert_eq!(own, Binary::of(Binary::of as *const c_void));
        assert_ne!(own, Binary::of(libc::malloc as *const c_void));
        assert_eq!(Binary::of(std::ptr::null()), None);
        assert!(own.and_then(Binary::file).is_some());
    }
}

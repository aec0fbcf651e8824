//! The bytes of a buffer on the host: the program's memory, or the buffer's own.

use crate::error::{Error, Kind, Result};
use crate::memory::Span;

/// The buffer on the host.
pub struct HostBytes {
    /// The first byte.
    pub pointer: *mut u8,
    /// How many there are.
    pub size: usize,
    /// Holds the bytes when they are not the program's own; 64-bit words for their alignment.
    pub owned: Option<Vec<u128>>,
}

// SAFETY: the bytes are touched under the state's lock only, or by the program while it has a host
// accessor, which keeps everyone else out.
unsafe impl Send for HostBytes {}

/// From so many bytes on there may be no room for them.
const MANY: usize = 1 << 30;

impl HostBytes {
    /// Whether there is room for so many bytes of a buffer's own.
    ///
    /// # Errors
    /// `MemoryAllocation` where there is none.
    pub fn check(size: usize) -> Result<()> {
        // What comes zeroed ends the process where it is refused, so that it is asked for as it is first.
        if size >= MANY && Vec::<u8>::new().try_reserve_exact(size).is_err() {
            let reason = format!("no room for the {size} bytes of a buffer");
            return Err(Error::new(Kind::MemoryAllocation, reason));
        }
        Ok(())
    }

    /// Bytes of the buffer's own, all zero.
    #[must_use]
    pub fn owned(size: usize) -> HostBytes {
        let mut words = vec![0u128; size.div_ceil(size_of::<u128>()).max(1)];
        HostBytes {
            pointer: words.as_mut_ptr().cast(),
            size,
            owned: Some(words),
        }
    }

    /// All of them.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the pointer spans `size` bytes for as long as the buffer lives.
        unsafe { std::slice::from_raw_parts(self.pointer, self.size) }
    }

    /// Some of them.
    #[must_use]
    pub fn part(&self, span: Span) -> &[u8] {
        let part = span.of(self.size);
        // SAFETY: as above; of other parts a program may have accessors meanwhile.
        unsafe { std::slice::from_raw_parts(self.pointer.add(part.start), part.len()) }
    }

    /// Some of them, to be changed.
    pub fn part_mut(&mut self, span: Span) -> &mut [u8] {
        let part = span.of(self.size);
        // SAFETY: as above; nobody but the caller has this part.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.add(part.start), part.len()) }
    }

    /// All of them, to be changed.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above; the exclusive borrow of the state makes this the only one.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.size) }
    }
}

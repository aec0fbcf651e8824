//! Little-endian reads from untrusted bytes: every read is checked and every failure says where.

use crate::Malformed;

/// A view of bytes from outside.
#[derive(Clone, Copy)]
pub(crate) struct View<'a>(pub &'a [u8]);

impl<'a> View<'a> {
    /// `len` bytes from `at` on; `what` names them in the error.
    pub fn slice(self, at: u64, len: u64, what: &str) -> Result<&'a [u8], Malformed> {
        let range = usize::try_from(at).ok().zip(usize::try_from(len).ok());
        range
            .and_then(|(start, len)| self.0.get(start..start.checked_add(len)?))
            .ok_or_else(|| {
                let size = self.0.len();
                Malformed::new(
                    at,
                    format!("{what} of {len} bytes goes past the end ({size:#x})"),
                )
            })
    }

    fn array<const N: usize>(self, at: u64, what: &str) -> Result<[u8; N], Malformed> {
        let bytes = self.slice(at, N as u64, what)?;
        bytes
            .try_into()
            .map_err(|_| Malformed::new(at, format!("{what} is cut short")))
    }

    pub fn u16(self, at: u64, what: &str) -> Result<u16, Malformed> {
        self.array(at, what).map(u16::from_le_bytes)
    }

    pub fn u32(self, at: u64, what: &str) -> Result<u32, Malformed> {
        self.array(at, what).map(u32::from_le_bytes)
    }

    pub fn u64(self, at: u64, what: &str) -> Result<u64, Malformed> {
        self.array(at, what).map(u64::from_le_bytes)
    }

    /// The text from `at` up to its NUL.
    pub fn c_str(self, at: u64, what: &str) -> Result<&'a str, Malformed> {
        let rest = usize::try_from(at)
            .ok()
            .and_then(|at| self.0.get(at..))
            .ok_or_else(|| Malformed::new(at, format!("{what} begins past the end")))?;
        let end = rest
            .iter()
            .position(|&b| b == 0)
            .ok_or_else(|| Malformed::new(at, format!("{what} has no terminator")))?;
        self.utf8(at, end as u64, what)
    }

    /// The `len` bytes of text from `at` on.
    pub fn utf8(self, at: u64, len: u64, what: &str) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.slice(at, len, what)?)
            .map_err(|_| Malformed::new(at, format!("{what} is not UTF-8")))
    }
}

//! The string table of an OffloadBinary, laid out as LLVM's ELF string tables are, so that the
//! same images give the same bytes as upstream's packager.

use std::collections::HashMap;

/// A table of NUL-terminated strings in which a string that ends another shares its bytes. The empty
/// string is the byte at its beginning.
pub(super) struct StringTable<'a> {
    offsets: HashMap<&'a str, u64>,
    bytes: Vec<u8>,
}

impl<'a> StringTable<'a> {
    /// Lays the strings out: sorted from their last character backwards, greatest first, so that a
    /// string follows those that end with it.
    pub fn new(strings: impl IntoIterator<Item = &'a str>) -> Self {
        let mut sorted: Vec<&str> = strings.into_iter().filter(|s| !s.is_empty()).collect();
        sorted.sort_by(|a, b| b.bytes().rev().cmp(a.bytes().rev()));
        sorted.dedup();
        let mut bytes = vec![0];
        let mut offsets = HashMap::new();
        let mut previous = "";
        for string in sorted {
            let shared = previous.ends_with(string);
            let offset = if shared {
                bytes.len() - 1 - string.len()
            } else {
                bytes.extend_from_slice(string.as_bytes());
                bytes.push(0);
                previous = string;
                bytes.len() - 1 - string.len()
            };
            offsets.insert(string, offset as u64);
        }
        StringTable { offsets, bytes }
    }

    /// Where a string that the table was made with begins.
    pub fn offset(&self, string: &str) -> u64 {
        self.offsets.get(string).copied().unwrap_or_default()
    }

    /// The table.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_that_ends_another_shares_it() {
        let table = StringTable::new(["64", "spir64", "x", "64", ""]);
        let text = |string: &str| {
            let start = table.offset(string) as usize;
            let end = start + string.len();
            assert_eq!(table.bytes()[end], 0);
            String::from_utf8(table.bytes()[start..end].to_vec()).unwrap()
        };
        for string in ["64", "spir64", "x", ""] {
            assert_eq!(text(string), string);
        }
        assert_eq!(table.bytes(), b"\0x\0spir64\0");
    }

    #[test]
    fn an_empty_string_alone_is_the_leading_nul() {
        let table = StringTable::new([""]);
        assert_eq!(table.bytes()[table.offset("") as usize], 0);
    }
}

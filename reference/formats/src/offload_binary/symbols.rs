//! The table of names that upstream's tools for SYCL write as the string `symbols`: their number, offset
//! and size of each, and the names; numbers have 32 bits. Earlier releases wrote the names alone, a NUL
//! behind each; our own tools write a name a line.

use std::borrow::Cow;

/// The key of the string.
pub(super) const KEY: &str = "symbols";

/// The names of a table, one a line; `None` when the bytes are no table.
pub(super) fn names(bytes: &[u8]) -> Option<String> {
    let word = |at: usize| {
        let word = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(u32::from_le_bytes(word) as usize)
    };
    let count = word(0)?;
    let head = count.checked_mul(8)?.checked_add(4)?;
    if count == 0 || head > bytes.len() {
        return None;
    }
    let mut text = String::new();
    for index in 0..count {
        let (start, size) = (word(4 + 8 * index)?, word(8 + 8 * index)?);
        let name = bytes.get(start.max(head)..start.checked_add(size)?)?;
        // Names share no bytes, so that a small table gives no large text.
        if start < head || text.len() + name.len() > bytes.len() + count {
            return None;
        }
        text.push_str(std::str::from_utf8(name).ok()?);
        text.push('\n');
    }
    Some(text)
}

/// Names that NULs part, one a line.
pub(super) fn lines(text: &str) -> Cow<'_, str> {
    if !text.contains('\0') {
        return text.into();
    }
    let names = text.split('\0').filter(|name| !name.is_empty());
    names.flat_map(|name| [name, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[u8] = b"\x02\0\0\0\x14\0\0\0\x02\0\0\0\x17\0\0\0\x01\0\0\0_K\0L\0";

    #[test]
    fn a_table_gives_its_names() {
        assert_eq!(names(TABLE).as_deref(), Some("_K\nL\n"));
    }

    #[test]
    fn names_that_nuls_part_are_lines_as_well() {
        assert_eq!(lines("_ZTS1K\0_ZTS1L\0"), "_ZTS1K\n_ZTS1L\n");
        assert_eq!(lines("_ZTS1K\n_ZTS1L\n"), "_ZTS1K\n_ZTS1L\n");
    }

    #[test]
    fn what_is_no_table_gives_none() {
        for bytes in [
            &b""[..],
            b"_ZTS1K\n_ZTS1L\n",
            b"\0\0\0\0",
            &TABLE[..TABLE.len() - 2],
            b"\x01\0\0\0\x00\0\0\0\x02\0\0\0_K\0",
            b"\x01\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff_K\0",
            b"\x01\0\0\0\x0c\0\0\0\x02\0\0\0\xff\xff\0",
        ] {
            assert_eq!(names(bytes), None, "{bytes:?}");
        }
    }
}

//! What a kernel was made of, as one line of text that the integration header and the image share:
//! two kernels of one name must have the same. `a.cpp:7 16 pointer:8@0,value:4@8` is a functor of 16
//! bytes, written in line 7 of `a.cpp`, with two parts: a pointer of 8 bytes at its beginning, and 4
//! bytes of data behind it.

/// The line for a functor at `place` of `size` bytes with `parts`: the kind, size and offset of each.
#[must_use]
pub fn describe<'a>(
    place: &str,
    size: u64,
    parts: impl IntoIterator<Item = (&'a str, u64, u64)>,
) -> String {
    let parts = parts.into_iter();
    let parts = parts.map(|(kind, size, offset)| format!("{kind}:{size}@{offset}"));
    let parts: Vec<String> = parts.collect();
    format!("{place} {size} {}", parts.join(","))
}

/// The place in such a line; `None` where there is none, or it is no such line.
#[must_use]
pub fn place(line: &str) -> Option<&str> {
    let (rest, _parts) = line.rsplit_once(' ')?;
    let (place, _size) = rest.rsplit_once(' ')?;
    Some(place).filter(|place| !place.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_where_it_is_from() {
        let line = describe("a b.cpp:7", 16, [("pointer", 8, 0), ("value", 4, 8)]);
        assert_eq!(line, "a b.cpp:7 16 pointer:8@0,value:4@8");
        assert_eq!(place(&line), Some("a b.cpp:7"));
        assert_eq!(place(&describe("a.cpp:1", 1, [])), Some("a.cpp:1"));
        assert_eq!(place("x"), None);
        assert_eq!(place(&describe("", 1, [])), None);
    }
}

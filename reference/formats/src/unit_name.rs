//! Names that mean something else in each translation unit: kernels and specialization constants
//! that no other unit can mean carry their unit behind their mangled name.

/// What stands between a name and its unit. Device compilers take it in symbols, PTX included.
const MARK: &str = "__unit_";
/// The number of hexadecimal digits that a unit is told by.
const DIGITS: usize = 16;

/// What is put behind a name that belongs to the unit with this number.
#[must_use]
pub fn tag(unit: u64) -> String {
    format!("{MARK}{unit:0DIGITS$x}")
}

/// A name without its unit's tag, and the tag; an empty one for a name that all units share.
#[must_use]
pub fn split(name: &str) -> (&str, &str) {
    let is_digit = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    match name.rfind(MARK).and_then(|at| name.split_at_checked(at)) {
        Some((base, tag))
            if base.starts_with("_Z")
                && tag.len() == MARK.len() + DIGITS
                && tag.chars().skip(MARK.len()).all(is_digit) =>
        {
            (base, tag)
        }
        _ => (name, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_comes_off_again() {
        let tag = tag(0xab);
        assert_eq!(tag, "__unit_00000000000000ab");
        let name = format!("_ZTSZL3runvEUlvE_{tag}");
        assert_eq!(split(&name), ("_ZTSZL3runvEUlvE_", tag.as_str()));
        for plain in [
            "_ZTS3foo",
            "",
            "_ZTS1a__unit_12",
            "plain__unit_00000000000000ab",
        ] {
            assert_eq!(split(plain), (plain, ""));
        }
    }
}

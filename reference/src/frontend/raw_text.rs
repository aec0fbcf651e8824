//! What clang 19 writes in raw modules that LLVM does not read.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::bytes::Regex;

/// For NVPTX, clang hands a class with virtual bases its table of tables by a bitcast into the space of
/// constants, where LLVM has `addrspacecast`. No bitcast goes from one space to another.
static BETWEEN_SPACES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"bitcast \((ptr @[\w.$-]+ to ptr addrspace\(\d+\)\))").ok());

/// The module's text as LLVM reads it.
#[must_use]
pub fn readable(raw: &[u8]) -> Cow<'_, [u8]> {
    match &*BETWEEN_SPACES {
        Some(pattern) => pattern.replace_all(raw, &b"addrspacecast ($1"[..]),
        None => Cow::Borrowed(raw),
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn pointers_go_into_another_space_by_the_cast_that_there_is() {
        let raw =
            "call void @d(ptr %3, ptr addrspace(1) bitcast (ptr @_ZTTN1aE to ptr addrspace(1)))";
        let read = "call void @d(ptr %3, ptr addrspace(1) addrspacecast (ptr @_ZTTN1aE to ptr addrspace(1)))";
        assert_eq!(readable(raw.as_bytes()), read.as_bytes());
        let other = "%1 = bitcast i32 %0 to float";
        assert_eq!(readable(other.as_bytes()), other.as_bytes());
    }
}

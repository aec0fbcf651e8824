//! What clang 19 writes in raw modules that LLVM does not read.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::bytes::{Captures, Regex, Replacer};

/// For NVPTX, clang hands a class with virtual bases its table of tables, or a place in that of a class
/// that inherits it, by a bitcast into the space of constants, where LLVM has `addrspacecast`. No
/// bitcast goes from one space to another.
static BETWEEN_SPACES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = concat!(
        r"bitcast \((ptr (?:@[\w.$-]+|getelementptr inbounds \([^()]*\)) ",
        r"to ptr addrspace\(\d+\)\))",
    );
    Regex::new(pattern).ok()
});

/// What C's casts make of a pointer to a function, which has the space of code, from one to data and back: a
/// bitcast too, whose operand is in a register.
static OF_A_REGISTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = concat!(
        // The text of a string has no line of its own.
        r#"(?m)^(\s+%(?:"[^"]*"|[\w.$-]+) = )bitcast ((ptr(?: addrspace\(\d+\))?) %(?:"[^"]*"|[\w.$-]+) "#,
        r"to (ptr(?: addrspace\(\d+\))?))",
    );
    Regex::new(pattern).ok()
});

/// Where variables lie in a space of their own, clang asks for the address of a thread-local one behind a
/// cast, and LLVM takes the variable alone. Devices have no threads to tell apart: it is the address
/// itself here, and kernels that come there are refused for it.
static OF_A_THREAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = concat!(
        r"call (?:[a-z]+ (?:\d+ )?)*(ptr(?: addrspace\(\d+\))?) @llvm\.threadlocal\.address\.p\d+\(",
        r"ptr(?: addrspace\(\d+\))?[a-z0-9 ]* (addrspacecast \(ptr addrspace\(\d+\) ",
        r#"@(?:"[^"]*"|[\w.$-]+) to ptr(?: addrspace\(\d+\))?\))\)(?: #\d+)?"#,
    );
    Regex::new(pattern).ok()
});

/// The module's text as LLVM reads it.
#[must_use]
pub fn readable(raw: &[u8]) -> Cow<'_, [u8]> {
    let text = replaced(
        Cow::Borrowed(raw),
        &BETWEEN_SPACES,
        &b"addrspacecast ($1"[..],
    );
    let text = replaced(text, &OF_A_REGISTER, |cast: &Captures<'_>| {
        // Neither kind of cast is the other's where the spaces are the same.
        let which: &[u8] = match cast[3] == cast[4] {
            true => b"bitcast ",
            false => b"addrspacecast ",
        };
        [&cast[1], which, &cast[2]].concat()
    });
    replaced(text, &OF_A_THREAD, &b"getelementptr i8, $1 $2, i32 0"[..])
}

fn replaced<'a>(text: Cow<'a, [u8]>, pattern: &Option<Regex>, by: impl Replacer) -> Cow<'a, [u8]> {
    let changed = match pattern.as_ref().map(|p| p.replace_all(&text, by)) {
        Some(Cow::Owned(changed)) => changed,
        Some(Cow::Borrowed(_)) | None => return text,
    };
    Cow::Owned(changed)
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn what_llvm_does_not_take_is_said_as_it_does() {
        let raw =
            "call void @d(ptr %3, ptr addrspace(1) bitcast (ptr @_ZTTN1aE to ptr addrspace(1)))";
        let read = "call void @d(ptr %3, ptr addrspace(1) addrspacecast (ptr @_ZTTN1aE to ptr addrspace(1)))";
        assert_eq!(readable(raw.as_bytes()), read.as_bytes());
        let raw = "ptr addrspace(1) noundef bitcast (ptr getelementptr inbounds ([10 x ptr], \
            ptr @_ZTTN1aE, i64 0, i64 1) to ptr addrspace(1))";
        let read = raw.replace("bitcast", "addrspacecast");
        assert_eq!(readable(raw.as_bytes()), read.as_bytes());
        let raw = "  %12 = bitcast ptr addrspace(4) %11 to ptr, !dbg !16\n  %call = bitcast ptr %0 to ptr\n";
        let read = raw.replacen("bitcast", "addrspacecast", 1);
        assert_eq!(readable(raw.as_bytes()), read.as_bytes());
        let text = "@t = constant [35 x i8] c\"%1 = bitcast ptr %a to ptr addrspace(4)\\00\"\n";
        assert_eq!(readable(text.as_bytes()), text.as_bytes());
        let raw = "  %1 = call nonnull align 4 ptr addrspace(4) @llvm.threadlocal.address.p4(\
            ptr addrspace(4) nonnull align 4 addrspacecast (ptr addrspace(1) @_ZN1a1bE to ptr addrspace(4))), !dbg !3\n";
        let read = "  %1 = getelementptr i8, ptr addrspace(4) \
            addrspacecast (ptr addrspace(1) @_ZN1a1bE to ptr addrspace(4)), i32 0, !dbg !3\n";
        assert_eq!(readable(raw.as_bytes()), read.as_bytes());
        let other = "%1 = bitcast i32 %0 to float";
        assert_eq!(readable(other.as_bytes()), other.as_bytes());
    }
}

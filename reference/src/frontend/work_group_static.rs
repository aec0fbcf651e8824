//! Variables in local memory (`sycl_ext_oneapi_work_group_static`): `static work_group_static<T> name;`.
//!
//! clang 19 has all variables in global memory. It names their class wherever it writes one of them, and takes
//! no part of it but through member functions, so that its text says plainly which are to lie elsewhere. Once
//! the text is read, every constant that has the address would have to be made anew.

use std::borrow::Cow;
use std::sync::LazyLock;

use inkwell::AddressSpace;
use inkwell::module::{Linkage, Module};
use inkwell::values::GlobalValue;
use regex::bytes::{Captures, Regex};

use super::local_memory::LOCAL;

/// The class in IR; a number may follow. Most modules have none.
static CLASS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"class\.sycl::ext::oneapi::experimental::work_group_static").ok());

/// A definition or a declaration: the symbol, what comes before the space, the type, the first value.
static VARIABLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = concat!(
        r#"(?m)^(@(?:"[^"]*"|[\w.$-]+)) = ([^\n]*?)addrspace\(1\) global "#,
        r#"(%"class\.sycl::ext::oneapi::experimental::work_group_static(?:\.\d+)?")( zeroinitializer)?"#,
    );
    Regex::new(pattern).ok()
});

/// A symbol where its address is an operand.
static ADDRESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"ptr addrspace\(1\) (@(?:"[^"]*"|[\w.$-]+))"#).ok());

/// The module's text with the variables in local memory, which begins with no value.
#[must_use]
pub fn place(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let (Some(class), Some(variable), Some(address)) = (&*CLASS, &*VARIABLE, &*ADDRESS) else {
        return text;
    };
    if !class.is_match(&text) {
        return text;
    }
    let symbols: Vec<Vec<u8>> = variable
        .captures_iter(&text)
        .map(|found| found[1].to_vec())
        .collect();
    if symbols.is_empty() {
        return text;
    }
    let moved = variable.replace_all(&text, |found: &Captures<'_>| {
        let value: &[u8] = match found.get(4) {
            Some(_) => b" undef",
            None => b"",
        };
        [
            &found[1],
            b" = ",
            &found[2],
            b"addrspace(3) global ",
            &found[3],
            value,
        ]
        .concat()
    });
    let moved = address.replace_all(&moved, |found: &Captures<'_>| {
        match symbols.iter().any(|symbol| symbol == &found[1]) {
            true => [b"ptr addrspace(3) ", &found[1]].concat(),
            false => found[0].to_vec(),
        }
    });
    Cow::Owned(moved.into_owned())
}

/// Whether a variable lies in local memory and is the same for all units that have it: the device link makes one
/// of them. That of a function of one unit, or of a namespace without a name, is that unit's own.
#[must_use]
pub fn is_of_all_units(variable: GlobalValue<'_>) -> bool {
    let space = variable.as_pointer_value().get_type().get_address_space();
    let is_shared = matches!(
        variable.get_linkage(),
        Linkage::LinkOnceODR | Linkage::WeakODR
    );
    space == AddressSpace::from(LOCAL) && is_shared
}

/// Whether a module has such variables. ThinLTO takes its unit as one without a summary: what it imports elsewhere
/// would come with variables of its own.
#[must_use]
pub fn are_shared(module: &Module<'_>) -> bool {
    module.get_globals().any(is_of_all_units)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::place;

    #[test]
    fn variables_of_the_class_lie_in_local_memory_and_no_others() {
        let raw = r#"
%"class.sycl::ext::oneapi::experimental::work_group_static" = type { i32 }
%"class.sycl::ext::oneapi::experimental::work_group_static.7" = type { [4 x i32] }
@_ZZ1fvE3mem = internal addrspace(1) global %"class.sycl::ext::oneapi::experimental::work_group_static.7" zeroinitializer, align 4
@one = external addrspace(1) global %"class.sycl::ext::oneapi::experimental::work_group_static", align 4
@one.more = linkonce_odr addrspace(1) global i32 0, comdat, align 4
define void @f() {
  call void @g(ptr addrspace(4) align 4 addrspacecast (ptr addrspace(1) @_ZZ1fvE3mem to ptr addrspace(4)))
  call void @g(ptr addrspace(4) align 4 addrspacecast (ptr addrspace(1) @one to ptr addrspace(4)))
  call void @g(ptr addrspace(4) align 4 addrspacecast (ptr addrspace(1) @one.more to ptr addrspace(4)))
}
"#;
        let expected = raw
            .replace(
                "@_ZZ1fvE3mem = internal addrspace(1)",
                "@_ZZ1fvE3mem = internal addrspace(3)",
            )
            .replace(".7\" zeroinitializer", ".7\" undef")
            .replace(
                "@one = external addrspace(1)",
                "@one = external addrspace(3)",
            )
            .replace(
                "ptr addrspace(1) @_ZZ1fvE3mem",
                "ptr addrspace(3) @_ZZ1fvE3mem",
            )
            .replace("ptr addrspace(1) @one to", "ptr addrspace(3) @one to");
        let placed = place(Cow::Borrowed(raw.as_bytes()));
        assert_eq!(String::from_utf8_lossy(&placed), expected);
        let other = "@one = addrspace(1) global i32 0";
        assert!(matches!(
            place(Cow::Borrowed(other.as_bytes())),
            Cow::Borrowed(_)
        ));
    }
}

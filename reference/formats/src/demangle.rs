//! Symbols as people write them.

use crate::unit_name;
use cpp_demangle::{DemangleOptions, Symbol};

/// A symbol of the Itanium C++ ABI as C++ spells it; anything else as it is. The name of a kernel,
/// which is mangled as the name of a type's information, becomes the type's own name; the tag of
/// its translation unit is nothing to people.
#[must_use]
pub fn demangled(symbol: &str) -> String {
    match spelled(symbol, &DemangleOptions::new()) {
        Some(text) => match text.strip_prefix("typeinfo name for ") {
            Some(kernel) => kernel.to_owned(),
            None => text,
        },
        None => unpromoted(symbol).to_owned(),
    }
}

/// What LLVM puts behind the name of a local symbol that other modules get to see, before a number.
const PROMOTED: &str = ".llvm.";

/// The name that a local symbol had before ThinLTO let other modules see it; any other symbol as it is.
#[must_use]
pub fn unpromoted(symbol: &str) -> &str {
    let mut name = symbol;
    while let Some((before, number)) = name.rsplit_once(PROMOTED) {
        let is_number = |byte: u8| byte.is_ascii_digit() || byte == b'.';
        if before.is_empty() || number.is_empty() || !number.bytes().all(is_number) {
            break;
        }
        name = before;
    }
    name
}

/// A symbol as people write it and, where that differs, as it is, as messages show them.
#[must_use]
pub fn named(symbol: &str) -> String {
    let symbol = unpromoted(symbol);
    match demangled(symbol) {
        text if text == symbol => format!("'{symbol}'"),
        text => format!("'{text}' ({symbol})"),
    }
}

/// The name of a function without its parameters: what a message calls it.
#[must_use]
pub fn function_name(symbol: &str) -> String {
    let options = DemangleOptions::new().no_params().no_return_type();
    match spelled(symbol, &options) {
        Some(text) => match text.strip_prefix("typeinfo name for ") {
            Some(kernel) => kernel.to_owned(),
            // A lambda's call operator keeps its `const`.
            None => text.trim_end_matches(" const").to_owned(),
        },
        None => unpromoted(symbol).to_owned(),
    }
}

/// What a mangled symbol means; none for a plain name, though it may read as a type's (`b`).
fn spelled(symbol: &str, options: &DemangleOptions) -> Option<String> {
    let symbol = unpromoted(symbol);
    let (mangled, _) = unit_name::split(symbol.starts_with("_Z").then_some(symbol)?);
    let text = Symbol::new(mangled)
        .ok()?
        .demangle_with_options(options)
        .ok()?;
    // DPC++'s headers and these have an inline namespace there, which nobody writes.
    Some(text.replace("sycl::_V1::", "sycl::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_as_people_write_them() {
        assert_eq!(demangled("_Z3fooi"), "foo(int)");
        assert_eq!(
            demangled("_Z5startRN4sycl3_V15queueE"),
            "start(sycl::queue&)"
        );
        assert_eq!(demangled("_ZTSN2ns6KernelE"), "ns::Kernel");
        assert_eq!(
            demangled("_ZTSN2ns6KernelE__unit_0123456789abcdef"),
            "ns::Kernel"
        );
        assert_eq!(demangled("plain"), "plain");
        assert_eq!(named("plain"), "'plain'");
        assert_eq!(named("_ZTS6Kernel"), "'Kernel' (_ZTS6Kernel)");
        assert_eq!(demangled("_ZL3fooi.llvm.1759"), "foo(int)");
        assert_eq!(function_name("local.llvm.1759.llvm.3"), "local");
        assert_eq!(named("local.llvm.1759"), "'local'");
        assert_eq!(demangled("local.llvm.name"), "local.llvm.name");
        // The code of `bool`, but a name of its own.
        assert_eq!(
            (demangled("b"), function_name("b")),
            ("b".into(), "b".into())
        );
        assert_eq!(function_name("_ZN2ns3fooEi"), "ns::foo");
        assert_eq!(function_name("_ZTS6Kernel"), "Kernel");
    }
}

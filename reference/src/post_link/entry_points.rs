//! Which functions of a module are there for someone outside it.

use super::facts::{FunctionFacts, GlobalFacts};

/// Whether a function is an entry point: a kernel with a body, or, unless only kernels count, an
/// exported device function: one that has a body and a
/// translation unit, is visible outside its module, and is no builtin. A function of a set that is
/// called through pointers is one as well, as no call tells who needs it.
pub fn is_entry_point(global: &GlobalFacts, function: &FunctionFacts, only_kernels: bool) -> bool {
    if global.declaration {
        return false;
    }
    let exported = || function.module_id.is_some() && global.visible && !is_builtin(&global.name);
    function.kernel || function.indirect_set.is_some() || (!only_kernels && exported())
}

/// Whether a symbol belongs to the vocabulary of SPIR-V, SYCL or the compiler.
pub fn is_builtin(symbol: &str) -> bool {
    let name = match symbol.strip_prefix("_Z") {
        Some(mangled) => mangled.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => symbol,
    };
    ["__spirv_", "__sycl_", "__builtin_", "__esimd_"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_entry(name: &str, kernel: bool, unit: Option<&str>, only_kernels: bool) -> bool {
        let global = GlobalFacts {
            name: name.to_owned(),
            visible: true,
            ..GlobalFacts::default()
        };
        let function = FunctionFacts {
            kernel,
            module_id: unit.map(str::to_owned),
            ..FunctionFacts::default()
        };
        is_entry_point(&global, &function, only_kernels)
    }

    #[test]
    fn kernels_and_exported_functions_are_entry_points() {
        assert!(is_entry("k", true, None, false));
        assert!(is_entry("f", false, Some("a.cpp"), false));
        assert!(!is_entry("f", false, Some("a.cpp"), true));
        assert!(!is_entry("f", false, None, false));
        let builtin = "_Z28__spirv_GlobalInvocationId_xv";
        assert!(!is_entry(builtin, false, Some("a.cpp"), false));
    }
}

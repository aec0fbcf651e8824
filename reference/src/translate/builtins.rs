//! The functions and variables that device compilers bring themselves.

use super::{iteration_space, opencl_names};
use crate::frontend::kernels::PTX_LOCAL_MEMORY;
use crate::llvm::demangle;

/// Prefixes of the names, after demangling, of what SPIR-V consumers and writers define beside
/// OpenCL's functions: names that no program has.
const PREFIXES: &[&str] = &[
    "__spirv_",
    "__sycl_",
    "__devicelib_assert_read",
    "__opencl_",
    "intel_sub_group_",
    "intel_convert_bfloat16",
    "intel_convert_as_bfloat16",
];

/// Functions that PTX code may call and the CUDA driver defines.
const CUDA: &[&str] = &["vprintf", "malloc", "free", "__assertfail"];

/// Whether the device compiler defines `symbol`: of OpenCL's functions only the mangled ones, since
/// an unmangled `sqrt` is the C library's.
#[must_use]
pub fn is_builtin(symbol: &str, nvidia: bool) -> bool {
    if nvidia {
        return CUDA.contains(&symbol)
            || [PTX_LOCAL_MEMORY, iteration_space::QUERY].contains(&symbol)
            || symbol.starts_with("__nvvm_")
            || is_of_specialization(symbol);
    }
    if symbol.starts_with("__spirv_") || symbol.starts_with("__sycl_") || symbol == "printf" {
        return true;
    }
    if !symbol.starts_with("_Z") {
        return false;
    }
    let name = demangle::function_name(symbol);
    let bare = name.split('<').next().unwrap_or(&name);
    opencl_names::is_function(bare) || PREFIXES.iter().any(|prefix| bare.starts_with(prefix))
}

/// Whether it gives the value of a specialization constant, which the split puts in its place.
fn is_of_specialization(symbol: &str) -> bool {
    const NAMES: [&str; 2] = ["__sycl_getScalar2020Spec", "__sycl_getComposite2020Spec"];
    NAMES.iter().any(|name| symbol.contains(name))
}

/// Whether an undefined function may be another image's to define: neither LLVM, nor the device
/// compiler, nor the implementation, whose names begin with two underscores, stands for it.
#[must_use]
pub fn may_be_imported(symbol: &str, nvidia: bool) -> bool {
    let reserved = ["llvm.", "__"].iter().any(|p| symbol.starts_with(p));
    !reserved && !is_builtin(symbol, nvidia) && !demangle::function_name(symbol).starts_with("__")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_compilers_own_functions_are_told_from_the_users() {
        for builtin in [
            "_Z33__spirv_BuiltInGlobalInvocationIdi",
            "_Z22__spirv_ControlBarrieriii",
            "__spirv_BuiltInGlobalSize",
            "_Z13get_global_idj",
            "_Z4sqrtf",
            "_Z21dot_4x8packed_uu_uintjj",
            "_Z34intel_convert_bfloat162_as_ushort2Dv2_f",
            "_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_",
        ] {
            assert!(is_builtin(builtin, false), "{builtin}");
        }
        for other in [
            "sqrt",
            "_Z3foov",
            "_ZN2ns4sqrtEf",
            "foo",
            "_Z8is_primei",
            "_Z10get_weighti",
        ] {
            assert!(!is_builtin(other, false), "{other}");
        }
        assert!(is_builtin("vprintf", true));
        assert!(may_be_imported("_Z3foov", false) && may_be_imported("_Z4sqrtf", true));
        for own in [
            "_Z4sqrtf",
            "__devicelib_assert_fail",
            "_Z8__helperv",
            "llvm.x",
        ] {
            assert!(!may_be_imported(own, false), "{own}");
        }
        let constant = "_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_";
        assert!(is_builtin(constant, true));
        assert!(!is_builtin("_Z4sqrtf", true));
    }
}

//! Functions that device code may call although its unit does not define them: what compilers of
//! SPIR-V and PTX know, and what the device libraries bring.

/// Beginnings of names that belong to the implementation.
const RESERVED: [&str; 10] = [
    "llvm.",
    "__spirv_",
    "__sycl_",
    "__devicelib_",
    "__assert",
    "__nv_",
    "__nvvm_",
    "__ocl_",
    "__plumbline_",
    "__builtin_",
];

/// What clang and the C++ library ask of a support library, which the device libraries bring.
const SUPPORT: [&str; 8] = [
    "_ZSt21__glibcxx_assert_failPKciS0_S0_",
    "__mulsc3",
    "__divsc3",
    "__muldc3",
    "__divdc3",
    "__gnu_f2h_ieee",
    "__gnu_h2f_ieee",
    "__truncsfbf2",
];

/// Functions of the C library that the device libraries bring, without the `f` of their `float`
/// forms.
const C_LIBRARY: &str = " abs labs llabs div ldiv lldiv memcpy memmove memset memchr memcmp \
    strcat strchr strcmp strcpy strcspn strlen strncat strncmp strncpy strpbrk strrchr strspn strstr \
    abort printf \
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 exp10 \
    expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log \
    log10 log1p log2 logb lrint lround modf nan nearbyint nextafter pow remainder remquo rint \
    round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc cabs carg cimag creal cpolar cproj \
    cexp cexp10 clog clog10 cpow csqrt csin ccos ctan csinh ccosh ctanh casin cacos catan casinh cacosh catanh \
    conj ";

/// Functions by which an exception is on its way. What comes before one is no mistake of its own.
const THROWING: [&str; 3] = ["__cxa_throw", "__cxa_rethrow", "__cxa_begin_catch"];
const BEFORE_THROWING: [&str; 2] = ["__cxa_allocate_exception", "__cxa_free_exception"];

/// Whether a call of this function throws or catches an exception.
#[must_use]
pub fn throws(symbol: &str) -> bool {
    THROWING.contains(&symbol) || symbol.starts_with("_ZSt") && symbol.contains("__throw_")
}

/// The beginnings of the symbols of `operator new` and `operator delete`, and the C library's kin.
const OPERATORS: [&str; 4] = ["_Znw", "_Zna", "_Zdl", "_Zda"];
const ALLOCATING: [&str; 5] = ["malloc", "calloc", "realloc", "aligned_alloc", "free"];

/// Whether a call of this function allocates or frees storage.
#[must_use]
pub fn allocates(symbol: &str) -> bool {
    ALLOCATING.contains(&symbol) || OPERATORS.iter().any(|each| symbol.starts_with(each))
}

/// What `typeid` and `dynamic_cast` call.
const TYPES: [&str; 3] = ["__dynamic_cast", "__cxa_bad_typeid", "__cxa_bad_cast"];

/// Whether a call of this function asks for types at run time.
#[must_use]
pub fn asks_for_types(symbol: &str) -> bool {
    TYPES.contains(&symbol)
}

/// Whether some later stage brings this function.
#[must_use]
pub fn is_known(symbol: &str) -> bool {
    let plain = plain(symbol);
    RESERVED.iter().any(|reserved| plain.starts_with(reserved))
        || BEFORE_THROWING.contains(&symbol)
        || SUPPORT.contains(&symbol)
        || plain == symbol && is_c_library(symbol)
}

/// Whether CUDA's driver brings this function to PTX: clang calls it there for `printf`.
#[must_use]
pub fn is_of_cuda(symbol: &str) -> bool {
    symbol == "vprintf"
}

/// Beginnings of the names of numbers of work-items, and of OpenCL's functions, in SPIR-V's names.
const OF_ONE: [&str; 2] = ["__spirv_BuiltIn", "__spirv_ocl_"];

/// Whether what this function gives depends on no other work-item's call of it.
#[must_use]
pub fn is_of_one_work_item(symbol: &str) -> bool {
    OF_ONE.iter().any(|start| plain(symbol).starts_with(start))
}

fn is_c_library(symbol: &str) -> bool {
    let listed = |name: &str| !name.is_empty() && C_LIBRARY.contains(&format!(" {name} "));
    listed(symbol) || symbol.strip_suffix('f').is_some_and(listed)
}

/// The name inside a mangled symbol of a function that stands in no namespace.
fn plain(symbol: &str) -> &str {
    let Some(rest) = symbol.strip_prefix("_Z") else {
        return symbol;
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = rest[..digits].parse().unwrap_or(0);
    rest.get(digits..digits + length).unwrap_or(symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_later_stages_bring_is_known() {
        for symbol in [
            "_Z33__spirv_BuiltInGlobalInvocationIdi",
            "sinf",
            "llvm.memcpy.p0.p0.i64",
            "__spirv_ControlBarrier",
            "__cxa_allocate_exception",
            "hypot",
            "memcpy",
            "strlen",
            "__mulsc3",
        ] {
            assert!(is_known(symbol), "{symbol}");
        }
        for symbol in [
            "_Z3foov",
            "foo",
            "_Znwm",
            "_Z3sini",
            "f",
            "_ZN3foo7__sycl_Ev",
        ] {
            assert!(!is_known(symbol), "{symbol}");
        }
        assert!(throws("__cxa_throw") && throws("_ZSt20__throw_length_errorPKc"));
        assert!(!throws("_Z3foov"));
    }
}

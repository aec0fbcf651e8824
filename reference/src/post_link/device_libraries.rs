//! Which of DPC++'s device libraries an image still needs when it runs: the mask of "SYCL/devicelib
//! req mask" (THIN, "Device code link time changes", names it as what only a linked module shows).
//!
//! A library is told from the name of the function that is left open and, where a library has a
//! variant for `double`, from its type.

use offload_formats::property_set::{DEVICELIB_REQ_MASK, PropertySets, PropertyValue};

use super::facts::{GlobalId, ModuleFacts};

/// The library of a function whose name begins with `__devicelib_`; the number is its bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeviceLibrary {
    /// What a failed `assert` ends in.
    Assert = 0,
    /// Functions of `<cmath>` for `float`.
    Math = 1,
    /// Functions of `<cmath>` for `double`.
    MathFp64 = 2,
    /// Functions of `<complex>` for `float`.
    Complex = 3,
    /// Functions of `<complex>` for `double`.
    ComplexFp64 = 4,
    /// Functions of `<cstring>`.
    Cstring = 5,
    /// Intel's mathematical functions for `float`, `half` and integers.
    Imf = 6,
    /// Intel's mathematical functions for `double`.
    ImfFp64 = 7,
    /// Intel's mathematical functions for `bfloat16`.
    ImfBf16 = 8,
    /// Conversions of `bfloat16`.
    Bfloat16 = 9,
}

/// Functions of `<cmath>` whose names begin as those of `<complex>` do.
const REAL: [&str; 5] = ["cbrt", "ceil", "copysign", "cos", "cosh"];

impl DeviceLibrary {
    /// The library of a symbol; `double` says whether the function takes or returns one. None for a
    /// symbol that no device library has.
    #[must_use]
    pub fn of(symbol: &str, double: bool) -> Option<Self> {
        let name = symbol.strip_prefix("__devicelib_")?;
        let either = |float, fp64| if double { fp64 } else { float };
        Some(if name.starts_with("assert_") {
            DeviceLibrary::Assert
        } else if let Some(name) = name.strip_prefix("imf_") {
            match name.contains("bf16") {
                true => DeviceLibrary::ImfBf16,
                false => either(DeviceLibrary::Imf, DeviceLibrary::ImfFp64),
            }
        } else if name.contains("BF16") {
            DeviceLibrary::Bfloat16
        } else if name.starts_with("mem") {
            DeviceLibrary::Cstring
        } else if is_complex(name) {
            either(DeviceLibrary::Complex, DeviceLibrary::ComplexFp64)
        } else {
            either(DeviceLibrary::Math, DeviceLibrary::MathFp64)
        })
    }
}

/// `cexpf`, `__mulsc3`, `__divdc3`: whether a name is one of `<complex>`.
fn is_complex(name: &str) -> bool {
    let real = name.strip_suffix('f').unwrap_or(name);
    name.starts_with("__") || (name.starts_with('c') && !REAL.contains(&real))
}

/// Writes the mask of the libraries that the members of an image leave open; nothing where there are
/// none.
pub fn describe(facts: &ModuleFacts, members: &[GlobalId], sets: &mut PropertySets) {
    let functions = members.iter().filter_map(|&id| facts.function(id));
    let mask = functions
        .filter_map(|function| function.device_library)
        .fold(0, |mask, library| mask | 1 << library as u32);
    if mask != 0 {
        sets.insert(
            DEVICELIB_REQ_MASK,
            "DeviceLibReqMask",
            PropertyValue::U32(mask),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::DeviceLibrary::{self, *};

    #[test]
    fn names_and_types_tell_the_library() {
        for (name, double, library) in [
            ("__devicelib_assert_fail", false, Some(Assert)),
            ("__devicelib_sinf", false, Some(Math)),
            ("__devicelib_cosf", false, Some(Math)),
            ("__devicelib_cbrt", true, Some(MathFp64)),
            ("__devicelib_ccosf", false, Some(Complex)),
            ("__devicelib___mulsc3", false, Some(Complex)),
            ("__devicelib_cabs", true, Some(ComplexFp64)),
            ("__devicelib_memcpy", false, Some(Cstring)),
            ("__devicelib_imf_umulhi", false, Some(Imf)),
            ("__devicelib_imf_fma", true, Some(ImfFp64)),
            ("__devicelib_imf_fmabf16", false, Some(ImfBf16)),
            ("__devicelib_ConvertFToBF16INTEL", false, Some(Bfloat16)),
            ("sinf", false, None),
        ] {
            assert_eq!(DeviceLibrary::of(name, double), library, "{name}");
        }
    }
}

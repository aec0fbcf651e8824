//! Words of Intel's compilers that stand for words of clang's. Build files for `icpx`, which is DPC++ as Intel
//! sells it, have them.

use std::ffi::OsString;

use super::super::options::{Options, OptionsError};
use super::{Shape, Spec, option};

/// A word that means the same as another one.
macro_rules! same {
    ($name:literal, $as:literal) => {
        Spec {
            name: $name,
            shape: Shape::Flag,
            value: "",
            help: concat!("The same as ", $as),
            apply: |o, _, _| {
                o.clang.push($as.into());
                Ok(())
            },
        }
    };
}

/// The options of this theme.
pub(super) static OPTIONS: &[Spec] = &[
    same!("-qopenmp", "-fopenmp"),
    same!("-fiopenmp", "-fopenmp"),
    same!("-qopenmp-simd", "-fopenmp-simd"),
    same!("-qno-openmp", "-fno-openmp"),
    same!("-ansi-alias", "-fstrict-aliasing"),
    same!("-no-ansi-alias", "-fno-strict-aliasing"),
    option!(
        "-fma",
        Flag,
        "",
        "The same as -ffp-contract=fast, whatever -fp-model= says",
        |o, _, _| contract(o, "-ffp-contract=fast")
    ),
    option!(
        "-no-fma",
        Flag,
        "",
        "The same as -ffp-contract=off, whatever -fp-model= says",
        |o, _, _| contract(o, "-ffp-contract=off")
    ),
    same!("-vec", "-fvectorize"),
    same!("-no-vec", "-fno-vectorize"),
    same!("-qopt-zmm-usage=high", "-mprefer-vector-width=512"),
    same!("-qopt-zmm-usage=low", "-mprefer-vector-width=256"),
    same!("-xHost", "-march=native"),
    same!("-xSSE4.2", "-march=nehalem"),
    same!("-xAVX", "-march=sandybridge"),
    same!("-xCORE-AVX2", "-march=haswell"),
    same!("-xCORE-AVX512", "-march=skylake-avx512"),
    same!("-xSKYLAKE-AVX512", "-march=skylake-avx512"),
    same!("-xICELAKE-SERVER", "-march=icelake-server"),
    same!("-xSAPPHIRERAPIDS", "-march=sapphirerapids"),
    option!(
        "-fp-model=",
        Joined,
        "precise|strict|fast",
        "The same as -ffp-model=; 'consistent' and 'source' are precise, 'fast=1' and 'fast=2' fast",
        |o, _, v| fp_model(o, v)
    ),
    option!(
        "-fp-model",
        Separate,
        "precise|strict|fast",
        "The same as -fp-model=",
        |o, _, v| fp_model(o, v)
    ),
];

fn fp_model(options: &mut Options, value: &str) -> Result<(), OptionsError> {
    let model = match value {
        "precise" | "consistent" | "source" => "precise",
        "strict" => "strict",
        "fast" | "fast=1" | "fast=2" => "fast",
        _ => {
            let expected = "precise, consistent, source, strict, fast, fast=1 or fast=2";
            return Err(OptionsError::value("-fp-model", value, expected));
        }
    };
    // What was said of products and sums holds all the same: with clang a model would say it anew.
    let is_contraction = |word: &OsString| word.to_string_lossy().starts_with(CONTRACTION);
    let said = options.clang.iter().rposition(is_contraction);
    let said = said.map(|at| options.clang.remove(at));
    options.clang.push(format!("-ffp-model={model}").into());
    options.clang.extend(said);
    Ok(())
}

/// How clang's word for it begins.
const CONTRACTION: &str = "-ffp-contract=";

/// Whether products and sums become one operation, and no word of clang's own about a model that says otherwise.
fn contract(options: &mut Options, word: &str) -> Result<(), OptionsError> {
    let words = ["-Wno-overriding-option", word];
    options.clang.extend(words.map(OsString::from));
    Ok(())
}

//! The words with which images ask for their compilation, as `ptxas` has them, in the driver's own
//! numbers: it takes no text.

use std::ffi::c_void;

use cuda_driver_sys as sys;

use crate::error::{Error, Kind, Result};

/// What the driver's compiler is told.
pub(super) type JitOption = (sys::CUjit_option, *mut c_void);

/// Reads the words.
///
/// # Errors
/// At a word that the driver has nothing for.
pub(super) fn read(words: &str) -> Result<Vec<JitOption>> {
    let mut options: Vec<JitOption> = Vec::new();
    let mut rest = words.split_whitespace();
    while let Some(word) = rest.next() {
        let name = word.trim_start_matches('-');
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (name, None),
        };
        let mut number = |joined: Option<&str>| -> Result<usize> {
            let value = joined.or(value).or_else(|| rest.next());
            value.and_then(|value| value.parse().ok()).ok_or_else(|| {
                Error::new(
                    Kind::Build,
                    format!("the build option '{word}' needs a number"),
                )
            })
        };
        let (option, value) = match name {
            "maxrregcount" => (sys::CU_JIT_MAX_REGISTERS, number(None)?),
            "opt-level" => (sys::CU_JIT_OPTIMIZATION_LEVEL, number(None)?),
            "g" | "device-debug" => (sys::CU_JIT_GENERATE_DEBUG_INFO, 1),
            "lineinfo" | "generate-line-info" => (sys::CU_JIT_GENERATE_LINE_INFO, 1),
            name if name.starts_with('O') => (
                sys::CU_JIT_OPTIMIZATION_LEVEL,
                number(name.strip_prefix('O'))?,
            ),
            _ => {
                return Err(Error::new(
                    Kind::Build,
                    format!(
                        "CUDA's driver has no build option '{word}'; there are -maxrregcount=N, -O0 to \
                         -O4, -g and -lineinfo"
                    ),
                ));
            }
        };
        // The last word about something holds.
        options.retain(|(each, _)| *each != option);
        // A number in the place of a pointer, as the interface has it.
        options.push((option, value as *mut c_void));
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_ptxas_become_the_driver_s_numbers() {
        let numbers = |words: &str| -> Vec<(i32, usize)> {
            let read = read(words).unwrap();
            read.into_iter()
                .map(|(option, value)| (option, value as usize))
                .collect()
        };
        assert_eq!(numbers(""), []);
        assert_eq!(
            numbers("-maxrregcount=32 --maxrregcount 64 -O1 --opt-level=3 -lineinfo -g"),
            [(0, 64), (7, 3), (12, 1), (11, 1)]
        );
        for wrong in ["-cl-mad-enable", "-maxrregcount", "-O", "-Ofast"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}

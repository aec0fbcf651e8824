//! The command line of clang's device compilation, made from the one of its host compilation.
//!
//! The clang driver (`clang++ -###`) already turns a user's words into `-cc1` words: include
//! folders, language options, macros, warnings. The device compilation needs the same ones, less
//! what concerns the host's code generation, plus what makes it a device compilation.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::diagnostics::is_own_word;

/// What differs between device compilations.
#[derive(Debug, Clone)]
pub struct DeviceCompile {
    /// The device triple (`spir64-unknown-unknown`, `nvptx64-nvidia-cuda`…).
    pub triple: String,
    /// The clang plugin.
    pub plugin: PathBuf,
    /// Headers that stand before the system's of the same names.
    pub include: PathBuf,
    /// Where the raw module goes, as textual IR.
    pub output: PathBuf,
    /// The optimization level of the command line; only whether it is 0 matters here, since the
    /// optimizer runs after the lowering.
    pub opt_level: Option<super::OptLevel>,
}

/// Host words with one argument that a device compilation has no use for.
const DROPPED_WITH_VALUE: &[&str] = &[
    "-triple",
    "-o",
    "-target-cpu",
    "-tune-cpu",
    "-target-feature",
    "-target-abi",
    "-mrelocation-model",
    "-pic-level",
    "-stack-protector",
    "-dependency-file",
    "-MT",
    "-MQ",
    "-split-dwarf-file",
    "-split-dwarf-output",
    "-stack-usage-file",
    "-include-pch",
    "-mllvm",
    "-load",
    "-add-plugin",
];

/// Host words that a device compilation has no use for.
const DROPPED: &[&str] = &[
    "-emit-obj",
    "-emit-llvm",
    "-emit-llvm-bc",
    "-S",
    "-E",
    "-Eonly",
    "-fsyntax-only",
    "-clear-ast-before-backend",
    "-pic-is-pie",
    "-mconstructor-aliases",
    "-sys-header-deps",
    "-MP",
    "-vectorize-loops",
    "-vectorize-slp",
    "-faddrsig",
    "-ffunction-sections",
    "-fdata-sections",
    "-disable-llvm-passes",
    "-fsycl-is-host",
    "-D__GCC_HAVE_DWARF2_CFI_ASM=1",
    "-pg",
    "-mfentry",
    "-mnop-mcount",
    "-mrecord-mcount",
];

/// Beginnings of host words that a device compilation has no use for.
const DROPPED_PREFIXES: &[&str] = &[
    "-O",
    "-mframe-pointer",
    "-funwind-tables",
    "-debugger-tuning",
    "-fsanitize",
    "-fprofile",
    "-fcoverage",
    "-coverage",
    "-flto",
    "-fopenmp",
    "-fcf-protection",
    "-fsplit-dwarf",
    "-ggnu-pubnames",
    // Calls into profilers and tracers of the host, and tables for them.
    "-finstrument-function",
    "-fxray-",
    "-fpatchable-function-entry",
    "-fstack-size-section",
    "-fmemory-profile",
];

/// The newest PTX that the compiler knows, whose built-in functions programs may call then. What only some
/// architectures have is refused: one compilation is for all of them.
const NEWEST_PTX: &str = "+ptx85";

/// The words after the compiler's name for the device compilation that belongs to `host`, the words
/// after the compiler's name of a host compilation (its first is `-cc1`).
#[must_use]
pub fn device_cc1(host: &[OsString], device: &DeviceCompile) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["-cc1".into(), "-triple".into(), (&device.triple).into()];
    if let Some(triple) = value_of(host, "-triple") {
        words.extend(["-aux-triple".into(), triple.to_owned()]);
    }
    if device.triple.starts_with("nvptx") {
        words.extend(["-target-feature".into(), NEWEST_PTX.into()]);
    }
    words.push("-fsycl-is-device".into());
    words.extend(["-load".into(), device.plugin.clone().into_os_string()]);
    words.extend(["-isystem".into(), device.include.clone().into_os_string()]);
    // Bitcode of device code that throws does not read back; its text does, and is diagnosed.
    words.push("-emit-llvm".into());
    words.extend([
        "-disable-llvm-passes".into(),
        "-disable-llvm-verifier".into(),
    ]);
    words.push(match device.opt_level {
        Some(super::OptLevel::O0) => "-O0".into(),
        _ => "-O2".into(),
    });
    words.push("-D__SYCL_DEVICE_ONLY__=1".into());
    // A value that only one work-item of a sub-group sets goes through functions to all of them: clang, which says of
    // each argument that it has a value, would have every work-item be that one.
    words.push("-no-enable-noundef-analysis".into());
    // Host code with a cast to a final class would compare pointers into two address spaces.
    words.push("-fno-assume-unique-vtables".into());
    if value_of(host, "-debug-info-kind").is_none() && !has_prefix(host, "-debug-info-kind=") {
        // Locations for diagnostics; the lowering takes them out again.
        words.push("-debug-info-kind=line-tables-only".into());
    }
    let mut rest = host.iter().filter(|word| *word != "-cc1").peekable();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        let defines = |word: &OsString| is_of_host_library(&word.to_string_lossy());
        if DROPPED_WITH_VALUE.contains(&text.as_ref())
            || (text == "-D" && rest.peek().is_some_and(|next| defines(next)))
        {
            rest.next();
        } else if !is_dropped(&text)
            && !is_own_word(&text)
            // `-Wp` hands it on in one word.
            && !text.strip_prefix("-D").is_some_and(is_of_host_library)
        {
            words.push(word.clone());
        }
    }
    words.extend(["-o".into(), device.output.clone().into_os_string()]);
    words
}

/// Whether a macro, with or without its value, has the host's C library check what its functions are given: by
/// functions that devices do not have.
fn is_of_host_library(definition: &str) -> bool {
    definition.split('=').next() == Some("_FORTIFY_SOURCE")
}

fn is_dropped(word: &str) -> bool {
    // `-Ofast` and friends go with `-O`; `-ObjC` does not exist here, `-o` is another word.
    DROPPED.contains(&word)
        || DROPPED_PREFIXES
            .iter()
            .any(|prefix| word.starts_with(prefix))
}

fn has_prefix(words: &[OsString], prefix: &str) -> bool {
    words
        .iter()
        .any(|word| word.to_string_lossy().starts_with(prefix))
}

fn value_of<'a>(words: &'a [OsString], name: &str) -> Option<&'a OsStr> {
    let at = words.iter().position(|word| word == name)?;
    words.get(at + 1).map(OsString::as_os_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::OptLevel;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    fn device(triple: &str) -> DeviceCompile {
        DeviceCompile {
            triple: triple.into(),
            plugin: "p".into(),
            include: "i".into(),
            output: "o".into(),
            opt_level: None,
        }
    }

    #[test]
    fn host_code_generation_goes_and_the_user_s_words_stay() {
        let host = words(
            "-cc1 -triple x86_64-pc-linux-gnu -emit-obj -target-cpu x86-64 -O3 -D X=1 -I inc \
             -mrelocation-model pic -dependency-file a.d -Wall -std=c++20 -o a.o -x c++ a.cpp",
        );
        let device = DeviceCompile {
            triple: "spir64-unknown-unknown".into(),
            plugin: "plugin.so".into(),
            include: "first".into(),
            output: "a.bc".into(),
            opt_level: Some(OptLevel::O0),
        };
        let made = device_cc1(&host, &device);
        let text = made.join(OsStr::new(" ")).into_string().unwrap();
        assert_eq!(
            text,
            "-cc1 -triple spir64-unknown-unknown -aux-triple x86_64-pc-linux-gnu \
             -fsycl-is-device -load plugin.so -isystem first -emit-llvm -disable-llvm-passes \
             -disable-llvm-verifier -O0 -D__SYCL_DEVICE_ONLY__=1 -no-enable-noundef-analysis \
             -fno-assume-unique-vtables -debug-info-kind=line-tables-only -D X=1 -I inc -Wall -std=c++20 -x c++ a.cpp -o a.bc"
        );
    }

    #[test]
    fn profilers_of_the_host_get_no_device_code() {
        let host = words(
            "-cc1 -triple t -finstrument-functions -finstrument-function-entry-bare -pg -mfentry \
             -fxray-instrument -fxray-modes=xray-fdr -fpatchable-function-entry=4 \
             -fstack-size-section -stack-usage-file a.su -x c++ a.cpp",
        );
        let device = device("spir64");
        let made = device_cc1(&host, &device);
        assert!(made.ends_with(&words(
            "-fno-assume-unique-vtables -debug-info-kind=line-tables-only -x c++ a.cpp -o o"
        )));
    }

    #[test]
    fn the_host_s_library_checks_nothing_on_devices() {
        let device = device("spir64");
        let host = words(
            "-cc1 -D A -D _FORTIFY_SOURCE=2 -D_FORTIFY_SOURCE -D _FORTIFY_SOURCES -U B -x c++ a.cpp",
        );
        let made = device_cc1(&host, &device);
        assert!(made.ends_with(&words("-D A -D _FORTIFY_SOURCES -U B -x c++ a.cpp -o o")));
    }

    #[test]
    fn programs_may_call_what_is_built_in_for_ptx() {
        let device = device("nvptx64-nvidia-cuda");
        let made = device_cc1(&words("-cc1 -target-feature +avx -x c++ a.cpp"), &device);
        assert!(
            made.windows(2)
                .any(|two| two == words("-target-feature +ptx85"))
        );
        assert!(!made.contains(&"+avx".into()));
    }

    #[test]
    fn a_debug_level_of_the_user_is_kept() {
        let host = words("-cc1 -triple t -debug-info-kind=constructor -x c++ a.cpp");
        let device = device("spir64");
        let made = device_cc1(&host, &device);
        assert!(made.contains(&"-debug-info-kind=constructor".into()));
        assert!(!made.contains(&"-debug-info-kind=line-tables-only".into()));
        assert!(made.contains(&"-O2".into()));
    }
}

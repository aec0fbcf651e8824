//! Options of DPC++'s driver that change nothing here: promises about the program, ways to optimize, and
//! forms of intermediate files. Build files that come from there bring them, and clang knows none.

/// Switches, each also as its opposite.
const SWITCHES: &[&str] = &[
    "sycl-dead-args-optimization",
    "sycl-decompose-functor",
    "sycl-early-optimizations",
    "sycl-id-queries-fit-in-int",
    "sycl-instrument-device-code",
    "sycl-optimize-non-user-code",
    "sycl-rdc",
    "sycl-remove-unused-external-funcs",
    "sycl-unnamed-lambda",
    "sycl-use-bitcode",
    "link-huge-device-code",
    "sycl-link-huge-device-code",
    "target-compile-fast",
];

/// The beginnings of those with a value.
const WITH_VALUE: &[&str] = &["-fsycl-range-rounding=", "-ftarget-register-alloc-mode="];

/// Whether a word is such an option.
pub(super) fn is_hint(word: &str) -> bool {
    let switch = word
        .strip_prefix("-f")
        .map(|name| name.strip_prefix("no-").unwrap_or(name));
    switch.is_some_and(|name| SWITCHES.contains(&name))
        || WITH_VALUE.iter().any(|begin| word.starts_with(begin))
}

/// Their lines in `--help`.
pub(super) fn help() -> String {
    let switches = SWITCHES.iter().map(|name| format!("  -f[no-]{name}\n"));
    let values = WITH_VALUE.iter().map(|begin| format!("  {begin}<value>\n"));
    let lines: String = switches.chain(values).collect();
    format!("\nOptions of DPC++ that are taken and change nothing:\n{lines}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_a_switch_are_known() {
        for word in [
            "-fsycl-rdc",
            "-fno-sycl-rdc",
            "-fno-sycl-id-queries-fit-in-int",
            "-fsycl-range-rounding=on",
        ] {
            assert!(is_hint(word), "{word}");
        }
        for word in [
            "-fsycl",
            "-fno-sycl",
            "-fsycl-force-target=spir64",
            "-frdc",
            "sycl-rdc",
        ] {
            assert!(!is_hint(word), "{word}");
        }
    }
}

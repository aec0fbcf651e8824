//! What Intel's FPGA emulator has to be told, ahead of time and at run time. Its compiler dates from
//! 2023.

use std::borrow::Cow;
use std::ffi::CStr;

/// The instruction set that it is to compile for, in the words of its own variable: what every x86-64
/// processor that it runs on can do (SSE 4.2). It takes some newer processors for more than it can
/// generate code for, and ends the process over a kernel or computes wrong values in silence.
pub const INSTRUCTION_SET: &CStr = c"corei7";

/// Build options as it compiles right with: without `-g`, which together with `-cl-opt-disable` has one
/// work-item of several write (a sub-group of four, three of them lost). SPIR-V carries no debug
/// information here, so that nothing goes with the option.
#[must_use]
pub fn build_options(options: &str) -> Cow<'_, str> {
    let asks = |word: &str| word == "-g";
    if !options.split_whitespace().any(asks) {
        return Cow::Borrowed(options);
    }
    let words: Vec<&str> = options
        .split_whitespace()
        .filter(|word| !asks(word))
        .collect();
    Cow::Owned(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::build_options;

    #[test]
    fn debug_information_is_not_asked_for() {
        assert_eq!(build_options("-g -cl-opt-disable"), "-cl-opt-disable");
        assert_eq!(build_options("-DA='-g b'  -x"), "-DA='-g b'  -x");
        assert_eq!(build_options(""), "");
    }
}

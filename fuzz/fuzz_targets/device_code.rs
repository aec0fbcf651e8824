//! See `offload_formats::fuzz::device_code`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| offload_formats::fuzz::device_code(bytes));

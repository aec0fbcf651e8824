//! See `offload_formats::fuzz::registration`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| offload_formats::fuzz::registration(bytes));

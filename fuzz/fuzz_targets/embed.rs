//! See `offload_formats::fuzz::embed`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| offload_formats::fuzz::embed(bytes));

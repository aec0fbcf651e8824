//! See `offload_formats::fuzz::offload_binary`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| offload_formats::fuzz::offload_binary(bytes));

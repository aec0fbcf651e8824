//! See `offload_formats::fuzz::property_set`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| offload_formats::fuzz::property_set(bytes));

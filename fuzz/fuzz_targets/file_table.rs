//! See `offload_formats::fuzz::file_table`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| offload_formats::fuzz::file_table(bytes));

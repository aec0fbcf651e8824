//! Links LLVM into the library, with the words that `reference` found.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let words = env::var("DEP_PLUMBLINE_LLVM_LINK_WORDS").unwrap_or_default();
    for word in words.split('\u{1f}').filter(|word| !word.is_empty()) {
        println!("cargo::rustc-link-arg={word}");
    }
}

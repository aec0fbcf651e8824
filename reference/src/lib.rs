//! The reference SYCL offloading toolchain: pure stages over typed values, and the thin tools in
//! `src/bin` that read files into them and write files out.

pub mod aot;
pub mod aspect_filter;
pub mod driver;
pub mod fat_binary;
pub mod frontend;
pub mod inspect;
pub mod layout;
pub mod link;
pub mod llvm;
pub mod post_link;
pub mod tool;
pub mod translate;
pub mod wrap;

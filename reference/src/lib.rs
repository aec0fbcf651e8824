//! The reference SYCL offloading toolchain: pure stages over typed values, and the thin tools in
//! `src/bin` that read files into them and write files out.

pub mod aot;
pub mod aspect_filter;
pub mod driver;
pub mod frontend;
pub mod link;
pub mod llvm;
pub mod post_link;
mod shelf;
pub mod store;
pub mod translate;
pub mod wrap;

pub use fat_tools::{layout, response, temporary, tool};

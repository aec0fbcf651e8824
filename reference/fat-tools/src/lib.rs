//! The tools of fat files (`MODEL`, "Fat Binary Generation" and "Device Extraction") and what all
//! tools share. They start at once, as they are not linked with LLVM: [`bitcode`] loads what needs
//! it when a file holds bitcode.

pub mod bitcode;
pub mod bundler;
pub mod copy;
pub mod inspect;
pub mod key_order;
pub mod layout;
pub mod packager;
pub mod response;
pub mod temporary;
pub mod tool;

use offload_formats::container::Extractor;

/// An extractor for every container, bitcode included.
#[must_use]
pub fn extractor() -> Extractor<'static> {
    Extractor {
        bitcode: &bitcode::offload_binaries,
    }
}

//! Fat binaries (`MODEL`, "Fat Binary Generation" and "Device Extraction"): packaging device
//! images, bundling in the old format, and what of extraction needs LLVM.

pub mod bundler;
pub mod embedded;
pub mod packager;

use offload_formats::container::Extractor;

/// An extractor for every container, bitcode included.
#[must_use]
pub fn extractor() -> Extractor<'static> {
    Extractor {
        bitcode: &embedded::offload_binaries,
    }
}

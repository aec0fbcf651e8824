//! The old format of fat files (`MODEL`, "Support of existing fat object format").
//!
//! A bundle holds one part a target, the host among them. In objects each part is a section named
//! `__CLANG_OFFLOAD_BUNDLE__` and the target; in files of other types the whole file is a
//! [binary](binary), [text](text) or [compressed](compressed) bundle.

mod architectures;
pub mod binary;
pub mod compressed;
pub mod joined;
mod target;
pub mod text;

use bytes::Bytes;
use indexmap::IndexMap;

pub use target::TargetId;

use crate::Malformed;
use crate::container::{self, Format, identify};
use crate::device_input::{DeviceInput, Origin};
use crate::offload_binary::{ImageKind, OffloadKind};

/// What bundles and the names of their sections begin with.
pub const MAGIC: &str = "__CLANG_OFFLOAD_BUNDLE__";

/// The section in which DPC++'s bundler lists what the parts of an object define: for each symbol the
/// target, a dot and its name, ended by a NUL. Its driver decides by it which members of archives are
/// needed.
pub const SYMBOLS_SECTION: &str = ".tgtsym";

/// One part of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Whom it is for.
    pub target: TargetId,
    /// The target id as the bundle spells it.
    pub id: String,
    /// Its contents.
    pub bytes: Bytes,
    /// Where they stand in the bundle, in bytes; in the decompressed one when it was compressed.
    pub offset: u64,
}

/// Whether a file is a bundle by itself; objects with bundled sections are not.
#[must_use]
pub fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC.as_bytes())
        || bytes.starts_with(&compressed::MAGIC)
        || text::is_text_bundle(bytes)
}

/// The parts of a bundle that is a file by itself.
///
/// # Errors
/// When the bundle is malformed.
pub fn read(bytes: &Bytes) -> Result<Vec<Part>, Malformed> {
    if bytes.starts_with(&compressed::MAGIC) {
        let inflated = compressed::decompress(bytes)?;
        if inflated.starts_with(&compressed::MAGIC) {
            return Err(Malformed::new(
                0,
                "a compressed bundle holds a compressed bundle",
            ));
        }
        return read(&inflated);
    }
    if bytes.starts_with(MAGIC.as_bytes()) {
        return binary::read(bytes);
    }
    text::read(bytes)
}

/// The parts of an object whose sections are bundled; none when there are no such sections.
///
/// # Errors
/// When the object's section table is malformed.
pub fn object_parts(object: &Bytes) -> Result<Vec<Part>, Malformed> {
    let sections = container::sections(object)?.into_iter();
    let parts = sections.filter_map(|section| {
        let id = section.name.strip_prefix(MAGIC)?;
        Some(Part {
            target: id.parse().ok()?,
            id: id.to_owned(),
            offset: section.range.start as u64,
            bytes: object.slice(section.range),
        })
    });
    Ok(parts.collect())
}

/// The target that a section of that name is for; `None` when it is no bundled section.
#[must_use]
pub fn section_target(name: &str) -> Option<TargetId> {
    name.strip_prefix(MAGIC)?.parse().ok()
}

/// Whether a section of that name came into an object by bundling.
#[must_use]
pub fn is_bundled(name: &str) -> bool {
    name.starts_with(MAGIC) || name == SYMBOLS_SECTION
}

/// The name of the section that holds the part of that target.
#[must_use]
pub fn section_name(target: &TargetId) -> String {
    format!("{MAGIC}{target}")
}

/// The device image that a part is.
#[must_use]
pub fn device_input(target: TargetId, bytes: Bytes, origin: Origin) -> DeviceInput {
    let kind = match target.kind.as_str() {
        "sycl" => OffloadKind::Sycl,
        "openmp" => OffloadKind::OpenMp,
        "hip" | "hipv4" => OffloadKind::Hip,
        "cuda" => OffloadKind::Cuda,
        _ => OffloadKind::None,
    };
    let image_kind = match identify(&bytes) {
        Format::Bitcode => ImageKind::Bitcode,
        Format::SpirV => ImageKind::SpirV,
        Format::Ptx => ImageKind::Ptx,
        Format::Elf | Format::Coff => ImageKind::Object,
        _ => ImageKind::None,
    };
    DeviceInput {
        kind,
        triple: target.triple,
        arch: target.arch,
        image_kind,
        bytes,
        properties: IndexMap::new(),
        origin,
    }
}

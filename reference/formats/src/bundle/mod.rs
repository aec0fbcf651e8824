//! The old format of fat files (`MODEL`, "Support of existing fat object format").
//!
//! A bundle holds one part a target, the host among them. In objects each part is a section named
//! `__CLANG_OFFLOAD_BUNDLE__` and the target; in files of other types the whole file is a
//! [binary](binary), [text](text) or [compressed](compressed) bundle.

pub mod binary;
pub mod compressed;
pub mod joined;
pub mod text;

use std::fmt;
use std::str::FromStr;

use bytes::Bytes;
use indexmap::IndexMap;

use crate::Malformed;
use crate::container::{self, Format, identify};
use crate::device_input::{DeviceInput, Origin};
use crate::offload_binary::{ImageKind, OffloadKind};

/// What bundles and the names of their sections begin with.
pub const MAGIC: &str = "__CLANG_OFFLOAD_BUNDLE__";

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

/// Whom a part of a bundle is for: `<kind>-<triple>[-<arch>]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TargetId {
    /// The offload kind: `host`, `sycl`, `openmp`, `hip`, `hipv4`, …
    pub kind: String,
    /// The triple, with no empty component at its end.
    pub triple: String,
    /// The architecture within the triple, with its features; empty when there is none.
    pub arch: String,
}

impl TargetId {
    /// Whether the code of a part for this target serves `wanted`: same kind and triple, and an
    /// architecture of the same processor that asks for no feature which `wanted` does not name.
    #[must_use]
    pub fn serves(&self, wanted: &TargetId) -> bool {
        let (processor, features) = split_arch(&self.arch);
        let (wanted_processor, wanted_features) = split_arch(&wanted.arch);
        self.kind == wanted.kind
            && self.triple == wanted.triple
            && processor == wanted_processor
            && features.iter().all(|f| wanted_features.contains(f))
    }

    /// Whether both cannot be in one bundle, as no device could tell which of them to take: for the
    /// same processor, they say different features, where one leaves a feature open that the other
    /// settles.
    #[must_use]
    pub fn conflicts(&self, other: &TargetId) -> bool {
        let (processor, features) = split_arch(&self.arch);
        let (other_processor, other_features) = split_arch(&other.arch);
        let names = |features: &[&str]| -> std::collections::BTreeSet<String> {
            let names = features
                .iter()
                .map(|name| name.trim_end_matches(['+', '-']));
            names.map(str::to_owned).collect()
        };
        self.kind == other.kind
            && self.triple == other.triple
            && processor == other_processor
            && names(&features) != names(&other_features)
    }

    /// Whether this is the host's part.
    #[must_use]
    pub fn is_host(&self) -> bool {
        self.kind == "host"
    }
}

impl FromStr for TargetId {
    type Err = String;

    /// Reads an id as any release of the bundler writes it: with the triple of three or four
    /// components, padded or not.
    fn from_str(id: &str) -> Result<Self, String> {
        let wrong = || format!("'{id}' is no bundle target: <kind>-<triple>[-<arch>] is asked for");
        let (kind, rest) = id.split_once('-').ok_or_else(wrong)?;
        let mut parts: Vec<&str> = rest.splitn(5, '-').collect();
        let arch = match parts.as_slice() {
            [_, _, _, _, arch] => Some(*arch),
            [_, _, .., last] if is_gpu_arch(last) => Some(*last),
            _ => None,
        };
        if arch.is_some() {
            parts.pop();
        }
        let triple = parts.join("-").trim_end_matches('-').to_owned();
        let plain = |text: &str| text.bytes().all(|b| b.is_ascii_graphic());
        if kind.is_empty() || triple.is_empty() || !plain(id) {
            return Err(wrong());
        }
        Ok(TargetId {
            kind: kind.to_owned(),
            triple,
            arch: arch.unwrap_or_default().to_owned(),
        })
    }
}

/// The processor and the features of an architecture like `gfx90a:xnack+:sramecc-`.
fn split_arch(arch: &str) -> (&str, Vec<&str>) {
    let mut parts = arch.split(':');
    (parts.next().unwrap_or_default(), parts.collect())
}

fn is_gpu_arch(text: &str) -> bool {
    text.starts_with("sm_") || text.starts_with("gfx")
}

/// The form that today's bundler writes: the triple padded to four components, then the
/// architecture.
impl fmt::Display for TargetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.kind, self.triple)?;
        let components = self.triple.split('-').count();
        let dashes = 4usize.saturating_sub(components) + 1;
        write!(f, "{}{}", "-".repeat(dashes), self.arch)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_all_releases_read_alike() {
        for (id, kind, triple, arch) in [
            (
                "sycl-spir64-unknown-unknown",
                "sycl",
                "spir64-unknown-unknown",
                "",
            ),
            (
                "sycl-spir64-unknown-unknown--",
                "sycl",
                "spir64-unknown-unknown",
                "",
            ),
            ("sycl-spir64", "sycl", "spir64", ""),
            (
                "hip-amdgcn-amd-amdhsa--gfx906:xnack+",
                "hip",
                "amdgcn-amd-amdhsa",
                "gfx906:xnack+",
            ),
            (
                "openmp-nvptx64-nvidia-cuda-sm_70",
                "openmp",
                "nvptx64-nvidia-cuda",
                "sm_70",
            ),
            (
                "host-x86_64-unknown-linux-gnu-",
                "host",
                "x86_64-unknown-linux-gnu",
                "",
            ),
            (
                "host-x86_64-unknown-linux-gnu",
                "host",
                "x86_64-unknown-linux-gnu",
                "",
            ),
        ] {
            let target: TargetId = id.parse().unwrap();
            assert_eq!(
                (&*target.kind, &*target.triple, &*target.arch),
                (kind, triple, arch)
            );
            assert_eq!(target.to_string().parse::<TargetId>().unwrap(), target);
        }
        let padded: TargetId = "openmp-nvptx64-nvidia-cuda-sm_70".parse().unwrap();
        assert_eq!(padded.to_string(), "openmp-nvptx64-nvidia-cuda--sm_70");
        let host: TargetId = "host-x86_64-unknown-linux-gnu".parse().unwrap();
        assert_eq!(host.to_string(), "host-x86_64-unknown-linux-gnu-");
    }

    #[test]
    fn code_that_asks_for_no_more_features_serves() {
        let id = |arch: &str| {
            format!("hip-amdgcn-amd-amdhsa--{arch}")
                .parse::<TargetId>()
                .unwrap()
        };
        assert!(id("gfx90a").serves(&id("gfx90a:xnack+")));
        assert!(id("gfx90a:xnack+").serves(&id("gfx90a:xnack+")));
        assert!(!id("gfx90a:xnack+").serves(&id("gfx90a")));
        assert!(!id("gfx906").serves(&id("gfx90a")));
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for id in ["", "sycl", "-spir64", "sycl-", "sycl-spir64\n"] {
            assert!(id.parse::<TargetId>().is_err(), "{id:?}");
        }
    }
}

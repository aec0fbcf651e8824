//! OffloadBinary: device images with their target, the form that host objects embed
//! (`MODEL`, "Packager").
//!
//! All numbers are little-endian, all offsets count from the start of the binary:
//!
//! | part | bytes | holds |
//! |---|---|---|
//! | header | 32 | magic, u32 version, u64 size, u64 offset of the entries, u64 size of an entry (version 1) or their count |
//! | | 40 | version 3: one more u64, the size when decompressed, 0 when not compressed |
//! | entry | 40 | u16 image kind, u16 offload kind, u32 flags, u64 offset and count of strings, u64 offset and size of the image |
//! | string | 16 | u64 offset of the key, u64 offset of the value, both up to a NUL |
//! | | 24 | versions 2 and 3: one more u64, the size of the value |
//!
//! The value of the string `symbols` may be a table that upstream writes; it is read as its names.
//!
//! Version 1 holds one image. Binaries stand back to back, each padded to 8 bytes.

mod read;
mod strings;
mod symbols;
mod write;

use std::fmt;
use std::str::FromStr;

use bytes::Bytes;
use indexmap::IndexMap;

pub use read::{Found, read};
pub use write::{Compression, WriteOptions, write, write_to};

/// What a binary begins with.
pub const MAGIC: [u8; 4] = [0x10, 0xFF, 0x10, 0xAD];
/// Each binary begins at, and is padded to, a multiple of this many bytes.
pub const ALIGNMENT: u64 = 8;

const HEADER_SIZE: u64 = 32;
const HEADER_SIZE_V3: u64 = 40;
const ENTRY_SIZE: u64 = 40;

/// The version of the form.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// One image a binary: what LLVM 14 to 19 read and write.
    #[default]
    V1,
    /// Several images a binary.
    V2,
    /// Several images a binary, perhaps compressed.
    V3,
}

impl Version {
    /// The number in the header.
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32 + 1
    }

    /// The version of that number.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        [Version::V1, Version::V2, Version::V3]
            .into_iter()
            .find(|version| version.number() == number)
    }

    fn header_size(self) -> u64 {
        match self {
            Version::V1 | Version::V2 => HEADER_SIZE,
            Version::V3 => HEADER_SIZE_V3,
        }
    }

    fn string_size(self) -> u64 {
        match self {
            Version::V1 => 16,
            Version::V2 | Version::V3 => 24,
        }
    }
}

/// What the bytes of an image are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ImageKind {
    /// Not said.
    #[default]
    None,
    /// An object, by the file name extension `o`.
    Object,
    /// LLVM bitcode, `bc`.
    Bitcode,
    /// A CUDA binary, `cubin`.
    Cubin,
    /// A CUDA fat binary, `fatbin`.
    Fatbinary,
    /// PTX, `s`.
    Ptx,
    /// SPIR-V, `spv`.
    SpirV,
}

const IMAGE_KINDS: [(ImageKind, &str); 7] = [
    (ImageKind::None, ""),
    (ImageKind::Object, "o"),
    (ImageKind::Bitcode, "bc"),
    (ImageKind::Cubin, "cubin"),
    (ImageKind::Fatbinary, "fatbin"),
    (ImageKind::Ptx, "s"),
    (ImageKind::SpirV, "spv"),
];

impl ImageKind {
    /// The number in an entry.
    #[must_use]
    pub fn number(self) -> u16 {
        self as u16
    }

    /// The kind of that number.
    #[must_use]
    pub fn from_number(number: u16) -> Option<Self> {
        let (kind, _) = IMAGE_KINDS.get(usize::from(number))?;
        Some(*kind)
    }

    /// The kind that files of that extension, given without its dot, hold.
    #[must_use]
    pub fn from_extension(extension: &str) -> Self {
        let found = IMAGE_KINDS.iter().find(|(_, known)| *known == extension);
        found.map_or(ImageKind::None, |(kind, _)| *kind)
    }

    /// The extension of files that hold such an image; empty for [`ImageKind::None`].
    #[must_use]
    pub fn extension(self) -> &'static str {
        IMAGE_KINDS.get(self as usize).map_or("", |(_, name)| name)
    }
}

impl fmt::Display for ImageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ImageKind::None => "none",
            ImageKind::Object => "object",
            ImageKind::Bitcode => "bitcode",
            ImageKind::Cubin => "cubin",
            ImageKind::Fatbinary => "fatbinary",
            ImageKind::Ptx => "ptx",
            ImageKind::SpirV => "spirv",
        })
    }
}

/// Which programming model an image is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OffloadKind {
    /// Not said.
    #[default]
    None,
    /// OpenMP.
    OpenMp,
    /// CUDA.
    Cuda,
    /// HIP.
    Hip,
    /// SYCL.
    Sycl,
}

const OFFLOAD_KINDS: [(OffloadKind, u16, &str); 5] = [
    (OffloadKind::None, 0, "none"),
    (OffloadKind::OpenMp, 1, "openmp"),
    (OffloadKind::Cuda, 2, "cuda"),
    (OffloadKind::Hip, 4, "hip"),
    (OffloadKind::Sycl, 8, "sycl"),
];

const HIP_OF_LLVM_19: u16 = 3;

impl OffloadKind {
    /// The number in an entry. HIP is 3 where LLVM 19 is to read it: its kinds are counted, those
    /// of later releases are single bits.
    #[must_use]
    pub fn number_in(self, version: Version) -> u16 {
        match (self, version) {
            (OffloadKind::Hip, Version::V1) => HIP_OF_LLVM_19,
            _ => self.number(),
        }
    }

    fn number(self) -> u16 {
        OFFLOAD_KINDS
            .get(self as usize)
            .map_or(0, |(_, number, _)| *number)
    }

    /// The kind of that number, in any version.
    #[must_use]
    pub fn from_number(number: u16) -> Option<Self> {
        if number == HIP_OF_LLVM_19 {
            return Some(OffloadKind::Hip);
        }
        let found = OFFLOAD_KINDS.iter().find(|(_, known, _)| *known == number);
        found.map(|(kind, ..)| *kind)
    }

    /// The name on command lines.
    #[must_use]
    pub fn name(self) -> &'static str {
        OFFLOAD_KINDS
            .get(self as usize)
            .map_or("", |(.., name)| name)
    }
}

impl fmt::Display for OffloadKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for OffloadKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = OFFLOAD_KINDS.iter().find(|(.., known)| *known == name);
        found.map(|(kind, ..)| *kind).ok_or_else(|| {
            let known = OFFLOAD_KINDS.map(|(.., name)| name).join(", ");
            format!("unknown offload kind '{name}'; known are {known}")
        })
    }
}

/// One device image and what is said of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OffloadImage {
    /// What the bytes are.
    pub image_kind: ImageKind,
    /// Which programming model it is for.
    pub offload_kind: OffloadKind,
    /// Flags of the entry; bit 0 says that there is no image, only strings.
    pub flags: u32,
    /// Keys and values, in order; `triple` and `arch` among them.
    pub strings: IndexMap<String, String>,
    /// The image.
    pub image: Bytes,
}

impl OffloadImage {
    /// The target triple; empty when it is not said.
    #[must_use]
    pub fn triple(&self) -> &str {
        self.string("triple")
    }

    /// The architecture within the triple; empty when it is not said.
    #[must_use]
    pub fn arch(&self) -> &str {
        self.string("arch")
    }

    /// The value of a key; empty when it is not there.
    #[must_use]
    pub fn string(&self, key: &str) -> &str {
        self.strings.get(key).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_come_back() {
        for (kind, number, name) in OFFLOAD_KINDS {
            assert_eq!(kind.number(), number);
            assert_eq!(OffloadKind::from_number(number), Some(kind));
            let in_version_1 = kind.number_in(Version::V1);
            assert_eq!(OffloadKind::from_number(in_version_1), Some(kind));
            assert_eq!(name.parse(), Ok(kind));
        }
        for (number, (kind, extension)) in IMAGE_KINDS.into_iter().enumerate() {
            assert_eq!(usize::from(kind.number()), number);
            assert_eq!(ImageKind::from_number(kind.number()), Some(kind));
            assert_eq!(ImageKind::from_extension(extension), kind);
            assert_eq!(kind.extension(), extension);
        }
        assert!(
            "opencl"
                .parse::<OffloadKind>()
                .unwrap_err()
                .contains("'opencl'")
        );
        assert_eq!(Version::from_number(2), Some(Version::V2));
    }
}

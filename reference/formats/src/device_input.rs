//! What extraction yields: one device image, its target, and where it was found.

use std::fmt;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use indexmap::IndexMap;

use crate::offload_binary::{ImageKind, OffloadImage, OffloadKind};

/// A device image found in some container.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceInput {
    /// Which programming model made it.
    pub kind: OffloadKind,
    /// Its target triple.
    pub triple: String,
    /// Its architecture within the triple; empty when there is none.
    pub arch: String,
    /// What the bytes are.
    pub image_kind: ImageKind,
    /// The image: a slice of the mapped file that holds it, not a copy, unless it was compressed.
    pub bytes: Bytes,
    /// Everything else that its container says of it, in order.
    pub properties: IndexMap<String, String>,
    /// Where it was found.
    pub origin: Origin,
}

impl DeviceInput {
    /// The input that an image of an OffloadBinary is.
    #[must_use]
    pub fn from_image(image: OffloadImage, origin: Origin) -> Self {
        let mut properties = image.strings;
        let mut take = |key| properties.shift_remove(key).unwrap_or_default();
        let (triple, arch) = (take("triple"), take("arch"));
        DeviceInput {
            kind: image.offload_kind,
            triple,
            arch,
            image_kind: image.image_kind,
            bytes: image.image,
            properties,
            origin,
        }
    }
}

/// A place within a file from outside.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// The file.
    pub file: PathBuf,
    /// The member of the archive, and the member of that when archives nest, outermost first.
    pub members: Vec<String>,
    /// Which members of their archives these are, counted from 0: several may have one name.
    pub numbers: Box<[usize]>,
    /// The section of the object.
    pub section: Option<String>,
    /// Bytes from the start of the innermost of section, member and file.
    pub offset: u64,
}

impl Origin {
    /// The start of a file.
    pub fn file(file: impl AsRef<Path>) -> Self {
        Origin {
            file: file.as_ref().to_owned(),
            ..Origin::default()
        }
    }

    /// The start of a member of the archive that stands here, `number` members from the first.
    #[must_use]
    pub fn in_member(&self, member: &str, number: usize) -> Self {
        let mut origin = self.clone();
        origin.members.push(member.to_owned());
        origin.numbers = [&*self.numbers, &[number]].concat().into();
        origin.offset = 0;
        origin
    }

    /// The start of a section of the object that stands here.
    #[must_use]
    pub fn in_section(&self, section: &str) -> Self {
        let mut origin = self.clone();
        origin.section = Some(section.to_owned());
        origin.offset = 0;
        origin
    }

    /// The same place, `offset` bytes from its start.
    #[must_use]
    pub fn at(&self, offset: u64) -> Self {
        let mut origin = self.clone();
        origin.offset = offset;
        origin
    }
}

/// `libx.a(member.o), section .llvm.offloading, offset 0x40`; a part that is not there is not said.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        for member in &self.members {
            write!(f, "({member})")?;
        }
        if let Some(section) = &self.section {
            write!(f, ", section {section}")?;
        }
        if self.offset != 0 {
            write!(f, ", offset {:#x}", self.offset)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_says_only_what_is_there() {
        let file = Origin::file("libx.a");
        assert_eq!(file.to_string(), "libx.a");
        let nested = file.in_member("inner.a", 0).in_member("m.o", 1);
        let place = nested.in_section(".llvm.offloading").at(64);
        assert_eq!(
            place.to_string(),
            "libx.a(inner.a)(m.o), section .llvm.offloading, offset 0x40"
        );
    }
}

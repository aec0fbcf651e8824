//! Extraction of device images from any file.

use std::path::Path;

use bytes::Bytes;

use super::{Format, at, identify, map_file, members, sections};
use crate::bundle;
use crate::device_input::{DeviceInput, Origin};
use crate::offload_binary;

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}: {reason}")]
pub struct ContainerError {
    /// The place.
    pub origin: Origin,
    /// What is wrong there.
    pub reason: String,
}

/// How deep archives may nest.
const MAX_NESTING: usize = 16;

/// Extracts device images.
pub struct Extractor<'a> {
    /// Gives the contents of what a bitcode file embeds under `llvm.embedded.objects` with the
    /// section name `.llvm.offloading`. Reading bitcode needs LLVM, which this package does not
    /// know; [`ignore_bitcode`] serves callers that want none of it.
    pub bitcode: &'a (dyn Fn(&Bytes) -> Result<Vec<Bytes>, String> + Sync),
}

/// Finds nothing in bitcode.
///
/// # Errors
/// None.
pub fn ignore_bitcode(_: &Bytes) -> Result<Vec<Bytes>, String> {
    Ok(Vec::new())
}

/// The two formats of fat objects, which may not mix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fat {
    Embedded,
    Bundled,
}

/// Images with the format that each came in.
type Extracted = Vec<(Fat, DeviceInput)>;

impl Extractor<'_> {
    /// The device images in a file, in order. A file of another kind has none.
    ///
    /// # Errors
    /// When the file cannot be read, something in it is malformed, archives nest too deep, or one
    /// archive or object mixes the new format with the old one.
    pub fn file(&self, path: &Path) -> Result<Vec<DeviceInput>, ContainerError> {
        let origin = Origin::file(path);
        let bytes = map_file(path).map_err(|error| ContainerError {
            origin: origin.clone(),
            reason: format!("cannot read the file: {error}"),
        })?;
        self.bytes(&bytes, &origin)
    }

    /// The device images in the bytes that stand at `origin`: a file or an archive member.
    ///
    /// # Errors
    /// As [`Extractor::file`].
    pub fn bytes(
        &self,
        bytes: &Bytes,
        origin: &Origin,
    ) -> Result<Vec<DeviceInput>, ContainerError> {
        let extracted = self.any(bytes, origin)?;
        Ok(extracted.into_iter().map(|(_, input)| input).collect())
    }

    fn any(&self, bytes: &Bytes, origin: &Origin) -> Result<Extracted, ContainerError> {
        match identify(bytes) {
            Format::OffloadBinary => binaries(bytes, origin),
            Format::Elf | Format::Coff | Format::Pe => object(bytes, origin),
            Format::Bitcode => self.bitcode(bytes, origin),
            Format::Archive => self.archive(bytes, origin),
            Format::Bundle => bundled_file(bytes, origin),
            Format::SpirV | Format::Ptx | Format::Other => Ok(Vec::new()),
        }
    }

    fn bitcode(&self, bytes: &Bytes, origin: &Origin) -> Result<Extracted, ContainerError> {
        let objects = (self.bitcode)(bytes).map_err(|reason| ContainerError {
            origin: origin.clone(),
            reason,
        })?;
        let origin = origin.in_section(super::OFFLOADING_SECTION);
        let extracted: Result<Vec<_>, _> = objects
            .iter()
            .map(|object| binaries(object, &origin))
            .collect();
        Ok(extracted?.concat())
    }

    fn archive(&self, bytes: &Bytes, origin: &Origin) -> Result<Extracted, ContainerError> {
        if origin.members.len() >= MAX_NESTING {
            return Err(ContainerError {
                origin: origin.clone(),
                reason: format!("archives nest deeper than {MAX_NESTING}"),
            });
        }
        let mut all = Vec::new();
        for member in members(bytes, origin)? {
            all.extend(self.any(&member.bytes, &member.origin)?);
        }
        refuse_mixture(&all)?;
        Ok(all)
    }
}

/// The images of OffloadBinaries back to back.
fn binaries(bytes: &Bytes, origin: &Origin) -> Result<Extracted, ContainerError> {
    let found = offload_binary::read(bytes).map_err(|error| at(origin, error))?;
    let inputs = found
        .into_iter()
        .map(|found| DeviceInput::from_image(found.image, origin.at(found.offset)));
    Ok(inputs.map(|input| (Fat::Embedded, input)).collect())
}

/// The images in the sections of an object.
fn object(bytes: &Bytes, origin: &Origin) -> Result<Extracted, ContainerError> {
    let mut all = Vec::new();
    for section in sections(bytes).map_err(|error| at(origin, error))? {
        let target = bundle::section_target(&section.name);
        let target = target.filter(|target| !target.is_host());
        if !section.is_offloading && target.is_none() {
            continue;
        }
        let origin = origin.in_section(&section.name);
        let contents = bytes.slice(section.range);
        if section.is_offloading {
            all.extend(binaries(&contents, &origin)?);
        } else if let Some(target) = target {
            for (offset, part) in bundle::joined::parts(&contents) {
                let input = bundle::device_input(target.clone(), part, origin.at(offset));
                all.push((Fat::Bundled, input));
            }
        }
    }
    refuse_mixture(&all)?;
    Ok(all)
}

/// The images of a bundle in a file of its own.
fn bundled_file(bytes: &Bytes, origin: &Origin) -> Result<Extracted, ContainerError> {
    let entries = bundle::read(bytes).map_err(|error| at(origin, error))?;
    let devices = entries.into_iter().filter(|entry| !entry.target.is_host());
    Ok(devices
        .map(|entry| {
            let origin = origin.at(entry.offset);
            let input = bundle::device_input(entry.target, entry.bytes, origin);
            (Fat::Bundled, input)
        })
        .collect())
}

fn refuse_mixture(all: &Extracted) -> Result<(), ContainerError> {
    let first = |format| all.iter().find(|(fat, _)| *fat == format);
    let (Some((_, embedded)), Some((_, bundled))) = (first(Fat::Embedded), first(Fat::Bundled))
    else {
        return Ok(());
    };
    Err(ContainerError {
        origin: bundled.origin.clone(),
        reason: format!(
            "a device image in the old bundled format cannot be mixed with one in the embedded \
             format, as in {}",
            embedded.origin
        ),
    })
}

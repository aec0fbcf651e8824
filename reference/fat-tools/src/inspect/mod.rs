//! `offload-inspect`: which device images any file holds, with their targets, kernels,
//! requirements and options.

mod kernels;
mod report;
mod table;
mod text;

use std::path::Path;

use offload_formats::container::{self, ContainerError, Format, identify};
use offload_formats::device_input::{DeviceInput, Origin};
use offload_formats::offload_binary::{ImageKind, OffloadKind};
use offload_formats::registration::{self, ImageFormat, StoredImage};
use offload_formats::{Bytes, bundle, cubin};

use crate::extractor;

pub use report::{Carrier, ImageReport, KernelReport, Registration, Report};
pub use text::to_text;

/// How deep archives may nest.
const MAX_NESTING: usize = 16;

/// An image and what carries it.
pub struct Found {
    /// The image.
    pub input: DeviceInput,
    /// What carries it.
    pub carrier: Carrier,
    /// What the program registers with it, when it is wrapped. A compressed image is compressed
    /// there only.
    pub stored: Option<StoredImage>,
    /// Why nothing is known of a compressed image.
    pub broken: Option<String>,
}

/// All images in the file at `path`, which holds `bytes`, in order, and what the file is. A file table
/// has the images that its rows list.
///
/// # Errors
/// When something in it is malformed.
pub fn images(path: &Path, bytes: &Bytes) -> Result<(&'static str, Vec<Found>), ContainerError> {
    let origin = Origin::file(path);
    if let Some(rows) = table::rows(bytes, &origin)? {
        return Ok(("file-table", rows));
    }
    let mut found = Vec::new();
    collect(bytes, &origin, &mut found)?;
    Ok((report::format_name(identify(bytes)), found))
}

/// The report on a file's images.
#[must_use]
pub fn report(path: &Path, format: &'static str, found: &[Found]) -> Report {
    Report {
        file: path.display().to_string(),
        format,
        images: found.iter().map(ImageReport::of).collect(),
    }
}

fn collect(bytes: &Bytes, origin: &Origin, found: &mut Vec<Found>) -> Result<(), ContainerError> {
    let format = identify(bytes);
    if format == Format::Archive {
        if origin.members.len() >= MAX_NESTING {
            return Err(ContainerError {
                origin: origin.clone(),
                reason: format!("archives nest deeper than {MAX_NESTING}"),
            });
        }
        for member in container::members(bytes, origin)? {
            collect(&member.bytes, &member.origin, found)?;
        }
        return Ok(());
    }
    let before = found.len();
    let inputs = extractor().bytes(bytes, origin)?;
    found.extend(inputs.into_iter().map(|input| Found {
        carrier: carrier(format, &input),
        input,
        stored: None,
        broken: None,
    }));
    if matches!(format, Format::Elf | Format::Coff | Format::Pe) {
        found.extend(registered(bytes, origin)?);
    }
    if found.len() == before {
        found.extend(bare(format, bytes, origin));
    }
    Ok(())
}

/// What carries an image that extraction found.
fn carrier(format: Format, input: &DeviceInput) -> Carrier {
    let section = input.origin.section.as_deref().unwrap_or_default();
    match format {
        Format::Bundle => Carrier::Bundled,
        _ if section.starts_with(bundle::MAGIC) => Carrier::Bundled,
        _ => Carrier::Embedded,
    }
}

/// The images that a wrapped object or a program registers.
fn registered(bytes: &Bytes, origin: &Origin) -> Result<Vec<Found>, ContainerError> {
    let stored = registration::read_file(bytes).map_err(|error| container::at(origin, error))?;
    Ok(stored
        .into_iter()
        .map(|stored| {
            let (code, broken) = code(&stored);
            Found {
                input: DeviceInput {
                    kind: OffloadKind::Sycl,
                    triple: stored.target.clone(),
                    arch: String::new(),
                    image_kind: match broken {
                        Some(_) => ImageKind::None,
                        None => image_kind(stored.format, &code),
                    },
                    bytes: code,
                    properties: indexmap::IndexMap::new(),
                    origin: origin.at(stored.offset),
                },
                carrier: Carrier::Registered,
                stored: Some(stored),
                broken,
            }
        })
        .collect())
}

/// The code of a registered image as the runtime takes it, decompressed when it has to be, and why
/// that cannot be done.
fn code(stored: &StoredImage) -> (Bytes, Option<String>) {
    if stored.format != ImageFormat::Compressed {
        return (stored.bytes.clone(), None);
    }
    match registration::decompress(&stored.bytes) {
        Ok(code) => (code.into(), None),
        Err(reason) => (
            stored.bytes.clone(),
            Some(format!("the image cannot be decompressed: {reason}")),
        ),
    }
}

fn image_kind(format: ImageFormat, code: &Bytes) -> ImageKind {
    match format {
        ImageFormat::SpirV => ImageKind::SpirV,
        ImageFormat::Bitcode => ImageKind::Bitcode,
        ImageFormat::Native if identify(code) == Format::Ptx => ImageKind::Ptx,
        ImageFormat::Native if cubin::is_cubin(code) => ImageKind::Cubin,
        ImageFormat::Native => ImageKind::Object,
        ImageFormat::Compressed => image_kind(registration::format_of(code), code),
        ImageFormat::None => ImageKind::None,
    }
}

/// A file that is itself device code.
fn bare(format: Format, bytes: &Bytes, origin: &Origin) -> Option<Found> {
    let image_kind = match format {
        Format::Bitcode => ImageKind::Bitcode,
        Format::SpirV => ImageKind::SpirV,
        Format::Ptx => ImageKind::Ptx,
        _ => return None,
    };
    Some(Found {
        input: DeviceInput {
            kind: OffloadKind::None,
            triple: kernels::triple(image_kind, bytes),
            arch: String::new(),
            image_kind,
            bytes: bytes.clone(),
            properties: indexmap::IndexMap::new(),
            origin: origin.clone(),
        },
        carrier: Carrier::Bare,
        stored: None,
        broken: None,
    })
}

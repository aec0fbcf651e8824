//! Writing OffloadBinaries.

use std::io::{self, Write};

use super::strings::StringTable;
use super::{ALIGNMENT, ENTRY_SIZE, MAGIC, OffloadImage, Version};

/// How the part behind the header is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// zlib.
    Zlib,
    /// Zstandard.
    Zstd,
}

/// How to write a binary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// The version of the form.
    pub version: Version,
    /// The compression; only version 3 can hold any.
    pub compression: Option<Compression>,
}

/// The images in the default form: version 1, so a binary for each, back to back.
#[must_use]
pub fn write(images: &[OffloadImage]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_to(&mut bytes, images, WriteOptions::default())
        .unwrap_or_else(|error| unreachable!("a vector takes all bytes: {error}"));
    bytes
}

/// Writes the images without holding a second copy of them, unless they are compressed.
///
/// Version 1 gives a binary for each image, versions 2 and 3 one binary for all; no image, no byte.
///
/// # Errors
/// When `out` fails, or compression is asked of a version that has none.
pub fn write_to(
    out: &mut dyn Write,
    images: &[OffloadImage],
    options: WriteOptions,
) -> io::Result<()> {
    let version = options.version;
    if let Some(compression) = options.compression {
        if version != Version::V3 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "only version 3 of OffloadBinary can be compressed",
            ));
        }
        return write_compressed(out, images, compression);
    }
    if version == Version::V1 {
        return images
            .chunks(1)
            .try_for_each(|image| write_binary(out, image, version));
    }
    match images {
        [] => Ok(()),
        images => write_binary(out, images, version),
    }
}

/// Where the parts of a binary stand.
struct Layout<'a> {
    version: Version,
    table: StringTable<'a>,
    table_offset: u64,
    images_offset: u64,
    size: u64,
}

impl<'a> Layout<'a> {
    fn new(images: &'a [OffloadImage], version: Version) -> Self {
        let pairs = || images.iter().flat_map(|image| &image.strings);
        let table = StringTable::new(pairs().flat_map(|(key, value)| [&key[..], &value[..]]));
        let table_offset = version.header_size()
            + ENTRY_SIZE * images.len() as u64
            + version.string_size() * pairs().count() as u64;
        let images_offset = aligned(table_offset + table.bytes().len() as u64);
        let images_size: u64 = images.iter().map(|image| image.image.len() as u64).sum();
        Layout {
            version,
            table,
            table_offset,
            images_offset,
            size: aligned(images_offset + images_size),
        }
    }

    /// The header, with `size` and `inflated_size` as given.
    fn header(&self, count: usize, size: u64, inflated_size: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&self.version.number().to_le_bytes());
        put_u64(&mut bytes, size);
        put_u64(&mut bytes, self.version.header_size());
        match self.version {
            Version::V1 => put_u64(&mut bytes, ENTRY_SIZE),
            Version::V2 | Version::V3 => put_u64(&mut bytes, count as u64),
        }
        if self.version == Version::V3 {
            put_u64(&mut bytes, inflated_size);
        }
        bytes
    }

    /// Entries, strings and their table, padded up to the first image.
    fn metadata(&self, images: &[OffloadImage]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut strings_offset = self.version.header_size() + ENTRY_SIZE * images.len() as u64;
        let mut image_offset = self.images_offset;
        for image in images {
            bytes.extend_from_slice(&image.image_kind.number().to_le_bytes());
            bytes.extend_from_slice(&image.offload_kind.number_in(self.version).to_le_bytes());
            bytes.extend_from_slice(&image.flags.to_le_bytes());
            put_u64(&mut bytes, strings_offset);
            put_u64(&mut bytes, image.strings.len() as u64);
            put_u64(&mut bytes, image_offset);
            put_u64(&mut bytes, image.image.len() as u64);
            strings_offset += self.version.string_size() * image.strings.len() as u64;
            image_offset += image.image.len() as u64;
        }
        for (key, value) in images.iter().flat_map(|image| &image.strings) {
            put_u64(&mut bytes, self.table_offset + self.table.offset(key));
            put_u64(&mut bytes, self.table_offset + self.table.offset(value));
            if self.version != Version::V1 {
                put_u64(&mut bytes, value.len() as u64);
            }
        }
        bytes.extend_from_slice(self.table.bytes());
        let end = self.images_offset - self.version.header_size();
        bytes.resize(end as usize, 0);
        bytes
    }

    /// Everything behind the header.
    fn write_body(&self, out: &mut dyn Write, images: &[OffloadImage]) -> io::Result<()> {
        out.write_all(&self.metadata(images))?;
        let mut end = self.images_offset;
        for image in images {
            out.write_all(&image.image)?;
            end += image.image.len() as u64;
        }
        pad(out, end)
    }
}

fn write_binary(out: &mut dyn Write, images: &[OffloadImage], version: Version) -> io::Result<()> {
    let layout = Layout::new(images, version);
    out.write_all(&layout.header(images.len(), layout.size, 0))?;
    layout.write_body(out, images)
}

fn write_compressed(
    out: &mut dyn Write,
    images: &[OffloadImage],
    compression: Compression,
) -> io::Result<()> {
    if images.is_empty() {
        return Ok(());
    }
    let layout = Layout::new(images, Version::V3);
    let body = match compression {
        Compression::Zlib => {
            let mut encoder =
                flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            layout.write_body(&mut encoder, images)?;
            encoder.finish()?
        }
        Compression::Zstd => {
            let level = zstd::DEFAULT_COMPRESSION_LEVEL;
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), level)?;
            layout.write_body(&mut encoder, images)?;
            encoder.finish()?
        }
    };
    let size = Version::V3.header_size() + body.len() as u64;
    out.write_all(&layout.header(images.len(), size, layout.size))?;
    out.write_all(&body)?;
    pad(out, size)
}

fn aligned(size: u64) -> u64 {
    size.next_multiple_of(ALIGNMENT)
}

fn pad(out: &mut dyn Write, size: u64) -> io::Result<()> {
    let missing = (aligned(size) - size) as usize;
    out.write_all(&[0; ALIGNMENT as usize][..missing])
}

fn put_u64(bytes: &mut Vec<u8>, value: u64) {
    bytes.extend_from_slice(&value.to_le_bytes());
}

//! Reading OffloadBinaries: nothing in them is believed before it is checked.

use std::borrow::Cow;
use std::io::Read as _;
use std::ops::Range;

use bytes::Bytes;

use super::{
    ALIGNMENT, ENTRY_SIZE, HEADER_SIZE_V3, ImageKind, MAGIC, OffloadImage, OffloadKind, Version,
    symbols,
};
use crate::le::View;
use crate::{Malformed, inflate_limit};

/// An image and where its binary begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The offset, in bytes, of the binary that holds the image.
    pub offset: u64,
    /// The version of that binary.
    pub version: Version,
    /// The image; a slice of the bytes it was read from, unless it was compressed.
    pub image: OffloadImage,
}

/// Reads all binaries that stand back to back in `bytes`.
///
/// # Errors
/// Says at which offset which part is cut short, lies outside, overlaps another, or is unknown.
/// A compressed binary that does not decompress to exactly the size it says is refused.
pub fn read(bytes: &Bytes) -> Result<Vec<Found>, Malformed> {
    let mut found = Vec::new();
    let mut offset = 0;
    while offset < bytes.len() {
        let (version, size, images) =
            read_binary(&bytes.slice(offset..)).map_err(|e| e.shifted(offset as u64))?;
        found.extend(images.into_iter().map(|image| Found {
            offset: offset as u64,
            version,
            image,
        }));
        offset = skip_padding(bytes, offset + size);
    }
    Ok(found)
}

/// The next aligned offset when only zeros stand before it, else `end` itself.
fn skip_padding(bytes: &[u8], end: usize) -> usize {
    let next = end.next_multiple_of(ALIGNMENT as usize).min(bytes.len());
    let zeros = bytes
        .get(end..next)
        .is_some_and(|gap| gap.iter().all(|&b| b == 0));
    if zeros { next } else { end }
}

/// How much more text the strings of a binary may give than the binary has bytes. They may share
/// bytes, and this keeps a small file from asking for much memory.
const TEXT_ALLOWANCE: u64 = 16 << 20;

struct Header {
    version: Version,
    size: u64,
    entries_offset: u64,
    entries: u64,
    inflated_size: u64,
}

fn read_header(view: View<'_>) -> Result<Header, Malformed> {
    if view.slice(0, 4, "the magic number")? != MAGIC {
        return Err(Malformed::new(0, "no OffloadBinary begins here"));
    }
    let number = view.u32(4, "the version")?;
    let version = Version::from_number(number)
        .ok_or_else(|| Malformed::new(4, format!("unknown OffloadBinary version {number}")))?;
    let entries = match version {
        Version::V1 => 1,
        Version::V2 | Version::V3 => view.u64(24, "the entry count")?,
    };
    let header = Header {
        version,
        size: view.u64(8, "the size")?,
        entries_offset: view.u64(16, "the offset of the entries")?,
        entries,
        inflated_size: match version {
            Version::V3 => view.u64(32, "the decompressed size")?,
            Version::V1 | Version::V2 => 0,
        },
    };
    if header.size > view.0.len() as u64 || header.size < header.version.header_size() {
        let reason = format!(
            "the binary says {} bytes where {} are left",
            header.size,
            view.0.len()
        );
        return Err(Malformed::new(8, reason));
    }
    Ok(header)
}

/// The version, the size and the images of the binary that `bytes` begins with.
fn read_binary(bytes: &Bytes) -> Result<(Version, usize, Vec<OffloadImage>), Malformed> {
    let header = read_header(View(bytes))?;
    // The header was checked against the length of `bytes`.
    let size = header.size as usize;
    let binary = bytes.slice(..size);
    let images = if header.inflated_size == 0 {
        read_images(&binary, &header)?
    } else {
        let inflated = inflate(&binary, &header)?;
        read_images(&inflated, &header)?
    };
    Ok((header.version, size, images))
}

fn read_images(binary: &Bytes, header: &Header) -> Result<Vec<OffloadImage>, Malformed> {
    let view = View(binary);
    let entries_size = header.entries.checked_mul(ENTRY_SIZE);
    let entries_size = entries_size.filter(|size| *size <= binary.len() as u64);
    let entries_size = entries_size.ok_or_else(|| {
        Malformed::new(
            24,
            format!("{} entries do not fit the binary", header.entries),
        )
    })?;
    view.slice(header.entries_offset, entries_size, "the entries")?;
    let mut taken = Taken::default();
    taken.add(0..header.version.header_size(), 0)?;
    taken.add(
        header.entries_offset..header.entries_offset + entries_size,
        16,
    )?;
    let mut text_left = TEXT_ALLOWANCE + binary.len() as u64;
    (0..header.entries)
        .map(|index| {
            let at = header.entries_offset + index * ENTRY_SIZE;
            read_entry(binary, header.version, at, &mut taken, &mut text_left)
        })
        .collect()
}

fn read_entry(
    binary: &Bytes,
    version: Version,
    at: u64,
    taken: &mut Taken,
    text_left: &mut u64,
) -> Result<OffloadImage, Malformed> {
    let view = View(binary);
    let image_kind = view.u16(at, "the image kind")?;
    let offload_kind = view.u16(at + 2, "the offload kind")?;
    let strings_offset = view.u64(at + 8, "the offset of the strings")?;
    let count = view.u64(at + 16, "the string count")?;
    let image_offset = view.u64(at + 24, "the offset of the image")?;
    let image_size = view.u64(at + 32, "the size of the image")?;
    let mut image = OffloadImage {
        image_kind: ImageKind::from_number(image_kind)
            .ok_or_else(|| Malformed::new(at, format!("unknown image kind {image_kind}")))?,
        offload_kind: OffloadKind::from_number(offload_kind).ok_or_else(|| {
            Malformed::new(at + 2, format!("unknown offload kind {offload_kind}"))
        })?,
        flags: view.u32(at + 4, "the flags")?,
        ..OffloadImage::default()
    };
    let strings_size = count
        .checked_mul(version.string_size())
        .ok_or_else(|| Malformed::new(at + 16, format!("{count} strings do not fit the binary")))?;
    view.slice(strings_offset, strings_size, "the strings")?;
    taken.add(strings_offset..strings_offset + strings_size, at + 8)?;
    let bytes = view.slice(image_offset, image_size, "the image")?;
    taken.add(image_offset..image_offset + image_size, at + 24)?;
    image.image = binary.slice_ref(bytes);
    for index in 0..count {
        let pair = strings_offset + index * version.string_size();
        let (key, value) = read_string(view, version, pair)?;
        let left = text_left.checked_sub((key.len() + value.len()) as u64);
        *text_left =
            left.ok_or_else(|| Malformed::new(pair, "the strings repeat too much text"))?;
        if image
            .strings
            .insert(key.to_owned(), value.into_owned())
            .is_some()
        {
            return Err(Malformed::new(
                pair,
                format!("the key '{key}' stands twice"),
            ));
        }
    }
    Ok(image)
}

fn read_string(
    view: View<'_>,
    version: Version,
    at: u64,
) -> Result<(&str, Cow<'_, str>), Malformed> {
    let key = view.c_str(view.u64(at, "a string key")?, "a string key")?;
    let value = view.u64(at + 8, "a string value")?;
    let value = match version {
        Version::V1 => view.c_str(value, "a string value")?.into(),
        Version::V2 | Version::V3 => {
            let size = view.u64(at + 16, "the size of a string value")?;
            let bytes = view.slice(value, size, "a string value")?;
            let text = || view.utf8(value, size, "a string value");
            match key {
                symbols::KEY => match symbols::names(bytes) {
                    Some(names) => names.into(),
                    None => symbols::lines(text()?),
                },
                _ => text()?.into(),
            }
        }
    };
    Ok((key, value))
}

/// Ranges that parts of the binary take; no two may overlap. String tables are not among them:
/// their strings share bytes.
#[derive(Default)]
struct Taken(std::collections::BTreeMap<u64, u64>);

impl Taken {
    /// Adds a range that a field at `said_at` gives.
    fn add(&mut self, range: Range<u64>, said_at: u64) -> Result<(), Malformed> {
        if range.is_empty() {
            return Ok(());
        }
        // Ranges are disjoint, so the one that begins last before this one's end decides.
        let before = self.0.range(..range.end).next_back();
        if let Some((start, end)) = before.filter(|(_, end)| **end > range.start) {
            let Range { start: a, end: b } = range;
            let reason = format!("the range {a:#x}..{b:#x} overlaps {start:#x}..{end:#x}");
            return Err(Malformed::new(said_at, reason));
        }
        self.0.insert(range.start, range.end);
        Ok(())
    }
}

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// The decompressed binary. Its size is believed only as far as the stream really gives that much.
fn inflate(binary: &Bytes, header: &Header) -> Result<Bytes, Malformed> {
    let fail = |reason: String| Malformed::new(header.entries_offset, reason);
    let body_size = header.inflated_size.checked_sub(header.entries_offset);
    let body_size = body_size
        .filter(|_| header.entries_offset >= HEADER_SIZE_V3)
        .ok_or_else(|| Malformed::new(32, "the decompressed size is smaller than the header"))?;
    if header.inflated_size > inflate_limit(binary.len() as u64) {
        let reason = format!(
            "a decompressed size of {} bytes is refused",
            header.inflated_size
        );
        return Err(Malformed::new(32, reason));
    }
    let start = usize::try_from(header.entries_offset).unwrap_or(usize::MAX);
    let (head, body) = binary
        .split_at_checked(start)
        .ok_or_else(|| Malformed::new(16, "the compressed part begins past the end"))?;
    let mut inflated = head.to_vec();
    // One byte more than promised, to see a stream that gives more.
    let limit = body_size.saturating_add(1);
    let read = if body.starts_with(&ZSTD_MAGIC) {
        zstd::stream::read::Decoder::with_buffer(body)
            .and_then(|decoder| decoder.take(limit).read_to_end(&mut inflated))
    } else {
        flate2::bufread::ZlibDecoder::new(body)
            .take(limit)
            .read_to_end(&mut inflated)
    };
    let size = read.map_err(|e| fail(format!("the compressed part cannot be read: {e}")))?;
    if size as u64 != body_size {
        let more = if size as u64 > body_size {
            "more"
        } else {
            "fewer"
        };
        let reason = format!("the compressed part gives {more} bytes than the {body_size} it says");
        return Err(fail(reason));
    }
    Ok(Bytes::from(inflated))
}

#[cfg(test)]
mod tests {
    use super::super::{Compression, WriteOptions, write, write_to};
    use super::*;
    use proptest::prelude::*;

    fn image(triple: &str, bytes: &'static [u8]) -> OffloadImage {
        let strings = [("triple", triple), ("arch", "pvc")];
        OffloadImage {
            image_kind: ImageKind::SpirV,
            offload_kind: OffloadKind::Sycl,
            flags: 0,
            strings: strings.map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
            image: Bytes::from_static(bytes),
        }
    }

    fn written(images: &[OffloadImage], options: WriteOptions) -> Bytes {
        let mut bytes = Vec::new();
        write_to(&mut bytes, images, options).unwrap();
        Bytes::from(bytes)
    }

    fn options() -> Vec<WriteOptions> {
        let plain = [Version::V1, Version::V2, Version::V3].map(|version| WriteOptions {
            version,
            compression: None,
        });
        let compressed = [Compression::Zlib, Compression::Zstd].map(|compression| WriteOptions {
            version: Version::V3,
            compression: Some(compression),
        });
        [&plain[..], &compressed[..]].concat()
    }

    /// A version 1 binary with the little-endian number at `at` replaced.
    fn patched(at: usize, number: u64) -> Bytes {
        let mut bytes = write(&[image("spir64", b"code")]);
        bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        Bytes::from(bytes)
    }

    #[test]
    fn images_come_back_from_every_version_without_being_copied() {
        let images = [image("spir64", b"one"), image("spir64_gen", b"image two")];
        for options in options() {
            let bytes = written(&images, options);
            assert_eq!(bytes.len() as u64 % ALIGNMENT, 0);
            let found = read(&bytes).unwrap();
            let read: Vec<_> = found.iter().map(|found| found.image.clone()).collect();
            assert_eq!(read, images, "{options:?}");
            if options.compression.is_none() {
                assert!(bytes.as_ptr_range().contains(&read[0].image.as_ptr()));
            }
        }
    }

    #[test]
    fn binaries_back_to_back_say_where_they_begin() {
        let mut bytes = write(&[image("spir64", b"one")]);
        let second = bytes.len() as u64;
        bytes.extend(write(&[image("spir64", b"two")]));
        let found = read(&Bytes::from(bytes)).unwrap();
        assert_eq!(found[1].offset, second);
        assert_eq!(found[1].image.image, "two");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_offset() {
        let whole = write(&[image("spir64", b"code")]);
        let all = whole.len() as u64;
        for (bytes, offset, reason) in [
            (
                Bytes::copy_from_slice(&whole[..20]),
                16,
                "the offset of the entries",
            ),
            (Bytes::copy_from_slice(&whole[..40]), 8, "where 40 are left"),
            (patched(0, 0), 0, "no OffloadBinary"),
            (patched(4, 9), 4, "unknown OffloadBinary version 9"),
            (patched(8, all + 1), 8, "bytes where"),
            (patched(8, u64::MAX), 8, "bytes where"),
            (patched(16, all), all, "past the end"),
            (patched(16, 8), 16, "overlaps"),
            (patched(32, 9), 32, "unknown image kind 9"),
            (patched(32, 0x50000), 34, "unknown offload kind 5"),
            (patched(40, u64::MAX - 8), u64::MAX - 8, "past the end"),
            (patched(40, 40), 40, "overlaps"),
            (patched(48, 1 << 60), 48, "do not fit"),
            (patched(56, 40), 56, "overlaps"),
            (patched(64, all), 8, ""),
            (patched(72, all + 1), all + 1, "begins past the end"),
        ] {
            let error = read(&bytes).unwrap_err();
            assert!(error.reason.contains(reason), "{reason}: {error}");
            if !reason.is_empty() {
                assert_eq!(error.offset, offset, "{reason}: {error}");
            }
        }
    }

    #[test]
    fn an_entry_count_of_2_to_the_60_is_refused() {
        let options = WriteOptions {
            version: Version::V2,
            compression: None,
        };
        let mut bytes = written(&[image("spir64", b"code")], options).to_vec();
        bytes[24..32].copy_from_slice(&(1u64 << 60).to_le_bytes());
        let error = read(&Bytes::from(bytes)).unwrap_err();
        assert_eq!(
            (error.offset, &error.reason[..19]),
            (24, "1152921504606846976")
        );
    }

    #[test]
    fn a_string_without_terminator_is_refused() {
        // The image ends the binary, without padding: a key that begins in it has no end.
        let bytes = write(&[image("spir64", b"eightchr")]);
        let in_image = bytes.len() as u64 - 4;
        let mut bytes = bytes;
        bytes[72..80].copy_from_slice(&in_image.to_le_bytes());
        let error = read(&Bytes::from(bytes)).unwrap_err();
        assert_eq!(error.offset, in_image);
        assert!(error.reason.contains("no terminator"), "{error}");
    }

    #[test]
    fn a_compressed_part_that_lies_is_refused() {
        for compression in [Compression::Zlib, Compression::Zstd] {
            let options = WriteOptions {
                version: Version::V3,
                compression: Some(compression),
            };
            let bytes = written(&[image("spir64", b"code")], options);
            let real = View(&bytes).u64(32, "size").unwrap();
            for (claim, reason) in [
                (real - 1, "more bytes than"),
                (real + 1, "fewer bytes than"),
                (1 << 50, "is refused"),
                (39, "smaller than the header"),
            ] {
                let mut bytes = bytes.to_vec();
                bytes[32..40].copy_from_slice(&claim.to_le_bytes());
                let error = read(&Bytes::from(bytes)).unwrap_err();
                assert!(error.reason.contains(reason), "{error}");
            }
        }
    }

    proptest! {
        #[test]
        fn random_images_come_back(
            blobs in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..100), 1..4),
            text in "[a-z]{0,3}",
            which in 0usize..5,
        ) {
            let images: Vec<_> = blobs.into_iter().map(|blob| OffloadImage {
                image: Bytes::from(blob),
                ..image(&text, b"")
            }).collect();
            let found = read(&written(&images, options()[which])).unwrap();
            let read: Vec<_> = found.into_iter().map(|found| found.image).collect();
            prop_assert_eq!(read, images);
        }

        #[test]
        fn broken_bytes_are_errors_or_images_never_panics(
            at in 0usize..200, value: u8, which in 0usize..5, keep in 0usize..400,
        ) {
            let images = [image("spir64", b"one"), image("spir64_gen", b"image two")];
            let mut bytes = written(&images, options()[which]).to_vec();
            if let Some(byte) = bytes.get_mut(at) { *byte = value; }
            bytes.truncate(keep);
            let _ = read(&Bytes::from(bytes));
        }
    }
}

//! Images that are registered compressed (`ImageFormat::Compressed`): what they hold is said by
//! their first bytes after decompression.

use std::io::{self, Read};

use super::ImageFormat;
use crate::container::{self, Format};

/// The most bytes that an image may have after decompression.
const LIMIT: u64 = 4 << 30;

/// How many bytes say what an image is.
const HEAD: u64 = 64;

/// The first bytes of what a compressed image holds, by which [`format_of`] knows it; `None` when it
/// cannot be read.
#[must_use]
pub fn head_inside(compressed: &[u8]) -> Option<Vec<u8>> {
    read(compressed, HEAD).ok()
}

/// What an image is after decompression, by its first bytes.
#[must_use]
pub fn format_of(image: &[u8]) -> ImageFormat {
    match container::identify(image) {
        Format::SpirV => ImageFormat::SpirV,
        Format::Bitcode => ImageFormat::Bitcode,
        _ => ImageFormat::Native,
    }
}

/// The image as it was before compression.
///
/// # Errors
/// When it is no zstd stream, the stream is broken, or what it holds is larger than any image.
pub fn decompress(compressed: &[u8]) -> io::Result<Vec<u8>> {
    let bytes = read(compressed, LIMIT + 1)?;
    if bytes.len() as u64 > LIMIT {
        return Err(io::Error::other("larger than any image"));
    }
    Ok(bytes)
}

fn read(compressed: &[u8], limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    zstd::stream::read::Decoder::with_buffer(compressed)?
        .take(limit)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_comes_back_and_says_what_it_is() {
        let spirv = [&[3, 2, 0x23, 7][..], &[0; 400]].concat();
        let native = [&b"\x7fELF"[..], &[0; 400]].concat();
        for (image, format) in [(spirv, ImageFormat::SpirV), (native, ImageFormat::Native)] {
            let compressed = zstd::encode_all(&image[..], 10).unwrap();
            let head = head_inside(&compressed);
            assert_eq!(head.as_deref().map(format_of), Some(format));
            assert_eq!(decompress(&compressed).unwrap(), image);
            for end in 0..compressed.len() {
                assert!(decompress(&compressed[..end]).map_or(true, |cut| cut != image));
            }
        }
        assert_eq!(head_inside(b"no stream"), None);
        assert!(decompress(b"no stream").is_err());
    }
}

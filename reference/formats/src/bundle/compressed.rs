//! Compressed bundles: `CCOB`, u16 version, u16 method (0 zlib, 1 Zstandard), the size of the file
//! (versions 2 and 3), the decompressed size, 8 bytes of MD5 over the decompressed bundle, then
//! the stream. Sizes have 4 bytes, in version 3 they have 8. Little-endian.

use std::io::Read as _;

use bytes::Bytes;
use md5::{Digest as _, Md5};

use crate::le::View;
use crate::offload_binary::Compression;
use crate::{Malformed, inflate_limit};

/// What a compressed bundle begins with.
pub const MAGIC: [u8; 4] = *b"CCOB";

const ZLIB: u16 = 0;
const ZSTD: u16 = 1;

struct Header {
    method: u16,
    inflated_size: u64,
    hash: [u8; 8],
    /// Where the stream begins and ends.
    stream: std::ops::Range<u64>,
}

fn read_header(view: View<'_>) -> Result<Header, Malformed> {
    let all = view.0.len() as u64;
    let version = view.u16(4, "the version")?;
    let method = view.u16(6, "the method")?;
    let u32 = |at, what| view.u32(at, what).map(u64::from);
    let (total, inflated_size, hash_at) = match version {
        1 => (all, u32(8, "the decompressed size")?, 12),
        2 => (u32(8, "the size")?, u32(12, "the decompressed size")?, 16),
        3 => (
            view.u64(8, "the size")?,
            view.u64(16, "the decompressed size")?,
            24,
        ),
        other => {
            let reason = format!("unknown compressed bundle version {other}");
            return Err(Malformed::new(4, reason));
        }
    };
    let hash = view.slice(hash_at, 8, "the hash")?;
    let start = hash_at + 8;
    if total > all || total < start {
        let reason = format!("the bundle says {total} bytes where {all} are");
        return Err(Malformed::new(8, reason));
    }
    Ok(Header {
        method,
        inflated_size,
        hash: hash.try_into().unwrap_or_default(),
        stream: start..total,
    })
}

/// The bundle that a compressed one holds.
///
/// # Errors
/// When the version or method is unknown, or the stream is broken, gives another size than the
/// header says, or does not have the hash that the header says.
pub fn decompress(bytes: &Bytes) -> Result<Bytes, Malformed> {
    let view = View(bytes);
    let header = read_header(view)?;
    let size = header.stream.end - header.stream.start;
    let stream = view.slice(header.stream.start, size, "the stream")?;
    if header.inflated_size > inflate_limit(size) {
        let reason = format!(
            "a decompressed size of {} bytes is refused",
            header.inflated_size
        );
        return Err(Malformed::new(8, reason));
    }
    let fail = |reason: String| Malformed::new(header.stream.start, reason);
    // One byte more than promised, to see a stream that gives more.
    let limit = header.inflated_size + 1;
    let mut inflated = Vec::new();
    let read = match header.method {
        ZLIB => flate2::bufread::ZlibDecoder::new(stream)
            .take(limit)
            .read_to_end(&mut inflated),
        ZSTD => zstd::stream::read::Decoder::with_buffer(stream)
            .and_then(|decoder| decoder.take(limit).read_to_end(&mut inflated)),
        other => {
            let reason = format!("unknown compression method {other}");
            return Err(Malformed::new(6, reason));
        }
    };
    let read = read.map_err(|e| fail(format!("the stream cannot be read: {e}")))?;
    if read as u64 != header.inflated_size {
        let reason = format!(
            "the stream does not give the {} bytes it says",
            header.inflated_size
        );
        return Err(fail(reason));
    }
    if header.hash != hash(&inflated) {
        return Err(fail("the stream does not have the hash it says".to_owned()));
    }
    Ok(Bytes::from(inflated))
}

/// Compresses a bundle, as version 2: what LLVM 19 reads. Bundles beyond 4 GiB need version 3.
///
/// # Errors
/// When the compressor fails.
pub fn compress(
    bundle: &[u8],
    method: Compression,
    level: Option<i32>,
) -> std::io::Result<Vec<u8>> {
    let (method, stream) = match method {
        Compression::Zlib => (ZLIB, zlib(bundle, level)?),
        Compression::Zstd => {
            let level = level.unwrap_or(zstd::DEFAULT_COMPRESSION_LEVEL);
            (ZSTD, zstd::bulk::compress(bundle, level)?)
        }
    };
    let sizes = |header: usize| [header + stream.len(), bundle.len()];
    let small: Result<Vec<u32>, _> = sizes(24).into_iter().map(u32::try_from).collect();
    let (version, sizes) = match small {
        Ok(sizes) => (
            2u16,
            sizes
                .iter()
                .flat_map(|s| s.to_le_bytes())
                .collect::<Vec<u8>>(),
        ),
        Err(_) => {
            let wide = sizes(32).into_iter().flat_map(|s| (s as u64).to_le_bytes());
            (3u16, wide.collect())
        }
    };
    let (version, method) = (version.to_le_bytes(), method.to_le_bytes());
    let parts = [
        &MAGIC[..],
        &version,
        &method,
        &sizes,
        &hash(bundle),
        &stream,
    ];
    Ok(parts.concat())
}

fn zlib(bundle: &[u8], level: Option<i32>) -> std::io::Result<Vec<u8>> {
    use std::io::Write as _;
    let level = level.and_then(|level| u32::try_from(level.clamp(0, 9)).ok());
    let level = level.map_or(flate2::Compression::default(), flate2::Compression::new);
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), level);
    encoder.write_all(bundle)?;
    encoder.finish()
}

fn hash(bundle: &[u8]) -> [u8; 8] {
    let digest = Md5::digest(bundle);
    digest.first_chunk::<8>().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundles_come_back_from_both_methods() {
        for method in [Compression::Zlib, Compression::Zstd] {
            let compressed = compress(b"a bundle", method, None).unwrap();
            assert_eq!(decompress(&Bytes::from(compressed)).unwrap(), "a bundle");
        }
    }

    #[test]
    fn lies_are_refused() {
        for (at, byte, reason) in [
            (4, 9, "unknown compressed bundle version 9"),
            (6, 9, "unknown compression method 9"),
            (8, 255, "says 255 bytes where"),
            (12, 7, "does not give the 7 bytes"),
            (12, 9, "does not give the 9 bytes"),
            (15, 255, "is refused"),
            (16, 0, "hash"),
            (24, 0, "cannot be read"),
        ] {
            let mut bytes = compress(b"a bundle", Compression::Zstd, None).unwrap();
            bytes[at] = byte;
            let error = decompress(&Bytes::from(bytes)).unwrap_err();
            assert!(error.reason.contains(reason), "{error}");
        }
    }
}

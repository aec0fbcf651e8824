//! Binary bundles: the magic text, u64 part count, then a part u64 offset, u64 size, u64 length of
//! its target id and that id; then the contents. Little-endian.

use bytes::Bytes;

use super::{MAGIC, Part, TargetId};
use crate::Malformed;
use crate::le::View;

/// Reads a binary bundle.
///
/// # Errors
/// When a part lies outside the file or overlaps the table, or a target id is no id.
pub fn read(bytes: &Bytes) -> Result<Vec<Part>, Malformed> {
    let view = View(bytes);
    let mut at = MAGIC.len() as u64;
    let count = view.u64(at, "the part count")?;
    at += 8;
    let mut heads = Vec::new();
    // Each turn reads bytes further on or fails, so a wrong count cannot keep this going.
    for _ in 0..count {
        let offset = view.u64(at, "the offset of a part")?;
        let size = view.u64(at + 8, "the size of a part")?;
        let length = view.u64(at + 16, "the length of a target id")?;
        let id = view.utf8(at + 24, length, "a target id")?;
        let target = id
            .parse()
            .map_err(|reason: String| Malformed::new(at + 24, reason))?;
        heads.push((at, offset, size, target, id));
        at += 24 + length;
    }
    let table_end = at;
    heads
        .into_iter()
        .map(|(at, offset, size, target, id)| {
            let contents = view.slice(offset, size, "a part")?;
            if size > 0 && offset < table_end {
                return Err(Malformed::new(at, "a part overlaps the table of parts"));
            }
            let bytes = bytes.slice_ref(contents);
            Ok(Part {
                target,
                id: id.to_owned(),
                bytes,
                offset,
            })
        })
        .collect()
}

/// Writes a binary bundle whose parts begin at multiples of `alignment` bytes.
#[must_use]
pub fn write(parts: &[(TargetId, Bytes)], alignment: u64) -> Vec<u8> {
    let ids: Vec<String> = parts.iter().map(|(target, _)| target.to_string()).collect();
    let table: u64 = ids.iter().map(|id| 24 + id.len() as u64).sum();
    let mut end = MAGIC.len() as u64 + 8 + table;
    let mut out = MAGIC.as_bytes().to_vec();
    out.extend_from_slice(&(parts.len() as u64).to_le_bytes());
    let mut offsets = Vec::new();
    for ((_, bytes), id) in parts.iter().zip(&ids) {
        end = end.next_multiple_of(alignment.max(1));
        offsets.push(end);
        for number in [end, bytes.len() as u64, id.len() as u64] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(id.as_bytes());
        end += bytes.len() as u64;
    }
    for ((_, bytes), offset) in parts.iter().zip(offsets) {
        out.resize(offset as usize, 0);
        out.extend_from_slice(bytes);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle() -> Vec<u8> {
        let part = |id: &str, bytes| (id.parse().unwrap(), Bytes::from_static(bytes));
        let host = part("host-x86_64-unknown-linux-gnu", b"host");
        write(&[host, part("sycl-spir64-unknown-unknown", b"device")], 16)
    }

    #[test]
    fn parts_come_back_aligned_and_not_copied() {
        let bytes = Bytes::from(bundle());
        let parts = read(&bytes).unwrap();
        assert_eq!(parts[1].target.kind, "sycl");
        assert_eq!(parts[1].bytes, "device");
        assert_eq!(parts[1].offset % 16, 0);
        assert!(bytes.as_ptr_range().contains(&parts[1].bytes.as_ptr()));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_offset() {
        for (at, number, offset, reason) in [
            (24, 1u64 << 60, 0, "goes past the end"),
            (32, u64::MAX, u64::MAX, "goes past the end"),
            (32, 0, 32, "overlaps the table"),
            (40, 1 << 40, 0, "goes past the end"),
            (48, u64::MAX, 56, "goes past the end"),
        ] {
            let mut bytes = bundle();
            bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
            let error = read(&Bytes::from(bytes)).unwrap_err();
            assert!(error.reason.contains(reason), "{error}");
            assert!(offset == 0 || error.offset == offset, "{error}");
        }
        let cut = Bytes::copy_from_slice(&bundle()[..28]);
        assert!(read(&cut).unwrap_err().reason.contains("part count"));
    }
}

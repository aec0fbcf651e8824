//! Text bundles: each part between two comment lines that name its target.

use std::ops::Range;

use bytes::Bytes;

use super::{MAGIC, Part, TargetId};
use crate::Malformed;

const START: &str = "__START__ ";
const END: &str = "__END__ ";

/// Ways in which the marker lines may begin.
const COMMENTS: [&str; 3] = ["//", "#", ";"];

/// Whether the first line that is not empty opens a part.
#[must_use]
pub fn is_text_bundle(bytes: &[u8]) -> bool {
    let start = bytes.get(..256).unwrap_or(bytes).trim_ascii_start();
    COMMENTS.iter().any(|comment| {
        let rest = start
            .strip_prefix(comment.as_bytes())
            .map(<[u8]>::trim_ascii_start);
        let rest = rest.and_then(|rest| rest.strip_prefix(MAGIC.as_bytes()));
        rest.is_some_and(|rest| rest.starts_with(START.as_bytes()))
    })
}

/// Reads a text bundle.
///
/// # Errors
/// When a part is not closed, is closed by another's name, or its target id is no id.
pub fn read(bytes: &Bytes) -> Result<Vec<Part>, Malformed> {
    let mut parts = Vec::new();
    let mut open: Option<(String, TargetId, usize)> = None;
    for line in lines(bytes) {
        let Some((opens, id)) = marker(bytes.get(line.clone()).unwrap_or_default()) else {
            continue;
        };
        let fail = |reason: String| Malformed::new(line.start as u64, reason);
        match open.take() {
            None if opens => {
                let target = id.parse().map_err(fail)?;
                open = Some((id, target, (line.end + 1).min(bytes.len())));
            }
            Some((name, target, start)) if !opens && name == id => {
                // The newline before the closing marker belongs to the marker.
                let end = line.start.saturating_sub(1).max(start);
                parts.push(Part {
                    target,
                    id,
                    bytes: bytes.slice(start..end),
                    offset: start as u64,
                });
            }
            Some((name, ..)) => return Err(fail(format!("the part '{name}' is not closed here"))),
            None => return Err(fail(format!("the part '{id}' closes but was not opened"))),
        }
    }
    match open {
        Some((name, ..)) => {
            let reason = format!("the part '{name}' is not closed");
            Err(Malformed::new(bytes.len() as u64, reason))
        }
        None => Ok(parts),
    }
}

/// Writes a text bundle whose marker lines begin with `comment`.
#[must_use]
pub fn write(parts: &[(TargetId, Bytes)], comment: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for (target, bytes) in parts {
        out.extend_from_slice(format!("\n{comment} {MAGIC}{START}{target}\n").as_bytes());
        out.extend_from_slice(bytes);
        out.extend_from_slice(format!("\n{comment} {MAGIC}{END}{target}\n").as_bytes());
    }
    out
}

/// The ranges of the lines, without their newlines.
fn lines(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    bytes.split(|&b| b == b'\n').map(move |line| {
        let range = start..start + line.len();
        start = range.end + 1;
        range
    })
}

/// Whether a marker line opens a part, and the id that it names.
fn marker(line: &[u8]) -> Option<(bool, String)> {
    let line = std::str::from_utf8(line).ok()?.trim();
    let rest = COMMENTS
        .iter()
        .find_map(|comment| line.strip_prefix(comment))?;
    let rest = rest.trim_start().strip_prefix(MAGIC)?;
    let opens = rest.strip_prefix(START).map(|id| (true, id));
    let (opens, id) = opens.or_else(|| rest.strip_prefix(END).map(|id| (false, id)))?;
    Some((opens, id.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(id: &str, bytes: &'static [u8]) -> (TargetId, Bytes) {
        (id.parse().unwrap(), Bytes::from_static(bytes))
    }

    #[test]
    fn parts_come_back_byte_for_byte() {
        let parts = [
            part("host-x86_64-unknown-linux-gnu", b"; host\n"),
            part("sycl-spir64-unknown-unknown", b"no newline at the end"),
            part("hip-amdgcn-amd-amdhsa--gfx906", b""),
        ];
        for comment in COMMENTS {
            let bytes = Bytes::from(write(&parts, comment));
            assert!(is_text_bundle(&bytes));
            let read: Vec<_> = read(&bytes).unwrap();
            let read: Vec<_> = read.into_iter().map(|p| (p.target, p.bytes)).collect();
            assert_eq!(read, parts);
        }
    }

    #[test]
    fn parts_that_do_not_close_are_refused() {
        let open = "# __CLANG_OFFLOAD_BUNDLE____START__ sycl-spir64\n";
        let close = "# __CLANG_OFFLOAD_BUNDLE____END__ sycl-spir64\n";
        for (text, reason) in [
            (open.to_owned(), "'sycl-spir64' is not closed"),
            (format!("{open}{open}"), "is not closed here"),
            (format!("{open}{close}{close}"), "was not opened"),
        ] {
            let error = read(&Bytes::from(text)).unwrap_err();
            assert!(error.reason.contains(reason), "{error}");
        }
    }
}

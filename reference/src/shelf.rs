//! Bytes that a link makes many of and needs few of at a time, put away into a file.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::{Arc, Mutex, PoisonError};

use offload_formats::Bytes;
use offload_formats::container::{let_go_of, map_part};

/// How much of the file is mapped at once: a mapping for each piece would soon be more than a system lets a
/// process have.
const SEGMENT: usize = 32 << 20;

/// After how many bytes more all that was looked at is let go of.
const ROUND: usize = 1 << 20;

/// A file that no folder shows, and that goes away with this and the last bytes in it. What is looked at stays in
/// memory until some more was put: whoever works through what is there makes as much of it.
#[derive(Debug, Default)]
pub struct Shelf(Mutex<Boards>);

#[derive(Debug, Default)]
struct Boards {
    segments: Vec<Segment>,
    /// How much came since the last round.
    since: usize,
}

/// A part of the file.
#[derive(Debug)]
struct Segment {
    file: Arc<File>,
    /// Where it begins in the file.
    offset: u64,
    bytes: Bytes,
    used: usize,
}

impl Shelf {
    /// An empty one; the file comes with the first bytes.
    #[must_use]
    pub fn new() -> Self {
        Shelf::default()
    }

    /// Puts bytes away; where the system has no place for them they stay in memory.
    #[must_use]
    pub fn put(&self, bytes: &[u8]) -> Bytes {
        let put = |(file, offset, place): (Arc<File>, u64, Bytes)| {
            file.write_all_at(bytes, offset)?;
            Ok(place)
        };
        let kept: io::Result<Bytes> = self.place(bytes.len()).and_then(put);
        kept.unwrap_or_else(|_| Bytes::copy_from_slice(bytes))
    }

    /// A place for so many bytes: in the file, and where they will be in memory.
    fn place(&self, length: usize) -> io::Result<(Arc<File>, u64, Bytes)> {
        let mut boards = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        boards.since += length;
        if boards.since >= ROUND {
            boards.let_go();
        }
        let segments = &mut boards.segments;
        let has_room = |last: &Segment| length <= last.bytes.len() - last.used;
        if !segments.last().is_some_and(has_room) {
            let next = Segment::after(segments.last(), length)?;
            segments.push(next);
        }
        let last = segments.last_mut().ok_or(io::ErrorKind::Other)?;
        let begin = last.used;
        last.used += length;
        let place = last.bytes.slice(begin..last.used);
        Ok((Arc::clone(&last.file), last.offset + begin as u64, place))
    }
}

impl Boards {
    /// Takes what was looked at out of memory ([`let_go_of`]).
    fn let_go(&mut self) {
        self.since = 0;
        for segment in &self.segments {
            let_go_of(segment.bytes.get(..segment.used).unwrap_or_default());
        }
    }
}

impl Segment {
    /// The next one, with room for so many bytes at least.
    fn after(last: Option<&Segment>, length: usize) -> io::Result<Self> {
        let (file, offset) = match last {
            Some(last) => (
                Arc::clone(&last.file),
                last.offset + last.bytes.len() as u64,
            ),
            None => (Arc::new(tempfile::tempfile()?), 0),
        };
        let size = length.max(SEGMENT);
        // It has nothing in it yet: that a disk is full shows when something is written.
        file.set_len(offset + size as u64)?;
        Ok(Segment {
            bytes: map_part(&file, offset, size)?,
            file,
            offset,
            used: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_the_same_on_a_shelf_whatever_their_size_and_after_it() {
        let shelf = Shelf::new();
        let (large, larger) = (vec![7; SEGMENT - 1], vec![8; SEGMENT + 1]);
        let pieces = [&b"a"[..], b"", &large, b"b", &larger, b"c"];
        let put: Vec<Bytes> = pieces.iter().map(|piece| shelf.put(piece)).collect();
        for (piece, put) in pieces.iter().zip(&put) {
            assert!(put == piece);
        }
        drop((shelf.put(&[9; ROUND]), shelf));
        for (piece, put) in pieces.iter().zip(&put) {
            assert!(put == piece);
        }
    }

    #[test]
    fn threads_put_side_by_side() {
        let shelf = Shelf::new();
        let put = |number: u8| (number, shelf.put(&[number; 5000]));
        std::thread::scope(|scope| {
            let threads = (0..4).map(|thread| {
                scope.spawn(move || (thread * 50..thread * 50 + 50).map(put).collect::<Vec<_>>())
            });
            let threads: Vec<_> = threads.collect();
            for (number, bytes) in threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap())
            {
                assert!(bytes == [number; 5000][..]);
            }
        });
    }
}

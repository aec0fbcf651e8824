//! Static archives, written; [`container::members`](crate::container::members) reads them.

use std::io::{self, Seek, Write};

use ar_archive_writer::{
    ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream,
};
use bytes::Bytes;

/// A GNU archive of named members, with the table of symbols that those of them have which are
/// objects. Times and owners are zero, so that equal members give equal archives.
///
/// # Errors
/// When a member opens like an object file but cannot be read as one.
pub fn write(members: &[(String, Bytes)]) -> io::Result<Vec<u8>> {
    let mut out = io::Cursor::new(Vec::new());
    write_to(&mut out, members)?;
    Ok(out.into_inner())
}

/// Writes such an archive without holding a copy of the members.
///
/// # Errors
/// As [`write()`], and when `out` fails.
pub fn write_to(out: &mut (impl Write + Seek), members: &[(String, Bytes)]) -> io::Result<()> {
    let members: Vec<_> = members
        .iter()
        .map(|(name, bytes)| {
            NewArchiveMember::new(&bytes[..], &DEFAULT_OBJECT_READER, name.clone())
        })
        .collect();
    write_archive_to_stream(out, &members, ArchiveKind::Gnu, false, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container;
    use crate::device_input::Origin;

    #[test]
    fn members_come_back_with_long_names_and_odd_sizes() {
        let long = "a-name-that-does-not-fit-the-header.bc".to_owned();
        let members = [
            (long, Bytes::from_static(b"odd")),
            ("b".to_owned(), Bytes::new()),
        ];
        let archive = Bytes::from(write(&members).unwrap());
        let read = container::members(&archive, &Origin::file("x.a")).unwrap();
        let read: Vec<_> = read.into_iter().map(|m| (m.name, m.bytes)).collect();
        assert_eq!(read, members);
    }
}

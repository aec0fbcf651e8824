//! Archives: GNU, BSD and thin ones, member by member.

use std::path::Path;

use bytes::Bytes;
use object::read::archive::ArchiveFile;

use super::{ContainerError, at, map_regular_file};
use crate::Malformed;
use crate::device_input::Origin;

/// A member of an archive. Symbol tables and name tables are none.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its contents: a slice of the archive, or the mapped file that a thin archive names.
    pub bytes: Bytes,
    /// Where it stands.
    pub origin: Origin,
}

/// The members of the archive that stands at `origin`, in order.
///
/// # Errors
/// When the archive is malformed, or a file that a thin archive names cannot be read.
pub fn members(archive: &Bytes, origin: &Origin) -> Result<Vec<Member>, ContainerError> {
    let malformed = |error: object::Error| {
        let reason = format!("the archive is malformed: {error}");
        at(origin, Malformed::new(broken_header(archive), reason))
    };
    let parsed = ArchiveFile::parse(&**archive).map_err(malformed)?;
    let mut members = Vec::new();
    for member in parsed.members() {
        let member = member.map_err(malformed)?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let origin = origin.in_member(&name);
        let bytes = if member.is_thin() {
            thin_member(&origin, &name)?
        } else {
            let data = member.data(&**archive).map_err(|error| {
                let reason = format!("the member cannot be read: {error}");
                at(&origin, Malformed::new(member.file_range().0, reason))
            })?;
            archive.slice_ref(data)
        };
        members.push(Member {
            name,
            bytes,
            origin,
        });
    }
    Ok(members)
}

/// Where in a malformed archive the first header stands that leads nowhere.
fn broken_header(archive: &[u8]) -> u64 {
    const MAGIC: usize = 8;
    const HEADER: usize = 60;
    let mut header = MAGIC;
    loop {
        let field = archive.get(header + 48..header + HEADER);
        let size = field
            .filter(|field| field.ends_with(b"`\n"))
            .and_then(|field| std::str::from_utf8(&field[..10]).ok())
            .and_then(|text| text.trim_end().parse::<usize>().ok());
        let next = size.and_then(|size| size.checked_add(header + HEADER)?.checked_add(1));
        match next {
            Some(next) if next & !1 <= archive.len() => header = next & !1,
            _ => return header as u64,
        }
    }
}

/// The file that a thin archive names: relative to the folder of the archive.
fn thin_member(origin: &Origin, name: &str) -> Result<Bytes, ContainerError> {
    let folder = origin.file.parent().unwrap_or(Path::new(""));
    let path = folder.join(name);
    map_regular_file(&path).map_err(|error| ContainerError {
        origin: origin.clone(),
        reason: format!(
            "cannot read the member's file '{}': {error}",
            path.display()
        ),
    })
}

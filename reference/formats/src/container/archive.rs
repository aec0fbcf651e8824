//! Archives: GNU, BSD and thin ones, member by member.

use std::path::Path;

use bytes::Bytes;
use object::read::archive::ArchiveFile;

use super::{ContainerError, map_regular_file};
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
    let fail = |reason: String| ContainerError {
        origin: origin.clone(),
        reason,
    };
    let malformed = |error: object::Error| fail(format!("the archive is malformed: {error}"));
    let parsed = ArchiveFile::parse(&**archive).map_err(malformed)?;
    let mut members = Vec::new();
    for member in parsed.members() {
        let member = member.map_err(malformed)?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let origin = origin.in_member(&name);
        let bytes = if member.is_thin() {
            thin_member(&origin, &name)?
        } else {
            let data = member.data(&**archive).map_err(|error| ContainerError {
                origin: origin.clone(),
                reason: format!("the member cannot be read: {error}"),
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

//! Archives: GNU, BSD and thin ones, member by member.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use object::read::archive::{ArchiveFile, ArchiveMember, ArchiveOffset};

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
    let (archive, offsets) = without_offsets(archive);
    let mut members = Vec::new();
    for (number, member) in parse(&archive, origin)?.members().enumerate() {
        let member = member.map_err(|error| malformed(&archive, origin, error))?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let origin = origin.in_member(&name, number);
        members.push(match offsets.get(&number) {
            Some(offset) => in_nested(*offset, &name, &origin)?,
            None if member.is_thin() => Member {
                bytes: file(&folder_of(&origin.file).join(&name), &origin)?,
                name,
                origin,
            },
            None => Member {
                bytes: contents(&archive, &member, &origin)?,
                name,
                origin,
            },
        });
    }
    Ok(members)
}

fn malformed(archive: &Bytes, origin: &Origin, error: object::Error) -> ContainerError {
    let reason = format!("the archive is malformed: {error}");
    at(origin, Malformed::new(broken_header(archive), reason))
}

fn parse<'a>(archive: &'a Bytes, origin: &Origin) -> Result<ArchiveFile<'a>, ContainerError> {
    ArchiveFile::parse(&**archive).map_err(|error| malformed(archive, origin, error))
}

fn contents(
    archive: &Bytes,
    member: &ArchiveMember<'_>,
    origin: &Origin,
) -> Result<Bytes, ContainerError> {
    let data = member.data(&**archive).map_err(|error| {
        let reason = format!("the member cannot be read: {error}");
        at(origin, Malformed::new(member.file_range().0, reason))
    })?;
    Ok(archive.slice_ref(data))
}

/// What starts an archive, and each header in it.
const MAGIC: usize = 8;
const HEADER: usize = 60;

/// The archive without what says of members of a thin one that they lie in another archive: a name's
/// place is `/NAME:OFFSET` then, where the one is the archive's and the other that of the header in
/// it. With the offsets by the numbers of the members.
fn without_offsets(archive: &Bytes) -> (Bytes, HashMap<usize, u64>) {
    let mut offsets = HashMap::new();
    if !archive.starts_with(b"!<thin>\n") {
        return (archive.clone(), offsets);
    }
    let mut changed = archive.to_vec();
    let (mut header, mut number) = (MAGIC, 0);
    while let Some(name) = changed.get_mut(header..header + 16) {
        if [&b"/ "[..], b"// ", b"/SYM64/ "]
            .iter()
            .any(|special| name.starts_with(special))
        {
            match next_header(archive, header) {
                Some(next) => header = next,
                None => break,
            }
            continue;
        }
        let colon = name.iter().position(|byte| *byte == b':');
        if let Some(colon) = colon.filter(|colon| *colon > 1 && name.starts_with(b"/")) {
            let offset = std::str::from_utf8(&name[colon + 1..]).ok();
            if let Some(offset) = offset.and_then(|text| text.trim_end().parse().ok()) {
                offsets.insert(number, offset);
                name[colon..].fill(b' ');
            }
        }
        number += 1;
        header += HEADER;
    }
    (changed.into(), offsets)
}

/// Where the header behind that of a member with its data stands.
fn next_header(archive: &[u8], header: usize) -> Option<usize> {
    let field = archive.get(header + 48..header + HEADER)?;
    let size = field
        .ends_with(b"`\n")
        .then(|| std::str::from_utf8(&field[..10]).ok())?;
    let size: usize = size?.trim_end().parse().ok()?;
    let next = size.checked_add(header + HEADER)?.checked_add(1)? & !1;
    (next <= archive.len()).then_some(next)
}

/// Where in a malformed archive the first header stands that leads nowhere.
fn broken_header(archive: &[u8]) -> u64 {
    let mut header = MAGIC;
    while let Some(next) = next_header(archive, header) {
        header = next;
    }
    header as u64
}

/// The member of an archive that a thin one names, which has its header at `offset`.
fn in_nested(offset: u64, nested: &str, origin: &Origin) -> Result<Member, ContainerError> {
    let path = folder_of(&origin.file).join(nested);
    let archive = file(&path, origin)?;
    let parsed = parse(&archive, origin)?;
    let member = parsed
        .member(ArchiveOffset(offset))
        .map_err(|error| malformed(&archive, origin, error))?;
    let name = String::from_utf8_lossy(member.name()).into_owned();
    let before = |other: &ArchiveMember<'_>| other.file_range().0 < member.file_range().0;
    let number = parsed.members().flatten().take_while(before).count();
    let origin = origin.in_member(&name, number);
    let bytes = match member.is_thin() {
        true => file(&folder_of(&path).join(&name), &origin)?,
        false => contents(&archive, &member, &origin)?,
    };
    Ok(Member {
        name,
        bytes,
        origin,
    })
}

/// The folder from which a thin archive names files.
fn folder_of(archive: &Path) -> PathBuf {
    archive.parent().unwrap_or(Path::new("")).to_owned()
}

/// The file that a thin archive names.
fn file(path: &Path, origin: &Origin) -> Result<Bytes, ContainerError> {
    map_regular_file(path).map_err(|error| ContainerError {
        origin: origin.clone(),
        reason: format!(
            "cannot read the member's file '{}': {error}",
            path.display()
        ),
    })
}

//! `clang-offload-bundler`: the old format of fat files (`MODEL`, "Support of existing fat object
//! format"), written, taken apart and listed.

use std::io;
use std::path::Path;

use offload_formats::bundle::{self, Part, TargetId, binary, compressed, text};
use offload_formats::container::{self, Format, Member, NewSection, identify};
use offload_formats::device_input::Origin;
use offload_formats::offload_binary::Compression;
use offload_formats::{Bytes, archive};

use crate::tool::Failure;

/// The types of files that can be bundled, by the bundler's names for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileType {
    /// Texts whose comments begin so.
    Text(&'static str),
    /// Files of any other form.
    Binary,
    /// Objects: each part becomes a section of the host's object.
    Object,
    /// Archives of such objects.
    Archive,
}

impl FileType {
    /// The type of that name.
    ///
    /// # Errors
    /// When there is none.
    pub fn parse(name: &str) -> Result<Self, String> {
        match name {
            "i" | "ii" | "cui" | "hipi" => Ok(FileType::Text("//")),
            "d" | "s" => Ok(FileType::Text("#")),
            "ll" => Ok(FileType::Text(";")),
            "bc" | "gch" | "ast" => Ok(FileType::Binary),
            "o" => Ok(FileType::Object),
            "a" | "aoo" => Ok(FileType::Archive),
            _ => Err(format!("'{name}' is no type of file that can be bundled")),
        }
    }
}

/// How to compress a bundle: method and level.
pub type Compress = (Compression, Option<i32>);

/// Bundles parts into one file.
///
/// # Errors
/// When the host's object cannot take sections, archives are asked for, or compression fails.
pub fn bundle(
    kind: FileType,
    parts: &[(TargetId, Bytes)],
    alignment: u64,
    compress: Option<Compress>,
) -> Result<Vec<u8>, Failure> {
    let bundled = match kind {
        FileType::Text(comment) => text::write(parts, comment),
        FileType::Binary => binary::write(parts, alignment),
        FileType::Object => match host_object(parts) {
            Some(host) => return bundle_object(host, parts),
            None => binary::write(parts, alignment),
        },
        FileType::Archive => {
            return Err(Failure::usage(
                "archives are bundled member by member, as type 'o'",
            ));
        }
    };
    match compress {
        Some((method, level)) => {
            compressed::compress(&bundled, method, level).map_err(Failure::job)
        }
        None => Ok(bundled),
    }
}

/// The host's part, when it is an object that sections can be put into.
fn host_object(parts: &[(TargetId, Bytes)]) -> Option<&Bytes> {
    let (_, host) = parts.iter().find(|(target, _)| target.is_host())?;
    matches!(identify(host), Format::Elf | Format::Coff).then_some(host)
}

/// The host's object with a section a part. The host's own section only marks the object.
fn bundle_object(host: &Bytes, parts: &[(TargetId, Bytes)]) -> Result<Vec<u8>, Failure> {
    let names: Vec<String> = parts
        .iter()
        .map(|(target, _)| bundle::section_name(target))
        .collect();
    let sections = parts
        .iter()
        .zip(&names)
        .map(|((target, bytes), name)| NewSection {
            name,
            data: if target.is_host() { b"\0" } else { bytes },
            is_offloading: false,
        });
    let sections: Vec<_> = sections.collect();
    container::append_sections(host, &sections)
        .map_err(|error| Failure::Job(format!("cannot bundle into the host object: {error}")))
}

/// A file to take apart.
pub struct Input<'a> {
    /// Its path, for messages.
    pub path: &'a Path,
    /// Its contents.
    pub bytes: Bytes,
    /// Its type.
    pub kind: FileType,
    /// Whether parts of the kinds `hip` and `openmp` serve each other's targets.
    pub hip_is_openmp: bool,
}

impl Input<'_> {
    fn failure(&self, reason: impl std::fmt::Display) -> Failure {
        Failure::Job(format!("{}: {reason}", self.path.display()))
    }

    /// The parts of the file, not those of an archive's members.
    fn parts(&self) -> Result<Vec<Part>, Failure> {
        match identify(&self.bytes) {
            Format::Bundle => bundle::read(&self.bytes),
            Format::Elf | Format::Coff | Format::Pe => bundle::object_parts(&self.bytes),
            _ => Ok(Vec::new()),
        }
        .map_err(|error| self.failure(error))
    }

    /// The parts of an archive's members, each with its member.
    fn member_parts(&self) -> Result<Vec<(Member, Vec<Part>)>, Failure> {
        let origin = Origin::file(self.path);
        let members = container::members(&self.bytes, &origin).map_err(Failure::job)?;
        let mut all = Vec::new();
        for member in members {
            let inner = Input {
                path: Path::new(&member.name),
                bytes: member.bytes.clone(),
                kind: FileType::Object,
                hip_is_openmp: self.hip_is_openmp,
            };
            let parts = inner.parts().map_err(|e| match e {
                Failure::Job(reason) => self.failure(reason),
                other => other,
            })?;
            all.push((member, parts));
        }
        Ok(all)
    }

    /// The target ids in the file, as it spells them and in its order, each once.
    ///
    /// # Errors
    /// When the file is malformed.
    pub fn list(&self) -> Result<Vec<String>, Failure> {
        let mut ids: Vec<String> = match self.kind {
            FileType::Archive => self
                .member_parts()?
                .into_iter()
                .flat_map(|(_, parts)| parts)
                .map(|part| part.id)
                .collect(),
            _ => self.parts()?.into_iter().map(|part| part.id).collect(),
        };
        let mut seen = std::collections::HashSet::new();
        ids.retain(|id| seen.insert(id.clone()));
        Ok(ids)
    }

    /// Refuses an archive with a member of which two parts are for conflicting targets.
    ///
    /// # Errors
    /// When there is such a member, or the file is malformed.
    pub fn check_archive(&self) -> Result<(), Failure> {
        for (member, parts) in self.member_parts()? {
            let targets = || parts.iter().map(|part| &part.target);
            for (index, one) in targets().enumerate() {
                let mut others = targets().skip(index + 1);
                if let Some(other) = others.find(|other| one.conflicts(other)) {
                    let member = member.name;
                    let reason =
                        format!("member '{member}' has the conflicting targets {one} and {other}");
                    return Err(self.failure(reason));
                }
            }
        }
        Ok(())
    }

    /// What each of the targets gets: its part, or the archive of its parts. A file that is no
    /// bundle is wholly the host's.
    ///
    /// # Errors
    /// When the file is malformed, or has no part for a target and `allow_missing` does not hold.
    pub fn unbundle(
        &self,
        targets: &[TargetId],
        allow_missing: bool,
    ) -> Result<Vec<Bytes>, Failure> {
        if self.kind == FileType::Archive {
            return self.unbundle_archive(targets, allow_missing);
        }
        let parts = self.parts()?;
        targets
            .iter()
            .map(|target| {
                let exact = parts.iter().find(|part| part.target == *target);
                let part = exact.or_else(|| parts.iter().find(|part| self.serves(part, target)));
                match part {
                    Some(part) if self.is_host_mark(part) => self.host_object(),
                    Some(part) => Ok(part.bytes.clone()),
                    None if parts.is_empty() && target.is_host() => Ok(self.bytes.clone()),
                    None if allow_missing => Ok(Bytes::new()),
                    None => Err(self.failure(format!("there is no part for '{target}'"))),
                }
            })
            .collect()
    }

    fn serves(&self, part: &Part, wanted: &TargetId) -> bool {
        let is_either = |kind: &str| matches!(kind, "hip" | "hipv4" | "openmp");
        let mut of_kind = part.target.clone();
        if self.hip_is_openmp && is_either(&of_kind.kind) && is_either(&wanted.kind) {
            of_kind.kind.clone_from(&wanted.kind);
        }
        of_kind.serves(wanted)
    }

    /// Whether a part only marks an object as the host's.
    fn is_host_mark(&self, part: &Part) -> bool {
        part.target.is_host() && identify(&self.bytes) != Format::Bundle
    }

    /// The object without its bundled sections.
    fn host_object(&self) -> Result<Bytes, Failure> {
        container::without_sections(&self.bytes, bundle::MAGIC)
            .map(Bytes::from)
            .map_err(|error| self.failure(error))
    }

    fn unbundle_archive(
        &self,
        targets: &[TargetId],
        allow_missing: bool,
    ) -> Result<Vec<Bytes>, Failure> {
        let all = self.member_parts()?;
        targets
            .iter()
            .map(|target| {
                let parts = all
                    .iter()
                    .flat_map(|(member, parts)| parts.iter().map(move |part| (member, part)))
                    .filter(|(_, part)| self.serves(part, target));
                let members: Vec<_> = parts
                    .map(|(member, part)| (member_name(member, part), part.bytes.clone()))
                    .collect();
                if members.is_empty() && !allow_missing {
                    return Err(self.failure(format!("no member has a part for '{target}'")));
                }
                let written: io::Result<Vec<u8>> = archive::write(&members);
                written
                    .map(Bytes::from)
                    .map_err(|error| self.failure(error))
            })
            .collect()
    }
}

/// `<member's stem>-<target>.<extension>`
fn member_name(member: &Member, part: &Part) -> String {
    let path = Path::new(&member.name);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = match identify(&part.bytes) {
        Format::Bitcode => "bc",
        _ => "o",
    };
    let id = part.id.replace([':', '/'], "_");
    format!("{stem}-{id}.{extension}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(id: &str) -> TargetId {
        id.parse().unwrap()
    }

    fn parts() -> Vec<(TargetId, Bytes)> {
        vec![
            (
                target("host-x86_64-unknown-linux-gnu"),
                Bytes::from_static(b"host\n"),
            ),
            (
                target("sycl-spir64-unknown-unknown"),
                Bytes::from_static(b"device\n"),
            ),
            (
                target("hip-amdgcn-amd-amdhsa--gfx906"),
                Bytes::from_static(b"gpu\n"),
            ),
        ]
    }

    fn input(bytes: Vec<u8>, kind: FileType) -> Input<'static> {
        Input {
            path: Path::new("in"),
            bytes: Bytes::from(bytes),
            kind,
            hip_is_openmp: false,
        }
    }

    #[test]
    fn parts_come_back_from_texts_binaries_and_compressed_bundles() {
        let compress = Some((Compression::Zstd, None));
        for kind in [FileType::Text("#"), FileType::Binary, FileType::Object] {
            for compress in [None, compress] {
                let bundled = bundle(kind, &parts(), 4096, compress).unwrap();
                let (targets, contents): (Vec<_>, Vec<_>) = parts().into_iter().unzip();
                let back = input(bundled, kind).unbundle(&targets, false).unwrap();
                assert_eq!(back, contents);
            }
        }
    }

    #[test]
    fn a_missing_part_is_an_error_or_an_empty_file() {
        let input = input(
            bundle(FileType::Binary, &parts(), 1, None).unwrap(),
            FileType::Binary,
        );
        let wanted = [target("openmp-amdgcn-amd-amdhsa--gfx906")];
        let Err(Failure::Job(reason)) = input.unbundle(&wanted, false) else {
            panic!("no failure")
        };
        assert_eq!(
            reason,
            "in: there is no part for 'openmp-amdgcn-amd-amdhsa--gfx906'"
        );
        assert_eq!(input.unbundle(&wanted, true).unwrap(), [Bytes::new()]);
        let compatible = Input {
            hip_is_openmp: true,
            ..input
        };
        assert_eq!(compatible.unbundle(&wanted, false).unwrap(), ["gpu\n"]);
    }

    #[test]
    fn a_file_that_is_no_bundle_is_the_host_s() {
        let input = input(b"plain".to_vec(), FileType::Binary);
        let host = target("host-x86_64-unknown-linux-gnu");
        assert_eq!(input.unbundle(&[host], false).unwrap(), ["plain"]);
        assert!(input.list().unwrap().is_empty());
    }

    #[test]
    fn ids_are_listed_once_as_they_are_spelled() {
        let bundled = bundle(FileType::Text("#"), &parts(), 1, None).unwrap();
        let ids = input(bundled, FileType::Text("#")).list().unwrap();
        assert_eq!(ids[1], "sycl-spir64-unknown-unknown--");
        assert_eq!(ids.len(), 3);
    }
}

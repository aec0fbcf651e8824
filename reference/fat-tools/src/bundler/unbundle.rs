//! Bundles taken apart and listed.

use std::collections::HashSet;
use std::path::Path;

use offload_formats::bundle::{self, Part, TargetId};
use offload_formats::container::{self, Format, identify};
use offload_formats::device_input::Origin;
use offload_formats::{Bytes, archive};

use super::{FileType, OfArchive};
use crate::tool::Failure;

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
    /// Bundles with a part for one of these are left out.
    pub excluded: &'a [TargetId],
}

/// What a target gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// A file.
    File(Bytes),
    /// Files with this extension, and a list of them.
    List(&'static str, Vec<Bytes>),
}

/// A file or a member of an archive, with its parts.
struct Bundle {
    /// The file's name or the member's.
    name: String,
    bytes: Bytes,
    parts: Vec<Part>,
}

impl Bundle {
    fn read(name: String, bytes: Bytes) -> Result<Self, offload_formats::Malformed> {
        let parts = match identify(&bytes) {
            Format::Bundle => bundle::read(&bytes),
            Format::Elf | Format::Coff | Format::Pe => bundle::object_parts(&bytes),
            _ => Ok(Vec::new()),
        }?;
        Ok(Bundle { name, bytes, parts })
    }

    /// What a part holds: for the host's mark in an object the object as it was before it was bundled.
    fn contents(&self, part: &Part) -> Result<Bytes, offload_formats::Malformed> {
        if !part.target.is_host() || identify(&self.bytes) == Format::Bundle {
            return Ok(part.bytes.clone());
        }
        container::without_sections(&self.bytes, &bundle::is_bundled).map(Bytes::from)
    }

    /// Whether all of it is the host's, as nothing is bundled in it.
    fn is_host_code(&self) -> bool {
        let format = identify(&self.bytes);
        self.parts.is_empty() && matches!(format, Format::Elf | Format::Coff | Format::Bitcode)
    }

    /// The member's name for a part in the archive of one target, as upstream's bundler has it.
    fn member_name(&self, id: &str) -> String {
        let path = Path::new(&self.name);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let extension = match id.rsplit('-').next() {
            Some(arch) if arch.contains("gfx") => "bc",
            Some(arch) if arch.contains("sm_") => "cubin",
            _ => &extension,
        };
        let dot = if extension.is_empty() { "" } else { "." };
        format!("{stem}-{id}{stem}{dot}{extension}").replace([':', '/'], "_")
    }
}

impl Input<'_> {
    fn failure(&self, reason: impl std::fmt::Display) -> Failure {
        Failure::Job(format!("{}: {reason}", self.path.display()))
    }

    /// The file itself, or the members of an archive.
    fn bundles(&self) -> Result<Vec<Bundle>, Failure> {
        if !matches!(self.kind, FileType::Archive(_)) {
            let name = self.path.to_string_lossy().into_owned();
            let whole = Bundle::read(name, self.bytes.clone());
            return Ok(vec![whole.map_err(|error| self.failure(error))?]);
        }
        let members = container::members(&self.bytes, &Origin::file(self.path));
        let members = members.map_err(Failure::job)?.into_iter();
        members
            .map(|member| {
                Bundle::read(member.name, member.bytes)
                    .map_err(|error| Failure::job(container::at(&member.origin, error)))
            })
            .collect()
    }

    /// The target ids in the file, as it spells them and in its order, each once.
    ///
    /// # Errors
    /// When the file is malformed.
    pub fn list(&self) -> Result<Vec<String>, Failure> {
        let parts = self.bundles()?.into_iter().flat_map(|one| one.parts);
        let mut seen = HashSet::new();
        let ids = parts.map(|part| part.id);
        Ok(ids.filter(|id| seen.insert(id.clone())).collect())
    }

    /// Refuses an archive with a member of which two parts are for conflicting targets.
    ///
    /// # Errors
    /// When there is such a member, or the file is malformed.
    pub fn check_archive(&self) -> Result<(), Failure> {
        for Bundle { name, parts, .. } in self.bundles()? {
            let targets = || parts.iter().map(|part| &part.target);
            for (index, one) in targets().enumerate() {
                let mut others = targets().skip(index + 1);
                if let Some(other) = others.find(|other| one.conflicts(other)) {
                    let reason =
                        format!("member '{name}' has the conflicting targets {one} and {other}");
                    return Err(self.failure(reason));
                }
            }
        }
        Ok(())
    }

    /// Asks for a part for a target.
    ///
    /// # Errors
    /// When there is none, or the file is malformed.
    pub fn check_part(&self, target: &TargetId) -> Result<(), Failure> {
        match self
            .bundles()?
            .iter()
            .any(|one| self.part(one, target).is_some())
        {
            true => Ok(()),
            false => Err(self.no_part(&[target])),
        }
    }

    /// What each of the targets gets. A file that is no bundle is wholly the host's.
    ///
    /// # Errors
    /// When the file is malformed, or has no part for a target and `allow_missing` does not hold; when
    /// an archive has several parts where one is asked for.
    pub fn unbundle(
        &self,
        targets: &[TargetId],
        allow_missing: bool,
    ) -> Result<Vec<Taken>, Failure> {
        let bundles = self.bundles()?;
        let is_excluded = |one: &&Bundle| {
            self.excluded
                .iter()
                .any(|target| self.part(one, target).is_some())
        };
        let bundles: Vec<&Bundle> = bundles.iter().filter(|one| !is_excluded(one)).collect();
        let taken: Vec<_> = targets
            .iter()
            .map(|target| self.of_target(&bundles, target))
            .collect::<Result<_, _>>()?;
        let missing = targets
            .iter()
            .zip(&taken)
            .filter(|(_, parts)| parts.is_empty());
        let missing: Vec<&TargetId> = missing.map(|(target, _)| target).collect();
        if !missing.is_empty() && !allow_missing {
            return Err(self.no_part(&missing));
        }
        let taken = targets.iter().zip(taken);
        taken
            .map(|(target, parts)| self.taken(target, parts))
            .collect()
    }

    fn no_part(&self, targets: &[&TargetId]) -> Failure {
        let targets: Vec<_> = targets.iter().map(|target| format!("'{target}'")).collect();
        self.failure(format!("there is no part for {}", targets.join(", ")))
    }

    /// The parts for a target with the names that members of an archive of them have.
    fn of_target(
        &self,
        bundles: &[&Bundle],
        target: &TargetId,
    ) -> Result<Vec<(String, Bytes)>, Failure> {
        let mut found = Vec::new();
        for one in bundles {
            let parts: Vec<&Part> = match self.kind {
                // An archive's member may have code for several that serve, and all of it counts.
                FileType::Archive(_) => {
                    let parts = one.parts.iter();
                    parts.filter(|part| self.serves(part, target)).collect()
                }
                _ => self.part(one, target).into_iter().collect(),
            };
            let is_archive = matches!(self.kind, FileType::Archive(_));
            let is_whole = one.parts.is_empty() && (!is_archive || one.is_host_code());
            if target.is_host() && is_whole {
                found.push((one.name.clone(), one.bytes.clone()));
            }
            for part in parts {
                let contents = one.contents(part);
                let contents = contents.map_err(|error| match is_archive {
                    true => self.failure(format!("member '{}': {error}", one.name)),
                    false => self.failure(error),
                })?;
                found.push((one.member_name(&part.id), contents));
            }
        }
        Ok(found)
    }

    /// What is made of a target's parts.
    fn taken(&self, target: &TargetId, parts: Vec<(String, Bytes)>) -> Result<Taken, Failure> {
        let mut contents = parts.iter().map(|(_, bytes)| bytes.clone());
        match self.kind {
            FileType::Archive(OfArchive::Archive) => {
                let written = archive::write(&parts).map_err(|error| self.failure(error))?;
                Ok(Taken::File(Bytes::from(written)))
            }
            FileType::Archive(OfArchive::List(extension)) => {
                Ok(Taken::List(extension, contents.collect()))
            }
            FileType::Archive(OfArchive::Only) if parts.len() > 1 => {
                let count = parts.len();
                Err(self.failure(format!(
                    "there are {count} parts for '{target}', where type 'ao' asks for one: type \
                     'aoo' takes them all"
                )))
            }
            _ => Ok(Taken::File(contents.next().unwrap_or_default())),
        }
    }

    /// The part of a bundle for a target: its own, or the first that serves it.
    fn part<'a>(&self, one: &'a Bundle, target: &TargetId) -> Option<&'a Part> {
        let exact = one.parts.iter().find(|part| part.target == *target);
        exact.or_else(|| one.parts.iter().find(|part| self.serves(part, target)))
    }

    fn serves(&self, part: &Part, wanted: &TargetId) -> bool {
        let is_either = |kind: &str| matches!(kind, "hip" | "hipv4" | "openmp");
        let mut of_kind = part.target.clone();
        if self.hip_is_openmp && is_either(&of_kind.kind) && is_either(&wanted.kind) {
            of_kind.kind.clone_from(&wanted.kind);
        }
        of_kind.serves(wanted)
    }
}

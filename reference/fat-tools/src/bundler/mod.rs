//! `clang-offload-bundler`: the old format of fat files (`MODEL`, "Support of existing fat object
//! format"), written, taken apart and listed.

mod symbols;
mod unbundle;

use offload_formats::Bytes;
use offload_formats::bundle::{self, TargetId, binary, compressed, text};
use offload_formats::container::{self, Format, NewSection, SectionUse, identify};
use offload_formats::offload_binary::Compression;

pub use unbundle::{Input, Taken};

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
    /// Archives of such objects, and what is made of the parts of one target.
    Archive(OfArchive),
}

/// What is made of the parts that an archive's members have for one target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfArchive {
    /// An archive of them.
    Archive,
    /// The one part that there is.
    Only,
    /// A file each, with this extension, and a list of these files.
    List(&'static str),
}

impl FileType {
    /// The type of that name. `ao`, `aoo`, `aocr` and `aocx` are DPC++'s.
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
            "a" => Ok(FileType::Archive(OfArchive::Archive)),
            "ao" => Ok(FileType::Archive(OfArchive::Only)),
            "aoo" => Ok(FileType::Archive(OfArchive::List("o"))),
            "aocr" => Ok(FileType::Archive(OfArchive::List("aocr"))),
            "aocx" => Ok(FileType::Archive(OfArchive::List("aocx"))),
            _ => Err(format!("'{name}' is no type of file that can be bundled")),
        }
    }
}

/// How to compress a bundle: method and level.
pub type Compress = (Compression, Option<i32>);

/// How a bundle is written.
#[derive(Debug, Clone, Copy)]
pub struct BundleOptions {
    /// The parts of binary bundles begin at multiples of this many bytes.
    pub alignment: u64,
    /// How to compress it; objects are never compressed.
    pub compress: Option<Compress>,
    /// Whether an object lists what SYCL's parts define.
    pub symbols: bool,
}

/// Bundles parts into one file.
///
/// # Errors
/// When the host's object cannot take sections, archives are asked for, or compression fails.
pub fn bundle(
    kind: FileType,
    parts: &[(TargetId, Bytes)],
    options: BundleOptions,
) -> Result<Vec<u8>, Failure> {
    let bundled = match kind {
        FileType::Text(comment) => text::write(parts, comment),
        FileType::Binary => binary::write(parts, options.alignment),
        FileType::Object => match host_object(parts) {
            Some(host) => {
                let definitions: Option<Definitions<'_>> =
                    options.symbols.then_some(&crate::bitcode::definitions);
                return into_object(host, parts, definitions);
            }
            None => binary::write(parts, options.alignment),
        },
        FileType::Archive(_) => {
            return Err(Failure::usage(
                "archives are bundled member by member, as type 'o'",
            ));
        }
    };
    match options.compress {
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

/// Says the names that bitcode defines for others.
pub type Definitions<'a> = &'a dyn Fn(&[u8]) -> Result<Vec<String>, String>;

/// The host's object with a section a part. The host's own section only marks the object. With
/// `definitions`, which says what bitcode defines, a section more lists what the parts of kind `sycl`
/// define: DPC++'s driver reads it, also out of the linked program.
///
/// # Errors
/// When the object cannot take sections, or bitcode cannot be read.
pub fn into_object(
    host: &Bytes,
    parts: &[(TargetId, Bytes)],
    definitions: Option<Definitions<'_>>,
) -> Result<Vec<u8>, Failure> {
    let listed = match definitions {
        Some(definitions) => symbols::list(parts, definitions)?,
        None => Vec::new(),
    };
    let named: Vec<String> = parts
        .iter()
        .map(|(target, _)| bundle::section_name(target))
        .collect();
    let mut sections: Vec<_> = parts
        .iter()
        .zip(&named)
        .map(|((target, bytes), name)| NewSection {
            name,
            data: if target.is_host() { b"\0" } else { bytes },
            used_as: SectionUse::LinkInput,
        })
        .collect();
    if !listed.is_empty() {
        sections.push(NewSection {
            name: bundle::SYMBOLS_SECTION,
            data: &listed,
            used_as: SectionUse::Kept,
        });
    }
    container::append_sections(host, &sections)
        .map_err(|error| Failure::Job(format!("cannot bundle into the host object: {error}")))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

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
            excluded: &[],
        }
    }

    fn plain(alignment: u64, compress: Option<Compress>) -> BundleOptions {
        BundleOptions {
            alignment,
            compress,
            symbols: false,
        }
    }

    fn file(bytes: &'static [u8]) -> Taken {
        Taken::File(Bytes::from_static(bytes))
    }

    #[test]
    fn parts_come_back_from_texts_binaries_and_compressed_bundles() {
        let compress = Some((Compression::Zstd, None));
        for kind in [FileType::Text("#"), FileType::Binary, FileType::Object] {
            for compress in [None, compress] {
                let bundled = bundle(kind, &parts(), plain(4096, compress)).unwrap();
                let (targets, contents): (Vec<_>, Vec<_>) = parts().into_iter().unzip();
                let back = input(bundled, kind).unbundle(&targets, false).unwrap();
                let contents: Vec<_> = contents.into_iter().map(Taken::File).collect();
                assert_eq!(back, contents);
            }
        }
    }

    #[test]
    fn a_missing_part_is_an_error_or_an_empty_file() {
        let input = input(
            bundle(FileType::Binary, &parts(), plain(1, None)).unwrap(),
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
        assert_eq!(input.unbundle(&wanted, true).unwrap(), [file(b"")]);
        let compatible = Input {
            hip_is_openmp: true,
            ..input
        };
        assert_eq!(
            compatible.unbundle(&wanted, false).unwrap(),
            [file(b"gpu\n")]
        );
    }

    #[test]
    fn a_file_that_is_no_bundle_is_the_host_s() {
        let input = input(b"plain".to_vec(), FileType::Binary);
        let host = target("host-x86_64-unknown-linux-gnu");
        assert_eq!(input.unbundle(&[host], false).unwrap(), [file(b"plain")]);
        assert!(input.list().unwrap().is_empty());
    }

    #[test]
    fn ids_are_listed_once_as_they_are_spelled() {
        let bundled = bundle(FileType::Text("#"), &parts(), plain(1, None)).unwrap();
        let ids = input(bundled, FileType::Text("#")).list().unwrap();
        assert_eq!(ids[1], "sycl-spir64-unknown-unknown--");
        assert_eq!(ids.len(), 3);
    }
}

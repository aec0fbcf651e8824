//! Files that hold device images: what they are, what is in them, and putting images into objects
//! (`MODEL`, "Device Extraction").
//!
//! [`Extractor::file`] reads any of them. [`embed`] makes a fat object of a host object and an
//! OffloadBinary.

mod archive;
mod coff;
mod elf;
mod extract;
mod sections;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;
use memmap2::{Mmap, MmapOptions, UncheckedAdvice};

pub use archive::{Member, members};
pub use extract::{ContainerError, Extractor, ignore_bitcode};
pub use sections::{Section, sections};

use crate::Malformed;
use crate::bundle;
use crate::device_input::Origin;
use crate::offload_binary;

/// The section of an object that holds OffloadBinaries.
pub const OFFLOADING_SECTION: &str = ".llvm.offloading";
/// The type that this section has in ELF files.
pub const SHT_LLVM_OFFLOADING: u32 = 0x6FFF_4C0B;

/// What a file is, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// An ELF object, executable or shared object.
    Elf,
    /// A COFF object, big ones included.
    Coff,
    /// A PE executable or library.
    Pe,
    /// An archive, thin ones included.
    Archive,
    /// LLVM bitcode.
    Bitcode,
    /// One OffloadBinary or several.
    OffloadBinary,
    /// A bundle of the old format in a file of its own: binary, text or compressed.
    Bundle,
    /// SPIR-V.
    SpirV,
    /// PTX.
    Ptx,
    /// None of these.
    Other,
}

/// Says what a file is. Its first bytes decide; PTX and textual bundles are known by their first
/// lines.
#[must_use]
pub fn identify(bytes: &[u8]) -> Format {
    use object::FileKind;
    match bytes {
        [b'B', b'C', 0xC0, 0xDE, ..] | [0xDE, 0xC0, 0x17, 0x0B, ..] => return Format::Bitcode,
        [3, 2, 0x23, 7, ..] | [7, 0x23, 2, 3, ..] => return Format::SpirV,
        _ if bytes.starts_with(&offload_binary::MAGIC) => return Format::OffloadBinary,
        _ if bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n") => {
            return Format::Archive;
        }
        _ if bundle::is_bundle(bytes) => return Format::Bundle,
        _ => {}
    }
    match FileKind::parse(bytes) {
        Ok(FileKind::Elf32 | FileKind::Elf64) => Format::Elf,
        Ok(FileKind::Coff | FileKind::CoffBig) => Format::Coff,
        Ok(FileKind::Pe32 | FileKind::Pe64) => Format::Pe,
        // One that is cut too short to say more.
        _ if bytes.starts_with(b"\x7FELF") => Format::Elf,
        _ if is_ptx(bytes) => Format::Ptx,
        _ => Format::Other,
    }
}

/// Whether the first line that says anything is PTX's `.version`.
fn is_ptx(bytes: &[u8]) -> bool {
    let start = bytes.get(..4096).unwrap_or(bytes);
    let mut lines = start.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"//"));
    first.is_some_and(|line| line.starts_with(b".version"))
}

/// The contents of a file, mapped into memory. What is no regular file is read: a user may well
/// name a pipe.
///
/// # Errors
/// When the file cannot be opened, mapped or read.
pub fn map_file(path: &Path) -> io::Result<Bytes> {
    let mut file = File::open(path)?;
    if file.metadata()?.is_file() {
        return map_open_file(&file);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Bytes::from(bytes))
}

/// The contents of a regular file that another file names: one that never ends is refused.
fn map_regular_file(path: &Path) -> io::Result<Bytes> {
    // Asked before opening, as opening a pipe waits for its writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "no regular file",
        ));
    }
    map_open_file(&File::open(path)?)
}

/// The contents of an open regular file, mapped into memory.
///
/// # Errors
/// When it cannot be mapped.
pub fn map_open_file(file: &File) -> io::Result<Bytes> {
    mapped(file, &MmapOptions::new())
}

/// A part of an open regular file, mapped into memory; what of it lies behind the file's end is not to be
/// looked at before it is there.
///
/// # Errors
/// When it cannot be mapped.
pub fn map_part(file: &File, offset: u64, length: usize) -> io::Result<Bytes> {
    mapped(file, MmapOptions::new().offset(offset).len(length))
}

fn mapped(file: &File, part: &MmapOptions) -> io::Result<Bytes> {
    // SAFETY: the mapping is only read. Another process that cuts the file short while it is mapped
    // ends this one with a signal, as with every linker that maps its inputs.
    let map = Arc::new(unsafe { part.map(file) }?);
    let start = map.as_ptr().addr();
    let mut all = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
    all.insert(start, Arc::downgrade(&map));
    Ok(Bytes::from_owner(Mapped(map)))
}

/// What is mapped now, by where it starts.
static MAPPED: Mutex<BTreeMap<usize, Weak<Mmap>>> = Mutex::new(BTreeMap::new());

/// How many bytes the system brings at once where one is read.
const GROUP: usize = 1 << 16;

/// A mapping that is known of as long as it is there.
struct Mapped(Arc<Mmap>);

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        let mut all = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(&self.0.as_ptr().addr());
    }
}

/// Takes bytes of a mapped file out of the process's memory: whoever reads them again has the system bring
/// them again. Nothing happens to bytes that come from no file. What is read once, or seldom, need not count for
/// as long as it may be read.
pub fn let_go_of(bytes: &[u8]) {
    let start = bytes.as_ptr().addr();
    let all = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
    let map = all.range(..=start).next_back();
    let Some((begin, map)) = map.and_then(|(begin, map)| Some((begin, map.upgrade()?))) else {
        return;
    };
    let (end, end_of_map) = (start + bytes.len(), begin + map.len());
    if bytes.is_empty() || end > end_of_map {
        return;
    }
    // The system brings pages in groups, with neighbours of what is read.
    let offset = (start & !(GROUP - 1)).saturating_sub(*begin);
    let length = end.next_multiple_of(GROUP).min(end_of_map) - begin - offset;
    // That it fails changes nothing but what the memory comes to.
    // SAFETY: a file's pages, which nothing here writes to, come back as they were.
    let _ = unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, offset, length) };
}

/// Puts an OffloadBinary into a host object, whichever compiler made that: a section
/// [`OFFLOADING_SECTION`] that the final link leaves out. Nothing else of the object changes.
///
/// # Errors
/// When `object` is neither an ELF relocatable object nor a COFF object, or is malformed.
pub fn embed(object: &Bytes, binary: &Bytes) -> Result<Vec<u8>, Malformed> {
    let section = NewSection {
        name: OFFLOADING_SECTION,
        data: binary,
        used_as: SectionUse::OffloadBinaries,
    };
    append_sections(object, &[section])
}

/// A section to put into an object.
pub struct NewSection<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its contents.
    pub data: &'a [u8],
    /// What it is for.
    pub used_as: SectionUse,
}

/// What a section is for that is put into an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionUse {
    /// It holds OffloadBinaries and has their sections' type. The final link leaves it out.
    OffloadBinaries,
    /// It is an input of links. The final link leaves it out.
    LinkInput,
    /// Links keep it.
    Kept,
}

/// Puts sections into a relocatable object.
///
/// # Errors
/// When `object` is neither an ELF relocatable object nor a COFF object, or is malformed.
pub fn append_sections(object: &[u8], new: &[NewSection<'_>]) -> Result<Vec<u8>, Malformed> {
    match identify(object) {
        Format::Elf => elf::append(object, new),
        Format::Coff => coff::append(object, new),
        _ => Err(Malformed::new(
            0,
            "images can be embedded only into ELF and COFF relocatable objects",
        )),
    }
}

/// The object without the sections whose names `leaves` says. What [`append_sections`] made of an object
/// comes back as it was, byte for byte.
///
/// # Errors
/// When `object` is neither an ELF nor a COFF relocatable object, or is malformed; when such a section
/// of a COFF object is not among the last; or when names of sections that stay lie in one that goes.
pub fn without_sections(
    object: &[u8],
    leaves: &dyn Fn(&str) -> bool,
) -> Result<Vec<u8>, Malformed> {
    let left = match identify(object) {
        Format::Elf => elf::without(object, leaves)?,
        Format::Coff => coff::without(object, leaves)?,
        _ => {
            let reason = "sections can be taken only from ELF and COFF objects";
            return Err(Malformed::new(0, reason));
        }
    };
    // In a broken file names may lie in what goes, and be others afterwards.
    let stays = |left: &[u8]| {
        let left = sections(left).unwrap_or_default();
        left.iter().any(|section| leaves(&section.name))
    };
    if left != object && stays(&left) {
        let reason = "names of sections that stay lie in one that is taken out";
        return Err(Malformed::new(0, reason));
    }
    Ok(left)
}

/// The error of a place in a file; a place at the very start is said too.
#[must_use]
pub fn at(origin: &Origin, error: Malformed) -> ContainerError {
    let reason = match error.offset {
        0 => error.to_string(),
        _ => error.reason,
    };
    ContainerError {
        origin: origin.at(error.offset),
        reason,
    }
}

#[cfg(test)]
pub(crate) mod tests;

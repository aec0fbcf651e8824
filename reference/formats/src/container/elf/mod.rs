//! Appending sections to an ELF relocatable object, and taking them out.
//!
//! When sections are appended, everything that the object holds stays where it is, byte for byte. Behind it come the new
//! contents, a longer copy of the section names, and a new section table; only the fields of the
//! file header that lead to these change. So an object comes back as it was; one that another tool
//! put sections into, or a partial link has moved them in, is [laid out again](without) without them.

mod without;

use std::ops::Range;

use object::read::elf::{FileHeader, SectionHeader as _};
use object::{Endian as _, Endianness, elf};

use super::{NewSection, SHT_LLVM_OFFLOADING, Section, SectionUse};
use crate::Malformed;

/// Puts `new` sections behind those of `object`.
///
/// # Errors
/// When `object` is no relocatable object, or its section table is malformed.
pub(super) fn append(object: &[u8], new: &[NewSection<'_>]) -> Result<Vec<u8>, Malformed> {
    let old = if object.get(4) == Some(&elf::ELFCLASS32.0) {
        read::<elf::FileHeader32<Endianness>>(object, CLASS_32)
    } else {
        read::<elf::FileHeader64<Endianness>>(object, CLASS_64)
    }?;
    Ok(old.append(new))
}

/// The object without the sections whose names `leaves` says.
///
/// # Errors
/// When the object is no relocatable object, or malformed.
pub(super) fn without(object: &[u8], leaves: &dyn Fn(&str) -> bool) -> Result<Vec<u8>, Malformed> {
    if object.get(4) == Some(&elf::ELFCLASS32.0) {
        take_out::<elf::FileHeader32<Endianness>>(object, CLASS_32, leaves)
    } else {
        take_out::<elf::FileHeader64<Endianness>>(object, CLASS_64, leaves)
    }
}

fn take_out<Elf: FileHeader<Endian = Endianness>>(
    object: &[u8],
    class: Class,
    leaves: &dyn Fn(&str) -> bool,
) -> Result<Vec<u8>, Malformed> {
    let appended = super::sections(object)?
        .into_iter()
        .skip_while(|section| !leaves(&section.name))
        .collect::<Vec<_>>();
    if appended.is_empty() {
        return Ok(object.to_vec());
    }
    let old = read::<Elf>(object, class)?;
    let only_those = appended.iter().all(|section| leaves(&section.name));
    match only_those.then(|| old.before(&appended)).flatten() {
        Some(before) => Ok(before),
        None => without::laid_out::<Elf>(&old, leaves),
    }
}

/// Where the fields stand that change; `wide` fields have the size of an address.
#[derive(Clone, Copy)]
struct Class {
    address_size: usize,
    /// Of `e_shoff` (wide) and `e_shnum` (2 bytes) in the file header.
    shoff: usize,
    shnum: usize,
    /// The size of a section header, and in it `sh_offset` and `sh_size` (wide). It begins with
    /// `sh_name` and `sh_type`, 4 bytes each.
    header_size: usize,
    offset: usize,
    size: usize,
    /// The size of a symbol, which begins with `st_name` (4 bytes).
    symbol_size: usize,
}

const CLASS_32: Class = Class {
    address_size: 4,
    shoff: 0x20,
    shnum: 0x30,
    header_size: 40,
    offset: 0x10,
    size: 0x14,
    symbol_size: 16,
};

const CLASS_64: Class = Class {
    address_size: 8,
    shoff: 0x28,
    shnum: 0x3C,
    header_size: 64,
    offset: 0x18,
    size: 0x20,
    symbol_size: 24,
};

/// What is known of the object after it was checked.
struct Old<'a> {
    object: &'a [u8],
    class: Class,
    endian: Endianness,
    /// The section headers.
    table: Vec<u8>,
    /// Which of them is the table of section names, and its contents.
    names_index: usize,
    names: Vec<u8>,
}

fn read<Elf: FileHeader<Endian = Endianness>>(
    object: &[u8],
    class: Class,
) -> Result<Old<'_>, Malformed> {
    let malformed = |error: object::Error| Malformed::new(0, error.to_string());
    let header = Elf::parse(object).map_err(malformed)?;
    let endian = header.endian().map_err(malformed)?;
    if header.e_type(endian) != elf::ET_REL {
        let reason = "images can be embedded only into relocatable objects";
        return Err(Malformed::new(16, reason));
    }
    let sections = header.section_headers(endian, object).map_err(malformed)?;
    let names_index = header.shstrndx(endian, object).map_err(malformed)? as usize;
    let names = sections
        .get(names_index)
        .filter(|_| names_index != 0)
        .ok_or_else(|| Malformed::new(0, "the object has no section names"))?;
    let names = names.data(endian, object).map_err(malformed)?.to_vec();
    Ok(Old {
        object,
        class,
        endian,
        table: object::bytes_of_slice(sections).to_vec(),
        names_index,
        names,
    })
}

impl Old<'_> {
    /// What the object was before `appended`, its last sections, were appended to it: the object from
    /// which appending them makes this one. None when there is no such object.
    fn before(&self, appended: &[Section<'_>]) -> Option<Vec<u8>> {
        let new: Vec<NewSection<'_>> = appended
            .iter()
            .map(|section| NewSection {
                name: &section.name,
                data: self.object.get(section.range.clone()).unwrap_or_default(),
                used_as: match section {
                    Section {
                        is_offloading: true,
                        ..
                    } => SectionUse::OffloadBinaries,
                    Section {
                        is_excluded: true, ..
                    } => SectionUse::LinkInput,
                    _ => SectionUse::Kept,
                },
            })
            .collect();
        let size = self.class.header_size;
        let count = (self.table.len() / size).checked_sub(new.len())?;
        let end = appended.first()?.range.start;
        // Before the first of them stands what aligns it, and before that the former table.
        let tables = (0..8).filter_map(|gap| {
            let end = end.checked_sub(gap)?;
            Some(end.checked_sub(count * size)?..end)
        });
        let mut tables = tables.filter(|table| self.is_former_table(table));
        tables.find_map(|table| {
            let mut before = self.object.get(..table.end)?.to_vec();
            put(&mut before, self.class.shoff, &self.wide(table.start));
            let count = if count >= usize::from(elf::SHN_LORESERVE) {
                0
            } else {
                count as u16
            };
            put(&mut before, self.class.shnum, &self.endian.write_u16(count));
            let again = append(&before, &new).ok()?;
            (again == self.object).then_some(before)
        })
    }

    /// Whether the headers of the sections that stay stand there too. Appending changes the first one at
    /// times, and that of the section names.
    fn is_former_table(&self, place: &Range<usize>) -> bool {
        let size = self.class.header_size;
        let former = self.object.get(place.clone()).unwrap_or_default();
        let headers = former.chunks_exact(size).zip(self.table.chunks_exact(size));
        let stays = |index: usize| index != 0 && index != self.names_index;
        former.len() >= size
            && headers
                .enumerate()
                .all(|(index, (one, other))| !stays(index) || one == other)
    }

    fn append(mut self, new: &[NewSection<'_>]) -> Vec<u8> {
        let mut out = self.object.to_vec();
        for section in new {
            pad_to(&mut out, 8);
            let name = self.names.len() as u32;
            self.names.extend_from_slice(section.name.as_bytes());
            self.names.push(0);
            let header = self.header(section, name, out.len());
            self.table.extend_from_slice(&header);
            out.extend_from_slice(section.data);
        }
        let header = self.names_index * self.class.header_size;
        let (offset, size) = (out.len(), self.names.len());
        self.set_wide(header + self.class.offset, offset);
        self.set_wide(header + self.class.size, size);
        out.extend_from_slice(&self.names);
        pad_to(&mut out, 8);
        let table = std::mem::take(&mut self.table);
        self.finish(out, table)
    }

    /// Puts a section table behind the contents, and says where it stands.
    fn finish(&self, mut out: Vec<u8>, mut table: Vec<u8>) -> Vec<u8> {
        let count = table.len() / self.class.header_size;
        let is_small = count < usize::from(elf::SHN_LORESERVE);
        // A large count stands in the first, otherwise empty section header.
        let small_count = if is_small { count as u16 } else { 0 };
        let large_count = self.wide(if is_small { 0 } else { count });
        put(&mut table, self.class.size, &large_count);
        let table_offset = self.wide(out.len());
        put(&mut out, self.class.shoff, &table_offset);
        let small_count = self.endian.write_u16(small_count);
        put(&mut out, self.class.shnum, &small_count);
        out.extend_from_slice(&table);
        out
    }

    /// The name that a section header or a symbol begins with, in the table of section names.
    fn string(&self, named: &[u8]) -> Result<&[u8], Malformed> {
        let offset: Option<[u8; 4]> = named.get(..4).and_then(|bytes| bytes.try_into().ok());
        let offset = self.endian.read_u32(offset.unwrap_or_default()) as usize;
        let rest = self.names.get(offset..);
        let name = rest.and_then(|rest| rest.split(|byte| *byte == 0).next());
        name.ok_or_else(|| Malformed::new(0, "a name goes past the end of the names"))
    }

    fn header(&self, section: &NewSection<'_>, name: u32, offset: usize) -> Vec<u8> {
        let (kind, flags, alignment) = match section.used_as {
            SectionUse::OffloadBinaries => (SHT_LLVM_OFFLOADING, elf::SHF_EXCLUDE.0, 8),
            SectionUse::LinkInput => (elf::SHT_PROGBITS.0, elf::SHF_EXCLUDE.0, 1),
            SectionUse::Kept => (elf::SHT_PROGBITS.0, 0, 1),
        };
        let word = |value: u32| self.endian.write_u32(value).to_vec();
        [
            word(name),
            word(kind),
            self.wide(flags as usize),
            self.wide(0),
            self.wide(offset),
            self.wide(section.data.len()),
            word(0),
            word(0),
            self.wide(alignment),
            self.wide(0),
        ]
        .concat()
    }

    /// A number of the size of an address.
    fn wide(&self, value: usize) -> Vec<u8> {
        if self.class.address_size == 4 {
            self.endian.write_u32(value as u32).to_vec()
        } else {
            self.endian.write_u64(value as u64).to_vec()
        }
    }

    fn set_wide(&mut self, at: usize, value: usize) {
        let bytes = self.wide(value);
        put(&mut self.table, at, &bytes);
    }
}

fn put(out: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = out.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

fn pad_to(out: &mut Vec<u8>, alignment: usize) {
    out.resize(out.len().next_multiple_of(alignment), 0);
}

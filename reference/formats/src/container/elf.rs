//! Appending sections to an ELF relocatable object, and taking them out.
//!
//! When sections are appended, everything that the object holds stays where it is, byte for byte. Behind it come the new
//! contents, a longer copy of the section names, and a new section table; only the fields of the
//! file header that lead to these change.

use object::read::elf::{FileHeader, SectionHeader as _};
use object::{Endian as _, Endianness, elf};

use super::{NewSection, SHT_LLVM_OFFLOADING};
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

/// The object without the sections whose names begin with `prefix`: their headers become empty, so
/// that no other section changes its number.
///
/// # Errors
/// When the object is malformed.
pub(super) fn without(object: &[u8], prefix: &str) -> Result<Vec<u8>, Malformed> {
    if object.get(4) == Some(&elf::ELFCLASS32.0) {
        empty_headers::<elf::FileHeader32<Endianness>>(object, CLASS_32, prefix)
    } else {
        empty_headers::<elf::FileHeader64<Endianness>>(object, CLASS_64, prefix)
    }
}

fn empty_headers<Elf: FileHeader<Endian = Endianness>>(
    object: &[u8],
    class: Class,
    prefix: &str,
) -> Result<Vec<u8>, Malformed> {
    let malformed = |error: object::Error| Malformed::new(0, error.to_string());
    let header = Elf::parse(object).map_err(malformed)?;
    let endian = header.endian().map_err(malformed)?;
    let sections = header.sections(endian, object).map_err(malformed)?;
    let table_offset: u64 = header.e_shoff(endian).into();
    let mut out = object.to_vec();
    for (index, section) in sections.enumerate() {
        let name = sections.section_name(endian, section).map_err(malformed)?;
        if name.starts_with(prefix.as_bytes()) {
            let at = table_offset as usize + index.0 * class.header_size;
            put(&mut out, at, &vec![0; class.header_size]);
        }
    }
    Ok(out)
}

/// Where the fields stand that change; `wide` fields have the size of an address.
#[derive(Clone, Copy)]
struct Class {
    address_size: usize,
    /// Of `e_shoff` (wide) and `e_shnum` (2 bytes) in the file header.
    shoff: usize,
    shnum: usize,
    /// The size of a section header, and in it `sh_offset` and `sh_size` (wide).
    header_size: usize,
    offset: usize,
    size: usize,
}

const CLASS_32: Class = Class {
    address_size: 4,
    shoff: 0x20,
    shnum: 0x30,
    header_size: 40,
    offset: 0x10,
    size: 0x14,
};

const CLASS_64: Class = Class {
    address_size: 8,
    shoff: 0x28,
    shnum: 0x3C,
    header_size: 64,
    offset: 0x18,
    size: 0x20,
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
        let count = self.table.len() / self.class.header_size;
        let mut small_count = count as u16;
        if count >= usize::from(elf::SHN_LORESERVE) {
            // The count then stands in the first, otherwise empty section header.
            small_count = 0;
            self.set_wide(self.class.size, count);
        }
        let table_offset = self.wide(out.len());
        put(&mut out, self.class.shoff, &table_offset);
        put(
            &mut out,
            self.class.shnum,
            &self.endian.write_u16(small_count),
        );
        out.extend_from_slice(&self.table);
        out
    }

    fn header(&self, section: &NewSection<'_>, name: u32, offset: usize) -> Vec<u8> {
        let kind = if section.is_offloading {
            SHT_LLVM_OFFLOADING
        } else {
            elf::SHT_PROGBITS.0
        };
        let alignment = if section.is_offloading { 8 } else { 1 };
        let word = |value: u32| self.endian.write_u32(value).to_vec();
        [
            word(name),
            word(kind),
            self.wide(elf::SHF_EXCLUDE.0 as usize),
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

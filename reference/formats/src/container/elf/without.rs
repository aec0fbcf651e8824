//! Laying out an object again without some of its sections.
//!
//! Sections keep their order and their numbers. Those that go and stand behind all others go with their
//! headers; of any other, and of those that a symbol or a section refers to, an empty section stays. So
//! no symbol, relocation or group has to change.

use std::borrow::Cow;
use std::collections::HashSet;

use object::Endian as _;
use object::read::elf::{FileHeader, SectionHeader as _, SectionTable};
use object::write::{StringId, StringTable};
use object::{Endianness, elf};

use super::{Old, pad_to, put};
use crate::Malformed;

/// No object asks for more; what does would only cost memory.
const LARGEST_ALIGNMENT: u64 = 1 << 24;

/// The object without the sections whose names `leaves` says.
///
/// # Errors
/// When the object is malformed.
pub(super) fn laid_out<Elf: FileHeader<Endian = Endianness>>(
    old: &Old<'_>,
    leaves: &dyn Fn(&str) -> bool,
) -> Result<Vec<u8>, Malformed> {
    let malformed = |error: object::Error| Malformed::new(0, error.to_string());
    let (object, endian) = (old.object, old.endian);
    let header = Elf::parse(object).map_err(malformed)?;
    let sections = header.sections(endian, object).map_err(malformed)?;
    let mut stays = Vec::new();
    for section in sections.iter() {
        let name = sections.section_name(endian, section).map_err(malformed)?;
        stays.push(!leaves(&String::from_utf8_lossy(name)));
    }
    let mut known = referred::<Elf>(old, &sections).map_err(malformed)?;
    known.insert(old.names_index);
    if let Some(names) = stays.get_mut(old.names_index) {
        *names = true;
    }
    let needed = |index: &usize| stays[*index] || known.contains(index);
    let count = (0..stays.len())
        .rev()
        .find(needed)
        .map_or(0, |last| last + 1);
    let stays = &stays[..count];

    let mut contents: Vec<Cow<'_, [u8]>> = Vec::new();
    for (index, (section, stays)) in sections.iter().zip(stays).enumerate() {
        // The first section is none.
        let data = match *stays && index != 0 {
            true => section.data(endian, object).map_err(malformed)?,
            false => &[],
        };
        contents.push(Cow::Borrowed(data));
    }
    let size = old.class.header_size;
    let mut table = old.table.get(..count * size).unwrap_or_default().to_vec();
    let headers = table.chunks_exact_mut(size).zip(stays);
    for (header, _) in headers.filter(|(_, stays)| !**stays) {
        // A name for none: the first string is empty.
        put(header, 0, &[0; 4]);
        put(header, old.class.size, &old.wide(0));
    }
    rename::<Elf>(old, &sections, &mut table, &mut contents)?;
    write(old, &sections, table, &contents)
}

/// The sections that symbols of others or sections refer to.
fn referred<Elf: FileHeader<Endian = Endianness>>(
    old: &Old<'_>,
    sections: &SectionTable<'_, Elf>,
) -> object::Result<HashSet<usize>> {
    let mut known = HashSet::new();
    for section in sections.iter() {
        known.insert(section.sh_link(old.endian) as usize);
        let flags: u64 = section.sh_flags(old.endian).0;
        let is_info = [elf::SHT_REL, elf::SHT_RELA].contains(&section.sh_type(old.endian))
            || flags & elf::SHF_INFO_LINK.0 != 0;
        if is_info {
            known.insert(section.sh_info(old.endian) as usize);
        }
    }
    let symbols = sections.symbols(old.endian, old.object, elf::SHT_SYMTAB)?;
    for (index, symbol) in symbols.enumerate() {
        let section = symbols.symbol_section(old.endian, symbol, index)?;
        known.extend(section.map(|section| section.0));
    }
    Ok(known)
}

/// Gives sections and symbols whose names stand in the table of section names a table of just these.
/// Where others may have strings there, it stays as it is.
fn rename<Elf: FileHeader<Endian = Endianness>>(
    old: &Old<'_>,
    sections: &SectionTable<'_, Elf>,
    table: &mut [u8],
    contents: &mut [Cow<'_, [u8]>],
) -> Result<(), Malformed> {
    let endian = old.endian;
    let users = sections
        .enumerate()
        .filter(|(_, section)| usize::try_from(section.sh_link(endian)) == Ok(old.names_index));
    let users: Vec<_> = users
        .map(|(index, section)| (index.0, section.sh_type(endian)))
        .collect();
    let is_symbols =
        |(index, kind): &(usize, _)| *kind == elf::SHT_SYMTAB && *index < contents.len();
    if !users.iter().all(is_symbols) {
        return Ok(());
    }
    let mut places: Vec<(Place, &[u8])> = Vec::new();
    let size = old.class.header_size;
    for (index, header) in table.chunks_exact(size).enumerate() {
        places.push((Place::Section(index), old.string(header)?));
    }
    for (index, _) in &users {
        let symbols = contents[*index].clone();
        for (number, symbol) in symbols.chunks_exact(old.class.symbol_size).enumerate() {
            places.push((Place::Symbol(*index, number), old.string(symbol)?));
        }
    }
    let mut strings = StringTable::new();
    let mut named: Vec<(Place, StringId)> = Vec::new();
    for (place, name) in places.into_iter().filter(|(_, name)| !name.is_empty()) {
        named.push((place, strings.add(name)));
    }
    let mut names = vec![0];
    let written = strings.write(&mut names, 1);
    written.map_err(|error| Malformed::new(0, error.to_string()))?;
    for (place, name) in named {
        let offset = endian.write_u32(strings.get_offset(name));
        match place {
            Place::Section(index) => put(table, index * size, &offset),
            Place::Symbol(index, number) => {
                put(
                    contents[index].to_mut(),
                    number * old.class.symbol_size,
                    &offset,
                );
            }
        }
    }
    put(
        table,
        old.names_index * size + old.class.size,
        &old.wide(names.len()),
    );
    if let Some(contents) = contents.get_mut(old.names_index) {
        *contents = Cow::Owned(names);
    }
    Ok(())
}

/// What has a name: a section, or a symbol of a section of these.
#[derive(Clone, Copy)]
enum Place {
    Section(usize),
    Symbol(usize, usize),
}

/// Writes the contents in the order that they had, and the table behind them.
fn write<Elf: FileHeader<Endian = Endianness>>(
    old: &Old<'_>,
    sections: &SectionTable<'_, Elf>,
    mut table: Vec<u8>,
    contents: &[Cow<'_, [u8]>],
) -> Result<Vec<u8>, Malformed> {
    let endian = old.endian;
    let offset = |section: &Elf::SectionHeader| -> u64 { section.sh_offset(endian).into() };
    let mut order: Vec<_> = sections.iter().zip(contents).enumerate().skip(1).collect();
    order.sort_by_key(|(_, (section, _))| offset(section));
    let start = std::mem::size_of::<Elf>();
    let mut out = old.object.get(..start).unwrap_or_default().to_vec();
    for (index, (section, data)) in order {
        let alignment: u64 = section.sh_addralign(endian).into();
        let alignment = usize::try_from(alignment.max(1)).unwrap_or(usize::MAX);
        let room = alignment <= LARGEST_ALIGNMENT as usize
            && out.len() + alignment <= 2 * (old.object.len() + LARGEST_ALIGNMENT as usize);
        if !room {
            let reason = format!("a section asks for an alignment of {alignment} bytes");
            return Err(Malformed::new(0, reason));
        }
        pad_to(&mut out, alignment);
        let at = index * old.class.header_size + old.class.offset;
        put(&mut table, at, &old.wide(out.len()));
        out.extend_from_slice(data);
    }
    pad_to(&mut out, old.class.address_size);
    Ok(old.finish(out, table))
}

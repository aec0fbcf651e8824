//! Appending sections to a COFF object, ordinary or big, and leaving them out again.
//!
//! The section table stands right behind the file header, so it grows in place and what follows
//! moves; offsets into the file grow by as much. Symbols and their strings, which must hold the
//! long section names, are written again at the end.

use object::pe;

use super::{NewSection, Section, SectionUse};
use crate::Malformed;
use crate::le::View;

const SECTION_HEADER_SIZE: usize = 40;
/// Where a section header holds the file offsets of data, relocations and line numbers.
const OFFSET_FIELDS: [usize; 3] = [20, 24, 28];
const RELOCATION_SIZE: usize = 10;
const LINE_NUMBER_SIZE: usize = 6;
/// Section names are at most this long when they stand in the section header itself.
const SHORT_NAME: usize = 8;

/// Where the fields of the file header stand.
#[derive(Clone, Copy)]
struct Class {
    header_size: u64,
    /// The section count and its size in bytes.
    count: usize,
    count_size: usize,
    /// The offset of the symbols; their number stands behind it.
    symbols: usize,
    symbol_size: u64,
}

const ORDINARY: Class = Class {
    header_size: 20,
    count: 2,
    count_size: 2,
    symbols: 8,
    symbol_size: 18,
};

const BIG: Class = Class {
    header_size: 56,
    count: 44,
    count_size: 4,
    symbols: 48,
    symbol_size: 20,
};

/// The parts of an object.
struct Old<'a> {
    class: Class,
    count: usize,
    /// Everything before the section table.
    head: &'a [u8],
    table: &'a [u8],
    /// Everything behind the section table, without the symbols when these end the file.
    rest: &'a [u8],
    symbols: &'a [u8],
    /// The strings, without their leading size.
    strings: &'a [u8],
}

/// Puts `new` sections behind those of `object`.
///
/// # Errors
/// When the object's tables go past its end, or it would have too many sections or bytes.
pub(super) fn append(object: &[u8], new: &[NewSection<'_>]) -> Result<Vec<u8>, Malformed> {
    let big = object.starts_with(&[0, 0, 0xFF, 0xFF]);
    read(object, if big { BIG } else { ORDINARY })?.append(new)
}

/// The object without the sections whose names `leaves` says: bundlers put them behind all others and
/// nothing refers to them. What [`append`] made comes back as it was.
///
/// # Errors
/// When the object's tables go past its end, or such a section stands before another.
pub(super) fn without(object: &[u8], leaves: &dyn Fn(&str) -> bool) -> Result<Vec<u8>, Malformed> {
    let sections = super::sections(object)?;
    let kept = sections.iter().take_while(|section| !leaves(&section.name));
    let kept = kept.count();
    let appended = sections.get(kept..).unwrap_or_default();
    if appended.iter().any(|section| !leaves(&section.name)) {
        let reason = "a section to take out stands before one that stays";
        return Err(Malformed::new(0, reason));
    }
    let big = object.starts_with(&[0, 0, 0xFF, 0xFF]);
    read(object, if big { BIG } else { ORDINARY })?.without(appended)
}

fn read(object: &[u8], class: Class) -> Result<Old<'_>, Malformed> {
    let view = View(object);
    let (count, optional_header) = if class.count_size == 2 {
        let count = view.u16(class.count as u64, "the section count")?;
        let optional = view.u16(16, "the size of the optional header")?;
        (u32::from(count), u64::from(optional))
    } else {
        (view.u32(class.count as u64, "the section count")?, 0)
    };
    let head = view.slice(0, class.header_size + optional_header, "the file header")?;
    let table_size = u64::from(count) * SECTION_HEADER_SIZE as u64;
    let table = view.slice(head.len() as u64, table_size, "the section table")?;
    let tables_end = head.len() as u64 + table_size;
    let left = object.len() as u64 - tables_end;
    let symbols_at = u64::from(view.u32(class.symbols as u64, "the offset of the symbols")?);
    let (mut symbols, mut strings, mut rest_size) = (&object[..0], &object[..0], left);
    if symbols_at != 0 {
        let number = view.u32(class.symbols as u64 + 4, "the symbol count")?;
        let size = u64::from(number) * class.symbol_size;
        symbols = view.slice(symbols_at, size, "the symbols")?;
        let strings_at = symbols_at + size;
        let strings_size = u64::from(view.u32(strings_at, "the size of the strings")?).max(4);
        strings = view.slice(strings_at + 4, strings_size - 4, "the strings")?;
        let at_the_end = strings_at + strings_size == object.len() as u64;
        if at_the_end && symbols_at >= tables_end {
            rest_size = symbols_at - tables_end;
        }
    }
    Ok(Old {
        class,
        count: count as usize,
        head,
        table,
        rest: view.slice(tables_end, rest_size, "the contents")?,
        symbols,
        strings,
    })
}

impl Old<'_> {
    fn append(self, new: &[NewSection<'_>]) -> Result<Vec<u8>, Malformed> {
        let shift = new.len() * SECTION_HEADER_SIZE;
        let tables_end = self.head.len() + self.table.len() + shift;
        let mut contents = self.rest.to_vec();
        let mut table = moved_table(self.table, |offset| offset.checked_add(shift))?;
        let mut strings = self.strings.to_vec();
        for section in new {
            let aligned = (tables_end + contents.len()).next_multiple_of(8);
            contents.resize(aligned - tables_end, 0);
            table.extend(header(section, &mut strings, aligned)?);
            contents.extend_from_slice(section.data);
        }
        let mut out = self.new_head(self.count + new.len(), tables_end + contents.len())?;
        out.extend_from_slice(&table);
        out.extend_from_slice(&contents);
        out.extend_from_slice(self.symbols);
        out.extend_from_slice(&to_u32(strings.len() + 4)?.to_le_bytes());
        out.extend_from_slice(&strings);
        Ok(out)
    }

    /// The object without its last sections.
    fn without(self, last: &[Section<'_>]) -> Result<Vec<u8>, Malformed> {
        let shift = last.len() * SECTION_HEADER_SIZE;
        let tables_end = self.head.len() + self.table.len();
        let (table, taken) = self.table.split_at(self.table.len().saturating_sub(shift));
        let rest = match self.end_of_contents(table, last)? {
            Some(end) => self.rest.get(..end - tables_end).unwrap_or(self.rest),
            None => self.rest,
        };
        let strings = self.strings_without(taken, last);
        let mut out = self.new_head(self.count - last.len(), tables_end - shift + rest.len())?;
        out.extend_from_slice(&moved_table(table, |offset| offset.checked_sub(shift))?);
        out.extend_from_slice(rest);
        out.extend_from_slice(self.symbols);
        out.extend_from_slice(&to_u32(strings.len() + 4)?.to_le_bytes());
        out.extend_from_slice(strings);
        Ok(out)
    }

    /// Where the contents of the sections in `table` end, when those of the `last` ones begin behind
    /// them; zeros that align the latter are none of the former.
    fn end_of_contents(
        &self,
        table: &[u8],
        last: &[Section<'_>],
    ) -> Result<Option<usize>, Malformed> {
        let tables_end = self.head.len() + self.table.len();
        let begin = last.iter().map(|section| section.range.start).min();
        let Some(begin) = begin.filter(|begin| *begin >= tables_end) else {
            return Ok(None);
        };
        let mut end = tables_end;
        for header in table.chunks_exact(SECTION_HEADER_SIZE) {
            end = end.max(end_of_section(View(header))?);
        }
        let padding = self.rest.get(end - tables_end..begin - tables_end);
        let is_padding = |zeros: &[u8]| zeros.len() < 8 && zeros.iter().all(|byte| *byte == 0);
        Ok(match padding {
            Some(zeros) if is_padding(zeros) => Some(end),
            Some(_) => Some(begin),
            None => None,
        })
    }

    /// The strings without the names of the `last` sections, when these are the last strings and nothing
    /// that stays has its name there.
    fn strings_without(&self, taken: &[u8], last: &[Section<'_>]) -> &[u8] {
        let long = |section: &&Section<'_>| section.name.len() > SHORT_NAME;
        let names: usize = last.iter().filter(long).map(|s| s.name.len() + 1).sum();
        let Some(begin) = self.strings.len().checked_sub(names) else {
            return self.strings;
        };
        let kept = &self.table[..self.table.len() - taken.len()];
        let symbols = self.symbols.chunks_exact(self.class.symbol_size as usize);
        let symbols = symbols.filter(|symbol| symbol.starts_with(&[0; 4]));
        let symbols = symbols.filter_map(|symbol| View(symbol).u32(4, "a name").ok());
        let mut kept = string_places(kept).chain(symbols.map(|place| place as usize));
        let are_last = string_places(taken).all(|place| place >= begin + 4);
        match are_last && kept.all(|place| place < begin + 4) {
            true => self.strings.get(..begin).unwrap_or(self.strings),
            false => self.strings,
        }
    }

    /// The file header with that section count and place of the symbols.
    fn new_head(&self, count: usize, symbols: usize) -> Result<Vec<u8>, Malformed> {
        let mut head = self.head.to_vec();
        let count = to_u32(count)?;
        if self.class.count_size == 2 && count > u32::from(u16::MAX) {
            return Err(Malformed::new(2, "the object would have too many sections"));
        }
        let count = &count.to_le_bytes()[..self.class.count_size];
        put(&mut head, self.class.count, count);
        let number = self.symbols.len() / self.class.symbol_size as usize;
        for (field, value) in [(0, symbols), (4, number)] {
            let value = to_u32(value)?.to_le_bytes();
            put(&mut head, self.class.symbols + field, &value);
        }
        Ok(head)
    }
}

/// The section table with every offset into the file moved.
fn moved_table(table: &[u8], moved: impl Fn(usize) -> Option<usize>) -> Result<Vec<u8>, Malformed> {
    let mut table = table.to_vec();
    for header in table.chunks_exact_mut(SECTION_HEADER_SIZE) {
        for field in OFFSET_FIELDS {
            let offset = View(header).u32(field as u64, "an offset")?;
            if offset != 0 {
                let moved = moved(offset as usize)
                    .ok_or_else(|| Malformed::new(0, "a section begins in the section table"))?;
                put(header, field, &to_u32(moved)?.to_le_bytes());
            }
        }
    }
    Ok(table)
}

/// Where the long names of the sections in a table begin.
fn string_places(table: &[u8]) -> impl Iterator<Item = usize> + '_ {
    table
        .chunks_exact(SECTION_HEADER_SIZE)
        .filter_map(|header| std::str::from_utf8(header.get(..SHORT_NAME)?).ok())
        .filter_map(|name| name.strip_prefix('/'))
        // Other forms of places are for strings that are larger than any bundler has.
        .map(|place| place.trim_end_matches('\0').parse().unwrap_or(usize::MAX))
}

/// Where a section's data, relocations and line numbers end in the file.
fn end_of_section(header: View<'_>) -> Result<usize, Malformed> {
    let field = |at| {
        header
            .u32(at, "a section's place")
            .map(|value| value as usize)
    };
    let count = |at| header.u16(at, "a section's count").map(usize::from);
    let data = (field(20)?, field(16)?);
    let relocations = (field(24)?, count(32)? * RELOCATION_SIZE);
    let lines = (field(28)?, count(34)? * LINE_NUMBER_SIZE);
    let ends = [data, relocations, lines].map(|(at, size)| if at == 0 { 0 } else { at + size });
    Ok(ends.into_iter().max().unwrap_or_default())
}

/// The header of a new section; a long name goes to the strings.
fn header(
    section: &NewSection<'_>,
    strings: &mut Vec<u8>,
    offset: usize,
) -> Result<Vec<u8>, Malformed> {
    let mut header = section.name.as_bytes().to_vec();
    if header.len() > SHORT_NAME {
        header = string_reference(strings.len() + 4)?;
        strings.extend_from_slice(section.name.as_bytes());
        strings.push(0);
    }
    header.resize(SHORT_NAME, 0);
    let left_out = pe::IMAGE_SCN_LNK_REMOVE | pe::IMAGE_SCN_MEM_DISCARDABLE;
    let flags = match section.used_as {
        SectionUse::OffloadBinaries => left_out | pe::IMAGE_SCN_ALIGN_8BYTES,
        SectionUse::LinkInput => left_out | pe::IMAGE_SCN_ALIGN_1BYTES,
        SectionUse::Kept => pe::IMAGE_SCN_CNT_INITIALIZED_DATA | pe::IMAGE_SCN_ALIGN_1BYTES,
    };
    let (size, offset) = (to_u32(section.data.len())?, to_u32(offset)?);
    for number in [0, 0, size, offset, 0, 0, 0, flags.0] {
        header.extend_from_slice(&number.to_le_bytes());
    }
    Ok(header)
}

/// The name field that stands for the string at `offset`.
fn string_reference(offset: usize) -> Result<Vec<u8>, Malformed> {
    const MOST: usize = 9_999_999;
    if offset > MOST {
        return Err(Malformed::new(
            0,
            "the object's strings leave no room for a section name",
        ));
    }
    Ok(format!("/{offset}").into_bytes())
}

fn to_u32(value: usize) -> Result<u32, Malformed> {
    u32::try_from(value).map_err(|_| Malformed::new(0, "a COFF object cannot be larger than 4 GiB"))
}

fn put(out: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = out.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

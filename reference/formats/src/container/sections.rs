//! The sections of an object file that may hold device images.

use std::borrow::Cow;
use std::ops::Range;

use object::read::elf::{FileHeader, SectionHeader as _};
use object::read::pe::{ImageNtHeaders, PeFile};
use object::{
    Endianness, FileKind, LittleEndian, Object as _, ObjectSection as _, SectionFlags, elf, pe,
};

use super::{Format, OFFLOADING_SECTION, SHT_LLVM_OFFLOADING, identify};
use crate::Malformed;

/// A section with contents in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// Where its contents stand in the file.
    pub range: Range<usize>,
    /// Whether it holds OffloadBinaries: by its type in ELF files, by its name in COFF files.
    pub is_offloading: bool,
    /// Whether links leave it out.
    pub is_excluded: bool,
}

/// What linkers that cut section names to 8 bytes leave of [`OFFLOADING_SECTION`].
const CUT_OFFLOADING_SECTION: &str = ".llvm.of";

/// The sections of an ELF, COFF or PE file, in order.
///
/// # Errors
/// When the section table is malformed, or a section's contents go past the end of the file.
pub fn sections(file: &[u8]) -> Result<Vec<Section<'_>>, Malformed> {
    match identify(file) {
        Format::Elf if file.get(4) == Some(&elf::ELFCLASS32.0) => {
            elf_sections::<elf::FileHeader32<Endianness>>(file)
        }
        Format::Elf => elf_sections::<elf::FileHeader64<Endianness>>(file),
        Format::Coff => coff_sections(file),
        Format::Pe if FileKind::parse(file) == Ok(FileKind::Pe32) => {
            pe_sections::<pe::ImageNtHeaders32>(file)
        }
        Format::Pe => pe_sections::<pe::ImageNtHeaders64>(file),
        _ => Err(Malformed::new(0, "no object file begins here")),
    }
}

fn malformed(error: object::Error) -> Malformed {
    malformed_at(0, error)
}

fn malformed_at(offset: u64, error: object::Error) -> Malformed {
    Malformed::new(offset, error.to_string())
}

fn elf_sections<Elf: FileHeader<Endian = Endianness>>(
    file: &[u8],
) -> Result<Vec<Section<'_>>, Malformed> {
    let header = Elf::parse(file).map_err(malformed)?;
    let endian = header.endian().map_err(malformed)?;
    let table_offset: u64 = header.e_shoff(endian).into();
    let table = header
        .sections(endian, file)
        .map_err(|error| malformed_at(table_offset, error))?;
    let mut sections = Vec::new();
    for (index, section) in table.iter().enumerate() {
        let Some((start, size)) = section.file_range(endian) else {
            continue;
        };
        let name = table.section_name(endian, section).map_err(|error| {
            let header_size = u64::from(header.e_shentsize(endian));
            malformed_at(table_offset + index as u64 * header_size, error)
        })?;
        // Objects have thousands of sections, and hardly ever a name that is no text.
        let name =
            std::str::from_utf8(name).map_or_else(|_| String::from_utf8_lossy(name), Cow::Borrowed);
        sections.push(Section {
            range: checked_range(file, start, size, &name)?,
            is_offloading: section.sh_type(endian) == elf::SectionType(SHT_LLVM_OFFLOADING),
            is_excluded: section.sh_flags(endian).0 & elf::SHF_EXCLUDE.0 != 0,
            name,
        });
    }
    Ok(sections)
}

fn coff_sections(file: &[u8]) -> Result<Vec<Section<'_>>, Malformed> {
    let object = object::File::parse(file).map_err(malformed)?;
    let mut sections = Vec::new();
    for section in object.sections() {
        let Some((start, size)) = section.file_range() else {
            continue;
        };
        let name = section.name_bytes().map_err(malformed)?;
        // The borrow is of the parsed file.
        let name: Cow<'_, str> = String::from_utf8_lossy(name).into_owned().into();
        sections.push(Section {
            range: checked_range(file, start, size, &name)?,
            is_offloading: name.starts_with(OFFLOADING_SECTION),
            is_excluded: is_removed(section.flags()),
            name,
        });
    }
    Ok(sections)
}

fn is_removed(flags: SectionFlags) -> bool {
    matches!(flags, SectionFlags::Coff { characteristics }
        if characteristics.0 & pe::IMAGE_SCN_LNK_REMOVE.0 != 0)
}

fn pe_sections<Pe: ImageNtHeaders>(file: &[u8]) -> Result<Vec<Section<'_>>, Malformed> {
    let parsed = PeFile::<Pe>::parse(file).map_err(malformed)?;
    let headers = parsed.section_table().iter();
    let mut sections = Vec::new();
    for (section, header) in parsed.sections().zip(headers) {
        let raw = header.size_of_raw_data.get(LittleEndian);
        // A section that is not loaded has no virtual size; another's raw size is padded.
        let size = match header.virtual_size.get(LittleEndian) {
            0 => raw,
            size => size.min(raw),
        };
        let start = header.pointer_to_raw_data.get(LittleEndian);
        let name = section.name_bytes().map_err(malformed)?;
        // The borrow is of the parsed file.
        let name: Cow<'_, str> = String::from_utf8_lossy(name).into_owned().into();
        if size > 0 {
            sections.push(Section {
                range: checked_range(file, start.into(), size.into(), &name)?,
                is_offloading: name.starts_with(OFFLOADING_SECTION)
                    || name == CUT_OFFLOADING_SECTION,
                is_excluded: false,
                name,
            });
        }
    }
    Ok(sections)
}

fn checked_range(
    file: &[u8],
    start: u64,
    size: u64,
    name: &str,
) -> Result<Range<usize>, Malformed> {
    let end = start
        .checked_add(size)
        .filter(|end| *end <= file.len() as u64);
    let end = end.ok_or_else(|| {
        let all = file.len();
        Malformed::new(
            start,
            format!("section {name} of {size} bytes goes past the end ({all:#x})"),
        )
    })?;
    Ok(start as usize..end as usize)
}

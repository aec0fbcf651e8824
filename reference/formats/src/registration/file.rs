//! Reading the descriptors that a wrapped object, a program or a library holds, without loading it.

use std::collections::HashMap;

use bytes::Bytes;
use object::read::{Object as _, ObjectSegment as _, ObjectSymbol as _};
use object::{
    AddressSize, NameOrOrdinal, ObjectKind, ObjectSection as _, RelocationTarget, SegmentFlags, elf,
};

use super::{
    BINARIES_VERSION, ENTRY_KIND_SYCL, ENTRY_VERSION, IMAGE_KIND_SYCL, IMAGE_VERSION, ImageFormat,
    PROPERTY_BYTES, PROPERTY_U32,
};
use crate::Malformed;
use crate::le::View;
use crate::property_set::{PropertySets, PropertyValue};

/// The symbol that wrappers give the descriptor.
pub const DESCRIPTOR_SYMBOL: &str = ".sycl_offloading.descriptor";

/// An image that a program would register.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredImage {
    /// What the bytes are.
    pub format: ImageFormat,
    /// One of the [`target`](super::target) strings.
    pub target: String,
    /// Options for compiling the image at run time.
    pub compile_options: String,
    /// Options for linking the image at run time.
    pub link_options: String,
    /// The image: a slice of the file.
    pub bytes: Bytes,
    /// Where it stands in the file.
    pub offset: u64,
    /// Names of its entry points.
    pub entries: Vec<String>,
    /// What it says of itself.
    pub properties: PropertySets,
}

/// The function that hands a descriptor to the runtime.
const REGISTER: &[u8] = b"__sycl_register_lib";

/// The images of all descriptors in an ELF, COFF or PE file; none in a file without descriptors.
///
/// A linked program whose symbols were stripped still says that it calls the runtime; what it holds
/// is then known by its shape.
///
/// # Errors
/// When the file or a descriptor is malformed. Offsets are those of the file.
pub fn read_file(file: &Bytes) -> Result<Vec<StoredImage>, Malformed> {
    let parsed = object::File::parse(&file[..]).map_err(|e| Malformed::new(0, e.to_string()))?;
    let address_size = parsed.architecture().address_size();
    if address_size != Some(AddressSize::U64) || !parsed.is_little_endian() {
        return Ok(Vec::new());
    }
    let places = Places::of(&parsed);
    let descriptors: Vec<u64> = parsed
        .symbols()
        .filter(|symbol| symbol.name_bytes() == Ok(DESCRIPTOR_SYMBOL.as_bytes()))
        .filter_map(|symbol| places.of_symbol(&parsed, &symbol))
        .collect();
    let stripped = descriptors.is_empty() && registers(&parsed);
    if descriptors.is_empty() && !stripped {
        return Ok(Vec::new());
    }
    let mut reader = Reader {
        pointers: places.pointers(&parsed, file),
        places,
        file,
        text_left: TEXT_ALLOWANCE + file.len() as u64,
        images_left: file.len() / IMAGE_SIZE,
    };
    let mut images = Vec::new();
    for descriptor in descriptors {
        reader.descriptor(descriptor, &mut images)?;
    }
    if stripped {
        for descriptor in reader.likely_descriptors(&parsed) {
            // What only looks like a descriptor does not lead to images.
            let before = images.len();
            if reader.descriptor(descriptor, &mut images).is_err() {
                images.truncate(before);
            }
        }
    }
    Ok(images)
}

/// Whether a linked file calls the runtime's registration.
fn registers(file: &object::File<'_>) -> bool {
    let imports = file.imports().into_iter().flatten().flatten();
    let mut names = imports.map(|import| import.name());
    names.any(|name| matches!(name, NameOrOrdinal::Name(name) if name == REGISTER))
}

/// How much more text may come out of a file than it has bytes: strings may share bytes.
const TEXT_ALLOWANCE: u64 = 16 << 20;

/// The bytes of an image's structure, by which a file can hold so many of them and no more.
const IMAGE_SIZE: usize = 80;

/// More than any field of a descriptor lies behind its beginning.
const FARTHEST_FIELD: u64 = 4096;

/// Which addresses stand where in the file.
struct Places {
    /// Address, offset and size of each part.
    parts: Vec<(u64, u64, u64)>,
    /// Whether an address is an offset in the file, as chosen here for objects that have no
    /// addresses yet.
    relocatable: bool,
}

impl Places {
    fn of(file: &object::File<'_>) -> Self {
        let relocatable = file.kind() == ObjectKind::Relocatable;
        let mut parts: Vec<(u64, u64, u64)> = if relocatable {
            let ranges = file.sections().filter_map(|section| section.file_range());
            ranges
                .map(|(offset, size)| (offset, offset, size))
                .collect()
        } else {
            let part = |segment: object::Segment<'_, '_>| {
                let (offset, size) = segment.file_range();
                (segment.address(), offset, size)
            };
            file.segments().map(part).collect()
        };
        // Fields are found by adding small numbers to an address inside a part.
        let has_room = |&(start, _, size): &(u64, u64, u64)| {
            let end = start.checked_add(size);
            end.is_some_and(|end| end <= u64::MAX - FARTHEST_FIELD)
        };
        parts.retain(has_room);
        Places { parts, relocatable }
    }

    fn of_symbol(&self, file: &object::File<'_>, symbol: &object::Symbol<'_, '_>) -> Option<u64> {
        if !self.relocatable {
            return Some(symbol.address());
        }
        let section = file.section_by_index(symbol.section_index()?).ok()?;
        let (offset, _) = section.file_range()?;
        offset.checked_add(symbol.address())
    }

    /// The pointers that relocations put in place: their address and what they point to.
    fn pointers(&self, file: &object::File<'_>, bytes: &[u8]) -> HashMap<u64, u64> {
        if !self.relocatable {
            let relocations = file.dynamic_relocations().into_iter().flatten();
            return relocations
                .filter(|(_, relocation)| relocation.target() == RelocationTarget::Absolute)
                .map(|(at, relocation)| (at, relocation.addend() as u64))
                .collect();
        }
        let mut pointers = HashMap::new();
        for section in file.sections() {
            let Some((base, _)) = section.file_range() else {
                continue;
            };
            for (at, relocation) in section.relocations() {
                let RelocationTarget::Symbol(index) = relocation.target() else {
                    continue;
                };
                let target = file.symbol_by_index(index).ok();
                let target = target.and_then(|symbol| self.of_symbol(file, &symbol));
                let at = base.wrapping_add(at);
                let in_place = match relocation.has_implicit_addend() {
                    true => View(bytes).u64(at, "an addend").unwrap_or(0),
                    false => 0,
                };
                if let Some(target) = target {
                    let pointer = target.wrapping_add_signed(relocation.addend());
                    pointers.insert(at, pointer.wrapping_add(in_place));
                }
            }
        }
        pointers
    }

    /// The offset in the file of `size` bytes at an address.
    fn offset(&self, address: u64, size: u64) -> Option<u64> {
        let within = |(start, _, length): &&(u64, u64, u64)| {
            let from = address.checked_sub(*start);
            let to = from.and_then(|from| from.checked_add(size));
            to.is_some_and(|to| to <= *length)
        };
        let (start, offset, _) = self.parts.iter().find(within)?;
        offset.checked_add(address - start)
    }
}

/// Whether a word is the version of a descriptor and a count of images.
fn begins_descriptor(word: &[u8]) -> bool {
    let version = BINARIES_VERSION.to_le_bytes();
    matches!(word, [a, b, low, high, 0, 0, 0, 0] if [*a, *b] == version && (*low, *high) != (0, 0))
}

/// Reads structures by address.
struct Reader<'a> {
    file: &'a Bytes,
    places: Places,
    pointers: HashMap<u64, u64>,
    text_left: u64,
    images_left: usize,
}

impl Reader<'_> {
    fn view(&self) -> View<'_> {
        View(self.file)
    }

    /// Addresses in writable data, where the loader puts pointers in place, that begin as a
    /// descriptor with images does and end as it does, with no entries of a host.
    fn likely_descriptors(&self, file: &object::File<'_>) -> Vec<u64> {
        const ALIGNMENT: usize = 8;
        let writable = file.segments().filter(|segment| match segment.flags() {
            SegmentFlags::Elf { p_flags, .. } => p_flags & elf::PF_W == elf::PF_W,
            // Linkers for Windows put such data among constants.
            _ => true,
        });
        let words = writable.flat_map(|segment| {
            let data = segment.data().unwrap_or_default();
            let before = segment.address().wrapping_neg() as usize % ALIGNMENT;
            let aligned = data.get(before..).unwrap_or_default();
            let first = segment.address().wrapping_add(before as u64);
            let words = aligned.chunks_exact(ALIGNMENT).enumerate();
            words.map(move |(index, word)| (first.wrapping_add((index * ALIGNMENT) as u64), word))
        });
        // Segments of a file share no bytes, unless it is made to keep us busy.
        words
            .take(self.file.len() / ALIGNMENT)
            .filter(|(_, word)| begins_descriptor(word))
            .map(|(at, _)| at)
            .filter(|at| {
                let null = |at| self.pointer(at, "host entries") == Ok(0);
                null(at.wrapping_add(16)) && null(at.wrapping_add(24))
            })
            .collect()
    }

    fn offset(&self, address: u64, size: u64, what: &str) -> Result<u64, Malformed> {
        let offset = self.places.offset(address, size);
        offset.ok_or_else(|| {
            Malformed::new(
                address,
                format!("no part of the file holds the {what} of {size} bytes"),
            )
        })
    }

    fn u64(&self, address: u64, what: &str) -> Result<u64, Malformed> {
        self.view().u64(self.offset(address, 8, what)?, what)
    }

    fn u32(&self, address: u64, what: &str) -> Result<u32, Malformed> {
        self.view().u32(self.offset(address, 4, what)?, what)
    }

    fn u16(&self, address: u64, what: &str) -> Result<u16, Malformed> {
        self.view().u16(self.offset(address, 2, what)?, what)
    }

    fn pointer(&self, address: u64, what: &str) -> Result<u64, Malformed> {
        match self.pointers.get(&address) {
            Some(pointer) => Ok(*pointer),
            None => self.u64(address, what),
        }
    }

    /// The text that a pointer at `address` leads to; empty for a null pointer.
    fn text(&mut self, address: u64, what: &str) -> Result<String, Malformed> {
        let pointer = self.pointer(address, what)?;
        if pointer == 0 {
            return Ok(String::new());
        }
        let text = self
            .view()
            .c_str(self.offset(pointer, 1, what)?, what)?
            .to_owned();
        let left = self.text_left.checked_sub(text.len() as u64);
        self.text_left =
            left.ok_or_else(|| Malformed::new(pointer, "the strings repeat too much text"))?;
        Ok(text)
    }

    /// The addresses of the items of `size` bytes between the two pointers at `address`.
    fn range(
        &self,
        address: u64,
        size: u64,
        what: &str,
    ) -> Result<impl ExactSizeIterator<Item = u64> + use<>, Malformed> {
        let (begin, end) = (
            self.pointer(address, what)?,
            self.pointer(address + 8, what)?,
        );
        let bytes = end.checked_sub(begin);
        let bytes = bytes
            .filter(|bytes| bytes % size == 0)
            .ok_or_else(|| Malformed::new(address, format!("the range of {what} is not whole")))?;
        if bytes > 0 {
            self.offset(begin, bytes, what)?;
        }
        let count = usize::try_from(bytes / size).unwrap_or(usize::MAX);
        Ok((0..count).map(move |index| begin + index as u64 * size))
    }

    fn descriptor(&mut self, at: u64, images: &mut Vec<StoredImage>) -> Result<(), Malformed> {
        let version = self.u16(at, "descriptor version")?;
        if version != BINARIES_VERSION {
            let reason = format!("unknown descriptor version {version}");
            return Err(Malformed::new(at, reason));
        }
        let count = self.u16(at + 2, "image count")?;
        let mut image = self.pointer(at + 8, "images")?;
        for _ in 0..count {
            let left = self.images_left.checked_sub(1);
            self.images_left =
                left.ok_or_else(|| Malformed::new(at, "the descriptors repeat their images"))?;
            let (tail, size) = match self.u16(image, "image version")? {
                1 | 2 => (image + 48, 96),
                IMAGE_VERSION => (image + 32, 80),
                other => {
                    let reason = format!("unknown image version {other}");
                    return Err(Malformed::new(image, reason));
                }
            };
            let kind_and_format = self.u16(image + 2, "image kind")?.to_le_bytes();
            if kind_and_format[0] == IMAGE_KIND_SYCL {
                images.push(self.image(image, tail, kind_and_format[1])?);
            }
            image += size;
        }
        Ok(())
    }

    fn image(&mut self, head: u64, tail: u64, format: u8) -> Result<StoredImage, Malformed> {
        let unknown = || Malformed::new(head + 3, format!("unknown image format {format}"));
        let begin = self.pointer(tail, "image")?;
        let size = self.range(tail, 1, "image")?.len() as u64;
        let offset = match size {
            0 => 0,
            size => self.offset(begin, size, "image")?,
        };
        let bytes = self.view().slice(offset, size, "the image")?;
        Ok(StoredImage {
            format: ImageFormat::from_number(format).ok_or_else(unknown)?,
            bytes: self.file.slice_ref(bytes),
            offset,
            target: self.text(head + 8, "target")?,
            compile_options: self.text(head + 16, "compile options")?,
            link_options: self.text(head + 24, "link options")?,
            entries: self.entries(tail + 16)?,
            properties: self.property_sets(tail + 32)?,
        })
    }

    fn entries(&mut self, at: u64) -> Result<Vec<String>, Malformed> {
        let first = self.pointer(at, "entries")?;
        let is_new = first != 0
            && self.u64(first, "entry").is_ok_and(|reserved| reserved == 0)
            && self
                .u16(first + 8, "entry")
                .is_ok_and(|version| version == ENTRY_VERSION)
            && self
                .u16(first + 10, "entry")
                .is_ok_and(|kind| kind == ENTRY_KIND_SYCL)
            && !self.pointers.contains_key(&(first + 8));
        let (size, name) = if is_new { (56, 24) } else { (32, 8) };
        let entries = self.range(at, size, "entries")?;
        entries
            .map(|entry| self.text(entry + name, "entry name"))
            .collect()
    }

    fn property_sets(&mut self, at: u64) -> Result<PropertySets, Malformed> {
        let mut sets = PropertySets::new();
        for set in self.range(at, 24, "property sets")? {
            let name = self.text(set, "property set name")?;
            for property in self.range(set + 8, 32, "properties")? {
                let key = self.text(property, "property name")?;
                let value = self.property_value(property)?;
                sets.insert(&name, &key, value);
            }
            sets.set_mut(&name);
        }
        Ok(sets)
    }

    fn property_value(&mut self, property: u64) -> Result<PropertyValue, Malformed> {
        let fail = |reason: String| Malformed::new(property, reason);
        let size = self.u64(property + 24, "property size")?;
        match self.u32(property + 16, "property type")? {
            PROPERTY_U32 => u32::try_from(size)
                .map(PropertyValue::U32)
                .map_err(|_| fail("a number does not fit 32 bits".to_owned())),
            PROPERTY_BYTES => {
                let value = self.pointer(property + 8, "property value")?;
                let offset = self.offset(value, size, "property value")?;
                let wire = self.view().slice(offset, size, "a property value")?;
                let value = PropertyValue::from_wire(wire).map_err(fail)?;
                let left = self.text_left.checked_sub(wire.len() as u64);
                let too_much = || fail("the property values repeat too many bytes".to_owned());
                self.text_left = left.ok_or_else(too_much)?;
                Ok(value)
            }
            other => Err(fail(format!("unknown property type {other}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture(name: &str) -> Vec<u8> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/formats");
        std::fs::read(std::path::Path::new(folder).join(name)).unwrap()
    }

    fn seen(file: Vec<u8>) -> Vec<(String, Vec<String>, Bytes)> {
        let images = read_file(&Bytes::from(file)).unwrap().into_iter();
        images.map(|i| (i.target, i.entries, i.bytes)).collect()
    }

    #[test]
    fn a_stripped_library_shows_what_its_object_does() {
        let images = seen(fixture("stripped.so"));
        assert_eq!(images.len(), 2);
        assert_eq!(images, seen(fixture("wrapped.o")));
    }

    #[test]
    fn a_segment_that_says_more_than_the_file_has_is_not_searched() {
        let library = fixture("stripped.so");
        let table = usize::from(library[32]);
        for header in 0..usize::from(library[56]) {
            let mut broken = library.clone();
            let size = table + header * 56 + 32;
            broken[size..size + 8].copy_from_slice(&(1u64 << 60).to_le_bytes());
            let _ = read_file(&Bytes::from(broken));
        }
    }

    #[test]
    fn a_segment_at_the_top_of_the_address_space_holds_no_images() {
        const TOP: u64 = u64::MAX - 0xff;
        let put = |file: &mut [u8], at: usize, value: u64| {
            file[at..at + 8].copy_from_slice(&value.to_le_bytes());
        };
        let mut library = fixture("stripped.so");
        // 256 bytes more, which the last segment puts there; 16 before their end an image begins.
        let header = usize::from(library[32]) + (usize::from(library[56]) - 1) * 56;
        let appended = library.len();
        library.extend([0; 256]);
        library[appended + 0xf0] = IMAGE_VERSION as u8;
        library[header..header + 4].copy_from_slice(&1_u32.to_le_bytes());
        for (field, value) in [(8, appended as u64), (16, TOP), (32, 256), (40, 256)] {
            put(&mut library, header + field, value);
        }
        let parsed = object::File::parse(&library[..]).unwrap();
        let relocations = parsed.section_by_name(".rela.dyn").unwrap();
        let (offset, size) = relocations.file_range().unwrap();
        // Whichever of them is the descriptor's pointer to its images now points there.
        for entry in (offset..offset + size).step_by(24) {
            let mut broken = library.clone();
            put(&mut broken, entry as usize + 16, TOP + 0xf0);
            let _ = read_file(&Bytes::from(broken));
        }
    }

    #[test]
    fn what_does_not_call_the_runtime_is_not_searched() {
        let mut library = fixture("stripped.so");
        let at = library.windows(REGISTER.len()).position(|w| w == REGISTER);
        library[at.unwrap()] = b'x';
        assert_eq!(seen(library), []);
    }
}

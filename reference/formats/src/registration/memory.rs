//! Reading a descriptor from the memory of the program that registers it.

use std::ffi::{CStr, c_char};

use super::layout::{
    BINARIES_VERSION, Binaries, ENTRY_KIND_SYCL, ENTRY_VERSION, Entry, IMAGE_KIND_SYCL,
    IMAGE_VERSION, Image, ImageFormat, ImageHead, ImageTail, ImageWithManifest, OldEntry,
    PROPERTY_BYTES, PROPERTY_U32, Property, PropertySet,
};
use crate::property_set::{PropertySets, PropertyValue};

/// A registered image, read from a descriptor.
#[derive(Debug, Clone, PartialEq)]
pub struct RegisteredImage {
    /// What the bytes are.
    pub format: ImageFormat,
    /// One of the strings in [`target`](super::target).
    pub target: String,
    /// Options for compiling the image at run time.
    pub compile_options: String,
    /// Options for linking the image at run time.
    pub link_options: String,
    /// The image, in the memory of the program that registered it.
    pub bytes: &'static [u8],
    /// Names of its entry points.
    pub entries: Vec<String>,
    /// What it says of itself.
    pub properties: PropertySets,
}

/// A descriptor that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("image {image} of the registered descriptor: {reason}")]
pub struct RegistrationError {
    /// Which image, counted from 0.
    pub image: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// Reads a descriptor. Images of another offload kind are left out.
///
/// # Errors
/// When the version of the descriptor or of an image is unknown, a string is not UTF-8, a range
/// runs backwards, or a property has an unknown type or a wrong length.
///
/// # Safety
/// `binaries` must point to a descriptor as [`super`] lays it out, and everything it points to
/// must stay in place, unchanged, for as long as the images are used: the memory of a loaded
/// program or library does until that is unloaded.
pub unsafe fn read(binaries: *const Binaries) -> Result<Vec<RegisteredImage>, RegistrationError> {
    let fail = |image, reason| RegistrationError { image, reason };
    if binaries.is_null() {
        return Err(fail(0, "the descriptor is a null pointer".to_owned()));
    }
    // SAFETY: the caller gives a readable descriptor.
    let binaries = unsafe { *binaries };
    if binaries.version != BINARIES_VERSION {
        let reason = format!("unknown descriptor version {}", binaries.version);
        return Err(fail(0, reason));
    }
    let mut images = Vec::new();
    let mut next = binaries.images.cast::<u8>();
    for index in 0..usize::from(binaries.count) {
        // SAFETY: `next` stands at the head of the image `index`, which the caller vouches for.
        let (head, tail, size) = unsafe { read_parts(next) }.map_err(|r| fail(index, r))?;
        if head.kind == IMAGE_KIND_SYCL {
            // SAFETY: head and tail come from that image.
            images.push(unsafe { read_image(&head, &tail) }.map_err(|r| fail(index, r))?);
        }
        next = next.wrapping_add(size);
    }
    Ok(images)
}

/// The two halves of an image of any version, and its size in bytes.
///
/// # Safety
/// `image` must point to an image of the version that its first field says.
unsafe fn read_parts(image: *const u8) -> Result<(ImageHead, ImageTail, usize), String> {
    // SAFETY: images of every version begin with an `ImageHead`.
    let head = unsafe { *image.cast::<ImageHead>() };
    match head.version {
        1 | 2 => {
            // SAFETY: these versions have this layout.
            let image = unsafe { *image.cast::<ImageWithManifest>() };
            Ok((head, image.tail, size_of::<ImageWithManifest>()))
        }
        IMAGE_VERSION => {
            // SAFETY: this version has this layout.
            let image = unsafe { *image.cast::<Image>() };
            Ok((head, image.tail, size_of::<Image>()))
        }
        other => Err(format!("unknown image version {other}")),
    }
}

/// # Safety
/// Head and tail must be those of one image, whose pointers stay valid for the program's life.
unsafe fn read_image(head: &ImageHead, tail: &ImageTail) -> Result<RegisteredImage, String> {
    let format = ImageFormat::from_number(head.format)
        .ok_or_else(|| format!("unknown image format {}", head.format))?;
    // SAFETY: every pointer below is one of the image's, which the caller vouches for.
    unsafe {
        Ok(RegisteredImage {
            format,
            target: text(head.target, "target")?,
            compile_options: text(head.compile_options, "compile options")?,
            link_options: text(head.link_options, "link options")?,
            bytes: range(tail.begin, tail.end, "image")?,
            entries: read_entries(tail.entries_begin, tail.entries_end)?,
            properties: read_property_sets(tail.property_sets_begin, tail.property_sets_end)?,
        })
    }
}

/// # Safety
/// The pointers must span entries of one of the two layouts.
unsafe fn read_entries(begin: *const Entry, end: *const Entry) -> Result<Vec<String>, String> {
    // SAFETY: the caller gives a span of entries; its bytes are readable whatever their layout.
    let bytes = unsafe { range(begin.cast::<u8>(), end.cast::<u8>(), "entries")? };
    let names: Vec<*const c_char> = if is_new_layout(bytes) {
        // SAFETY: the first entry says that the span is of this layout; layouts do not mix.
        let entries = unsafe { range(begin, end, "entries")? };
        entries.iter().map(|entry| entry.name).collect()
    } else {
        // SAFETY: what is not of the new layout is of the old one.
        let entries = unsafe { range::<OldEntry>(begin.cast(), end.cast(), "entries")? };
        entries.iter().map(|entry| entry.name).collect()
    };
    let names = names.into_iter();
    // SAFETY: names of entries are C strings.
    names
        .map(|name| unsafe { text(name, "entry name") })
        .collect()
}

/// Whether entries are laid out as [`Entry`]: their first 16 bytes are fixed.
fn is_new_layout(entries: &[u8]) -> bool {
    let version = ENTRY_VERSION.to_ne_bytes();
    let kind = ENTRY_KIND_SYCL.to_ne_bytes();
    let mark = [&[0; 8][..], &version, &kind, &[0; 4]].concat();
    entries.starts_with(&mark)
}

/// # Safety
/// The pointers must span property sets.
unsafe fn read_property_sets(
    begin: *const PropertySet,
    end: *const PropertySet,
) -> Result<PropertySets, String> {
    let mut sets = PropertySets::new();
    // SAFETY: the caller gives a span of sets.
    for set in unsafe { range(begin, end, "property sets")? } {
        // SAFETY: the pointers are those of a set.
        let (name, properties) = unsafe {
            let properties = range(set.begin, set.end, "properties")?;
            (text(set.name, "property set name")?, properties)
        };
        let read = sets.set_mut(&name);
        for property in properties {
            // SAFETY: the property stands in the set.
            let (key, value) = unsafe { read_property(property)? };
            read.insert(key, value);
        }
    }
    Ok(sets)
}

/// # Safety
/// The pointers of the property must be valid.
unsafe fn read_property(property: &Property) -> Result<(String, PropertyValue), String> {
    // SAFETY: the name of a property is a C string.
    let key = unsafe { text(property.name, "property name")? };
    let value = match property.kind {
        PROPERTY_U32 => u32::try_from(property.size)
            .map(PropertyValue::U32)
            .map_err(|_| format!("property '{key}' does not fit 32 bits"))?,
        PROPERTY_BYTES => {
            let begin = property.value.cast::<u8>();
            let size = usize::try_from(property.size).map_err(|e| e.to_string())?;
            // SAFETY: a byte array has `size` bytes at `value`.
            let wire = unsafe { range(begin, begin.wrapping_add(size), "property")? };
            PropertyValue::from_wire(wire).map_err(|r| format!("property '{key}': {r}"))?
        }
        other => return Err(format!("property '{key}' has unknown type {other}")),
    };
    Ok((key, value))
}

/// The items between two pointers; none when both are null.
///
/// # Safety
/// The pointers must span items of `T` that stay in place for the program's life.
unsafe fn range<T>(begin: *const T, end: *const T, what: &str) -> Result<&'static [T], String> {
    if begin.is_null() && end.is_null() {
        return Ok(&[]);
    }
    let bytes = (end as usize).checked_sub(begin as usize);
    let bytes = bytes.ok_or_else(|| format!("the range of {what} runs backwards"))?;
    if begin.is_null() || !begin.is_aligned() || bytes % size_of::<T>() != 0 {
        return Err(format!("the range of {what} is not whole"));
    }
    // SAFETY: the caller vouches for the span; begin is not null, aligned, and before the end.
    Ok(unsafe { std::slice::from_raw_parts(begin, bytes / size_of::<T>()) })
}

/// The text of a C string; empty for a null pointer.
///
/// # Safety
/// `pointer` must be null or a C string.
unsafe fn text(pointer: *const c_char, what: &str) -> Result<String, String> {
    if pointer.is_null() {
        return Ok(String::new());
    }
    // SAFETY: the caller gives a C string.
    let text = unsafe { CStr::from_ptr(pointer) }.to_str();
    text.map(str::to_owned)
        .map_err(|_| format!("the {what} is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null;

    const TARGET: &CStr = c"spir64";
    const NO_OPTIONS: &CStr = c"";
    static IMAGE: [u8; 4] = [3, 2, 35, 7];

    fn head(version: u16) -> ImageHead {
        ImageHead {
            version,
            kind: IMAGE_KIND_SYCL,
            format: ImageFormat::SpirV.number(),
            target: TARGET.as_ptr(),
            compile_options: NO_OPTIONS.as_ptr(),
            link_options: null(),
        }
    }

    fn leak<T>(items: Vec<T>) -> (*const T, *const T) {
        let range = Vec::leak(items).as_ptr_range();
        (range.start, range.end)
    }

    fn property_sets() -> (*const PropertySet, *const PropertySet) {
        let wire: &'static [u8] = Vec::leak(PropertyValue::u32_array(&[7]).to_wire().unwrap());
        let (begin, end) = leak(vec![
            Property {
                name: c"aspect".as_ptr(),
                value: wire.as_ptr().cast(),
                kind: PROPERTY_BYTES,
                size: wire.len() as u64,
            },
            Property {
                name: c"optLevel".as_ptr(),
                value: null(),
                kind: PROPERTY_U32,
                size: 2,
            },
        ]);
        leak(vec![PropertySet {
            name: c"set".as_ptr(),
            begin,
            end,
        }])
    }

    fn tail<E>(entries: Vec<E>) -> ImageTail {
        let (entries_begin, entries_end) = leak(entries);
        let (property_sets_begin, property_sets_end) = property_sets();
        let bytes = IMAGE.as_ptr_range();
        ImageTail {
            begin: bytes.start,
            end: bytes.end,
            entries_begin: entries_begin.cast(),
            entries_end: entries_end.cast(),
            property_sets_begin,
            property_sets_end,
        }
    }

    fn entry(name: &'static CStr) -> Entry {
        Entry {
            reserved: 0,
            version: ENTRY_VERSION,
            kind: ENTRY_KIND_SYCL,
            flags: 0,
            address: null(),
            name: name.as_ptr(),
            size: 0,
            data: 0,
            aux_address: null(),
        }
    }

    fn old_entry(name: &'static CStr) -> OldEntry {
        OldEntry {
            address: null(),
            name: name.as_ptr(),
            size: 0,
            flags: 0,
            reserved: 0,
        }
    }

    fn binaries<T>(images: Vec<T>) -> Binaries {
        Binaries {
            version: BINARIES_VERSION,
            count: images.len() as u16,
            images: leak(images).0.cast(),
            host_entries_begin: null(),
            host_entries_end: null(),
        }
    }

    #[test]
    fn the_layout_is_the_one_of_64_bit_producers() {
        assert_eq!(size_of::<Binaries>(), 32);
        assert_eq!(size_of::<Image>(), 80);
        assert_eq!(size_of::<ImageWithManifest>(), 96);
        assert_eq!(size_of::<Entry>(), 56);
        assert_eq!(size_of::<OldEntry>(), 32);
        assert_eq!(size_of::<Property>(), 32);
    }

    #[test]
    fn images_of_version_3_read() {
        let image = |name| Image {
            head: head(3),
            tail: tail(vec![entry(name), entry(c"also")]),
        };
        let binaries = binaries(vec![image(c"one"), image(c"two")]);
        // SAFETY: the descriptor was built above from leaked memory.
        let images = unsafe { read(&binaries) }.unwrap();
        assert_eq!(images.len(), 2);
        assert_eq!(images[1].entries, ["two", "also"]);
        assert_eq!(images[0].target, "spir64");
        assert_eq!(images[0].format, ImageFormat::SpirV);
        assert_eq!(images[0].bytes, IMAGE);
        let properties = &images[0].properties;
        let aspect = properties.get("set", "aspect").unwrap();
        assert_eq!(aspect.as_u32_array(), Some(vec![7]));
        assert_eq!(properties.get("set", "optLevel").unwrap().as_u32(), Some(2));
    }

    #[test]
    fn images_of_older_versions_with_old_entries_read() {
        for version in [1, 2] {
            let image = |name| ImageWithManifest {
                head: head(version),
                manifest_begin: null(),
                manifest_end: null(),
                tail: tail(vec![old_entry(name), old_entry(c"also")]),
            };
            let binaries = binaries(vec![image(c"one"), image(c"two")]);
            // SAFETY: the descriptor was built above from leaked memory.
            let images = unsafe { read(&binaries) }.unwrap();
            assert_eq!(images[0].entries, ["one", "also"]);
            assert_eq!(images[1].entries, ["two", "also"]);
            assert_eq!(images[1].bytes, IMAGE);
        }
    }

    #[test]
    fn what_is_not_known_is_refused_by_name() {
        let mut image = Image {
            head: head(9),
            tail: tail(vec![entry(c"k")]),
        };
        // SAFETY: the descriptors are built here from leaked memory.
        let error = |image| unsafe { read(&binaries(vec![image])) }.unwrap_err();
        assert_eq!(error(image).reason, "unknown image version 9");
        image.head = head(3);
        image.head.format = 9;
        assert_eq!(error(image).reason, "unknown image format 9");
        image.head = head(3);
        (image.tail.begin, image.tail.end) = (image.tail.end, image.tail.begin);
        assert_eq!(error(image).reason, "the range of image runs backwards");
    }
}

//! What a case has images say (`suites::fault::registration::Required`).

use std::path::Path;

use offload_formats::registration::{
    Binaries, Image, PROPERTY_BYTES, PROPERTY_U32, Property, PropertySet,
};
use suites::fault::registration::Required;

use crate::{images_of, leaked, replace, span, text};

/// Gives the images of a kernel the properties that `file` has.
///
/// # Safety
/// `binaries` points to a descriptor that stays in place and that nobody reads meanwhile.
pub unsafe fn put_into(file: &Path, binaries: *mut Binaries) -> Result<(), String> {
    let required: Required = offload_formats::yaml::from_file(file).map_err(|e| e.to_string())?;
    // SAFETY: the caller gives a descriptor.
    let Some(mut images) = (unsafe { images_of(binaries) })? else {
        return Ok(());
    };
    let mut is_there = false;
    for image in &mut images {
        // SAFETY: the entries of an image are valid.
        let entries = unsafe { span(image.tail.entries_begin, image.tail.entries_end) };
        // SAFETY: the name of an entry is a C string.
        let mut names = entries.iter().map(|entry| unsafe { text(entry.name) });
        if names.any(|name| name.contains(&required.kernel)) {
            is_there = true;
            if let Some(code) = &required.code {
                let range = Vec::leak(code.clone().into_bytes()).as_ptr_range();
                (image.tail.begin, image.tail.end) = (range.start, range.end);
            }
            // SAFETY: the image's property sets are valid and stay in place.
            unsafe { put(&required, image) }?;
        }
    }
    if !is_there {
        // For whoever reads the evidence: what the program does then is no answer to what was to be asked.
        eprintln!(
            "registration: no image here has a kernel '{}'",
            required.kernel
        );
    }
    // SAFETY: as the caller says.
    unsafe { replace(binaries, images) }
}

/// # Safety
/// The image's property sets are valid and stay in place.
unsafe fn put(required: &Required, image: &mut Image) -> Result<(), String> {
    let (begin, end) = (image.tail.property_sets_begin, image.tail.property_sets_end);
    let mut sets: Vec<PropertySet> = Vec::new();
    let mut properties: Vec<Property> = Vec::new();
    // SAFETY: the caller gives valid sets.
    for set in unsafe { span(begin, end) } {
        // SAFETY: the name of a set is a C string.
        if unsafe { text(set.name) } != required.set {
            sets.push(*set);
            continue;
        }
        // SAFETY: the properties of a set are a span.
        let own = unsafe { span(set.begin, set.end) }.iter();
        properties.extend(own.filter(|property| {
            // SAFETY: the name of a property is a C string.
            let name = unsafe { text(property.name) };
            !required.properties.contains_key(&name) && !required.without.contains(&name)
        }));
    }
    for (name, requirement) in &required.properties {
        let value = requirement.value();
        let name = leaked(name)?;
        properties.push(match value.to_wire() {
            Some(wire) => Property {
                name,
                kind: PROPERTY_BYTES,
                size: wire.len() as u64,
                value: Vec::leak(wire).as_ptr().cast(),
            },
            None => Property {
                name,
                kind: PROPERTY_U32,
                size: value.as_u32().unwrap_or_default().into(),
                value: std::ptr::null(),
            },
        });
    }
    let range = Vec::leak(properties).as_ptr_range();
    sets.push(PropertySet {
        name: leaked(&required.set)?,
        begin: range.start,
        end: range.end,
    });
    let range = Vec::leak(sets).as_ptr_range();
    image.tail.property_sets_begin = range.start;
    image.tail.property_sets_end = range.end;
    Ok(())
}

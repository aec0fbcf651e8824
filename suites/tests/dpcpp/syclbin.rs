//! What a SYCLBIN file says of each kernel: DPC++'s serialized form of what its run-time compiler
//! made, an image in an OffloadBinary (its header `SYBI`, then tables of modules, then texts of
//! property sets).

use std::collections::BTreeMap;

use offload_formats::aspects;
use offload_formats::property_set::{PropertySets, PropertyValue};

use super::Facts;

const MAGIC: &[u8] = b"IBYS";
/// The size of the header, and of each entry of the tables that follow it.
const HEADER: usize = 56;
const ENTRY: usize = 32;
/// What DPC++ puts in front of a free-function kernel's name.
const PREFIX: &str = "__sycl_kernel_";
const REQUIREMENTS: &str = "SYCL/device requirements";

/// The facts of each kernel of a SYCLBIN file, by the kernel's name in the source.
pub fn facts(file: &[u8]) -> Result<BTreeMap<String, Facts>, String> {
    let mut facts = BTreeMap::new();
    for sets in modules(image(file)?)? {
        let of_module = of_module(&sets)?;
        facts.extend(kernels(&sets).map(|name| (name, of_module.clone())));
    }
    match facts.is_empty() {
        true => Err("no kernel in the SYCLBIN file".to_owned()),
        false => Ok(facts),
    }
}

/// The image of the one entry of an OffloadBinary of version 2. The kind of image, 7, is DPC++'s
/// own, so that no common reader takes the file.
fn image(file: &[u8]) -> Result<&[u8], String> {
    if !file.starts_with(&[0x10, 0xff, 0x10, 0xad]) || number(file, 4, 4)? != 2 {
        return Err("the SYCLBIN file is no OffloadBinary of version 2".to_owned());
    }
    let entry = number(file, 16, 8)?;
    let (offset, size) = (number(file, entry + 24, 8)?, number(file, entry + 32, 8)?);
    let image = file.get(offset..offset + size);
    image
        .filter(|image| image.starts_with(MAGIC))
        .ok_or_else(|| "the image is no SYCLBIN".to_owned())
}

fn number(bytes: &[u8], at: usize, size: usize) -> Result<usize, String> {
    let little = bytes.get(at..at + size).ok_or("SYCLBIN is cut short")?;
    let digits = little.iter().rev();
    Ok(digits.fold(0, |sum, &byte| sum << 8 | usize::from(byte)))
}

/// The property sets of each abstract module.
fn modules(image: &[u8]) -> Result<Vec<PropertySets>, String> {
    let number = |at, size| number(image, at, size);
    let (modules, ir, native) = (number(8, 4)?, number(12, 4)?, number(16, 4)?);
    let texts = HEADER + ENTRY * (modules + ir + native);
    let module = |index: usize| {
        let entry = HEADER + ENTRY * index;
        let (offset, size) = (number(entry, 8)?, number(entry + 8, 8)?);
        let bytes = image.get(texts + offset..texts + offset + size);
        let text = std::str::from_utf8(bytes.ok_or("a property set lies outside")?);
        PropertySets::parse(text.map_err(|e| e.to_string())?).map_err(|e| e.to_string())
    };
    (0..modules).map(module).collect()
}

fn kernels(sets: &PropertySets) -> impl Iterator<Item = String> {
    let names = sets.set("SYCL/kernel names").into_iter();
    names
        .flat_map(|set| set.iter())
        .filter_map(|(name, _)| name.strip_prefix(PREFIX).map(str::to_owned))
}

fn of_module(sets: &PropertySets) -> Result<Facts, String> {
    let property = |name| sets.get(REQUIREMENTS, name);
    let aspects = property("aspects").and_then(PropertyValue::as_u32_array);
    let mut work_group: Vec<u64> = property("reqd_work_group_size_uint64_t")
        .and_then(PropertyValue::as_bytes)
        .unwrap_or_default()
        .chunks_exact(8)
        .map(|eight| {
            eight
                .iter()
                .rev()
                .fold(0, |sum, &b| sum << 8 | u64::from(b))
        })
        .collect();
    if !work_group.is_empty() {
        // Its order is the fastest dimension first, padded to three with 1.
        let dimensions = property("work_group_num_dim").and_then(PropertyValue::as_u32);
        let dimensions = dimensions.ok_or("a work-group size without its dimensions")?;
        work_group.truncate(dimensions as usize);
        work_group.reverse();
    }
    let sub_group = property("reqd_sub_group_size").and_then(PropertyValue::as_u32);
    let names = aspects.unwrap_or_default().into_iter();
    Ok(Facts {
        aspects: names.map(aspects::display_name).collect(),
        work_group_size: work_group,
        sub_group_size: sub_group.into_iter().map(u64::from).collect(),
    })
}

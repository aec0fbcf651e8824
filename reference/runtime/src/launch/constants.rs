//! Specialization constants: what a program set, as a SPIR-V image numbers its constants, or as the bytes
//! that the kernels of other images read.

use std::ffi::c_void;

use offload_formats::property_set::{
    KERNEL_CONSTANTS, PropertySets, PropertyValue, SPECIALIZATION_CONSTANTS,
    SPECIALIZATION_CONSTANTS_DEFAULTS,
};
use offload_formats::registration::ImageFormat;
use offload_formats::unit_name;

use super::Launch;
use crate::error::{Error, Kind, Result};
use crate::names::without_linkage;
use crate::plugin::{SpecValue, UsmKind};
use crate::queue::Queue;
use crate::registry::Image;

/// The values that the program set, by the numbers that a SPIR-V image gives its constants.
#[must_use]
pub fn spec_values(image: &Image, kernel: &str, set: &[(String, Vec<u8>)]) -> Vec<SpecValue> {
    if image.format() != ImageFormat::SpirV {
        return Vec::new();
    }
    let properties = &image.content.properties;
    let values = set.iter().flat_map(|(name, bytes)| {
        spec_records(properties, kernel, name)
            .into_iter()
            .filter_map(move |record| {
                let end = record.offset.checked_add(record.size)?;
                Some(SpecValue {
                    id: record.id?,
                    bytes: bytes.get(record.offset..end)?.to_vec(),
                })
            })
    });
    values.collect()
}

/// One scalar of a specialization constant, or padding.
struct SpecRecord {
    /// The number of the scalar in SPIR-V; `None` for padding.
    id: Option<u32>,
    /// Where it stands in the constant.
    offset: usize,
    /// Bytes.
    size: usize,
}

/// The names of an image's constants, without those of which the image says that the kernel does not
/// read them.
fn read_by<'k>(properties: &'k PropertySets, kernel: &str) -> Vec<&'k str> {
    let all = properties.set(SPECIALIZATION_CONSTANTS);
    let all = all.into_iter().flatten().map(|(key, _)| key.as_ref());
    let listed = properties.get(KERNEL_CONSTANTS, kernel);
    match listed.and_then(|names| std::str::from_utf8(names.as_bytes()?).ok()) {
        Some(names) => all.filter(|key| names.lines().any(|n| n == *key)).collect(),
        None => all.collect(),
    }
}

/// Which of a kernel's constants a program means by `name`: that of the translation unit whose tag
/// the name carries, or else the one that all units share, or else the only one that is called so:
/// of a kernel that units share, one unit's copy stays.
fn meant<'k>(keys: &[&'k str], name: &str) -> Option<&'k str> {
    let (base, _) = unit_name::split(name);
    let base = without_linkage(base);
    let [own, shared] = [without_linkage(name), base.clone()].map(|wanted| {
        let mut keys = keys.iter().copied();
        keys.find(|key| without_linkage(key) == wanted)
    });
    own.or(shared).or_else(|| {
        let is_alike = |key: &&&str| without_linkage(unit_name::split(key).0) == base;
        let mut alike = keys.iter().filter(is_alike);
        alike.next().copied().filter(|_| alike.next().is_none())
    })
}

/// Whether the image has the constant that `name` means (any, without a name), and then whether it has it as one of SPIR-V.
#[must_use]
pub fn spec_constant(image: &Image, name: Option<&str>) -> Option<bool> {
    let properties = &image.content.properties;
    let all = properties.set(SPECIALIZATION_CONSTANTS);
    let keys: Vec<&str> = all
        .into_iter()
        .flatten()
        .map(|(key, _)| key.as_ref())
        .collect();
    let found = match name {
        Some(name) => meant(&keys, name),
        None => keys.first().copied(),
    };
    found.map(|_| image.format() == ImageFormat::SpirV)
}

/// The records of the constant that `name` means in a kernel, from the image's property set.
fn spec_records(properties: &PropertySets, kernel: &str, name: &str) -> Vec<SpecRecord> {
    let key = meant(&read_by(properties, kernel), name);
    let property = key.and_then(|key| properties.get(SPECIALIZATION_CONSTANTS, key));
    property.map_or_else(Vec::new, records_in)
}

/// The records that a property holds: three 32-bit numbers each.
fn records_in(property: &PropertyValue) -> Vec<SpecRecord> {
    let words = property.as_u32_array().unwrap_or_default();
    let records = words.chunks_exact(3).map(|record| SpecRecord {
        id: (record[0] != u32::MAX).then_some(record[0]),
        offset: record[1] as usize,
        size: record[2] as usize,
    });
    records.collect()
}

/// The buffer of an image's emulated constants: their defaults, with the values that were `set` for
/// the kernel.
/// The constants lie one behind the other in the order of the property set, each as long as its
/// records with the padding are. `None` when the image has no constants.
fn emulated_values(
    properties: &PropertySets,
    kernel: &str,
    set: &[(String, Vec<u8>)],
) -> Option<Vec<u8>> {
    let defaults = properties.get(SPECIALIZATION_CONSTANTS_DEFAULTS, "all")?;
    let mut values = defaults.as_bytes()?.to_vec();
    let constants = properties
        .set(SPECIALIZATION_CONSTANTS)
        .into_iter()
        .flatten();
    let keys = read_by(properties, kernel);
    let mut start = 0usize;
    for (key, property) in constants {
        let ends = records_in(property)
            .into_iter()
            .map(|record| record.offset.saturating_add(record.size));
        let end = start.saturating_add(ends.max().unwrap_or(0));
        let value = set
            .iter()
            .find(|(name, _)| meant(&keys, name) == Some(key.as_ref()));
        if let Some((_, bytes)) = value
            && let Some(place) = values.get_mut(start..end)
            && let Some(place) = place.get_mut(..bytes.len())
        {
            place.copy_from_slice(bytes);
        }
        start = end;
    }
    Some(values)
}

/// Device memory that holds the values of emulated constants while a command runs.
pub(super) struct Constants<'a> {
    queue: &'a Queue,
    pub(super) pointer: *mut c_void,
}

impl Drop for Constants<'_> {
    fn drop(&mut self) {
        // Nothing can be done about memory that the driver will not take back.
        let _ = self.queue.context.driver.usm_free(self.pointer);
    }
}

/// The defaults of an image's emulated constants with what the program set, on the device; `None`
/// when the kernel takes none or the image has them as SPIR-V constants.
pub(super) fn emulated_constants<'a>(
    queue: &'a Queue,
    launch: &Launch,
    image: &Image,
) -> Result<Option<Constants<'a>>> {
    let native = image.format() == ImageFormat::SpirV;
    if native || launch.spec_constant_pointer.is_none() {
        return Ok(None);
    }
    let properties = &image.content.properties;
    let Some(values) = emulated_values(properties, &launch.name, &launch.spec_constants) else {
        return Ok(None);
    };
    let context = &queue.context.driver;
    let size = values.len().max(1);
    let pointer = context.usm_allocate(queue.device.place, UsmKind::Shared, size, 0)?;
    if pointer.is_null() {
        return Err(Error::new(
            Kind::MemoryAllocation,
            "no room for the specialization constants",
        ));
    }
    // SAFETY: the allocation spans `size` bytes, reachable from the host, and is not used yet.
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), pointer.cast(), values.len()) };
    Ok(Some(Constants { queue, pointer }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_values_lie_where_the_image_has_each_emulated_constant() {
        const PADDING: u32 = u32::MAX;
        let mut properties = PropertySets::new();
        // A char and the gap behind it, three floats, and an int, in the order of their names.
        for (name, records) in [
            ("_ZTS4nameIL_Z4flagEE", &[0, 0, 1, PADDING, 1, 3][..]),
            ("_ZTS4nameIL_Z4rowsEE", &[1, 0, 4, 2, 4, 4, 3, 8, 4]),
            ("_ZTS4nameIL_Z5scaleEE", &[4, 0, 4]),
        ] {
            let records = PropertyValue::u32_array(records);
            properties.insert(SPECIALIZATION_CONSTANTS, name, records);
        }
        let defaults = PropertyValue::Bytes(vec![7; 20]);
        properties.insert(SPECIALIZATION_CONSTANTS_DEFAULTS, "all", defaults);

        let set = |constants: &[(&str, &[u8])]| {
            let owned = |(name, value): &(&str, &[u8])| ((*name).to_owned(), value.to_vec());
            let constants: Vec<_> = constants.iter().map(owned).collect();
            emulated_values(&properties, "kernel", &constants).unwrap()
        };
        assert_eq!(set(&[]), [7; 20]);
        let mut expected = [7; 20];
        expected[16..].fill(1);
        let scale: (&str, &[u8]) = ("_ZTS4nameIL_ZL5scaleEE", &[1; 4]);
        assert_eq!(set(&[scale]), expected);
        expected[4..16].fill(2);
        let rows: (&str, &[u8]) = ("_ZTS4nameIL_Z4rowsEE", &[2; 12]);
        assert_eq!(set(&[scale, rows]), expected);
        // A value that is longer than the constant, and one that the image does not use.
        let wrong: [(&str, &[u8]); 2] = [("_ZTS4nameIL_Z5scaleEE", &[3; 5]), ("other", &[3])];
        assert_eq!(set(&wrong), [7; 20]);
    }

    #[test]
    fn a_unit_means_its_own_constant_or_that_of_all() {
        let [one, other] = [1, 2].map(|unit| format!("_ZTS1a{}", unit_name::tag(unit)));
        assert_eq!(meant(&["_ZTS1a", "_ZTS1b"], &one), Some("_ZTS1a"));
        assert_eq!(meant(&["_ZTS1b"], &one), None);
        let own: Vec<&str> = vec!["_ZTS1a", &one, &other];
        assert_eq!(meant(&own, &other), Some(other.as_str()));
        assert_eq!(meant(&own[1..], "_ZTS1a"), None);
    }

    #[test]
    fn a_unit_means_the_constant_of_the_copy_that_stayed_of_a_kernel() {
        let [one, other] = [1, 2].map(|unit| format!("_ZTSL1a{}", unit_name::tag(unit)));
        assert_eq!(meant(&["_ZTS1b", &one], &other), Some(one.as_str()));
        // Both units have kernels of their own beside the one that they share.
        let mut properties = PropertySets::new();
        for (name, id) in [(&one, 0), (&other, 1)] {
            let records = PropertyValue::u32_array(&[id, 0, 1]);
            properties.insert(SPECIALIZATION_CONSTANTS, name, records);
        }
        let defaults = PropertyValue::Bytes(vec![7, 7]);
        properties.insert(SPECIALIZATION_CONSTANTS_DEFAULTS, "all", defaults);
        for (kernel, names) in [("both", format!("{one}\n{other}")), ("shared", one.clone())] {
            let names = PropertyValue::Bytes(names.into_bytes());
            properties.insert(KERNEL_CONSTANTS, kernel, names);
        }
        let id = |kernel: &str, name: &str| {
            let records = spec_records(&properties, kernel, name);
            records.iter().find_map(|record| record.id)
        };
        assert_eq!(id("shared", &other), Some(0));
        assert_eq!(id("both", &other), Some(1));
        let set = [(other.clone(), vec![1])];
        let values = |kernel: &str| emulated_values(&properties, kernel, &set);
        assert_eq!(values("shared"), Some(vec![1, 7]));
        assert_eq!(values("both"), Some(vec![7, 1]));
    }
}

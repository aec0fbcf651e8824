//! Whether a device can run an image: the checks of FEAT, "Changes to the DPC++ runtime".
//!
//! They look at the image's properties alone, never at its bytes.

use offload_formats::aspects;
use offload_formats::demangle::demangled;
use offload_formats::property_set::{
    ASPECT_ORIGINS, DEVICE_REQUIREMENTS, PropertySets, PropertyValue,
};

use crate::device::Device;
use crate::plugin::DeviceFacts;

/// What a check needs to know of a device.
pub struct Abilities<'a> {
    /// Its aspects, target architectures among them.
    pub aspects: &'a [u32],
    /// Its sub-group sizes.
    pub sub_group_sizes: &'a [u32],
    /// The most work-items of a work-group.
    pub max_work_group_size: u64,
}

impl<'a> From<&'a DeviceFacts> for Abilities<'a> {
    fn from(facts: &'a DeviceFacts) -> Self {
        Abilities {
            aspects: &facts.aspects,
            sub_group_sizes: &facts.sub_group_sizes,
            max_work_group_size: facts.max_work_group_size,
        }
    }
}

/// Why the device cannot run an image with these properties, which a kernel is of; `None` when it can.
#[must_use]
pub fn unmet(properties: &PropertySets, kernel: &str, device: &Device) -> Option<String> {
    unmet_by(properties, kernel, &Abilities::from(device.facts()))
}

/// [`unmet`], for abilities given as values.
#[must_use]
pub fn unmet_by(properties: &PropertySets, kernel: &str, device: &Abilities<'_>) -> Option<String> {
    let required = |name: &str| properties.get(DEVICE_REQUIREMENTS, name);
    let list = |name: &str| required(name).and_then(PropertyValue::as_u32_array);

    if let Some(targets) = list("fixed_target") {
        if targets.is_empty() {
            return Some(
                "Kernel was compiled with '-fsycl-fixed-targets', and no device is left that the \
                 functions it calls were compiled for too."
                    .to_owned(),
            );
        }
        if !targets.iter().any(|target| device.aspects.contains(target)) {
            let names: Vec<String> = targets.iter().map(|t| aspects::display_name(*t)).collect();
            return Some(format!(
                "Kernel was compiled with '-fsycl-fixed-targets={}' but was submitted to a \
                 different device.",
                names.join(",")
            ));
        }
    }
    // The document's name and DPC++'s.
    for aspect in list("aspect")
        .or_else(|| list("aspects"))
        .unwrap_or_default()
    {
        if !device.aspects.contains(&aspects::current(aspect)) {
            return Some(missing_aspect(properties, kernel, aspect));
        }
    }
    for size in required("reqd_sub_group_size")
        .and_then(sizes)
        .unwrap_or_default()
    {
        if !device.sub_group_sizes.contains(&size) {
            return Some(format!(
                "Kernel has a required sub-group size of '{size}' but device does not support \
                 this sub-group size."
            ));
        }
    }
    let groups = work_groups(properties);
    let too_large = groups.into_iter().find(|dimensions| {
        let items = dimensions
            .iter()
            .try_fold(1u64, |items, d| items.checked_mul(*d));
        items.is_none_or(|items| items > device.max_work_group_size)
    })?;
    let shown: Vec<String> = too_large.iter().map(u64::to_string).collect();
    Some(format!(
        "Kernel has a required work-group size of '{}' but device does not support this \
         work-group size: its work-groups have at most {} work-items.",
        shown.join(", "),
        device.max_work_group_size
    ))
}

fn missing_aspect(properties: &PropertySets, kernel: &str, aspect: u32) -> String {
    let name = aspects::display_name(aspect);
    let mut reason = format!(
        "Kernel uses optional feature corresponding to 'aspect::{name}' but device does not \
         support this aspect."
    );
    let origin = properties
        .get(ASPECT_ORIGINS, &name)
        .and_then(PropertyValue::as_bytes);
    if let Some(chain) = origin.and_then(|bytes| std::str::from_utf8(bytes).ok()) {
        // An image has one chain for all of its kernels.
        let is_of_kernel = chain
            .lines()
            .next()
            .is_some_and(|first| first == demangled(kernel));
        reason.push_str(match is_of_kernel {
            true => "\nuse is from this call chain:",
            false => "\na use in the kernel's image is from this call chain:",
        });
        for function in chain.lines() {
            reason.push_str(&format!("\n  {function}"));
        }
    }
    reason
}

/// The sub-group size that the kernels of an image require; `None` where they require none, or several.
#[must_use]
pub fn required_sub_group_size(properties: &PropertySets) -> Option<u32> {
    let sizes = sizes(properties.get(DEVICE_REQUIREMENTS, "reqd_sub_group_size")?)?;
    <[u32; 1]>::try_from(sizes).ok().map(|[size]| size)
}

/// Sub-group sizes: a list as FEAT has it, or DPC++'s single number.
fn sizes(value: &PropertyValue) -> Option<Vec<u32>> {
    value
        .as_u32_array()
        .or_else(|| value.as_u32().map(|size| vec![size]))
}

/// Required work-group sizes: FEAT's list of entries that each say their number of dimensions, and
/// DPC++'s one entry of 64-bit numbers.
fn work_groups(properties: &PropertySets) -> Vec<Vec<u64>> {
    let required = |name: &str| properties.get(DEVICE_REQUIREMENTS, name);
    let mut groups = Vec::new();
    let words = required("reqd_work_group_size").and_then(PropertyValue::as_u32_array);
    let words = words.unwrap_or_default();
    let mut rest = words.as_slice();
    while let Some((count, after)) = rest.split_first() {
        let count = (*count as usize).min(after.len());
        let (dimensions, next) = after.split_at(count);
        groups.push(dimensions.iter().map(|d| u64::from(*d)).collect());
        rest = next;
    }
    let wide = required("reqd_work_group_size_uint64_t").and_then(PropertyValue::as_bytes);
    if let Some(bytes) = wide {
        let words = bytes.chunks_exact(8);
        let words = words.filter_map(|word| Some(u64::from_le_bytes(word.try_into().ok()?)));
        let mut words: Vec<u64> = words.collect();
        // So many of them count, the fastest dimension first: the other way round than in the source.
        if let Some(count) = required("work_group_num_dim").and_then(PropertyValue::as_u32) {
            words.truncate(count as usize);
            words.reverse();
        }
        groups.push(words);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABILITIES: Abilities<'static> = Abilities {
        aspects: &[1, 6],
        sub_group_sizes: &[8, 16],
        max_work_group_size: 256,
    };

    fn reason(name: &str, value: PropertyValue) -> Option<String> {
        let mut properties = PropertySets::new();
        properties.insert(DEVICE_REQUIREMENTS, name, value);
        unmet_by(&properties, "kernel", &ABILITIES)
    }

    #[test]
    fn a_device_that_has_everything_runs_the_image() {
        assert_eq!(unmet_by(&PropertySets::new(), "kernel", &ABILITIES), None);
        assert_eq!(reason("aspect", PropertyValue::u32_array(&[6, 1])), None);
        assert_eq!(
            reason("reqd_sub_group_size", PropertyValue::u32_array(&[16])),
            None
        );
        let groups = PropertyValue::u32_array(&[1, 256, 3, 4, 8, 8]);
        assert_eq!(reason("reqd_work_group_size", groups), None);
        assert_eq!(
            reason("fixed_target", PropertyValue::u32_array(&[99, 1])),
            None
        );
    }

    #[test]
    fn a_missing_aspect_is_named_in_both_dialects() {
        for property in ["aspect", "aspects"] {
            let reason = reason(property, PropertyValue::u32_array(&[6, 5])).unwrap();
            assert_eq!(
                reason,
                "Kernel uses optional feature corresponding to 'aspect::fp16' but device does \
                 not support this aspect."
            );
        }
    }

    #[test]
    fn a_missing_aspect_shows_where_it_comes_from() {
        let mut properties = PropertySets::new();
        let aspect = PropertyValue::u32_array(&[5]);
        properties.insert(DEVICE_REQUIREMENTS, "aspect", aspect);
        let chain = PropertyValue::Bytes(b"kernel\nhelper()".to_vec());
        properties.insert(ASPECT_ORIGINS, "fp16", chain);
        let reason = unmet_by(&properties, "kernel", &ABILITIES).unwrap();
        assert!(
            reason.ends_with("\nuse is from this call chain:\n  kernel\n  helper()"),
            "{reason}"
        );
        let other = unmet_by(&properties, "_ZTS5other", &ABILITIES).unwrap();
        assert!(
            other.ends_with("image is from this call chain:\n  kernel\n  helper()"),
            "{other}"
        );
    }

    #[test]
    fn an_image_says_the_sub_group_size_that_its_kernels_require() {
        let required = |sizes: &[u32]| {
            let mut properties = PropertySets::new();
            let value = PropertyValue::u32_array(sizes);
            properties.insert(DEVICE_REQUIREMENTS, "reqd_sub_group_size", value);
            required_sub_group_size(&properties)
        };
        assert_eq!(required(&[32]), Some(32));
        assert_eq!(required(&[8, 16]), None);
        assert_eq!(required_sub_group_size(&PropertySets::new()), None);
    }

    #[test]
    fn sub_group_and_work_group_sizes_are_checked() {
        let size = PropertyValue::u32_array(&[32]);
        assert_eq!(
            reason("reqd_sub_group_size", size).unwrap(),
            "Kernel has a required sub-group size of '32' but device does not support this \
             sub-group size."
        );
        let group = PropertyValue::u32_array(&[2, 17, 16]);
        assert!(
            reason("reqd_work_group_size", group)
                .unwrap()
                .contains("'17, 16'")
        );
        let wide = |sizes: &[u64]| {
            PropertyValue::Bytes(sizes.iter().flat_map(|d| d.to_le_bytes()).collect())
        };
        let plain = reason("reqd_work_group_size_uint64_t", wide(&[256, 2]));
        assert!(plain.unwrap().contains("'256, 2'"));
        let mut properties = PropertySets::new();
        let mut set = |name: &str, value| properties.insert(DEVICE_REQUIREMENTS, name, value);
        set("reqd_work_group_size_uint64_t", wide(&[256, 2, 1]));
        set("work_group_num_dim", PropertyValue::U32(2));
        let padded = unmet_by(&properties, "kernel", &ABILITIES).unwrap();
        assert!(padded.contains("'2, 256'"), "{padded}");
    }

    #[test]
    fn a_fixed_target_must_be_the_device() {
        let targets = PropertyValue::u32_array(&[5]);
        let reason = reason("fixed_target", targets).unwrap();
        assert!(reason.contains("-fsycl-fixed-targets=fp16"), "{reason}");
        let none = PropertyValue::u32_array(&[]);
        let reason = super::tests::reason("fixed_target", none).unwrap();
        assert!(reason.contains("no device is left"), "{reason}");
    }
}

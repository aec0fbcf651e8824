//! Which device modules a target can run: a module's "SYCL/device requirements" held against the
//! target's entry in the device configuration file (`FEAT`, "Aspect filter tool").

use std::fmt;

use offload_formats::aspects;
use offload_formats::device_config::DeviceEntry;
use offload_formats::property_set::{DEVICE_REQUIREMENTS, PropertySet, PropertySets};
use offload_formats::targets;

/// What a target lacks that a module needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unsupported {
    /// Aspects, by number.
    Aspects(Vec<u32>),
    /// Sub-group sizes.
    SubGroupSizes(Vec<u32>),
    /// The module was compiled for these targets only, given as their aspects.
    FixedTargets(Vec<u32>),
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: Vec<String>| names.join(", ");
        match self {
            Unsupported::Aspects(numbers) => {
                let names = numbers.iter().map(|n| aspects::display_name(*n));
                write!(f, "aspect {}", list(names.collect()))
            }
            Unsupported::SubGroupSizes(sizes) => {
                let sizes = sizes.iter().map(ToString::to_string);
                write!(f, "sub-group size {}", list(sizes.collect()))
            }
            Unsupported::FixedTargets(numbers) => {
                let names = numbers.iter().map(|n| match targets::by_aspect(*n) {
                    Some(target) => target.name.to_owned(),
                    None => n.to_string(),
                });
                write!(f, "code compiled for {} only", list(names.collect()))
            }
        }
    }
}

/// A requirement that is no array of 32-bit numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("property '{0}' of '{DEVICE_REQUIREMENTS}' is no array of 32-bit numbers")]
pub struct BadRequirement(pub &'static str);

/// What of a module's requirements the target lacks; `None` when it can run the module. The names
/// of the documents count, and those of DPC++ where they differ.
///
/// # Errors
/// When a requirement is not of the form that its name asks for.
pub fn unsupported(
    properties: &PropertySets,
    target: &DeviceEntry,
) -> Result<Option<Unsupported>, BadRequirement> {
    let Some(requirements) = properties.set(DEVICE_REQUIREMENTS) else {
        return Ok(None);
    };
    let needed = numbers(requirements, &["aspect", "aspects"])?.unwrap_or_default();
    let lacking = without(needed, &target.aspects);
    if !lacking.is_empty() {
        return Ok(Some(Unsupported::Aspects(lacking)));
    }
    let sizes = numbers(requirements, &["reqd_sub_group_size"])?.unwrap_or_default();
    let lacking = without(sizes, &target.sub_group_sizes);
    if !lacking.is_empty() {
        return Ok(Some(Unsupported::SubGroupSizes(lacking)));
    }
    let fixed = numbers(requirements, &["fixed_target"])?;
    Ok(fixed
        .filter(|fixed| !fixed.iter().any(|aspect| target.aspects.contains(aspect)))
        .map(Unsupported::FixedTargets))
}

fn without(needed: Vec<u32>, supported: &[u32]) -> Vec<u32> {
    let lacking = needed.into_iter().filter(|n| !supported.contains(n));
    lacking.collect()
}

/// The value of the first of `names` that is there. DPC++ writes a lone sub-group size as a number.
fn numbers(
    requirements: &PropertySet,
    names: &[&'static str],
) -> Result<Option<Vec<u32>>, BadRequirement> {
    for name in names {
        if let Some(value) = requirements.get(*name) {
            let lone = value.as_u32().map(|number| vec![number]);
            let values = value.as_u32_array().or(lone);
            return values.map(Some).ok_or(BadRequirement(name));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use offload_formats::property_set::PropertyValue;

    use super::*;

    fn entry() -> DeviceEntry {
        DeviceEntry {
            aspects: vec![2, 6, 1000],
            sub_group_sizes: vec![8, 16],
            max_work_group_size: None,
        }
    }

    fn check(requirements: &[(&str, &[u32])]) -> Option<String> {
        let mut sets = PropertySets::new();
        for (name, values) in requirements {
            sets.insert(DEVICE_REQUIREMENTS, name, PropertyValue::u32_array(values));
        }
        let lacks = unsupported(&sets, &entry()).unwrap();
        lacks.map(|lacks| lacks.to_string())
    }

    #[test]
    fn every_aspect_and_sub_group_size_has_to_be_there() {
        assert_eq!(
            check(&[("aspect", &[2, 6]), ("reqd_sub_group_size", &[8, 16])]),
            None
        );
        assert_eq!(check(&[("aspect", &[2, 5])]).unwrap(), "aspect fp16");
        assert_eq!(check(&[("aspects", &[5])]).unwrap(), "aspect fp16");
        assert_eq!(
            check(&[("reqd_sub_group_size", &[8, 32])]).unwrap(),
            "sub-group size 32"
        );
    }

    #[test]
    fn one_fixed_target_is_enough_and_an_empty_list_fits_none() {
        assert_eq!(check(&[("fixed_target", &[1003, 1000])]), None);
        assert!(
            check(&[("fixed_target", &[1003])])
                .unwrap()
                .contains("only")
        );
        assert!(check(&[("fixed_target", &[])]).is_some());
    }

    #[test]
    fn a_module_without_requirements_runs_anywhere() {
        assert_eq!(unsupported(&PropertySets::new(), &entry()), Ok(None));
    }

    #[test]
    fn a_requirement_of_a_wrong_form_is_an_error() {
        let mut sets = PropertySets::new();
        sets.insert(DEVICE_REQUIREMENTS, "aspect", PropertyValue::Bytes(vec![1]));
        assert_eq!(unsupported(&sets, &entry()), Err(BadRequirement("aspect")));
    }
}

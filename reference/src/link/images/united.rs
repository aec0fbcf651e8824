//! The property sets of a module that several were linked into.

use std::collections::BTreeSet;

use offload_formats::device_input::DeviceInput;
use offload_formats::property_set::{
    ASPECT_ORIGINS, DEVICE_REQUIREMENTS, DEVICELIB_REQ_MASK, EXPORTED_SYMBOLS, IMPORTED_SYMBOLS,
    MISC_PROPERTIES, PropertySets, PropertyValue, SPECIALIZATION_CONSTANTS,
};

use crate::link::images::ready;
use crate::link::{DeviceTarget, LinkError};

/// The properties of the inputs together: what any of them needs, all of them need, and each goes
/// on to say of itself what it said.
///
/// # Errors
/// When inputs say what cannot be true of one module.
pub(in crate::link) fn properties<'a>(
    inputs: impl Iterator<Item = &'a DeviceInput> + Clone,
    target: &DeviceTarget,
) -> Result<PropertySets, LinkError> {
    let mut united = PropertySets::new();
    for input in inputs.clone() {
        let own = ready::properties(input)?;
        add(&mut united, &own).map_err(|property| LinkError::SpirvLink {
            target: target.to_string(),
            modules: inputs
                .clone()
                .map(|input| input.origin.to_string())
                .collect(),
            reason: format!("property '{property}' differs in {}", input.origin),
            said: String::new(),
        })?;
    }
    solve(&mut united);
    Ok(united)
}

/// Adds the properties of another module, or names the one that does not go with those there.
fn add(united: &mut PropertySets, own: &PropertySets) -> Result<(), String> {
    for (set, properties) in own.iter() {
        // The numbers of two modules may be the same, and their offsets are into arrays of their own.
        let clashes = set == SPECIALIZATION_CONSTANTS
            && !properties.is_empty()
            && united.set(set).is_some_and(|known| !known.is_empty());
        if clashes {
            return Err(set.to_owned());
        }
        united.set_mut(set);
        for (key, value) in properties {
            let value = match united.get(set, key) {
                None => value.clone(),
                Some(known) if known == value => continue,
                Some(known) => {
                    both(set, key, known, value).ok_or_else(|| format!("{set}: {key}"))?
                }
            };
            united.insert(set, key, value);
        }
    }
    Ok(())
}

/// What two values of a property make together, if anything.
fn both(set: &str, key: &str, a: &PropertyValue, b: &PropertyValue) -> Option<PropertyValue> {
    match (set, key) {
        (DEVICE_REQUIREMENTS, "aspect" | "aspects" | "reqd_sub_group_size") => {
            let numbers = [a.as_u32_array()?, b.as_u32_array()?].concat();
            let numbers: BTreeSet<u32> = numbers.into_iter().collect();
            Some(PropertyValue::u32_array(&Vec::from_iter(numbers)))
        }
        (DEVICE_REQUIREMENTS, "reqd_work_group_size") => {
            let mut sizes = sizes(&a.as_u32_array()?)?;
            sizes.extend(self::sizes(&b.as_u32_array()?)?);
            Some(PropertyValue::u32_array(&Vec::from_iter(sizes).concat()))
        }
        // What one was compiled without, the others can do without.
        (MISC_PROPERTIES, "optLevel") => Some(PropertyValue::U32(a.as_u32()?.min(b.as_u32()?))),
        (DEVICELIB_REQ_MASK, _) => Some(PropertyValue::U32(a.as_u32()? | b.as_u32()?)),
        // One example is enough.
        (ASPECT_ORIGINS, _) => Some(a.clone()),
        _ => None,
    }
}

/// Work-group sizes, each with its number of dimensions before it.
fn sizes(words: &[u32]) -> Option<BTreeSet<Vec<u32>>> {
    let mut sizes = BTreeSet::new();
    let mut rest = words;
    while let Some(dimensions) = rest.first() {
        let (size, after) = rest.split_at_checked(*dimensions as usize + 1)?;
        sizes.insert(size.to_vec());
        rest = after;
    }
    Some(sizes)
}

/// No other image has to give what the modules give one another.
fn solve(united: &mut PropertySets) {
    let Some(exported) = united.set(EXPORTED_SYMBOLS).cloned() else {
        return;
    };
    if united.set(IMPORTED_SYMBOLS).is_some() {
        united
            .set_mut(IMPORTED_SYMBOLS)
            .retain(|symbol, _| !exported.contains_key(symbol));
    }
}

#[cfg(test)]
mod tests {
    use offload_formats::property_set::SPECIALIZATION_CONSTANTS_DEFAULTS;

    use super::*;

    fn sets(properties: &[(&str, &str, PropertyValue)]) -> PropertySets {
        let mut sets = PropertySets::new();
        for (set, key, value) in properties {
            sets.insert(set, key, value.clone());
        }
        sets
    }

    fn array(numbers: &[u32]) -> PropertyValue {
        PropertyValue::u32_array(numbers)
    }

    fn united(all: &[PropertySets]) -> Result<PropertySets, String> {
        let mut united = PropertySets::new();
        for own in all {
            add(&mut united, own)?;
        }
        solve(&mut united);
        Ok(united)
    }

    #[test]
    fn the_whole_needs_what_any_part_needs() {
        let (level, one) = (|level| PropertyValue::U32(level), PropertyValue::U32(1));
        let first = sets(&[
            (DEVICE_REQUIREMENTS, "aspect", array(&[6])),
            (DEVICE_REQUIREMENTS, "reqd_work_group_size", array(&[1, 8])),
            (MISC_PROPERTIES, "optLevel", level(2)),
            (IMPORTED_SYMBOLS, "f", one.clone()),
            (IMPORTED_SYMBOLS, "g", one.clone()),
        ]);
        let second = sets(&[
            (DEVICE_REQUIREMENTS, "aspect", array(&[1, 6])),
            (DEVICE_REQUIREMENTS, "reqd_sub_group_size", array(&[16])),
            (
                DEVICE_REQUIREMENTS,
                "reqd_work_group_size",
                array(&[2, 4, 4, 1, 8]),
            ),
            (MISC_PROPERTIES, "optLevel", level(0)),
            (EXPORTED_SYMBOLS, "f", one.clone()),
        ]);
        let expected = sets(&[
            (DEVICE_REQUIREMENTS, "aspect", array(&[1, 6])),
            (
                DEVICE_REQUIREMENTS,
                "reqd_work_group_size",
                array(&[1, 8, 2, 4, 4]),
            ),
            (DEVICE_REQUIREMENTS, "reqd_sub_group_size", array(&[16])),
            (MISC_PROPERTIES, "optLevel", level(0)),
            (IMPORTED_SYMBOLS, "g", one.clone()),
            (EXPORTED_SYMBOLS, "f", one),
        ]);
        assert_eq!(united(&[first, second]).unwrap(), expected);
    }

    #[test]
    fn what_cannot_be_true_of_one_module_is_named() {
        let wide = |size| {
            let size = PropertyValue::Bytes(vec![size; 8]);
            sets(&[(DEVICE_REQUIREMENTS, "reqd_work_group_size_uint64_t", size)])
        };
        let property = united(&[wide(1), wide(1), wide(2)]).unwrap_err();
        assert!(
            property.contains("reqd_work_group_size_uint64_t"),
            "{property}"
        );
        let constant = |name| {
            sets(&[
                (SPECIALIZATION_CONSTANTS, name, array(&[0, 0, 4])),
                (SPECIALIZATION_CONSTANTS_DEFAULTS, "all", array(&[7])),
            ])
        };
        assert!(united(&[constant("a"), PropertySets::new()]).is_ok());
        assert_eq!(
            united(&[constant("a"), constant("b")]).unwrap_err(),
            SPECIALIZATION_CONSTANTS
        );
        let broken = sets(&[(DEVICE_REQUIREMENTS, "reqd_work_group_size", array(&[9, 1]))]);
        let good = sets(&[(DEVICE_REQUIREMENTS, "reqd_work_group_size", array(&[1, 8]))]);
        assert!(united(&[good, broken]).is_err());
    }
}

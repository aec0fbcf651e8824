//! Device globals: what an image says of those that it holds, and the rule that one with
//! `device_image_scope` is in one image only.

use std::collections::HashMap;

use offload_formats::property_set::{DEVICE_GLOBALS, INITIAL_VALUES, PropertySets, PropertyValue};

use super::error::PostLinkError;
use super::facts::{DeviceGlobal, GlobalId, ModuleFacts};

/// Writes, for each device global of an image, its size and whether it belongs to the image alone.
pub fn describe(facts: &ModuleFacts, members: &[GlobalId], sets: &mut PropertySets) {
    for (_, global) in device_globals(facts, members) {
        let value = PropertyValue::u32_array(&[global.size, global.image_scope.into()]);
        sets.insert(DEVICE_GLOBALS, &global.unique_id, value);
        if let Some(offset) = global.initial_value_at {
            sets.insert(
                INITIAL_VALUES,
                &global.unique_id,
                PropertyValue::U32(offset),
            );
        }
    }
}

/// Refuses a global of image scope that two images hold; each image comes with its number, entry
/// points and members.
///
/// # Errors
/// [`PostLinkError::ScopedGlobalTwice`] names both images.
pub fn check<'p>(
    facts: &ModuleFacts,
    images: impl Iterator<Item = (usize, &'p [GlobalId], &'p [GlobalId])>,
) -> Result<(), PostLinkError> {
    let mut holders: HashMap<GlobalId, (usize, String)> = HashMap::new();
    for (index, entries, members) in images {
        for (id, global) in device_globals(facts, members) {
            let entry = entries.first().map_or("", |&entry| facts.name(entry));
            let holder = (index, entry.to_owned());
            let before = match global.image_scope {
                true => holders.insert(id, holder.clone()),
                false => None,
            };
            if let Some(first) = before {
                return Err(PostLinkError::ScopedGlobalTwice {
                    origin: facts.origin.clone(),
                    variable: facts.name(id).to_owned(),
                    first,
                    second: holder,
                });
            }
        }
    }
    Ok(())
}

fn device_globals<'f>(
    facts: &'f ModuleFacts,
    members: &'f [GlobalId],
) -> impl Iterator<Item = (GlobalId, &'f DeviceGlobal)> {
    let of = |&id: &GlobalId| Some((id, facts.global(id)?.device_global.as_ref()?));
    members.iter().filter_map(of)
}

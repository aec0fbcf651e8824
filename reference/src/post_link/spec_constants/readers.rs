//! Which kernel reads which specialization constant, where a name alone does not say it: a kernel
//! that units share is one unit's copy and reads that unit's constant, but the host code that starts
//! it may be another's.

use std::collections::{BTreeMap, BTreeSet};

use offload_formats::property_set::{KERNEL_CONSTANTS, PropertySets, PropertyValue};
use offload_formats::unit_name;

use crate::post_link::facts::{GlobalId, ModuleFacts};

/// Writes the constants that each kernel of an image reads, if the image has several of one name.
pub fn describe(
    facts: &ModuleFacts,
    entries: &[GlobalId],
    constants: &BTreeSet<String>,
    sets: &mut PropertySets,
) {
    if !has_namesakes(constants) {
        return;
    }
    for &entry in entries {
        let reached = facts.closure(&[entry]);
        let functions = reached.iter().filter_map(|&id| facts.function(id));
        let read: BTreeSet<&str> = functions
            .flat_map(|function| function.spec_constants.iter().map(String::as_str))
            .collect();
        if !read.is_empty() {
            let names: Vec<&str> = read.into_iter().collect();
            let value = PropertyValue::Bytes(names.join("\n").into_bytes());
            sets.insert(KERNEL_CONSTANTS, facts.name(entry), value);
        }
    }
}

/// Whether names differ in the tags of their units alone.
fn has_namesakes(constants: &BTreeSet<String>) -> bool {
    let mut counts = BTreeMap::new();
    for name in constants {
        *counts.entry(unit_name::split(name).0).or_insert(0) += 1;
    }
    counts.values().any(|&count| count > 1)
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::{FunctionFacts, GlobalFacts};
    use super::*;

    /// The text of the set for kernels that read these constants, the first through a function.
    fn text(constants: [&str; 2]) -> String {
        let function = |name: &str, reads: &[&str], needs: Vec<GlobalId>| GlobalFacts {
            name: name.to_owned(),
            needs,
            function: Some(FunctionFacts {
                spec_constants: reads.iter().map(|&name| name.to_owned()).collect(),
                ..FunctionFacts::default()
            }),
            ..GlobalFacts::default()
        };
        let facts = ModuleFacts {
            globals: vec![
                function("_ZTS1K", &[], vec![GlobalId(2)]),
                function("_ZTS1L", &constants[1..], Vec::new()),
                function("helper", &constants[..1], Vec::new()),
                function("_ZTS1M", &[], Vec::new()),
            ],
            ..ModuleFacts::default()
        };
        let names = constants.iter().map(|&name| name.to_owned()).collect();
        let entries = [GlobalId(0), GlobalId(1), GlobalId(3)];
        let mut sets = PropertySets::new();
        describe(&facts, &entries, &names, &mut sets);
        let values = sets.set(KERNEL_CONSTANTS).into_iter().flatten();
        let lines = values.map(|(kernel, value)| {
            let names = String::from_utf8_lossy(value.as_bytes().unwrap_or_default()).into_owned();
            format!("{kernel}: {names}\n")
        });
        lines.collect()
    }

    #[test]
    fn kernels_name_their_constants_when_units_have_several_of_one_name() {
        let [one, other] = [1, 2].map(|unit| format!("_ZTS1c{}", unit_name::tag(unit)));
        assert_eq!(
            text([&one, &other]),
            format!("_ZTS1K: {one}\n_ZTS1L: {other}\n")
        );
        assert_eq!(text([&one, "_ZTS1d"]), "");
        assert_eq!(
            text([&one, "_ZTS1c"]),
            format!("_ZTS1K: {one}\n_ZTS1L: _ZTS1c\n")
        );
    }
}

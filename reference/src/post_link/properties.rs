//! The property sets of an image (FEAT, "Create the SYCL/device requirements property set"; OPT
//! for `optLevel`).

use std::collections::BTreeSet;

use offload_formats::property_set::{
    DEVICE_REQUIREMENTS, KERNEL_FUNCTORS, MISC_PROPERTIES, PropertySets, PropertyValue,
};
use offload_formats::{aspects, targets};

use super::error::PostLinkError;
use super::facts::{GlobalId, ModuleFacts};
use super::options::{Dialect, Options};
use super::requirements::Requirements;
use super::{device_globals, device_libraries, origins, program_metadata, symbols};

/// The property sets of an image with these entry points, these members, which it defines where the
/// module does, and these functions that it takes from other images of the module.
///
/// # Errors
/// For a fixed target that is no known architecture.
pub fn properties(
    facts: &ModuleFacts,
    entries: &[GlobalId],
    members: &[GlobalId],
    imports: &[GlobalId],
    found: &Requirements,
    options: &Options,
) -> Result<PropertySets, PostLinkError> {
    let mut sets = PropertySets::new();
    match options.dialect {
        Dialect::Documents => documents_requirements(&mut sets, found),
        Dialect::Dpcpp => dpcpp_requirements(&mut sets, found),
    }
    if let Some(names) = &found.fixed_targets {
        let aspects = target_aspects(facts, entries, names)?;
        put(
            &mut sets,
            "fixed_target",
            PropertyValue::u32_array(&aspects),
        );
    }
    if let Some(level) = found.opt_level {
        sets.insert(MISC_PROPERTIES, "optLevel", PropertyValue::U32(level));
    }
    symbols::describe(facts, entries, members, imports, options, &mut sets);
    device_libraries::describe(facts, members, &mut sets);
    if options.device_globals {
        device_globals::describe(facts, members, &mut sets);
    }
    if options.program_metadata {
        program_metadata::describe(facts, members, &mut sets);
    }
    // Whoever starts a kernel has to know, whatever was asked for.
    program_metadata::describe_parameters(facts, entries, &mut sets);
    for &entry in entries {
        if let Some(made_of) = facts.function(entry).and_then(|f| f.made_of.as_ref()) {
            let value = PropertyValue::Bytes(made_of.clone().into_bytes());
            sets.insert(KERNEL_FUNCTORS, facts.name(entry), value);
        }
    }
    // In both dialects: DPC++'s runtime looks sets up by name, so it never sees one that it does
    // not know, and `offload-inspect` can tell of its images too.
    origins::describe(facts, entries, members, &found.aspects, &mut sets);
    Ok(sets)
}

fn put(sets: &mut PropertySets, key: &str, value: PropertyValue) {
    sets.insert(DEVICE_REQUIREMENTS, key, value);
}

fn numbers(values: &BTreeSet<u32>) -> Vec<u32> {
    values.iter().copied().collect()
}

/// Every property a byte array, each present only when it has something to say.
fn documents_requirements(sets: &mut PropertySets, found: &Requirements) {
    let arrays = [
        ("aspect", numbers(&found.aspects)),
        ("reqd_sub_group_size", numbers(&found.sub_group_sizes)),
        ("reqd_work_group_size", work_group_words(found)),
    ];
    for (key, words) in arrays {
        if !words.is_empty() {
            put(sets, key, PropertyValue::u32_array(&words));
        }
    }
}

/// Every size as its number of dimensions and then the dimensions.
fn work_group_words(found: &Requirements) -> Vec<u32> {
    let sizes = found.work_group_sizes.iter().map(|size| &size.dimensions);
    let mut words = Vec::new();
    for size in sizes {
        words.extend(u32::try_from(size.len()));
        words.extend(size);
    }
    words
}

/// The names and types of DPC++: aspects even when there are none, one sub-group size as a number,
/// one work-group size as 64-bit numbers as the metadata lists them.
fn dpcpp_requirements(sets: &mut PropertySets, found: &Requirements) {
    put(
        sets,
        "aspects",
        PropertyValue::u32_array(&numbers(&found.aspects)),
    );
    if let Some(&size) = found.sub_group_sizes.first() {
        put(sets, "reqd_sub_group_size", PropertyValue::U32(size));
    }
    if let Some(size) = found.work_group_sizes.first() {
        let bytes = size
            .metadata
            .iter()
            .flat_map(|&n| u64::from(n).to_le_bytes());
        put(
            sets,
            "reqd_work_group_size_uint64_t",
            PropertyValue::Bytes(bytes.collect()),
        );
        if let Some(dimensions) = size.written_dimensions {
            put(sets, "work_group_num_dim", PropertyValue::U32(dimensions));
        }
    }
}

/// The aspect of each target, ascending.
fn target_aspects(
    facts: &ModuleFacts,
    entries: &[GlobalId],
    names: &BTreeSet<String>,
) -> Result<Vec<u32>, PostLinkError> {
    let aspect = |name: &String| {
        let unknown = || PostLinkError::UnknownFixedTarget {
            origin: facts.origin.clone(),
            function: entries.first().map_or("", |&id| facts.name(id)).to_owned(),
            target: name.clone(),
        };
        targets::find(name)
            .map(targets::Target::aspect)
            .or_else(|| aspects::number(name))
            .ok_or_else(unknown)
    };
    let aspects: BTreeSet<u32> = names.iter().map(aspect).collect::<Result<_, _>>()?;
    Ok(aspects.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::super::facts::WorkGroupSize;
    use super::*;

    fn text(found: &Requirements, dialect: Dialect) -> String {
        let options = Options {
            dialect,
            ..Options::default()
        };
        properties(&ModuleFacts::default(), &[], &[], &[], found, &options)
            .unwrap()
            .to_text()
            .unwrap()
    }

    fn found() -> Requirements {
        Requirements {
            aspects: [6, 1].into(),
            sub_group_sizes: [16].into(),
            work_group_sizes: [WorkGroupSize {
                dimensions: vec![2, 64],
                metadata: vec![64, 2],
                written_dimensions: None,
            }]
            .into(),
            fixed_targets: None,
            opt_level: Some(2),
        }
    }

    #[test]
    fn the_documents_own_names_and_bytes() {
        // 64 bits {1, 6}; 32 bits {16}; 96 bits {2, 2, 64}.
        assert_eq!(
            text(&found(), Dialect::Documents),
            "[SYCL/device requirements]\n\
             aspect=2|ABAAAAAAAAQAAAAAGAAAAA\n\
             reqd_sub_group_size=2|gAAAAAAAAAAEAAAA\n\
             reqd_work_group_size=2|gBAAAAAAAAgAAAAACAAAAAEAAAA\n\
             [SYCL/misc properties]\n\
             optLevel=1|2\n"
        );
        assert_eq!(text(&Requirements::default(), Dialect::Documents), "");
    }

    #[test]
    fn the_names_and_types_of_dpcpp() {
        let text = text(&found(), Dialect::Dpcpp);
        assert!(text.contains("aspects=2|"), "{text}");
        assert!(text.contains("reqd_sub_group_size=1|16\n"), "{text}");
        assert!(
            text.contains("reqd_work_group_size_uint64_t=2|ACAAAAAAAAAQAAAAAAAAAIAAAAAAAAAA"),
            "{text}"
        );
    }

    #[test]
    fn fixed_targets_are_their_aspects_even_when_none_is_left() {
        let fixed = |names: &[&str]| {
            let found = Requirements {
                fixed_targets: Some(names.iter().map(|n| (*n).to_owned()).collect()),
                ..Requirements::default()
            };
            properties(
                &ModuleFacts::default(),
                &[],
                &[],
                &[],
                &found,
                &Options::default(),
            )
        };
        let aspect = targets::find("intel_gpu_tgl").unwrap().aspect();
        let get = |sets: PropertySets| {
            sets.get(DEVICE_REQUIREMENTS, "fixed_target")
                .unwrap()
                .as_u32_array()
        };
        assert_eq!(get(fixed(&["intel_gpu_tgl"]).unwrap()), Some(vec![aspect]));
        assert_eq!(get(fixed(&[]).unwrap()), Some(vec![]));
        let error = fixed(&["toaster"]).unwrap_err().to_string();
        assert!(error.contains("unknown fixed target 'toaster'"), "{error}");
    }
}

//! Facts of single kernels and device globals: "SYCL/program metadata" and "SYCL/kernel param opt".

use offload_formats::property_set::{
    KERNEL_PARAM_OPT, PROGRAM_METADATA, PropertySets, PropertyValue,
};

use super::facts::{FunctionFacts, GlobalId, ModuleFacts};

/// Writes the work-group and sub-group sizes of functions, and the symbol of each device global by the name that
/// the host knows it by.
pub fn describe(facts: &ModuleFacts, members: &[GlobalId], sets: &mut PropertySets) {
    let globals = || members.iter().filter_map(|&id| facts.global(id));
    for global in globals() {
        for (key, value) in global.function.iter().flat_map(sizes) {
            sets.insert(PROGRAM_METADATA, &format!("{}@{key}", global.name), value);
        }
    }
    for global in globals() {
        if let Some(shared) = &global.device_global {
            let value = PropertyValue::Bytes(global.name.clone().into_bytes());
            let key = format!("{}@global_id_mapping", shared.unique_id);
            sets.insert(PROGRAM_METADATA, &key, value);
        }
    }
}

fn sizes(function: &FunctionFacts) -> Vec<(&'static str, PropertyValue)> {
    let required = function.work_group_size.as_ref();
    let array = |sizes: &Vec<u32>| PropertyValue::u32_array(sizes);
    let number = |size: Option<u32>| size.map(PropertyValue::U32);
    [
        (
            "reqd_work_group_size",
            required.map(|size| array(&size.metadata)),
        ),
        (
            "work_group_num_dim",
            number(required.and_then(|size| size.written_dimensions)),
        ),
        ("reqd_sub_group_size", number(function.sub_group_size)),
        (
            "max_work_group_size",
            function.max_work_group_size.as_ref().map(array),
        ),
        (
            "max_linear_work_group_size",
            number(function.max_linear_work_group_size),
        ),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value?)))
    .collect()
}

/// Writes, for each kernel whose parameters the compiler thinned out, a bit for each parameter of
/// the functor: set when it was left out.
pub fn describe_parameters(facts: &ModuleFacts, entries: &[GlobalId], sets: &mut PropertySets) {
    for &entry in entries {
        let omitted = facts
            .function(entry)
            .map(|function| &function.omitted_parameters);
        let Some(omitted) = omitted.filter(|omitted| !omitted.is_empty()) else {
            continue;
        };
        let value = PropertyValue::bits(omitted);
        sets.insert(KERNEL_PARAM_OPT, facts.name(entry), value);
    }
}

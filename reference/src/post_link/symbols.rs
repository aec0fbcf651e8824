//! What an image says of its symbols: kernels, exported and imported functions, use of `assert`.

use std::collections::BTreeSet;

use offload_formats::property_set::{
    ASSERT_USED, EXPORTED_SYMBOLS, IMPORTED_SYMBOLS, KERNEL_NAMES, PropertySets, PropertyValue,
    VIRTUAL_FUNCTIONS,
};

use super::facts::{GlobalId, ModuleFacts};
use super::options::Options;
use crate::translate::builtins;

/// The functions that a failed `assert` ends in.
const ASSERT_FAIL: [&str; 2] = ["__devicelib_assert_fail", "__assert_fail"];

/// Writes the sets of symbols that the options ask for, and which kernels can reach an assertion.
pub fn describe(
    facts: &ModuleFacts,
    entries: &[GlobalId],
    members: &[GlobalId],
    imports: &[GlobalId],
    options: &Options,
    sets: &mut PropertySets,
) {
    let mut list = |set: &str, name: &str| sets.insert(set, name, PropertyValue::U32(1));
    for &entry in entries {
        match facts
            .function(entry)
            .is_some_and(|function| function.kernel)
        {
            true if options.kernel_names => list(KERNEL_NAMES, facts.name(entry)),
            false if options.exported_symbols => list(EXPORTED_SYMBOLS, facts.name(entry)),
            _ => {}
        }
    }
    if options.imported_symbols {
        let undefined = members.iter().filter(|&&id| is_imported(facts, id));
        for &id in undefined.chain(imports) {
            list(IMPORTED_SYMBOLS, facts.name(id));
        }
    }
    for kernel in kernels_that_assert(facts, entries, members) {
        list(ASSERT_USED, facts.name(kernel));
    }
    describe_sets(facts, entries, members, sets);
}

/// Writes which set of functions for calls through pointers an image holds, and which sets its code
/// calls.
fn describe_sets<'f>(
    facts: &'f ModuleFacts,
    entries: &'f [GlobalId],
    members: &'f [GlobalId],
    sets: &mut PropertySets,
) {
    let functions = |ids: &'f [GlobalId]| ids.iter().filter_map(|&id| facts.function(id));
    let held: BTreeSet<&str> = functions(entries)
        .filter_map(|function| function.indirect_set.as_deref())
        .collect();
    let called: BTreeSet<&str> = functions(members)
        .flat_map(|function| &function.called_sets)
        .map(String::as_str)
        .collect();
    for (key, names) in [
        ("virtual-functions-set", held),
        ("uses-virtual-functions-set", called),
    ] {
        if !names.is_empty() {
            let names: Vec<_> = names.into_iter().collect();
            let value = PropertyValue::Bytes(names.join(",").into_bytes());
            sets.insert(VIRTUAL_FUNCTIONS, key, value);
        }
    }
}

/// Whether another image must define a function.
fn is_imported(facts: &ModuleFacts, id: GlobalId) -> bool {
    let (Some(global), Some(_)) = (facts.global(id), facts.function(id)) else {
        return false;
    };
    global.declaration && builtins::may_be_imported(&global.name, facts.nvidia)
}

fn kernels_that_assert(
    facts: &ModuleFacts,
    entries: &[GlobalId],
    members: &[GlobalId],
) -> Vec<GlobalId> {
    let fails = |id: &GlobalId| ASSERT_FAIL.contains(&facts.name(*id));
    if !members.iter().any(fails) {
        return Vec::new();
    }
    let kernels = entries
        .iter()
        .filter(|&&id| facts.function(id).is_some_and(|f| f.kernel));
    kernels
        .copied()
        .filter(|&kernel| facts.closure(&[kernel]).iter().any(fails))
        .collect()
}

//! Where the aspects of an image come from: for each, one chain of calls from an entry point to the
//! function that uses it. No document asks for this; users who find an aspect that they did not
//! expect do.
//!
//! The value is text, a line for each function, with the place of the call behind it where debug
//! information knows it, in the form of FEAT's warnings:
//!
//! ```text
//! Kernel
//! middle() k.cpp:12:3
//! deep() k.cpp:7:10
//! used at k.cpp:3:14
//! ```

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use offload_formats::aspects;
use offload_formats::property_set::{ASPECT_ORIGINS, PropertySets, PropertyValue};

use super::facts::{Call, FunctionFacts, GlobalId, ModuleFacts};
use crate::llvm::demangle::function_name;

/// Writes a chain for each of `needed`, under the aspect's name.
pub fn describe(
    facts: &ModuleFacts,
    entries: &[GlobalId],
    members: &[GlobalId],
    needed: &BTreeSet<u32>,
    sets: &mut PropertySets,
) {
    for &aspect in needed {
        if let Some(chain) = chain(facts, entries, members, aspect) {
            let key = aspects::display_name(aspect);
            sets.insert(
                ASPECT_ORIGINS,
                &key,
                PropertyValue::Bytes(chain.into_bytes()),
            );
        }
    }
}

/// The shortest chain of calls from an entry point to a function that uses the aspect itself.
#[must_use]
pub fn chain(
    facts: &ModuleFacts,
    entries: &[GlobalId],
    members: &[GlobalId],
    aspect: u32,
) -> Option<String> {
    let mut callers: HashMap<GlobalId, (GlobalId, &Call)> = HashMap::new();
    let mut seen: HashSet<GlobalId> = entries.iter().copied().collect();
    let mut open: VecDeque<GlobalId> = entries.iter().copied().collect();
    // Should every user call another one, as in a recursion, the last found must do.
    let mut last = None;
    while let Some(id) = open.pop_front() {
        let Some(function) = facts.function(id) else {
            continue;
        };
        if function.all_aspects().contains(&aspect) {
            last = Some(id);
            if uses_itself(facts, function, aspect) {
                break;
            }
        }
        for call in &function.calls {
            if seen.insert(call.callee) {
                callers.insert(call.callee, (id, call));
                open.push_back(call.callee);
            }
        }
    }
    // What no direct call reaches is called through a pointer.
    let through_pointer = || {
        let uses = |id: &&GlobalId| {
            facts
                .function(**id)
                .is_some_and(|f| f.all_aspects().contains(&aspect))
        };
        members.iter().find(uses).copied()
    };
    Some(text(
        facts,
        &callers,
        last.or_else(through_pointer)?,
        aspect,
    ))
}

/// Whether a function, which has an aspect, does not have it from a function that it calls.
fn uses_itself(facts: &ModuleFacts, function: &FunctionFacts, aspect: u32) -> bool {
    let has = |call: &Call| {
        let callee = facts.function(call.callee);
        callee.is_some_and(|callee| callee.used_aspects.contains(&aspect))
    };
    function.use_places.contains_key(&aspect) || !function.calls.iter().any(has)
}

fn text(
    facts: &ModuleFacts,
    callers: &HashMap<GlobalId, (GlobalId, &Call)>,
    user: GlobalId,
    aspect: u32,
) -> String {
    let mut lines = Vec::new();
    if let Some(function) = facts.function(user) {
        let used = function.use_places.get(&aspect);
        lines.extend(used.map(|place| format!("used at {place}")));
        if !function.used_aspects.contains(&aspect) {
            lines.push("declared by its [[sycl::device_has()]]".to_owned());
        } else if let (None, Some(place)) = (used, &function.location) {
            lines.push(format!("used in the function defined at {place}"));
        }
    }
    let mut id = user;
    while let Some(&(caller, call)) = callers.get(&id) {
        let place = call.location.as_ref();
        let place = place.map_or_else(String::new, |place| format!(" {place}"));
        lines.push(format!("{}(){place}", function_name(facts.name(id))));
        id = caller;
    }
    lines.push(function_name(facts.name(id)));
    lines.reverse();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::facts::GlobalFacts;
    use super::*;
    use crate::llvm::location::Location;

    fn function(name: &str, used: &[u32], calls: &[u32]) -> GlobalFacts {
        let call = |&callee: &u32| Call {
            callee: GlobalId(callee),
            location: Some(Location {
                file: "k.cpp".to_owned(),
                line: callee,
                column: 3,
            }),
        };
        GlobalFacts {
            name: name.to_owned(),
            function: Some(FunctionFacts {
                used_aspects: used.iter().copied().collect(),
                calls: calls.iter().map(call).collect(),
                ..FunctionFacts::default()
            }),
            ..GlobalFacts::default()
        }
    }

    fn chain_of(globals: Vec<GlobalFacts>) -> Option<String> {
        let facts = ModuleFacts {
            globals,
            ..ModuleFacts::default()
        };
        let members: Vec<_> = facts.functions().map(|(id, ..)| id).collect();
        chain(&facts, &[GlobalId(0)], &members, 6)
    }

    #[test]
    fn a_chain_leads_to_the_function_that_uses_the_aspect() {
        let kernel = || function("k", &[6], &[1, 2]);
        let chain = chain_of(vec![
            kernel(),
            function("innocent", &[], &[]),
            function("_Z6middlev", &[6], &[3]),
            function("deep", &[6], &[]),
        ]);
        assert_eq!(
            chain.as_deref(),
            Some("k\nmiddle() k.cpp:2:3\ndeep() k.cpp:3:3")
        );
        // The kernel's own metadata need not know of what an external function uses.
        let chain = chain_of(vec![function("k", &[], &[1]), function("far", &[6], &[])]);
        assert_eq!(chain.as_deref(), Some("k\nfar() k.cpp:1:3"));
    }

    #[test]
    fn recursion_and_calls_through_pointers_have_a_chain_too() {
        let chain = chain_of(vec![function("k", &[6], &[1]), function("r", &[6], &[1])]);
        assert_eq!(chain.as_deref(), Some("k\nr() k.cpp:1:3"));
        let chain = chain_of(vec![
            function("k", &[], &[]),
            function("pointed_to", &[6], &[]),
        ]);
        assert_eq!(chain.as_deref(), Some("pointed_to"));
        assert_eq!(chain_of(vec![function("k", &[], &[])]), None);
    }

    #[test]
    fn the_place_of_the_use_and_a_declaration_are_told() {
        let mut kernel = function("k", &[6], &[]);
        if let Some(facts) = &mut kernel.function {
            let place = Location {
                file: "k.cpp".to_owned(),
                line: 9,
                column: 1,
            };
            facts.use_places.insert(6, place);
        }
        assert_eq!(
            chain_of(vec![kernel]).as_deref(),
            Some("k\nused at k.cpp:9:1")
        );
        let mut kernel = function("k", &[], &[]);
        if let Some(facts) = &mut kernel.function {
            facts.declared_aspects.insert(6);
        }
        let text = chain_of(vec![kernel]).unwrap();
        assert_eq!(text, "k\ndeclared by its [[sycl::device_has()]]");
    }
}

//! Where the aspects of an image come from: for each, one chain of calls from an entry point to the
//! function that uses it. No document asks for this; users who find an aspect that they did not
//! expect do.
//!
//! The value is text, a line for each function of the source, with the place of the call behind it
//! where `-g` keeps places, in the form of FEAT's warnings:
//!
//! ```text
//! Kernel
//! middle() k.cpp:12:3
//! deep() k.cpp:7:10
//! used at k.cpp:3:14
//! ```
//!
//! Our front end has noted these lines for each function that other units can see, before anything
//! was inlined ([`crate::frontend::aspects::origins`]); only how such functions call each other is
//! worked out here. For a module of another front end the whole chain is, from the calls that are
//! left and from what debug information still says of those that were inlined.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use offload_formats::aspects;
use offload_formats::property_set::{ASPECT_ORIGINS, PropertySets, PropertyValue};

use super::facts::{Call, FunctionFacts, GlobalId, ModuleFacts};
use crate::llvm::demangle::function_name;
use crate::llvm::location::{InlinedPlace, Location};

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
            let noted = function.aspect_origins.contains_key(&aspect);
            if noted || uses_itself(facts, function, aspect) {
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
    let mut steps = Vec::new();
    let mut id = user;
    while let Some(&(caller, call)) = callers.get(&id) {
        steps.push(step(facts, caller, call));
        id = caller;
    }
    let mut lines = vec![function_name(facts.name(id))];
    lines.extend(steps.into_iter().rev().flatten());
    lines.extend(
        facts
            .function(user)
            .map(|f| uses(f, aspect))
            .into_iter()
            .flatten(),
    );
    lines.join("\n")
}

/// The lines for one call: those that were noted, or the functions that were inlined on the way to
/// it and the function that is called.
fn step(facts: &ModuleFacts, caller: GlobalId, call: &Call) -> Vec<String> {
    let callee = facts.name(call.callee);
    let noted = facts.function(caller).and_then(|f| f.ways_out.get(callee));
    if let Some(noted) = noted {
        return noted.clone();
    }
    let mut lines = inlined(&call.place);
    lines.push(line(callee, call.place.at.as_ref()));
    lines
}

/// The lines from a function that has an aspect to the use.
fn uses(function: &FunctionFacts, aspect: u32) -> Vec<String> {
    if let Some(noted) = function.aspect_origins.get(&aspect) {
        return noted.clone();
    }
    if !function.used_aspects.contains(&aspect) {
        return vec!["declared by its [[sycl::device_has()]]".to_owned()];
    }
    match (function.use_places.get(&aspect), &function.location) {
        (Some(place), _) => {
            let mut lines = inlined(place);
            lines.extend(place.at.iter().map(|at| format!("used at {at}")));
            lines
        }
        (None, Some(at)) => vec![format!("used in the function defined at {at}")],
        (None, None) => Vec::new(),
    }
}

/// A line for each function between a place and the function that holds it now.
fn inlined(place: &InlinedPlace) -> Vec<String> {
    let functions = place.through.iter();
    functions
        .map(|(symbol, call)| line(symbol, call.as_ref()))
        .collect()
}

fn line(symbol: &str, call: Option<&Location>) -> String {
    let place = call.map_or_else(String::new, |call| format!(" {call}"));
    format!("{}(){place}", function_name(symbol))
}

#[cfg(test)]
mod tests {
    use super::super::facts::GlobalFacts;
    use super::*;

    fn place(line: u32, column: u32) -> Option<Location> {
        Some(Location {
            file: "k.cpp".to_owned(),
            line,
            column,
        })
    }

    fn function(name: &str, used: &[u32], calls: &[u32]) -> GlobalFacts {
        let call = |&callee: &u32| Call {
            callee: GlobalId(callee),
            place: InlinedPlace {
                at: place(callee, 3),
                ..InlinedPlace::default()
            },
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
            let place = InlinedPlace {
                through: vec![("_Z5innerv".to_owned(), place(4, 2))],
                at: place(9, 1),
            };
            facts.use_places.insert(6, place);
        }
        assert_eq!(
            chain_of(vec![kernel]).as_deref(),
            Some("k\ninner() k.cpp:4:2\nused at k.cpp:9:1")
        );
        let mut kernel = function("k", &[], &[]);
        if let Some(facts) = &mut kernel.function {
            facts.declared_aspects.insert(6);
        }
        let text = chain_of(vec![kernel]).unwrap();
        assert_eq!(text, "k\ndeclared by its [[sycl::device_has()]]");
    }

    #[test]
    fn what_the_front_end_noted_comes_first() {
        let mut kernel = function("k", &[6], &[1]);
        if let Some(facts) = &mut kernel.function {
            let lines = ["deep()".to_owned(), "used at k.cpp:1:1".to_owned()];
            facts.aspect_origins.insert(6, lines.to_vec());
        }
        let chain = chain_of(vec![kernel, function("other", &[6], &[])]);
        assert_eq!(chain.as_deref(), Some("k\ndeep()\nused at k.cpp:1:1"));
        // A function of another unit: noted how it is reached, and what it uses.
        let mut kernel = function("k", &[], &[1]);
        if let Some(facts) = &mut kernel.function {
            let lines = ["middle()".to_owned(), "far()".to_owned()];
            facts.ways_out.insert("far".to_owned(), lines.to_vec());
        }
        let mut far = function("far", &[6], &[]);
        if let Some(facts) = &mut far.function {
            facts.aspect_origins.insert(6, vec!["deep()".to_owned()]);
        }
        let chain = chain_of(vec![kernel, far]);
        assert_eq!(chain.as_deref(), Some("k\nmiddle()\nfar()\ndeep()"));
    }
}

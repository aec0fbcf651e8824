//! What entry points need through the functions that they call, beyond what they say themselves:
//! uses in `SYCL_EXTERNAL` functions of other translation units, which no compiler of one unit sees.
//!
//! An image needs all of that of its device (FEAT, "Error checking for `SYCL_EXTERNAL` functions"),
//! so two entry points that differ in it must not share one: a device that supports the one would
//! be refused it for the other's sake (FEAT, "No runtime exception for speculative compilation";
//! FEAT, "Must preserve ability to precisely control device images": further splits for correctness
//! are allowed where targets are not fixed).

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{FunctionFacts, GlobalId, ModuleFacts};

/// What a function needs, by itself and through what it calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// Aspects.
    pub aspects: BTreeSet<u32>,
    /// Numeric sub-group sizes.
    pub sub_group_sizes: BTreeSet<u32>,
}

/// One thing that a function can need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    Aspect(u32),
    SubGroupSize(u32),
}

/// The needs of every global, in module order.
#[must_use]
pub fn needs(facts: &ModuleFacts) -> Vec<Needs> {
    let mut sources: BTreeMap<Need, Vec<GlobalId>> = BTreeMap::new();
    for (id, global, function) in facts.functions() {
        for need in of_function(function).filter(|_| !global.declaration) {
            sources.entry(need).or_default().push(id);
        }
    }
    let mut needs = vec![Needs::default(); facts.globals.len()];
    if sources.is_empty() {
        return needs;
    }
    let users = users(facts);
    for (need, sources) in sources {
        for id in reaching(&users, sources) {
            let Some(needs) = needs.get_mut(id.0 as usize) else {
                continue;
            };
            match need {
                Need::Aspect(aspect) => needs.aspects.insert(aspect),
                Need::SubGroupSize(size) => needs.sub_group_sizes.insert(size),
            };
        }
    }
    needs
}

fn of_function(function: &FunctionFacts) -> impl Iterator<Item = Need> {
    let aspects = function.all_aspects().into_iter().map(Need::Aspect);
    let called = function.called_sub_group_sizes.values().copied();
    let sizes = called.chain(function.sub_group_size);
    aspects.chain(sizes.map(Need::SubGroupSize))
}

/// For each global, those that need it directly.
fn users(facts: &ModuleFacts) -> Vec<Vec<GlobalId>> {
    let mut users = vec![Vec::new(); facts.globals.len()];
    for (user, global) in (0..).map(GlobalId).zip(&facts.globals) {
        for used in &global.needs {
            if let Some(list) = users.get_mut(used.0 as usize) {
                list.push(user);
            }
        }
    }
    users
}

/// The sources and everything that needs one of them, directly or not.
fn reaching(users: &[Vec<GlobalId>], sources: Vec<GlobalId>) -> BTreeSet<GlobalId> {
    let mut reached: BTreeSet<GlobalId> = sources.iter().copied().collect();
    let mut open = sources;
    while let Some(id) = open.pop() {
        for &user in users.get(id.0 as usize).into_iter().flatten() {
            if reached.insert(user) {
                open.push(user);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::super::facts::GlobalFacts;
    use super::*;

    #[test]
    fn needs_go_from_called_functions_to_all_that_reach_them() {
        let global = |needs: &[u32], aspects: &[u32], size| GlobalFacts {
            needs: needs.iter().copied().map(GlobalId).collect(),
            function: Some(FunctionFacts {
                used_aspects: aspects.iter().copied().collect(),
                sub_group_size: size,
                ..FunctionFacts::default()
            }),
            ..GlobalFacts::default()
        };
        let facts = ModuleFacts {
            // Two kernels, one that needs nothing; a cycle; what the cycle reaches.
            globals: vec![
                global(&[2], &[], None),
                global(&[], &[], None),
                global(&[3], &[5], None),
                global(&[2, 4], &[], None),
                global(&[], &[6], Some(16)),
            ],
            ..ModuleFacts::default()
        };
        let found = needs(&facts);
        assert_eq!(found[0].aspects, [5, 6].into());
        assert_eq!(found[0].sub_group_sizes, [16].into());
        assert_eq!(found[1], Needs::default());
        assert_eq!(found[4].aspects, [6].into());
    }
}

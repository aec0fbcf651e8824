//! Which units of a ThinLTO link an image of one unit can have anything of: those that define what the
//! unit refers to as it was compiled, and what that refers to in turn. No optimization refers to more.

use std::collections::HashMap;

use super::facts::GlobalId;
use super::unit_facts::UnitFacts;

/// A global of a unit, by its place among all globals of all units.
type Node = u32;

/// What refers to what, over all units.
#[derive(Debug, Default)]
pub struct UnitReach {
    /// Where the globals of each unit begin, and where the last ones end.
    starts: Vec<Node>,
    /// For each global the definitions that it refers to.
    mentions: Vec<Vec<Node>>,
}

impl UnitReach {
    /// Of units in which symbols stand for what `prevailing` says: the number of the unit that defines one.
    #[must_use]
    pub fn new(units: &[UnitFacts], prevailing: &HashMap<String, usize>) -> Self {
        let mut starts = vec![0];
        let mut end: Node = 0;
        for unit in units {
            end = end.saturating_add(Node::try_from(unit.globals().len()).unwrap_or(Node::MAX));
            starts.push(end);
        }
        let mut definitions: HashMap<&str, Node> = HashMap::new();
        let numbered = || units.iter().zip(&starts).enumerate();
        for (number, (unit, &start)) in numbered() {
            for (node, global) in (start..).zip(unit.globals()) {
                let is_seen = global.visible && !global.declaration;
                if is_seen && prevailing.get(&*global.name) == Some(&number) {
                    definitions.insert(&global.name, node);
                }
            }
        }
        let mut mentions = Vec::with_capacity(end as usize);
        for (_, (unit, &start)) in numbered() {
            let definition = |id: &GlobalId| {
                let global = unit.global(*id)?;
                match global.visible || global.declaration {
                    true => definitions.get(&*global.name).copied(),
                    false => Some(start + id.0),
                }
            };
            for global in unit.globals() {
                let calls = global.function.iter().flat_map(|function| &*function.calls);
                let mentioned = global.needs.iter().chain(calls.map(|call| &call.callee));
                mentions.push(mentioned.filter_map(definition).collect());
            }
        }
        UnitReach { starts, mentions }
    }

    /// The units that one can have something of, itself among them, in their order.
    #[must_use]
    pub fn of(&self, unit: usize) -> Vec<usize> {
        let (Some(&start), Some(&end)) = (self.starts.get(unit), self.starts.get(unit + 1)) else {
            return vec![unit];
        };
        let mut reached = vec![false; self.mentions.len()];
        let mut open: Vec<Node> = (start..end).collect();
        for &node in &open {
            reached[node as usize] = true;
        }
        while let Some(node) = open.pop() {
            for &next in self.mentions.get(node as usize).into_iter().flatten() {
                if let Some(seen) = reached.get_mut(next as usize)
                    && !std::mem::replace(seen, true)
                {
                    open.push(next);
                }
            }
        }
        let units = self.starts.iter().zip(self.starts.iter().skip(1));
        let has_any = |&(number, (&from, &to)): &(usize, (&Node, &Node))| {
            let own = reached.get(from as usize..to as usize).unwrap_or_default();
            number == unit || own.contains(&true)
        };
        let near = units.enumerate().filter(has_any);
        near.map(|(number, _)| number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::{GlobalFacts, ModuleFacts};
    use super::*;

    fn global(name: &str, needs: &[u32]) -> GlobalFacts {
        GlobalFacts {
            name: name.to_owned(),
            visible: true,
            needs: needs.iter().copied().map(GlobalId).collect(),
            ..GlobalFacts::default()
        }
    }

    fn declared(name: &str) -> GlobalFacts {
        GlobalFacts {
            declaration: true,
            ..global(name, &[])
        }
    }

    fn local(name: &str, needs: &[u32]) -> GlobalFacts {
        GlobalFacts {
            visible: false,
            ..global(name, needs)
        }
    }

    #[test]
    fn a_unit_reaches_what_it_refers_to_and_nothing_else() {
        let unit = |globals: Vec<GlobalFacts>| {
            UnitFacts::of(ModuleFacts {
                globals,
                ..ModuleFacts::default()
            })
        };
        let units = [
            unit(vec![global("k", &[1]), declared("near")]),
            // Its variable refers to another unit; its other function does so in vain for the first unit.
            unit(vec![
                global("near", &[1]),
                local("table", &[2]),
                declared("far"),
                global("other", &[4]),
                declared("aside"),
            ]),
            unit(vec![global("far", &[])]),
            unit(vec![global("aside", &[1]), declared("nowhere")]),
            // A definition that does not count is nobody's.
            unit(vec![global("far", &[1]), declared("k")]),
        ];
        let counts = [
            ("k", 0),
            ("near", 1),
            ("other", 1),
            ("far", 2),
            ("aside", 3),
        ];
        let prevailing = counts.map(|(name, unit)| (name.to_owned(), unit)).into();
        let reach = UnitReach::new(&units, &prevailing);
        assert_eq!(reach.of(0), [0, 1, 2]);
        assert_eq!(reach.of(1), [1, 2, 3]);
        assert_eq!(reach.of(2), [2]);
        assert_eq!(reach.of(4), [0, 1, 2, 4]);
        assert_eq!(reach.of(9), [9]);
    }
}

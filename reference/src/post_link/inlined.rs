//! What a ThinLTO link has inlined before an image is described: functions of other units that it needs
//! something for, though their code may stand by itself no more. What they use, declare and require
//! counts all the same (FEAT, "Error checking for `SYCL_EXTERNAL` functions"), and so do the calls that
//! led to them.
//!
//! The calls are those of the units as they were compiled.

use std::collections::{HashMap, HashSet, VecDeque};

use offload_formats::demangle::unpromoted;

use super::facts::{Call, GlobalFacts, GlobalId, ModuleFacts};
use super::unit_facts::{UnitCall, UnitFacts, UnitGlobal};
use super::unit_reach::UnitReach;

/// A function of a unit, by the unit's number and its place there.
type Place = (usize, GlobalId);

/// The units of a link as they were compiled.
#[derive(Debug, Default)]
pub struct Compiled {
    units: Vec<UnitFacts>,
    /// For each symbol, the definition that counts.
    definitions: HashMap<Box<str>, Place>,
    /// Which units have a local function of a name.
    locals: HashMap<Box<str>, Vec<usize>>,
    /// Which units each one can have something of.
    reach: UnitReach,
}

impl Compiled {
    /// Units in which symbols stand for what `prevailing` says: the number of the unit that defines one.
    #[must_use]
    pub fn new(units: Vec<UnitFacts>, prevailing: &HashMap<String, usize>) -> Self {
        let mut definitions = HashMap::new();
        let mut locals: HashMap<Box<str>, Vec<usize>> = HashMap::new();
        for (number, unit) in units.iter().enumerate() {
            for (id, global) in unit.functions() {
                let counts = prevailing.get(&*global.name) == Some(&number);
                if counts && global.visible && !global.declaration {
                    definitions.insert(global.name.clone(), (number, id));
                }
                if !global.visible && !global.declaration {
                    locals.entry(global.name.clone()).or_default().push(number);
                }
            }
        }
        Compiled {
            reach: UnitReach::new(&units, prevailing),
            units,
            definitions,
            locals,
        }
    }

    /// The units that images of the unit `own` can have something of, itself among them, in their order.
    #[must_use]
    pub fn near(&self, own: usize) -> Vec<usize> {
        self.reach.of(own)
    }

    /// Adds to the facts of an image made of the unit `own` the functions that its entry points reached
    /// when they were compiled and that have no code of their own any more, and the calls to them.
    pub fn complete(&self, own: usize, image: &mut ModuleFacts) {
        let Some(unit) = self.units.get(own) else {
            return;
        };
        let mut walk = Walk {
            compiled: self,
            own,
            near: self.near(own),
            names: image
                .functions()
                .filter(|(_, global, _)| !global.declaration)
                .map(|(id, global, _)| (global.name.clone(), id))
                .collect(),
            promoted: image
                .functions()
                .map(|(id, global, _)| (unpromoted(&global.name), global, id))
                .filter(|(name, global, _)| *name != global.name)
                .map(|(name, _, id)| (name.to_owned(), id))
                .collect(),
            image,
            found: HashMap::new(),
            open: VecDeque::new(),
        };
        for (id, global) in unit.functions() {
            let is_seen = global.visible && !global.declaration;
            if let Some(&there) = walk.names.get(&*global.name).filter(|_| is_seen) {
                walk.reach((own, id), there);
            }
        }
        while let Some(place) = walk.open.pop_front() {
            walk.follow(place);
        }
    }

    fn global(&self, (unit, id): Place) -> Option<&UnitGlobal> {
        self.units.get(unit)?.global(id)
    }

    /// Where a global that a unit mentions is defined.
    fn definition(&self, (unit, id): Place) -> Option<Place> {
        let global = self.global((unit, id))?;
        match (global.visible || global.declaration).then(|| self.definitions.get(&global.name)) {
            Some(found) => found.copied(),
            None => Some((unit, id)),
        }
    }
}

/// A walk over compiled functions, with their places in the image.
struct Walk<'a> {
    compiled: &'a Compiled,
    own: usize,
    /// The units that the image can have something of.
    near: Vec<usize>,
    image: &'a mut ModuleFacts,
    /// The functions that the image defines.
    names: HashMap<String, GlobalId>,
    /// Those that a unit kept to itself, by the names that they had there.
    promoted: HashMap<String, GlobalId>,
    found: HashMap<Place, GlobalId>,
    open: VecDeque<Place>,
}

impl Walk<'_> {
    fn reach(&mut self, place: Place, there: GlobalId) {
        if self.found.insert(place, there).is_none() {
            self.open.push_back(place);
        }
    }

    /// Adds what a function needs.
    fn follow(&mut self, place: Place) {
        let compiled = self.compiled;
        let (Some(global), Some(&caller)) = (compiled.global(place), self.found.get(&place)) else {
            return;
        };
        let Some(function) = &global.function else {
            return;
        };
        for call in &function.calls {
            if let Some(callee) = self.callee((place.0, call.callee)) {
                self.add_call(caller, callee, call);
            }
        }
        // What is only pointed to, also by a variable.
        let mut open: Vec<GlobalId> = global.needs.to_vec();
        let mut seen: HashSet<GlobalId> = open.iter().copied().collect();
        while let Some(id) = open.pop() {
            let Some(needed) = compiled.global((place.0, id)) else {
                continue;
            };
            if needed.function.is_some() {
                if let Some(callee) = self.callee((place.0, id)) {
                    self.add_need(caller, callee);
                }
            } else {
                let more = needed.needs.iter().copied();
                open.extend(more.filter(|next| seen.insert(*next)));
            }
        }
    }

    /// The place in the image of a function that a unit mentions; none for what no unit defines.
    fn callee(&mut self, mentioned: Place) -> Option<GlobalId> {
        let place = self.compiled.definition(mentioned)?;
        if let Some(&known) = self.found.get(&place) {
            return Some(known);
        }
        let compiled = self.compiled.global(place)?;
        let plain = compiled.visible || place.0 == self.own;
        let known = self.names.get(&*compiled.name).filter(|_| plain);
        // The name does not tell of which unit a local function is, if several have one: rather one is
        // there twice than that what another one needs is left out.
        let units = self.compiled.locals.get(&compiled.name);
        let is_near = |unit: &&usize| self.near.binary_search(unit).is_ok();
        let units = units.map_or(0, |units| units.iter().filter(is_near).count());
        let only = !compiled.visible && units == 1;
        let promoted = || self.promoted.get(&*compiled.name).filter(|_| only);
        let known = known.or_else(promoted).copied();
        let there = match known {
            Some(there) => there,
            None => self.add(compiled)?,
        };
        self.reach(place, there);
        Some(there)
    }

    /// Adds a function as one that the image knows by what it needs alone.
    fn add(&mut self, compiled: &UnitGlobal) -> Option<GlobalId> {
        let id = GlobalId(u32::try_from(self.image.globals.len()).ok()?);
        let function = compiled.function.as_ref()?;
        self.image.globals.push(GlobalFacts {
            name: compiled.name.to_string(),
            weight: 1,
            function: Some(function.facts()),
            ..GlobalFacts::default()
        });
        Some(id)
    }

    fn add_call(&mut self, caller: GlobalId, callee: GlobalId, call: &UnitCall) {
        self.add_need(caller, callee);
        let caller = self.image.globals.get_mut(caller.0 as usize);
        if let Some(caller) = caller.and_then(|caller| caller.function.as_mut())
            && caller.calls.iter().all(|known| known.callee != callee)
        {
            let place = call.place();
            caller.calls.push(Call { callee, place });
        }
    }

    fn add_need(&mut self, of: GlobalId, needed: GlobalId) {
        if let Some(global) = self.image.globals.get_mut(of.0 as usize)
            && !global.needs.contains(&needed)
        {
            global.needs.push(needed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post_link::facts::FunctionFacts;
    use crate::post_link::requirements::requirements;

    fn function(name: &str, calls: &[u32]) -> GlobalFacts {
        let calls = calls.iter().map(|&callee| GlobalId(callee));
        GlobalFacts {
            name: name.to_owned(),
            visible: true,
            weight: 1,
            needs: calls.clone().collect(),
            function: Some(FunctionFacts {
                calls: calls
                    .map(|callee| Call {
                        callee,
                        place: Default::default(),
                    })
                    .collect(),
                ..FunctionFacts::default()
            }),
            ..GlobalFacts::default()
        }
    }

    fn declared(name: &str) -> GlobalFacts {
        GlobalFacts {
            declaration: true,
            ..function(name, &[])
        }
    }

    fn unit(globals: Vec<GlobalFacts>) -> ModuleFacts {
        ModuleFacts {
            globals,
            ..ModuleFacts::default()
        }
    }

    /// The units in which symbols stand for what `prevailing` says.
    fn linked(units: Vec<ModuleFacts>, prevailing: &[(&str, usize)]) -> Compiled {
        let prevailing = prevailing.iter();
        let prevailing = prevailing.map(|(name, unit)| ((*name).to_owned(), *unit));
        let units = units.into_iter().map(UnitFacts::of).collect();
        Compiled::new(units, &prevailing.collect())
    }

    /// A kernel calls `small` of another unit, which calls `local` there, which uses an aspect.
    fn units() -> [ModuleFacts; 2] {
        let mut local = function("local", &[]);
        local.visible = false;
        if let Some(function) = &mut local.function {
            function.used_aspects = [6].into();
        }
        let first = unit(vec![function("k", &[1]), declared("small")]);
        let second = unit(vec![function("small", &[1]), local, function("other", &[])]);
        [first, second]
    }

    fn compiled() -> Compiled {
        linked(units().into(), &[("k", 0), ("small", 1), ("other", 1)])
    }

    #[test]
    fn what_inlined_functions_use_counts() {
        let mut image = unit(vec![function("k", &[])]);
        compiled().complete(0, &mut image);
        let names: Vec<_> = image.globals.iter().map(|g| &*g.name).collect();
        assert_eq!(names, ["k", "small", "local"]);
        let members = image.closure(&[GlobalId(0)]);
        let (found, warnings) = requirements(&image, &[GlobalId(0)], &members);
        assert_eq!(found.aspects, [6].into());
        assert_eq!(warnings.len(), 1);
    }

    #[test]
    fn a_local_function_is_not_taken_for_another_units_of_its_name() {
        let [_, second] = units();
        let mut local = function("local", &[]);
        local.visible = false;
        let third = unit(vec![local, function("far", &[0])]);
        let first = unit(vec![
            function("k", &[1, 2]),
            declared("small"),
            declared("far"),
        ]);
        let prevailing = [("k", 0), ("small", 1), ("other", 1), ("far", 2)];
        let compiled = linked(vec![first, second, third], &prevailing);
        // `small`, the `local` of its unit and `far` are inlined; the `local` of the latter's unit is not.
        let mut image = unit(vec![function("k", &[1]), function("local.llvm.77", &[])]);
        compiled.complete(0, &mut image);
        let members = image.closure(&[GlobalId(0)]);
        let (found, _) = requirements(&image, &[GlobalId(0)], &members);
        assert_eq!(found.aspects, [6].into());
    }

    #[test]
    fn a_promoted_function_of_the_unit_itself_is_not_added() {
        let mut local = function("local", &[]);
        local.visible = false;
        let units = vec![unit(vec![function("k", &[1]), local])];
        let compiled = linked(units, &[("k", 0)]);
        let mut image = unit(vec![function("k", &[1]), function("local.llvm.77", &[])]);
        let before = image.clone();
        compiled.complete(0, &mut image);
        assert_eq!(image, before);
    }

    #[test]
    fn functions_that_the_image_has_are_not_added() {
        let mut image = unit(vec![
            function("k", &[1]),
            function("small", &[2]),
            function("local.llvm.77", &[]),
        ]);
        let before = image.clone();
        compiled().complete(0, &mut image);
        assert_eq!(image, before);
    }
}

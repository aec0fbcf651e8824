//! Aspects up the static call graph: each function uses what the functions it calls use. One walk
//! that finds the cycles of the graph callees first, so that every call is looked at once.
//!
//! What a function declares without using it binds its callers too: a device must have it before
//! the function may be called. That is a second walk, of modules that declare anything, since a
//! warning is about what is used and about nothing else.

use super::scan::{Function, FunctionId};
use super::set::AspectSet;

/// What the walks find out about each function.
#[derive(Debug)]
pub struct Reach {
    /// What it uses, by itself or through calls.
    pub used: Vec<AspectSet>,
    /// The same, and what the functions declare that it calls, directly or not.
    pub needed: Vec<AspectSet>,
    /// The number of the cycle that it is part of; functions of one number reach each other.
    pub cycle: Vec<u32>,
}

/// Walks the call graph.
#[must_use]
pub fn propagate(functions: &[Function<'_>]) -> Reach {
    let (used, cycle) = walk(functions, |f| f.own);
    let needed = match functions.iter().all(|f| f.declared.is_empty()) {
        true => used.clone(),
        false => needed(functions, &used),
    };
    Reach {
        used,
        needed,
        cycle,
    }
}

/// What each function uses, and what its callees use or declare.
fn needed(functions: &[Function<'_>], used: &[AspectSet]) -> Vec<AspectSet> {
    let (bound, _) = walk(functions, |f| f.own.united(&f.declared));
    functions
        .iter()
        .zip(used)
        .map(|(function, used)| {
            let callees = function.calls.iter();
            let sets = callees.filter_map(|&(callee, _)| bound.get(callee as usize));
            sets.fold(*used, |all, set| all.united(set))
        })
        .collect()
}

/// What each function has, by itself or through calls, and its cycle.
fn walk<'ctx>(
    functions: &[Function<'ctx>],
    own: impl Fn(&Function<'ctx>) -> AspectSet,
) -> (Vec<AspectSet>, Vec<u32>) {
    let mut walk = Walk {
        functions,
        order: vec![None; functions.len()],
        low: vec![0; functions.len()],
        used: functions.iter().map(own).collect(),
        component: Vec::new(),
        in_component: vec![false; functions.len()],
        next: 0,
        cycle: vec![0; functions.len()],
        cycles: 0,
    };
    for id in 0..u32::try_from(functions.len()).unwrap_or(u32::MAX) {
        walk.from(id);
    }
    (walk.used, walk.cycle)
}

/// Tarjan's algorithm, without recursion.
struct Walk<'a, 'ctx> {
    functions: &'a [Function<'ctx>],
    /// When each function was first met.
    order: Vec<Option<u32>>,
    /// The earliest function that each is known to reach.
    low: Vec<u32>,
    used: Vec<AspectSet>,
    /// Functions whose cycle is not complete yet.
    component: Vec<FunctionId>,
    in_component: Vec<bool>,
    next: u32,
    cycle: Vec<u32>,
    cycles: u32,
}

impl Walk<'_, '_> {
    fn from(&mut self, root: FunctionId) {
        if self.order[root as usize].is_some() {
            return;
        }
        let mut open = vec![(root, 0)];
        self.meet(root);
        while let Some((id, call)) = open.last_mut() {
            let id = *id;
            match self.functions[id as usize].calls.get(*call) {
                Some(&(callee, _)) => {
                    *call += 1;
                    match self.order[callee as usize] {
                        None => {
                            self.meet(callee);
                            open.push((callee, 0));
                        }
                        Some(met) => self.reached(id, callee, met),
                    }
                }
                None => {
                    self.leave(id);
                    open.pop();
                    if let Some(&(caller, _)) = open.last() {
                        let low = self.low[id as usize];
                        self.reached(caller, id, low);
                    }
                }
            }
        }
    }

    fn meet(&mut self, id: FunctionId) {
        self.order[id as usize] = Some(self.next);
        self.low[id as usize] = self.next;
        self.next += 1;
        self.component.push(id);
        self.in_component[id as usize] = true;
    }

    /// `caller` calls `callee`, which reaches what was met at `low`.
    fn reached(&mut self, caller: FunctionId, callee: FunctionId, low: u32) {
        if self.in_component[callee as usize] {
            let known = &mut self.low[caller as usize];
            *known = (*known).min(low);
        }
        let used = self.used[callee as usize];
        self.used[caller as usize].join(&used);
    }

    /// All calls of a function are done; with the first function of a cycle the cycle is.
    fn leave(&mut self, id: FunctionId) {
        if self.order[id as usize] != Some(self.low[id as usize]) {
            return;
        }
        let start = self.component.iter().rposition(|&member| member == id);
        let cycle = self.component.split_off(start.unwrap_or(0));
        let used = self.used[id as usize];
        for member in cycle {
            self.in_component[member as usize] = false;
            self.used[member as usize] = used;
            self.cycle[member as usize] = self.cycles;
        }
        self.cycles += 1;
    }
}

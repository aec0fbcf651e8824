//! What a link keeps in mind of each of its units: of [`ModuleFacts`] what tells of functions that are
//! inlined elsewhere, in little room, as there may be many units.

use std::sync::Arc;

use super::facts::{Call, FunctionFacts, GlobalFacts, GlobalId, ModuleFacts};
use crate::llvm::location::InlinedPlace;

/// What is kept of a unit.
#[derive(Debug, Clone, Default)]
pub struct UnitFacts {
    globals: Box<[UnitGlobal]>,
}

/// A function, variable or alias of a unit.
#[derive(Debug, Clone)]
pub(super) struct UnitGlobal {
    pub(super) name: Box<str>,
    /// Its definition is elsewhere.
    pub(super) declaration: bool,
    /// Other modules can see it.
    pub(super) visible: bool,
    pub(super) needs: Box<[GlobalId]>,
    pub(super) function: Option<UnitFunction>,
}

/// What more is known of a function.
#[derive(Debug, Clone)]
pub(super) struct UnitFunction {
    pub(super) calls: Box<[UnitCall]>,
    /// All but the calls and the specialization constants; none where nothing is known. Neighbours are often
    /// alike.
    facts: Option<Arc<FunctionFacts>>,
}

/// A call to a known function.
#[derive(Debug, Clone)]
pub(super) struct UnitCall {
    pub(super) callee: GlobalId,
    /// None for a place of which nothing is known.
    place: Option<Box<InlinedPlace>>,
}

impl UnitFacts {
    /// What is kept of a module's facts.
    #[must_use]
    pub fn of(module: ModuleFacts) -> Self {
        let mut last = None;
        let globals = module.globals.into_iter();
        UnitFacts {
            globals: globals.map(|global| kept(global, &mut last)).collect(),
        }
    }

    pub(super) fn globals(&self) -> &[UnitGlobal] {
        &self.globals
    }

    pub(super) fn global(&self, id: GlobalId) -> Option<&UnitGlobal> {
        self.globals.get(id.0 as usize)
    }

    /// Every function with its id, in module order.
    pub(super) fn functions(&self) -> impl Iterator<Item = (GlobalId, &UnitGlobal)> {
        let numbered = (0..).map(GlobalId).zip(&self.globals);
        numbered.filter(|(_, global)| global.function.is_some())
    }
}

/// What is kept of a global; `last` are the facts of the function before.
fn kept(global: GlobalFacts, last: &mut Option<Arc<FunctionFacts>>) -> UnitGlobal {
    let function = global.function.map(|mut function| {
        let calls = std::mem::take(&mut function.calls);
        function.spec_constants.clear();
        let facts = (function != FunctionFacts::default()).then(|| {
            let same = last.take().filter(|last| **last == function);
            let facts = same.unwrap_or_else(|| Arc::new(function));
            Arc::clone(last.insert(facts))
        });
        UnitFunction {
            calls: calls.into_iter().map(UnitCall::of).collect(),
            facts,
        }
    });
    UnitGlobal {
        name: global.name.into(),
        declaration: global.declaration,
        visible: global.visible,
        needs: global.needs.into(),
        function,
    }
}

impl UnitFunction {
    /// What is known of it but for its calls and its specialization constants.
    pub(super) fn facts(&self) -> FunctionFacts {
        self.facts.as_deref().cloned().unwrap_or_default()
    }
}

impl UnitCall {
    fn of(call: Call) -> Self {
        let is_known = call.place != InlinedPlace::default();
        UnitCall {
            callee: call.callee,
            place: is_known.then(|| Box::new(call.place)),
        }
    }

    pub(super) fn place(&self) -> InlinedPlace {
        self.place.as_deref().cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::location::Location;

    #[test]
    fn what_is_kept_of_functions_is_what_they_had() {
        let place = InlinedPlace {
            through: Vec::new(),
            at: Some(Location {
                file: "a.cpp".to_owned(),
                line: 1,
                column: 2,
            }),
        };
        let call = |place: &InlinedPlace| Call {
            callee: GlobalId(0),
            place: place.clone(),
        };
        let function = |aspects: &[u32]| FunctionFacts {
            used_aspects: aspects.iter().copied().collect(),
            calls: vec![call(&place), call(&InlinedPlace::default())],
            ..FunctionFacts::default()
        };
        let all = [&[6][..], &[6], &[], &[7]].map(|aspects| GlobalFacts {
            name: "f".to_owned(),
            function: Some(function(aspects)),
            ..GlobalFacts::default()
        });
        let module = ModuleFacts {
            globals: all.to_vec(),
            ..ModuleFacts::default()
        };
        let kept = UnitFacts::of(module);
        for (global, (_, kept)) in all.iter().zip(kept.functions()) {
            let (was, is) = (
                global.function.clone().unwrap(),
                kept.function.as_ref().unwrap(),
            );
            let calls = is.calls.iter().map(|call| Call {
                callee: call.callee,
                place: call.place(),
            });
            let is = FunctionFacts {
                calls: calls.collect(),
                ..is.facts()
            };
            assert_eq!(is, was);
        }
    }
}

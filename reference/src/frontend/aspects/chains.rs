//! Where an aspect comes from: the shortest chain of calls from a function to a use.

use std::collections::{HashMap, VecDeque};

use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::InstructionValue;

use super::scan::{Function, FunctionId};
use crate::llvm::location::{self, Location};
use crate::llvm::{demangle, values};

/// A chain of calls that ends in a use, or in a function that declares the aspect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// Where the last function uses the aspect.
    pub place: Option<UsePlace>,
    /// The last function does not use the aspect: its `device_has` lists it.
    pub declared: bool,
    /// The functions from the first to the last, each with the place of the call that leads to it.
    pub steps: Vec<(String, Option<Location>)>,
}

/// What is known of the place of a use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UsePlace {
    /// The instruction that uses the aspect.
    Instruction(Location),
    /// The function that uses it by an attribute or its signature.
    Function(Location),
    /// The call of a function that is only declared.
    Call(Location),
}

impl UsePlace {
    /// The place itself.
    #[must_use]
    pub fn location(&self) -> &Location {
        match self {
            UsePlace::Instruction(at) | UsePlace::Function(at) | UsePlace::Call(at) => at,
        }
    }
}

/// Chains over one module, worked out for an aspect when it is first asked for.
pub struct Chains<'a, 'ctx> {
    functions: &'a [Function<'ctx>],
    callers: Option<Vec<Vec<(FunctionId, LLVMValueRef)>>>,
    /// For each end of chains, the next step of each function that gets there through a call.
    steps: HashMap<End, Vec<Option<(FunctionId, LLVMValueRef)>>>,
}

/// What chains lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum End {
    /// A function that uses the aspect by itself.
    Use(u8),
    /// A function that lists it in its `device_has`.
    Declaration(u8),
}

impl End {
    fn is(self, function: &Function<'_>) -> bool {
        match self {
            End::Use(aspect) => function.own.contains(aspect),
            End::Declaration(aspect) => function.declared.contains(aspect),
        }
    }
}

impl<'a, 'ctx> Chains<'a, 'ctx> {
    /// No chain worked out yet.
    #[must_use]
    pub fn new(functions: &'a [Function<'ctx>]) -> Self {
        Chains {
            functions,
            callers: None,
            steps: HashMap::new(),
        }
    }

    /// The chain from a function that uses an aspect.
    pub fn leading_to_use(&mut self, from: FunctionId, aspect: u8) -> Chain {
        self.chain(from, aspect, End::Use(aspect))
    }

    /// The chain from a function that has an aspect only from what functions that it calls declare.
    pub fn leading_to_declaration(&mut self, from: FunctionId, aspect: u8) -> Chain {
        self.chain(from, aspect, End::Declaration(aspect))
    }

    fn chain(&mut self, from: FunctionId, aspect: u8, end: End) -> Chain {
        let functions = self.functions;
        let steps = self.steps_of(end);
        let name = |id: FunctionId| {
            functions
                .get(id as usize)
                .map_or_else(String::new, displayed)
        };
        let mut chain = vec![(name(from), None)];
        let mut at = from;
        while let Some(Some((next, call))) = steps.get(at as usize) {
            chain.push((name(*next), location_of(*call)));
            at = *next;
        }
        let user = functions.get(at as usize);
        let found = user.and_then(|f| f.uses.iter().find(|(used, _)| *used == aspect));
        Chain {
            place: match found {
                Some((_, Some(instruction))) => {
                    location_of(*instruction).map(UsePlace::Instruction)
                }
                // An attribute says so: of a function that is only declared, the call is the place.
                _ => user
                    .and_then(|f| location::of_function(f.value).map(UsePlace::Function))
                    .or_else(|| Some(UsePlace::Call(chain.last()?.1.clone()?))),
            },
            declared: matches!(end, End::Declaration(_)),
            steps: chain,
        }
    }

    /// From every function that is such an end, up through the callers, nearest first.
    fn steps_of(&mut self, end: End) -> &[Option<(FunctionId, LLVMValueRef)>] {
        let functions = self.functions;
        let callers = self.callers.get_or_insert_with(|| callers(functions));
        self.steps.entry(end).or_insert_with(|| {
            let mut steps = vec![None; functions.len()];
            let mut reached: Vec<bool> = functions.iter().map(|f| end.is(f)).collect();
            let mut open: VecDeque<_> = (0..)
                .zip(functions)
                .filter(|(_, f)| end.is(f))
                .map(|(id, _): (FunctionId, _)| id)
                .collect();
            while let Some(callee) = open.pop_front() {
                for &(caller, call) in callers.get(callee as usize).into_iter().flatten() {
                    if !std::mem::replace(&mut reached[caller as usize], true) {
                        steps[caller as usize] = Some((callee, call));
                        open.push_back(caller);
                    }
                }
            }
            steps
        })
    }
}

fn callers(functions: &[Function<'_>]) -> Vec<Vec<(FunctionId, LLVMValueRef)>> {
    let mut callers = vec![Vec::new(); functions.len()];
    for (caller, function) in (0..).zip(functions) {
        for &(callee, call) in &function.calls {
            if let Some(list) = callers.get_mut(callee as usize) {
                list.push((caller, call));
            }
        }
    }
    callers
}

/// A function's name as messages show it, without parameters.
#[must_use]
pub fn displayed(function: &Function<'_>) -> String {
    demangle::function_name(&values::function_name(function.value))
}

/// Where an instruction of the scan is in the source.
pub fn location_of(instruction: LLVMValueRef) -> Option<Location> {
    // SAFETY: the scan kept only instructions, and the module has not changed since.
    location::of_instruction(unsafe { InstructionValue::new(instruction) })
}

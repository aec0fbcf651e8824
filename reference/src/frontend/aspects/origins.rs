//! The chains of calls that aspects come from, kept with the entry points. Optimization inlines the
//! functions of a chain and drops the types that make a use, so this is the last moment at which
//! each function and place is known; post-link puts the chains into "Plumbline/aspect origins".
//!
//! Every kernel and `SYCL_EXTERNAL` function carries `!plumbline_aspect_origins`: a list of chains,
//! each a list that begins with what it leads to: an aspect as a number, or a function that another
//! translation unit defines by its symbol. Lines of text follow, as the user reads them:
//!
//! ```text
//! !0 = !{!1, !2}
//! !1 = !{i32 6, !"middle() k.cpp:12:3", !"used at k.cpp:3:14"}
//! !2 = !{!"_Z9elsewherev", !"middle() k.cpp:12:3", !"elsewhere() k.cpp:4:5"}
//! ```

use std::collections::VecDeque;

use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::{Linkage, Module};
use rustc_hash::FxHashMap;

use super::Propagated;
use super::chains::{Chain, Chains, UsePlace, displayed, location_of};
use super::scan::{FunctionId, as_global};
use crate::frontend::builtins;
use crate::llvm::location::Location;
use crate::llvm::metadata::{self, Node, Operand};
use crate::llvm::values;

/// The kind of metadata that holds the chains of one function.
pub const ASPECT_ORIGINS: &str = "plumbline_aspect_origins";

impl<'ctx> Propagated<'ctx> {
    /// Writes the chains of every function that stays visible outside of the module; places only
    /// where the user asked for debug information, as they are the paths of the user's files.
    pub fn record_origins(&self, module: &Module<'ctx>, with_places: bool) {
        let context = module.get_context();
        let mut chains = Chains::new(&self.functions);
        let elsewhere = self.defined_elsewhere();
        for (id, function) in (0..).zip(&self.functions) {
            let global = as_global(function);
            let visible = !matches!(global.get_linkage(), Linkage::Internal | Linkage::Private);
            if values::is_declaration(global) || !visible {
                continue;
            }
            let mut list = Vec::new();
            for (index, aspect) in self.needed_by(id) {
                let lines = lines(&self.chain(&mut chains, id, index), with_places);
                list.push(chain_node(context, Operand::u32(aspect), lines));
            }
            if elsewhere.contains(&true) {
                for (symbol, lines) in self.paths_out(id, &elsewhere, with_places) {
                    list.push(chain_node(context, Operand::text(symbol), lines));
                }
            }
            if !list.is_empty() {
                metadata::set_on_global(global, ASPECT_ORIGINS, Node::new(context, &list));
            }
        }
    }

    /// For each function, whether another translation unit of the user's defines it.
    fn defined_elsewhere(&self) -> Vec<bool> {
        let elsewhere = |function: &super::Function<'ctx>| {
            let symbol = values::function_name(function.value);
            values::is_declaration(as_global(function)) && !builtins::is_known(&symbol)
        };
        self.functions.iter().map(elsewhere).collect()
    }

    /// The shortest way from a function to each function of another unit that it reaches.
    fn paths_out(
        &self,
        from: FunctionId,
        elsewhere: &[bool],
        with_places: bool,
    ) -> Vec<(String, Vec<String>)> {
        let mut callers: FxHashMap<FunctionId, (FunctionId, LLVMValueRef)> = FxHashMap::default();
        let mut open = VecDeque::from([from]);
        let mut paths = Vec::new();
        while let Some(id) = open.pop_front() {
            let Some(function) = self.functions.get(id as usize) else {
                continue;
            };
            if id != from && elsewhere.get(id as usize) == Some(&true) {
                let mut lines = Vec::new();
                let mut at = id;
                while at != from
                    && let Some(&(caller, call)) = callers.get(&at)
                    && let Some(callee) = self.functions.get(at as usize)
                {
                    lines.push(step(&displayed(callee), location_of(call), with_places));
                    at = caller;
                }
                lines.reverse();
                paths.push((values::function_name(function.value), lines));
            }
            for &(callee, call) in &function.calls {
                if callee != from && !callers.contains_key(&callee) {
                    callers.insert(callee, (id, call));
                    open.push_back(callee);
                }
            }
        }
        paths
    }
}

fn chain_node<'ctx>(
    context: inkwell::context::ContextRef<'ctx>,
    leads_to: Operand<'ctx>,
    lines: Vec<String>,
) -> Operand<'ctx> {
    let lines = lines.into_iter().map(Operand::text);
    let operands: Vec<_> = [leads_to].into_iter().chain(lines).collect();
    Operand::Node(Node::new(context, &operands))
}

/// A chain as text, without the function that it begins with.
fn lines(chain: &Chain, with_places: bool) -> Vec<String> {
    let steps = chain.steps.iter().skip(1);
    let mut lines: Vec<_> = steps
        .map(|(name, call)| step(name, call.clone(), with_places))
        .collect();
    if chain.declared {
        lines.push("declared by its [[sycl::device_has()]]".to_owned());
        return lines;
    }
    match chain.place.as_ref().filter(|_| with_places) {
        Some(UsePlace::Instruction(at)) => lines.push(format!("used at {at}")),
        Some(UsePlace::Function(at)) => lines.push(format!("used in the function defined at {at}")),
        // The last step has said it.
        Some(UsePlace::Call(_)) | None => {}
    }
    lines
}

fn step(name: &str, call: Option<Location>, with_places: bool) -> String {
    match call.filter(|_| with_places) {
        Some(call) => format!("{name}() {call}"),
        None => format!("{name}()"),
    }
}

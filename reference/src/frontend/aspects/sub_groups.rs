//! The sub-group sizes that called functions require, kept with the entry points: a function that
//! optimization inlines takes its own metadata with it, and what an image needs must not depend on
//! that (FEAT, "Error checking for `SYCL_EXTERNAL` functions").
//!
//! Every kernel and `SYCL_EXTERNAL` function that reaches functions of its unit with a numeric size
//! which is not its own carries `!plumbline_sub_group_sizes`: their symbols, each with its size.
//!
//! ```text
//! !0 = !{!"_Z5inneri", i32 8}
//! ```

use std::collections::HashSet;

use inkwell::module::{Linkage, Module};

use super::Propagated;
use super::scan::{Function, FunctionId, as_global};
use crate::frontend::annotations::NAMED_SUB_GROUP_SIZES;
use crate::frontend::features::SUB_GROUP_SIZE;
use crate::llvm::metadata::{self, Node, Operand};
use crate::llvm::values;

/// The kind of metadata that holds the sizes of the functions that one function reaches.
pub const CALLED_SUB_GROUP_SIZES: &str = "plumbline_sub_group_sizes";

impl<'ctx> Propagated<'ctx> {
    /// Writes the sizes of called functions on every function that stays visible outside of the
    /// module.
    pub fn record_sub_group_sizes(&self, module: &Module<'ctx>) {
        let sizes: Vec<_> = self.functions.iter().map(numeric_size).collect();
        if sizes.iter().all(Option::is_none) {
            return;
        }
        for (id, function) in (0..).zip(&self.functions) {
            let global = as_global(function);
            let visible = !matches!(global.get_linkage(), Linkage::Internal | Linkage::Private);
            if values::is_declaration(global) || !visible {
                continue;
            }
            let own = sizes.get(id as usize).copied().flatten();
            let operands: Vec<_> = self
                .reached(id)
                .into_iter()
                .filter_map(|callee| {
                    let size = sizes.get(callee as usize).copied().flatten()?;
                    let symbol = values::function_name(self.functions.get(callee as usize)?.value);
                    (Some(size) != own).then(|| [Operand::text(symbol), Operand::u32(size)])
                })
                .flatten()
                .collect();
            if !operands.is_empty() {
                let node = Node::new(module.get_context(), &operands);
                metadata::set_on_global(global, CALLED_SUB_GROUP_SIZES, node);
            }
        }
    }

    /// The functions that a function calls, directly or not, in module order.
    fn reached(&self, from: FunctionId) -> Vec<FunctionId> {
        let mut seen = HashSet::new();
        let mut open = vec![from];
        while let Some(id) = open.pop() {
            let calls = self.functions.get(id as usize).map(|f| &f.calls);
            for &(callee, _) in calls.into_iter().flatten() {
                if callee != from && seen.insert(callee) {
                    open.push(callee);
                }
            }
        }
        let mut reached: Vec<_> = seen.into_iter().collect();
        reached.sort_unstable();
        reached
    }
}

/// The size that a defined function requires, where it is a number.
fn numeric_size(function: &Function<'_>) -> Option<u32> {
    let global = as_global(function);
    let numbers = metadata::of_global(global, SUB_GROUP_SIZE)?.u32s()?;
    match numbers[..] {
        [size] if !NAMED_SUB_GROUP_SIZES.contains(&size) && !values::is_declaration(global) => {
            Some(size)
        }
        _ => None,
    }
}

//! What has work-items of a group wait for one another.

use std::collections::HashSet;

use inkwell::module::{Linkage, Module};
use inkwell::values::FunctionValue;

use crate::llvm::{calls, values};
use crate::translate::builtins;

/// The functions of a module that have to do with work-items that wait.
pub(super) struct Waiting<'ctx> {
    /// Those in which they do, or may, as code that is not here is called; some are not here themselves.
    pub functions: HashSet<FunctionValue<'ctx>>,
    /// Those that run in kernels which wait for other work-items, and those that may, as code that is not here
    /// calls them.
    pub reached: HashSet<FunctionValue<'ctx>>,
}

impl<'ctx> Waiting<'ctx> {
    /// Those of a module.
    pub fn of(module: &Module<'ctx>) -> Waiting<'ctx> {
        let mut functions: HashSet<FunctionValue<'_>> = module
            .get_functions()
            .filter(|function| {
                function.count_basic_blocks() == 0 && waits(&values::function_name(*function))
            })
            .collect();
        let mut count = 0;
        while functions.len() > count {
            count = functions.len();
            let more: Vec<_> = values::defined_functions(module)
                .filter(|function| {
                    calls::direct(*function).any(|callee| functions.contains(&callee))
                })
                .collect();
            functions.extend(more);
        }
        let is_root = |function: &FunctionValue<'_>| match values::is_kernel(*function) {
            true => functions.contains(function),
            false => function.get_linkage() != Linkage::Internal,
        };
        let mut open: Vec<_> = values::defined_functions(module).filter(is_root).collect();
        let mut reached: HashSet<_> = open.iter().copied().collect();
        while let Some(function) = open.pop() {
            open.extend(calls::direct(function).filter(|callee| reached.insert(*callee)));
        }
        Waiting { functions, reached }
    }
}

/// Whether a function that is not here may have work-items wait for one another: those of OpenCL and SPIR-V by
/// their names, among which those of sub-groups do no harm, and all that other images give.
fn waits(name: &str) -> bool {
    let is_by_name = [
        "Barrier",
        "barrier",
        "__spirv_Group",
        "work_group_",
        "group_events",
        "sub_group_",
    ]
    .iter()
    .any(|part| name.contains(part));
    is_by_name || builtins::may_be_imported(name, false)
}

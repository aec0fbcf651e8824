//! Only device code stays in a device module (OFF, "Device code outlining"), and every function of
//! it says where it comes from and how it was asked to be optimized.

use inkwell::module::{Linkage, Module};
use inkwell::values::FunctionValue;
use offload_formats::targets::Target;

use super::aliases::Forwarder;
use super::annotations::{self, Annotation};
use super::features::FIXED_TARGETS;
use super::kernels::Kernel;
use super::{LowerOptions, OptLevel, work_group_static};
use crate::llvm::metadata::{self, Node, Operand};
use crate::llvm::{LlvmError, attributes, passes, values};

/// Leaves only the kernels, the `SYCL_EXTERNAL` functions, and what they reach.
///
/// # Errors
/// When LLVM refuses its own pass.
pub fn keep_only_device_code<'ctx>(
    module: &Module<'ctx>,
    kernels: &[Kernel<'ctx>],
    externals: &[FunctionValue<'ctx>],
) -> Result<(), LlvmError> {
    for function in values::defined_functions(module) {
        if kernels.iter().any(|kernel| kernel.entry == function) {
            continue;
        }
        match (externals.contains(&function), function.get_linkage()) {
            // What any unit may call stays, also when its own unit does not.
            (true, Linkage::LinkOnceODR | Linkage::LinkOnceAny) => {
                function.set_linkage(Linkage::WeakODR);
            }
            (true, _) => {}
            (false, _) => {
                function.set_linkage(Linkage::Internal);
                values::leave_comdat(function.as_global_value());
            }
        }
    }
    for variable in module.get_globals() {
        let device_global = attributes::of_variable(variable, "sycl-unique-id").is_some();
        let shared = work_group_static::is_of_all_units(variable);
        if !values::is_declaration(variable) && !device_global && !shared {
            variable.set_linkage(Linkage::Internal);
            values::leave_comdat(variable);
        }
    }
    passes::run(module, "globaldce")
}

/// The `SYCL_EXTERNAL` functions, declared ones too, and their other names: clang says of a function what the
/// source says of an alias.
#[must_use]
pub fn externals<'ctx>(
    annotations: &[Annotation<'ctx>],
    forwarders: &[Forwarder<'ctx>],
) -> Vec<FunctionValue<'ctx>> {
    let marked = annotations
        .iter()
        .filter(|a| a.name == annotations::EXTERNAL);
    let mut externals: Vec<_> = marked.filter_map(Annotation::function).collect();
    let others = forwarders
        .iter()
        .filter(|other| externals.contains(&other.of));
    let others: Vec<_> = others.map(|other| other.function).collect();
    externals.extend(others);
    externals
}

/// Writes the targets of `-fsycl-fixed-targets` on every kernel and `SYCL_EXTERNAL` function that
/// is defined, an empty list without the switch (FEAT, "New LLVM IR metadata").
pub fn mark_entries<'ctx>(
    module: &Module<'ctx>,
    kernels: &[Kernel<'ctx>],
    externals: &[FunctionValue<'ctx>],
    targets: &[&Target],
) {
    let names: Vec<_> = targets.iter().map(|t| Operand::text(t.name)).collect();
    let node = Node::new(module.get_context(), &names);
    for function in values::defined_functions(module) {
        let kernel = kernels.iter().any(|kernel| kernel.entry == function);
        if kernel || externals.contains(&function) {
            metadata::set_on_global(function.as_global_value(), FIXED_TARGETS, node);
        }
    }
}

/// Gives every function `sycl-module-id`, and `sycl-optlevel` when the user gave a level (OPT,
/// "Changes to the clang front-end").
pub fn mark_functions(module: &Module<'_>, options: &LowerOptions) {
    for function in values::defined_functions(module) {
        attributes::set_on_function(function, "sycl-module-id", &options.module_id);
        if let Some(level) = options.opt_level {
            attributes::set_on_function(function, "sycl-optlevel", &level.number().to_string());
        }
    }
}

/// Optimizes as the level says; without a level as `-O2` does, since a runtime compiler takes the
/// module further anyway. A ThinLTO link, which imports optimized bodies, optimizes again only what it
/// inlines into.
///
/// # Errors
/// When LLVM refuses its own passes.
pub fn optimize(module: &Module<'_>, options: &LowerOptions) -> Result<(), LlvmError> {
    let level = level(options).number();
    passes::run(module, &format!("default<O{level}>"))
}

/// The level that device code is optimized at.
#[must_use]
pub fn level(options: &LowerOptions) -> OptLevel {
    options.opt_level.unwrap_or(OptLevel::O2)
}

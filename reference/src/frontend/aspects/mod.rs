//! The propagation pass (FEAT, "New LLVM IR pass to propagate aspect usage"): what each function
//! uses, written as metadata, and warnings where that breaks a promise. It runs before every pass
//! that changes code, so that nothing has been optimized out of sight.

mod chains;
pub mod origins;
mod propagate;
pub(super) mod scan;
mod set;
pub mod sub_groups;

use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;
use offload_formats::aspects as known;
use offload_formats::device_config::DeviceConfig;
use offload_formats::targets::Target;

use self::chains::{Chain, Chains};
use self::propagate::Reach;
use self::scan::{Function, FunctionId};
use self::set::Aspects;
pub use self::set::TooManyAspects;
use super::annotations::NAMED_SUB_GROUP_SIZES;
use super::diagnostics::{Diagnostic, Warning};
use super::features::{DECLARED_ASPECTS, SUB_GROUP_SIZE, USED_ASPECTS, WORK_GROUP_SIZE};
use crate::llvm::location;
use crate::llvm::metadata::{self, Node, Operand};

/// A module with its aspects propagated.
pub struct Propagated<'ctx> {
    functions: Vec<Function<'ctx>>,
    reach: Reach,
    aspects: Aspects,
}

/// Works out what each function uses and writes it as `!intel_used_aspects`, and with it what the
/// functions that it calls declare: an image needs that of a device, whether the call is inlined
/// later or not.
///
/// # Errors
/// When the module speaks of too many aspects.
pub fn propagate<'ctx>(module: &Module<'ctx>) -> Result<Propagated<'ctx>, TooManyAspects> {
    let mut aspects = Aspects::default();
    let functions = scan::functions(module, &mut aspects)?;
    let reach = propagate::propagate(&functions);
    let context = module.get_context();
    for (function, used) in functions.iter().zip(&reach.needed) {
        if !used.is_empty() && function.value.count_basic_blocks() > 0 {
            let operands: Vec<_> = aspects
                .numbers(used)
                .into_iter()
                .map(Operand::u32)
                .collect();
            let node = Node::new(context, &operands);
            metadata::set_on_global(scan::as_global(function), USED_ASPECTS, node);
        }
    }
    Ok(Propagated {
        functions,
        reach,
        aspects,
    })
}

impl<'ctx> Propagated<'ctx> {
    /// The functions of the module, and whom they call.
    pub(super) fn functions(&self) -> &[Function<'ctx>] {
        &self.functions
    }

    /// The first call by which a function reaches itself again, if it does.
    pub(super) fn recursion(&self, id: FunctionId) -> Option<LLVMValueRef> {
        let cycle = |id: FunctionId| self.reach.cycle.get(id as usize);
        let function = self.functions.get(id as usize)?;
        let back = |&&(callee, _): &&(FunctionId, LLVMValueRef)| cycle(callee) == cycle(id);
        function.calls.iter().find(back).map(|&(_, call)| call)
    }

    /// Warnings for functions that use what their `device_has` does not list.
    #[must_use]
    pub fn check_declared(&self) -> Vec<Diagnostic> {
        let mut chains = Chains::new(&self.functions);
        let mut found = Vec::new();
        for (id, function) in (0..).zip(&self.functions) {
            let Some(declared) = numbers(function, DECLARED_ASPECTS) else {
                continue;
            };
            for (index, aspect) in self.used_by(id) {
                if !declared.contains(&aspect) && function.value.count_basic_blocks() > 0 {
                    let message = format!(
                        "function '{}' uses aspect '{}' not listed in 'sycl::device_has'",
                        chains::displayed(function),
                        known::display_name(aspect)
                    );
                    let chain = chains.leading_to_use(id, index);
                    found.push(with_chain(Warning::DeviceHas, message, chain));
                }
            }
        }
        found
    }

    /// Warnings for functions that need what a target of `-fsycl-fixed-targets` lacks, and for targets
    /// of which the file says nothing.
    #[must_use]
    pub fn check_targets(&self, targets: &[&Target], config: &DeviceConfig) -> Vec<Diagnostic> {
        let mut chains = Chains::new(&self.functions);
        let (targets, unknown): (Vec<&Target>, Vec<&Target>) = targets
            .iter()
            .copied()
            .partition(|target| config.find(target.name).is_some());
        let targets = &*targets;
        let mut found: Vec<Diagnostic> = unknown
            .iter()
            .map(|target| {
                let message = format!(
                    "the device configuration file has no entry for '{}': whether functions can run \
                     there is not known",
                    target.name
                );
                Diagnostic::warning(Warning::FixedTargets, None, message)
            })
            .collect();
        for (id, function) in (0..).zip(&self.functions) {
            if function.value.count_basic_blocks() == 0 {
                continue;
            }
            let name = chains::displayed(function);
            for (index, aspect) in self.needed_by(id) {
                if let Some(lacking) = lacking(targets, |t| config.has_aspect(t, aspect)) {
                    let aspect = known::display_name(aspect);
                    let message = format!(
                        "function '{name}' uses aspect '{aspect}' not supported by {lacking}"
                    );
                    let chain = self.chain(&mut chains, id, index);
                    found.push(with_chain(Warning::FixedTargets, message, chain));
                }
            }
            found.extend(check_declared_on(function, &name, targets, config));
            found.extend(check_sizes(function, &name, targets, config));
        }
        found
    }

    /// The aspects that a function uses, ascending, with their indices.
    fn used_by(&self, id: FunctionId) -> Vec<(u8, u32)> {
        self.listed(&self.reach.used, id)
    }

    /// The aspects that a function uses or that functions declare which it calls.
    fn needed_by(&self, id: FunctionId) -> Vec<(u8, u32)> {
        self.listed(&self.reach.needed, id)
    }

    /// Where a function has an aspect from: a use, or else a declaration.
    fn chain(&self, chains: &mut Chains<'_, 'ctx>, id: FunctionId, aspect: u8) -> Chain {
        let used = self.reach.used.get(id as usize);
        match used.is_some_and(|used| used.contains(aspect)) {
            true => chains.leading_to_use(id, aspect),
            false => chains.leading_to_declaration(id, aspect),
        }
    }

    fn listed(&self, sets: &[set::AspectSet], id: FunctionId) -> Vec<(u8, u32)> {
        let set = sets.get(id as usize).copied().unwrap_or_default();
        let mut aspects: Vec<_> = set
            .iter()
            .map(|index| (index, self.aspects.number(index)))
            .collect();
        aspects.sort_unstable_by_key(|(_, number)| *number);
        aspects
    }
}

/// Aspects that a function declares without using them: they bind all the same.
fn check_declared_on(
    function: &Function<'_>,
    name: &str,
    targets: &[&Target],
    config: &DeviceConfig,
) -> Vec<Diagnostic> {
    let declared = numbers(function, DECLARED_ASPECTS).unwrap_or_default();
    let used = numbers(function, USED_ASPECTS).unwrap_or_default();
    let only_declared = declared.into_iter().filter(|aspect| !used.contains(aspect));
    only_declared
        .filter_map(|aspect| {
            let lacking = lacking(targets, |t| config.has_aspect(t, aspect))?;
            let aspect = known::display_name(aspect);
            let message = format!(
                "function '{name}' declares aspect '{aspect}' in 'sycl::device_has', which is not \
                 supported by {lacking}"
            );
            Some(Diagnostic::warning(
                Warning::FixedTargets,
                location::of_function(function.value),
                message,
            ))
        })
        .collect()
}

fn check_sizes(
    function: &Function<'_>,
    name: &str,
    targets: &[&Target],
    config: &DeviceConfig,
) -> Vec<Diagnostic> {
    let warn = |message: String| {
        let location = location::of_function(function.value);
        Diagnostic::warning(Warning::FixedTargets, location, message)
    };
    let mut found = Vec::new();
    if let Some(&[size]) = numbers(function, SUB_GROUP_SIZE).as_deref()
        && !NAMED_SUB_GROUP_SIZES.contains(&size)
        && let Some(lacking) = lacking(targets, |t| config.has_sub_group_size(t, size))
    {
        found.push(warn(format!(
            "function '{name}' requires sub-group size '{size}' not supported by {lacking}"
        )));
    }
    if let Some(sizes) = numbers(function, WORK_GROUP_SIZE) {
        let items = sizes
            .iter()
            .fold(1u64, |items, &size| items.saturating_mul(size.into()));
        if let Some(lacking) = lacking(targets, |t| config.has_work_group_size(t, items)) {
            found.push(warn(format!(
                "function '{name}' requires work-groups of '{items}' work-items, not supported by \
                 {lacking}"
            )));
        }
    }
    found
}

/// The targets that fail a test, as a message names them.
fn lacking(targets: &[&Target], supports: impl Fn(&Target) -> bool) -> Option<String> {
    let names: Vec<_> = targets
        .iter()
        .filter(|target| !supports(target))
        .map(|target| format!("'{}'", target.name))
        .collect();
    match names.len() {
        0 => None,
        1 => Some(format!("target {}", names.join(""))),
        _ => Some(format!("targets {}", names.join(", "))),
    }
}

fn numbers(function: &Function<'_>, kind: &str) -> Option<Vec<u32>> {
    metadata::of_global(scan::as_global(function), kind)?.u32s()
}

fn with_chain(warning: Warning, message: String, chain: Chain) -> Diagnostic {
    let place = chain.place.map(|place| place.location().clone());
    let mut diagnostic = Diagnostic::warning(warning, place, message);
    diagnostic
        .notes
        .push("use is from this call chain:".to_owned());
    diagnostic.chain = chain.steps;
    diagnostic
}

//! From groups of entry points to finished modules, several at a time.
//!
//! Every worker reads the input anew, lazily and in a context of its own, and makes its images one
//! by one, so that beyond the input there is one module in memory per worker. Workers get
//! consecutive images, of about equal weight, so that the bodies that they read overlap little.

use inkwell::llvm_sys::comdat::{LLVMGetComdat, LLVMSetComdat};
use inkwell::module::{Linkage, Module};
use inkwell::values::{AsValueRef as _, GlobalValue};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::error::{PostLinkError, Warning};
use super::facts::{GlobalId, ModuleFacts};
use super::options::{Form, Options};
use super::properties::properties;
use super::requirements::requirements;
use super::split::Group;
use super::{Outcome, SplitModule};
use crate::llvm::subset::{self, Member};
use crate::llvm::{attributes, context, read, values, write};

/// One image before it is made.
struct Plan<'a> {
    index: usize,
    group: &'a Group,
    members: Vec<GlobalId>,
    weight: u64,
}

/// Makes every image and hands it to `sink`.
///
/// # Errors
/// Those of [`super::run`].
pub fn images<E: From<PostLinkError> + Send>(
    facts: &ModuleFacts,
    groups: &[Group],
    bitcode: &[u8],
    options: &Options,
    sink: impl Fn(SplitModule) -> Result<(), E> + Sync,
) -> Result<Outcome, E> {
    let plans = plans(facts, groups);
    let workers = rayon::current_num_threads();
    let warnings: Vec<Vec<Warning>> = shares(&plans, workers)
        .par_iter()
        .map(|share| work(facts, share, bitcode, options, &sink))
        .collect::<Result<_, E>>()?;
    let mut all = declared_kernels(facts);
    for warning in warnings.into_iter().flatten() {
        if !all.contains(&warning) {
            all.push(warning);
        }
    }
    Ok(Outcome {
        images: plans.len(),
        warnings: all,
    })
}

fn plans<'a>(facts: &ModuleFacts, groups: &'a [Group]) -> Vec<Plan<'a>> {
    let indexed: Vec<_> = groups.iter().enumerate().collect();
    indexed
        .par_iter()
        .map(|&(index, group)| {
            let members = members(facts, group);
            let weights = members.iter().filter_map(|&id| facts.global(id));
            Plan {
                index,
                group,
                weight: weights.map(|global| u64::from(global.weight)).sum(),
                members,
            }
        })
        .collect()
}

/// What an image holds: all that its entry points need, or everything when there are none.
fn members(facts: &ModuleFacts, group: &Group) -> Vec<GlobalId> {
    if group.entries.is_empty() {
        return (0..).map(GlobalId).take(facts.globals.len()).collect();
    }
    facts.closure(&group.entries)
}

/// The images in at most `workers` consecutive shares of about equal weight.
fn shares<'p, 'a>(plans: &'p [Plan<'a>], workers: usize) -> Vec<&'p [Plan<'a>]> {
    let total: u64 = plans.iter().map(|plan| plan.weight).sum();
    let goal = total / workers.max(1) as u64 + 1;
    let mut before = 0;
    let bins: Vec<u64> = plans
        .iter()
        .map(|plan| {
            let bin = before / goal;
            before += plan.weight;
            bin
        })
        .collect();
    let mut rest = plans;
    bins.chunk_by(|a, b| a == b)
        .map(|bin| {
            let (share, after) = rest.split_at(bin.len());
            rest = after;
            share
        })
        .collect()
}

fn work<E: From<PostLinkError>>(
    facts: &ModuleFacts,
    share: &[Plan<'_>],
    bitcode: &[u8],
    options: &Options,
    sink: &(impl Fn(SplitModule) -> Result<(), E> + Sync),
) -> Result<Vec<Warning>, E> {
    let context = context();
    let whole =
        read::module_lazily(&context, bitcode, &facts.origin).map_err(PostLinkError::Llvm)?;
    let globals = values::globals(&whole);
    let mut warnings = Vec::new();
    for plan in share {
        let entries = &plan.group.entries;
        let (found, warned) = requirements(facts, entries, &plan.members);
        warnings.extend(warned);
        let module = take(&whole, &globals, plan)?;
        sink(SplitModule {
            index: plan.index,
            code: written(&module, options.form),
            entries: entries
                .iter()
                .map(|&id| facts.name(id).to_owned())
                .collect(),
            properties: properties(facts, entries, &found, options)?,
        })?;
    }
    Ok(warnings)
}

/// The module of an image: its members, of which only entry points and device globals are visible
/// from outside, so that images can be linked with each other.
fn take<'ctx>(
    whole: &Module<'ctx>,
    globals: &[GlobalValue<'ctx>],
    plan: &Plan<'_>,
) -> Result<Module<'ctx>, PostLinkError> {
    let members: Vec<_> = plan
        .members
        .iter()
        .filter_map(|id| globals.get(id.0 as usize))
        .map(|&global| Member {
            global,
            define: true,
        })
        .collect();
    let module = subset::take(whole, &members)?;
    if plan.group.entries.is_empty() {
        return Ok(module);
    }
    let copies = values::globals(&module);
    for (id, copy) in plan.members.iter().zip(copies) {
        if !plan.group.entries.contains(id) {
            internalize(copy);
        }
    }
    Ok(module)
}

fn internalize(global: GlobalValue<'_>) {
    let foreign = values::is_declaration(global)
        || global.get_linkage() == Linkage::AvailableExternally
        || attributes::of_variable(global, "sycl-unique-id").is_some();
    if foreign {
        return;
    }
    global.set_linkage(Linkage::Internal);
    let value = global.as_value_ref();
    if values::is_alias(global) {
        return;
    }
    // SAFETY: the global is a valid function or variable; a symbol that nobody outside sees takes
    // no part in a group of symbols to choose from.
    unsafe {
        if !LLVMGetComdat(value).is_null() {
            LLVMSetComdat(value, std::ptr::null_mut());
        }
    }
}

fn written(module: &Module<'_>, form: Form) -> Vec<u8> {
    match form {
        Form::Bitcode => write::bitcode(module),
        Form::Text => write::text(module).into_bytes(),
    }
}

/// Kernels that the module knows by name only.
fn declared_kernels(facts: &ModuleFacts) -> Vec<Warning> {
    facts
        .functions()
        .filter(|(_, global, function)| function.kernel && global.declaration)
        .map(|(_, global, _)| Warning::DeclaredKernel {
            kernel: global.name.clone(),
        })
        .collect()
}

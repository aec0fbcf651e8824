//! From groups of entry points to finished modules, several at a time.
//!
//! One worker takes the images out of the module that came in. Of several, every one reads the input
//! anew, lazily and in a context of its own, and makes its images one by one, so that beyond the
//! input there is one module in memory per worker. Workers get consecutive images, of about equal
//! weight, so that the bodies that they read overlap little.

use std::collections::{BTreeSet, HashSet};

use inkwell::module::{Linkage, Module};
use inkwell::values::GlobalValue;
use offload_formats::property_set::{MISC_PROPERTIES, PropertySets, PropertyValue};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::device_globals;
use super::entry_points::is_entry_point;
use super::error::{PostLinkError, Warning};
use super::facts::{GlobalFacts, GlobalId, ModuleFacts};
use super::options::{Form, Options};
use super::properties::properties;
use super::requirements::requirements;
use super::spec_constants::lower::{Lowering, lower};
use super::spec_constants::readers;
use super::split::{Group, GroupKey};
use super::{Outcome, SplitModule};
use crate::frontend::aspects::origins::ASPECT_ORIGINS;
use crate::frontend::aspects::sub_groups::CALLED_SUB_GROUP_SIZES;
use crate::frontend::work_group_static;
use crate::llvm::subset::{self, Member};
use crate::llvm::{
    self, LlvmError, attributes, context, diagnostics, metadata, read, thin, values, write,
};
use crate::translate::legalise;

/// One image before it is made.
struct Plan<'a> {
    /// The number of its first version.
    index: usize,
    group: &'a Group,
    members: Vec<GlobalId>,
    /// The members that it only declares, as another image exports them.
    imports: BTreeSet<GlobalId>,
    weight: u64,
    /// The specialization constants that its members ask for.
    spec_constants: BTreeSet<String>,
}

/// One module that is made of a plan.
struct Version {
    index: usize,
    /// What becomes of specialization constants, when there are some.
    lowering: Option<Lowering>,
}

impl Plan<'_> {
    /// The modules that are made of it, by what becomes of specialization constants: one, and
    /// another with default values when there are constants and the options ask for that.
    fn versions(&self, options: &Options) -> Vec<Version> {
        let mode = match self.spec_constants.is_empty() {
            true => None,
            false => options.spec_constants,
        };
        let mut versions = vec![Version {
            index: self.index,
            lowering: mode.map(Lowering::Mode),
        }];
        if mode.is_some() && options.default_spec_constant_images {
            versions.push(Version {
                index: self.index + 1,
                lowering: Some(Lowering::Default),
            });
        }
        versions
    }

    /// Whether its one module is the whole input but for what is left when globals are chosen: lists
    /// that keep symbols alive, and declarations that nothing uses.
    fn is_all(&self, facts: &ModuleFacts, options: &Options) -> bool {
        let members: HashSet<GlobalId> = self.members.iter().copied().collect();
        let mut others = (0..).map(GlobalId).zip(&facts.globals);
        self.versions(options).len() == 1
            && self.imports.is_empty()
            && others.all(|(id, global)| {
                members.contains(&id) || global.declaration || subset::is_list(&global.name)
            })
    }

    fn entry_names(&self, facts: &ModuleFacts) -> Vec<String> {
        let names = self.group.entries.iter().map(|&id| facts.name(id));
        names.map(str::to_owned).collect()
    }
}

/// Makes every image and hands it to `sink`.
///
/// # Errors
/// Those of [`super::run`].
pub fn images<E: From<PostLinkError> + Send>(
    facts: &ModuleFacts,
    groups: &[Group],
    module: Module<'_>,
    options: &Options,
    sink: impl Fn(SplitModule) -> Result<(), E> + Sync,
) -> Result<Outcome, E> {
    let without_entries = Group {
        key: GroupKey::default(),
        entries: Vec::new(),
    };
    let mut plans = plans(facts, groups, options);
    plans.extend(unclaimed(facts, &plans, &without_entries, options));
    let images = plans
        .iter()
        .map(|plan| (plan.index, &*plan.group.entries, &*plan.members));
    device_globals::check(facts, images)?;
    let most = options.max_workers.unwrap_or(usize::MAX);
    let workers = rayon::current_num_threads().min(most);
    let warnings = match &*shares(&plans, workers) {
        [[plan]] if plan.is_all(facts, options) => {
            work_in_place(facts, plan, module, options, &sink)?
        }
        [all] => work(facts, all, &module, options, &sink)?,
        shares => work_apart(facts, shares, module, options, &sink)?,
    };
    let mut all = Vec::new();
    // The link of modules that are still open warns once it knows all.
    if options.form != Form::ThinLto {
        all = declared_kernels(facts);
        for warning in warnings {
            if !all.contains(&warning) {
                all.push(warning);
            }
        }
    }
    Ok(Outcome {
        images: plans.iter().map(|plan| plan.versions(options).len()).sum(),
        warnings: all,
    })
}

fn plans<'a>(facts: &ModuleFacts, groups: &'a [Group], options: &Options) -> Vec<Plan<'a>> {
    let outside = Outside::of(facts, options);
    let mut plans: Vec<_> = groups
        .par_iter()
        .map(|group| plan(facts, group, &outside))
        .collect();
    let mut index = 0;
    for plan in &mut plans {
        plan.index = index;
        index += plan.versions(options).len();
    }
    plans
}

fn plan<'a>(facts: &ModuleFacts, group: &'a Group, outside: &Outside) -> Plan<'a> {
    let (members, imports) = members(facts, group, outside);
    let defined = || members.iter().filter(|id| !imports.contains(id));
    let globals = defined().filter_map(|&id| facts.global(id));
    let functions = defined().filter_map(|&id| facts.function(id));
    Plan {
        index: 0,
        group,
        weight: globals.map(|global| u64::from(global.weight)).sum(),
        spec_constants: functions
            .flat_map(|f| f.spec_constants.iter().cloned())
            .collect(),
        members,
        imports,
    }
}

/// A module of the device globals that a unit has for others and that none of its own modules holds.
fn unclaimed<'a>(
    facts: &ModuleFacts,
    plans: &[Plan<'_>],
    group: &'a Group,
    options: &Options,
) -> Option<Plan<'a>> {
    if options.form != Form::ThinLto {
        return None;
    }
    let held: HashSet<GlobalId> = plans
        .iter()
        .flat_map(|p| p.members.iter().copied())
        .collect();
    let is_for_others = |(id, global): &(GlobalId, &GlobalFacts)| {
        global.device_global.is_some()
            && global.visible
            && !global.declaration
            && !held.contains(id)
    };
    let globals = (0..).map(GlobalId).zip(&facts.globals);
    let roots: Vec<GlobalId> = globals.filter(is_for_others).map(|(id, _)| id).collect();
    let last = plans.last()?;
    (!roots.is_empty()).then(|| Plan {
        index: last.index + last.versions(options).len(),
        group,
        members: facts.closure_up_to(&roots, |_| false),
        imports: BTreeSet::new(),
        weight: 1,
        spec_constants: BTreeSet::new(),
    })
}

/// What decides on the members of an image beyond what its entry points need.
struct Outside {
    /// Tables of functions that any image may be asked for ([`super::facts::GlobalFacts`]).
    tables: Vec<GlobalId>,
    /// Entry points that images import from each other, where they may.
    exported: HashSet<GlobalId>,
}

impl Outside {
    fn of(facts: &ModuleFacts, options: &Options) -> Self {
        let globals = || (0..).map(GlobalId).zip(&facts.globals);
        let tables = globals().filter(|(_, global)| global.function_table);
        // Of what another definition may replace there is no copy in a module that is still open.
        let is_open = |global: &GlobalFacts| options.form == Form::ThinLto && global.replaceable;
        let exported = facts.functions().filter(|(_, global, function)| {
            (options.image_dependencies || is_open(global))
                && !function.kernel
                && is_entry_point(global, function, options.only_kernels_as_entry_points)
        });
        Outside {
            tables: tables.map(|(id, _)| id).collect(),
            exported: exported.map(|(id, ..)| id).collect(),
        }
    }
}

/// What an image says of its specialization constants.
fn describe_constants(
    facts: &ModuleFacts,
    plan: &Plan<'_>,
    lowering: Lowering,
    sets: &mut PropertySets,
) {
    match lowering {
        Lowering::Mode(mode) => {
            let constants = &plan.spec_constants;
            facts.spec_constants.describe(constants, mode, sets);
            readers::describe(facts, &plan.group.entries, constants, sets);
        }
        Lowering::Default => {
            let replaced = PropertyValue::U32(1);
            sets.insert(MISC_PROPERTIES, "specConstsReplacedWithDefault", replaced);
        }
    }
}

/// What an image holds: all that its entry points need, or everything when there are none; and what
/// of that it only declares.
fn members(
    facts: &ModuleFacts,
    group: &Group,
    outside: &Outside,
) -> (Vec<GlobalId>, BTreeSet<GlobalId>) {
    if group.entries.is_empty() {
        let all = (0..).map(GlobalId).take(facts.globals.len());
        return (all.collect(), BTreeSet::new());
    }
    let roots = [&*group.entries, &*outside.tables].concat();
    let own: HashSet<GlobalId> = group.entries.iter().copied().collect();
    let elsewhere = |id: &GlobalId| outside.exported.contains(id) && !own.contains(id);
    let members = facts.closure_up_to(&roots, elsewhere);
    let imports = members.iter().copied().filter(elsewhere).collect();
    (members, imports)
}

/// The images in at most `workers` consecutive shares of about equal weight: an image belongs to the
/// share that its middle falls into.
fn shares<'p, 'a>(plans: &'p [Plan<'a>], workers: usize) -> Vec<&'p [Plan<'a>]> {
    // Twice each weight, so that the middles are whole; at least one, as some images are empty.
    let weight = |plan: &Plan<'_>| 2 * u128::from(plan.weight.max(1));
    let total: u128 = plans.iter().map(weight).sum();
    let mut before = 0;
    let bins: Vec<u128> = plans
        .iter()
        .map(|plan| {
            let middle = before + weight(plan) / 2;
            before += weight(plan);
            middle * workers.max(1) as u128 / total
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

/// Makes the images of several shares, each by a worker of its own.
fn work_apart<E: From<PostLinkError> + Send>(
    facts: &ModuleFacts,
    shares: &[&[Plan<'_>]],
    module: Module<'_>,
    options: &Options,
    sink: &(impl Fn(SplitModule) -> Result<(), E> + Sync),
) -> Result<Vec<Warning>, E> {
    // The whole module is not needed beside the workers' readings.
    let bitcode = write::bitcode(&module);
    drop(module);
    llvm::return_memory();
    let read_and_work = |share| {
        let context = context();
        let whole =
            read::module_lazily(&context, &bitcode, &facts.origin).map_err(PostLinkError::Llvm)?;
        work(facts, share, &whole, options, sink)
    };
    let warnings = shares
        .par_iter()
        .map(|share| diagnostics::working_on(&facts.origin, || read_and_work(share)));
    // Of several failures the first share's is told, whichever came first.
    let warnings: Vec<Result<Vec<Warning>, E>> = warnings.collect();
    let warnings: Vec<_> = warnings.into_iter().collect::<Result<_, E>>()?;
    Ok(warnings.concat())
}

/// Makes the images of one share out of `whole`.
fn work<E: From<PostLinkError> + Send>(
    facts: &ModuleFacts,
    share: &[Plan<'_>],
    whole: &Module<'_>,
    options: &Options,
    sink: &(impl Fn(SplitModule) -> Result<(), E> + Sync),
) -> Result<Vec<Warning>, E> {
    let globals = values::globals(whole);
    let mut warnings = Vec::new();
    for plan in share {
        let (sets, warned) = describe(facts, plan, options)?;
        warnings.extend(warned);
        for version in plan.versions(options) {
            let module = take(whole, &globals, plan, options.form)?;
            finish(facts, plan, version, module, sets.clone(), options, sink)?;
        }
    }
    Ok(warnings)
}

/// Makes the one image that is all of `module`, without a copy of it.
fn work_in_place<E: From<PostLinkError> + Send>(
    facts: &ModuleFacts,
    plan: &Plan<'_>,
    module: Module<'_>,
    options: &Options,
    sink: &(impl Fn(SplitModule) -> Result<(), E> + Sync),
) -> Result<Vec<Warning>, E> {
    let (sets, warnings) = describe(facts, plan, options)?;
    let members: HashSet<GlobalId> = plan.members.iter().copied().collect();
    let globals = (0..).map(GlobalId).zip(values::globals(&module));
    let (kept, others): (Vec<_>, Vec<_>) = globals.partition(|(id, _)| members.contains(id));
    subset::leave_out(others.into_iter().map(|(_, global)| global));
    hide(plan, kept, options.form);
    if let Some(version) = plan.versions(options).pop() {
        finish(facts, plan, version, module, sets, options, sink)?;
    }
    Ok(warnings)
}

/// The properties of an image, and what the user should know of it.
fn describe(
    facts: &ModuleFacts,
    plan: &Plan<'_>,
    options: &Options,
) -> Result<(PropertySets, Vec<Warning>), PostLinkError> {
    let imports: Vec<_> = plan.imports.iter().copied().collect();
    let defined = |id: &&GlobalId| !plan.imports.contains(id);
    let members: Vec<_> = plan.members.iter().filter(defined).copied().collect();
    let (found, warnings) = requirements(facts, &plan.group.entries, &members);
    let entries = &plan.group.entries;
    let sets = properties(facts, entries, &members, &imports, &found, options)?;
    Ok((sets, warnings))
}

/// The module of an image: copies of its members.
fn take<'ctx>(
    whole: &Module<'ctx>,
    globals: &[GlobalValue<'ctx>],
    plan: &Plan<'_>,
    form: Form,
) -> Result<Module<'ctx>, PostLinkError> {
    let members: Vec<_> = plan
        .members
        .iter()
        .filter_map(|id| Some((id, globals.get(id.0 as usize)?)))
        .map(|(id, &global)| Member {
            global,
            define: !plan.imports.contains(id),
        })
        .collect();
    let module = subset::take(whole, &members)?;
    let copies = plan.members.iter().copied().zip(values::globals(&module));
    hide(plan, copies, form);
    Ok(module)
}

/// Of the members of an image, only entry points and device globals are visible from outside, so
/// that images can be linked with each other.
fn hide<'ctx>(
    plan: &Plan<'_>,
    members: impl IntoIterator<Item = (GlobalId, GlobalValue<'ctx>)>,
    form: Form,
) {
    for (id, member) in members {
        // The properties say it now.
        if form != Form::ThinLto && values::as_function(member).is_some() {
            metadata::erase_from_global(member, ASPECT_ORIGINS);
            metadata::erase_from_global(member, CALLED_SUB_GROUP_SIZES);
        }
        let is_for_units = form == Form::ThinLto && work_group_static::is_of_all_units(member);
        if !plan.group.entries.is_empty() && !plan.group.entries.contains(&id) && !is_for_units {
            internalize(member);
        }
    }
}

/// Lowers what is left to lower in the module of an image, and hands the image on.
fn finish<E: From<PostLinkError> + Send>(
    facts: &ModuleFacts,
    plan: &Plan<'_>,
    version: Version,
    module: Module<'_>,
    mut properties: PropertySets,
    options: &Options,
    sink: &(impl Fn(SplitModule) -> Result<(), E> + Sync),
) -> Result<(), E> {
    if let Some(lowering) = version.lowering {
        let names = &plan.spec_constants;
        lower(&module, &facts.spec_constants, names, lowering)?;
        describe_constants(facts, plan, lowering, &mut properties);
    }
    if options.for_spirv_writer {
        legalise::legalise(&module).map_err(PostLinkError::Llvm)?;
    }
    let image = SplitModule {
        index: version.index,
        code: written(&module, options.form).map_err(PostLinkError::Llvm)?,
        entries: plan.entry_names(facts),
        properties,
    };
    // Before the module is freed: an outside tool may be at work on the image meanwhile.
    sink(image)
}

fn internalize(global: GlobalValue<'_>) {
    let foreign = values::is_declaration(global)
        || global.get_linkage() == Linkage::AvailableExternally
        || attributes::of_variable(global, "sycl-unique-id").is_some();
    if foreign {
        return;
    }
    global.set_linkage(Linkage::Internal);
    if !values::is_alias(global) {
        values::leave_comdat(global);
    }
}

fn written(module: &Module<'_>, form: Form) -> Result<Vec<u8>, LlvmError> {
    Ok(match form {
        Form::Text => write::text(module).into_bytes(),
        // Imported functions would have variables of work-groups of their own.
        Form::ThinLto if !work_group_static::are_shared(module) => thin::bitcode(module)?,
        Form::Bitcode | Form::ThinLto => write::bitcode(module),
    })
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

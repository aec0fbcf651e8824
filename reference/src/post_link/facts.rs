//! What the post-link stage knows of a module: plain values, read once, free of LLVM, so that every
//! decision over them is a pure function and can be made on any thread.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::device_libraries::DeviceLibrary;
use super::spec_constants::Table;
pub use crate::llvm::graph::GlobalId;
use crate::llvm::location::{InlinedPlace, Location};

/// A linked device module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModuleFacts {
    /// The module's identifier, for messages.
    pub origin: String,
    /// Whether it is for NVIDIA's GPUs.
    pub nvidia: bool,
    /// Its globals; a [`GlobalId`] is a place in this list.
    pub globals: Vec<GlobalFacts>,
    /// Its specialization constants, when they are to be lowered.
    pub spec_constants: Table,
}

/// A function, variable or alias.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GlobalFacts {
    /// The symbol.
    pub name: String,
    /// Whether its definition is elsewhere.
    pub declaration: bool,
    /// Whether other modules can see it.
    pub visible: bool,
    /// Whether another module may have the definition that counts.
    pub replaceable: bool,
    /// The globals that must come along with it.
    pub needs: Vec<GlobalId>,
    /// How much there is to copy: its instructions, at least 1.
    pub weight: u32,
    /// A weak variable with addresses of functions, which other modules can see and change: whoever
    /// looks a function up in such a table calls it, and no call in this module tells.
    pub function_table: bool,
    /// What more is known when it is a function.
    pub function: Option<FunctionFacts>,
    /// What more is known when it is a device global.
    pub device_global: Option<DeviceGlobal>,
}

/// A variable that lives on the device and that the host can name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceGlobal {
    /// `sycl-unique-id`: the name that host and device share.
    pub unique_id: String,
    /// `sycl-device-global-size`: the size of its value in bytes.
    pub size: u32,
    /// `sycl-device-image-scope`: each image has a variable of its own, so one image only may use
    /// it.
    pub image_scope: bool,
    /// [`INITIAL_VALUE_AT`](crate::frontend::device_globals::INITIAL_VALUE_AT): where in the variable its
    /// initial value stands, in bytes, if it is not the variable itself.
    pub initial_value_at: Option<u32>,
}

/// A function, as its attributes and metadata describe it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FunctionFacts {
    /// Callable by the host.
    pub kernel: bool,
    /// `sycl-module-id`: the translation unit of a kernel or a `SYCL_EXTERNAL` function.
    pub module_id: Option<String>,
    /// Aspects that it uses (`!intel_used_aspects`).
    pub used_aspects: BTreeSet<u32>,
    /// Where it uses an aspect, for those that show in its instructions.
    pub use_places: BTreeMap<u32, InlinedPlace>,
    /// For each aspect that it uses, the chain of calls that the front end saw it come from, as
    /// lines of text (`!plumbline_aspect_origins`).
    pub aspect_origins: BTreeMap<u32, Vec<String>>,
    /// The same for each function of another translation unit that it calls, by symbol.
    pub ways_out: BTreeMap<String, Vec<String>>,
    /// Aspects that its author declared (`!intel_declared_aspects`).
    pub declared_aspects: BTreeSet<u32>,
    /// DPC++'s marks below zero among its aspects: no device has such an aspect, and code with
    /// different ones does not go into one image.
    pub marks: BTreeSet<i32>,
    /// Targets of `-fsycl-fixed-targets`; empty when compiled without, `None` when not known.
    pub fixed_targets: Option<BTreeSet<String>>,
    /// The required sub-group size, when it is a number.
    pub sub_group_size: Option<u32>,
    /// The sizes of functions of its unit that it reaches and that require another, by symbol: such
    /// a function may be inlined by now (`!plumbline_sub_group_sizes`).
    pub called_sub_group_sizes: BTreeMap<String, u32>,
    /// The required work-group size.
    pub work_group_size: Option<WorkGroupSize>,
    /// The largest work-group size that it is to run with, as the metadata lists it.
    pub max_work_group_size: Option<Vec<u32>>,
    /// The largest number of work items of a group that it is to run with.
    pub max_linear_work_group_size: Option<u32>,
    /// For each parameter of a kernel's functor, whether the compiler left it out.
    pub omitted_parameters: Vec<bool>,
    /// `sycl-optlevel`, when it was compiled with a level.
    pub opt_level: Option<u32>,
    /// Calls to functions of the module, in order, with their places when those are known.
    pub calls: Vec<Call>,
    /// The set of functions that it can be called with through a pointer (`indirectly-callable`).
    pub indirect_set: Option<String>,
    /// The sets that it calls functions of through pointers (`calls-indirectly`).
    pub called_sets: Vec<String>,
    /// The device library that has it, for a function that is only declared.
    pub device_library: Option<DeviceLibrary>,
    /// The specialization constants that it asks for.
    pub spec_constants: BTreeSet<String>,
    /// What a kernel was made of ([`offload_formats::kernel_functor`]), as far as its front end says.
    pub made_of: Option<String>,
    /// Where it is defined.
    pub location: Option<Location>,
}

/// A call to a known function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The function that is called.
    pub callee: GlobalId,
    /// The place of the call; nothing is known of most calls.
    pub place: InlinedPlace,
}

/// A required work-group size of one to three dimensions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkGroupSize {
    /// The sizes in the order of the C++ attribute.
    pub dimensions: Vec<u32>,
    /// The sizes as the metadata lists them.
    pub metadata: Vec<u32>,
    /// How many dimensions were written (`!work_group_num_dim`), where that is known.
    pub written_dimensions: Option<u32>,
}

impl FunctionFacts {
    /// FEAT's *UsedAspects*: what the function uses or was declared to use.
    #[must_use]
    pub fn all_aspects(&self) -> BTreeSet<u32> {
        &self.used_aspects | &self.declared_aspects
    }
}

impl ModuleFacts {
    /// The global of an id.
    #[must_use]
    pub fn global(&self, id: GlobalId) -> Option<&GlobalFacts> {
        self.globals.get(id.0 as usize)
    }

    /// The function of an id; none for an id of anything else.
    #[must_use]
    pub fn function(&self, id: GlobalId) -> Option<&FunctionFacts> {
        self.global(id)?.function.as_ref()
    }

    /// The symbol of an id.
    #[must_use]
    pub fn name(&self, id: GlobalId) -> &str {
        self.global(id).map_or("", |global| &global.name)
    }

    /// Every function with its id, in module order.
    pub fn functions(&self) -> impl Iterator<Item = (GlobalId, &GlobalFacts, &FunctionFacts)> {
        (0..)
            .map(GlobalId)
            .zip(&self.globals)
            .filter_map(|(id, global)| Some((id, global, global.function.as_ref()?)))
    }

    /// Everything that `roots` need, themselves included, in module order.
    #[must_use]
    pub fn closure(&self, roots: &[GlobalId]) -> Vec<GlobalId> {
        self.closure_up_to(roots, |_| false)
    }

    /// The same, without what those need that end the walk.
    #[must_use]
    pub fn closure_up_to(
        &self,
        roots: &[GlobalId],
        ends: impl Fn(&GlobalId) -> bool,
    ) -> Vec<GlobalId> {
        let mut reached: HashSet<GlobalId> = roots.iter().copied().collect();
        let mut open = roots.to_vec();
        while let Some(id) = open.pop() {
            if ends(&id) {
                continue;
            }
            let needs = self.global(id).map_or(&[][..], |global| &global.needs);
            open.extend(needs.iter().copied().filter(|&next| reached.insert(next)));
        }
        let mut reached: Vec<_> = reached.into_iter().collect();
        reached.sort_unstable();
        reached
    }
}

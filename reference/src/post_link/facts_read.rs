//! [`facts`](super::facts) from a module's IR, attributes and metadata.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMTypeRef;
use inkwell::module::{Linkage, Module};
use inkwell::types::{AsTypeRef as _, BasicTypeEnum};
use inkwell::values::{AsValueRef as _, FunctionValue, GlobalValue, InstructionValue};
use offload_formats::{aspects, targets};

use super::PostLinkError;
use super::device_libraries::DeviceLibrary;
use super::facts::{
    Call, DeviceGlobal, FunctionFacts, GlobalFacts, GlobalId, ModuleFacts, WorkGroupSize,
};
use super::spec_constants::{Layout, Table, calls};
use crate::frontend::aspects::origins::ASPECT_ORIGINS;
use crate::frontend::aspects::sub_groups::CALLED_SUB_GROUP_SIZES;
use crate::frontend::dead_parameters::OMITTED_PARAMETERS;
use crate::frontend::device_globals::INITIAL_VALUE_AT;
use crate::frontend::kernels;
use crate::llvm::graph::Graph;
use crate::llvm::location::{self, InlinedPlace};
use crate::llvm::metadata::{self, Node, Operand};
use crate::llvm::subset::is_list;
use crate::llvm::{attributes, identifier, values};

/// Names of one piece of metadata: the documents' own, and the one that DPC++ writes today.
type Names = [&'static str; 2];

const USED_ASPECTS: Names = ["intel_used_aspects", "sycl_used_aspects"];
const DECLARED_ASPECTS: Names = ["intel_declared_aspects", "sycl_declared_aspects"];
const FIXED_TARGETS: Names = ["intel_fixed_targets", "sycl_fixed_targets"];
const SUB_GROUP_SIZE: &str = "intel_reqd_sub_group_size";
const WORK_GROUP_SIZE: &str = "reqd_work_group_size";
const WORK_GROUP_DIMENSIONS: &str = "work_group_num_dim";
const LOGICAL_WORK_GROUP_SIZE: &str = "plumbline_logical_work_group_size";

const DEVICE_GLOBAL_SIZE: &str = "sycl-device-global-size";
const UNIQUE_ID: &str = "sycl-unique-id";
const INDIRECTLY_CALLABLE: &str = "indirectly-callable";
const CALLS_INDIRECTLY: &str = "calls-indirectly";

/// Reads a whole module.
///
/// # Errors
/// [`PostLinkError::Malformed`] for metadata and attributes that don't have their shape.
pub fn read(module: &Module<'_>) -> Result<ModuleFacts, PostLinkError> {
    let mut graph = Graph::new(module);
    let globals: Vec<_> = graph.globals().collect();
    let origin = identifier(module);
    let around = Around {
        candidates: indirect_candidates(&graph),
        sets: indirect_sets(&graph),
        used_aspects: USED_ASPECTS.map(|kind| metadata::kind_in(module, kind)),
    };
    let kernels = values::annotated_kernels(module);
    let mut facts = ModuleFacts {
        origin,
        nvidia: module
            .get_triple()
            .as_str()
            .to_bytes()
            .starts_with(b"nvptx"),
        globals: Vec::with_capacity(globals.len()),
        spec_constants: Table::default(),
    };
    for (id, global) in globals {
        let mut read = GlobalFacts {
            name: values::name(global),
            declaration: values::is_declaration(global),
            visible: !matches!(global.get_linkage(), Linkage::Internal | Linkage::Private),
            replaceable: values::is_replaceable(global.get_linkage()),
            needs: graph.mentions(id)?.to_vec(),
            weight: 1,
            function_table: false,
            function: None,
            device_global: None,
        };
        let reader = Reader {
            origin: &facts.origin,
            symbol: &read.name,
            global,
        };
        read.device_global = reader.device_global()?;
        if let Some(function) = values::as_function(global) {
            let mut read_function = reader.function(function)?;
            read_function.kernel |= kernels.contains(&read.name);
            reader.aspects_of_instructions(function, &around, &mut read_function)?;
            // Only chains of aspects are shown, so only their places are kept.
            let with_locations = !read_function.used_aspects.is_empty();
            let calls = calls(function, &graph, &around, with_locations);
            read.needs.extend(calls.indirect);
            let sets = read_function.called_sets.iter();
            let called = sets.filter_map(|set| around.sets.get(set)).flatten();
            read.needs.extend(called);
            read.weight += calls.instructions;
            read_function.calls = calls.direct;
            read_function.use_places = use_places(function, &read_function.used_aspects);
            read.function = Some(read_function);
        } else {
            let functions = read.needs.iter().filter_map(|&id| graph.global(id));
            read.function_table =
                is_table(global) && functions.filter_map(values::as_function).any(is_defined);
        }
        facts.globals.push(read);
    }
    Ok(facts)
}

/// Adds the specialization constants of a module to its facts.
///
/// # Errors
/// [`PostLinkError::SpecConstant`] for one that can't be lowered.
pub fn add_spec_constants(
    module: &Module<'_>,
    facts: &mut ModuleFacts,
) -> Result<(), PostLinkError> {
    let layout = Layout::of(module);
    let table = &mut facts.spec_constants;
    for (global, read) in values::globals(module).into_iter().zip(&mut facts.globals) {
        let (Some(function), Some(read_function)) =
            (values::as_function(global), &mut read.function)
        else {
            continue;
        };
        let names = spec_constants(function, layout, table);
        read_function.spec_constants = names.map_err(|reason| PostLinkError::SpecConstant {
            origin: facts.origin.clone(),
            function: read.name.clone(),
            reason,
        })?;
    }
    Ok(())
}

/// The constants that a function asks for; what they are goes into the table.
fn spec_constants(
    function: FunctionValue<'_>,
    layout: Layout,
    table: &mut Table,
) -> Result<BTreeSet<String>, String> {
    let mut names = BTreeSet::new();
    for call in calls::of_function(function)? {
        let name = call.name()?;
        table.add(&name, call.constant(layout)?)?;
        names.insert(name);
    }
    Ok(names)
}

/// The functions that a call through a pointer may reach although nothing near the call mentions
/// them, by their type: those that carry `referenced-indirectly`.
type Candidates = HashMap<LLVMTypeRef, Vec<GlobalId>>;

fn indirect_candidates(graph: &Graph<'_, '_>) -> Candidates {
    let mut candidates = Candidates::new();
    for (id, global) in graph.globals() {
        if let Some(function) = values::as_function(global)
            && attributes::of_function(function, "referenced-indirectly").is_some()
        {
            let ty = function.get_type().as_type_ref();
            candidates.entry(ty).or_default().push(id);
        }
    }
    candidates
}

/// What a function is read against.
struct Around {
    candidates: Candidates,
    /// The functions of each set that is called through pointers (`indirectly-callable`).
    sets: HashMap<String, Vec<GlobalId>>,
    /// The kinds of metadata that list the aspects of an instruction.
    used_aspects: [u32; 2],
}

fn indirect_sets(graph: &Graph<'_, '_>) -> HashMap<String, Vec<GlobalId>> {
    let mut sets: HashMap<String, Vec<GlobalId>> = HashMap::new();
    for (id, global) in graph.globals() {
        if let Some(function) = values::as_function(global)
            && let Some(set) = attributes::of_function(function, INDIRECTLY_CALLABLE)
        {
            sets.entry(set).or_default().push(id);
        }
    }
    sets
}

/// Whether a variable stays for others to find, who may look functions up in it: DPC++'s tables are
/// weak and can be written to, which tables of virtual functions cannot.
fn is_table(variable: GlobalValue<'_>) -> bool {
    matches!(variable.get_linkage(), Linkage::WeakAny | Linkage::WeakODR)
        && !values::is_declaration(variable)
        && !values::is_alias(variable)
        && !variable.is_constant()
        && !is_list(&values::name(variable))
}

fn is_defined(function: FunctionValue<'_>) -> bool {
    !values::is_declaration(function.as_global_value())
}

/// Chains of calls by what they lead to.
#[derive(Default)]
struct RecordedChains {
    aspects: BTreeMap<u32, Vec<String>>,
    functions: BTreeMap<String, Vec<String>>,
}

/// Reads one function; knows how to name it in an error.
struct Reader<'a, 'ctx> {
    origin: &'a str,
    symbol: &'a str,
    global: GlobalValue<'ctx>,
}

impl<'ctx> Reader<'_, 'ctx> {
    fn function(&self, function: FunctionValue<'ctx>) -> Result<FunctionFacts, PostLinkError> {
        let chains = self.chains()?;
        let (used_aspects, mut marks) = self.aspects(USED_ASPECTS)?;
        let (declared_aspects, further) = self.aspects(DECLARED_ASPECTS)?;
        marks.extend(further);
        let read = FunctionFacts {
            kernel: values::is_kernel(function),
            module_id: attributes::of_function(function, "sycl-module-id"),
            used_aspects,
            aspect_origins: chains.aspects,
            ways_out: chains.functions,
            declared_aspects,
            marks,
            fixed_targets: self.fixed_targets()?,
            sub_group_size: self.sub_group_size()?,
            called_sub_group_sizes: self.called_sub_group_sizes()?,
            work_group_size: self.work_group_size()?,
            max_work_group_size: self.numbers("max_work_group_size", 3)?,
            max_linear_work_group_size: self
                .numbers("max_linear_work_group_size", 1)?
                .map(|sizes| sizes[0]),
            omitted_parameters: self.omitted_parameters()?,
            opt_level: self.opt_level(function)?,
            made_of: kernels::made_of(function),
            indirect_set: attributes::of_function(function, INDIRECTLY_CALLABLE),
            called_sets: attributes::of_function(function, CALLS_INDIRECTLY)
                .map(|sets| sets.split(',').map(str::to_owned).collect())
                .unwrap_or_default(),
            device_library: (!is_defined(function))
                .then(|| DeviceLibrary::of(self.symbol, handles_double(function)))
                .flatten(),
            location: location::of_function(function),
            ..FunctionFacts::default()
        };
        self.check_sizes(&read)?;
        Ok(read)
    }

    fn malformed(&self, what: &'static str, reason: impl Into<String>) -> PostLinkError {
        PostLinkError::Malformed {
            origin: self.origin.to_owned(),
            symbol: self.symbol.to_owned(),
            what,
            reason: reason.into(),
        }
    }

    fn node(&self, names: Names) -> Option<(&'static str, Node<'ctx>)> {
        names
            .into_iter()
            .find_map(|name| Some((name, metadata::of_global(self.global, name)?)))
    }

    /// A list of numbers, each alone or, as DPC++ writes it, in a pair behind its name; marks are
    /// those below zero.
    fn aspects(&self, names: Names) -> Result<(BTreeSet<u32>, BTreeSet<i32>), PostLinkError> {
        match self.node(names) {
            Some((name, node)) => self.aspects_of(name, node),
            None => Ok(Default::default()),
        }
    }

    fn aspects_of(
        &self,
        name: &'static str,
        node: Node<'ctx>,
    ) -> Result<(BTreeSet<u32>, BTreeSet<i32>), PostLinkError> {
        let number = |operand: Operand<'ctx>| match operand {
            Operand::Integer { value, .. } => u32::try_from(value).ok(),
            Operand::Node(pair) => match pair.operands()[..] {
                [Operand::Text(_), Operand::Integer { value, .. }] => u32::try_from(value).ok(),
                _ => None,
            },
            _ => None,
        };
        let numbers: Option<Vec<u32>> = node.operands().into_iter().map(number).collect();
        let numbers =
            numbers.ok_or_else(|| self.malformed(name, "not a list of aspect numbers"))?;
        let (aspects, marks): (Vec<u32>, Vec<u32>) = numbers
            .into_iter()
            .partition(|&number| i32::try_from(number).is_ok());
        let signed = |mark: u32| i32::from_ne_bytes(mark.to_ne_bytes());
        let marks = marks.into_iter().map(signed);
        Ok((aspects.into_iter().collect(), marks.collect()))
    }

    /// Adds the aspects that stand on single instructions.
    fn aspects_of_instructions(
        &self,
        function: FunctionValue<'ctx>,
        around: &Around,
        read: &mut FunctionFacts,
    ) -> Result<(), PostLinkError> {
        for instruction in values::instructions(function) {
            for (name, kind) in USED_ASPECTS.into_iter().zip(around.used_aspects) {
                if let Some(node) = metadata::of_instruction(instruction, kind) {
                    let (aspects, marks) = self.aspects_of(name, node)?;
                    read.used_aspects.extend(aspects);
                    read.marks.extend(marks);
                }
            }
        }
        Ok(())
    }

    /// What the front end saw called: pairs of a symbol and a size.
    fn called_sub_group_sizes(&self) -> Result<BTreeMap<String, u32>, PostLinkError> {
        let Some(node) = metadata::of_global(self.global, CALLED_SUB_GROUP_SIZES) else {
            return Ok(BTreeMap::new());
        };
        let operands = node.operands();
        let pair = |pair: &[Operand<'ctx>]| match pair {
            [Operand::Text(symbol), Operand::Integer { value, .. }] => {
                Some((symbol.clone(), u32::try_from(*value).ok()?))
            }
            _ => None,
        };
        let sizes: Option<_> = operands.chunks(2).map(pair).collect();
        let malformed =
            || self.malformed(CALLED_SUB_GROUP_SIZES, "not a list of functions and sizes");
        sizes.ok_or_else(malformed)
    }

    /// The chains of calls that the front end saw.
    fn chains(&self) -> Result<RecordedChains, PostLinkError> {
        let mut read = RecordedChains::default();
        let Some(node) = metadata::of_global(self.global, ASPECT_ORIGINS) else {
            return Ok(read);
        };
        let line = |operand: &Operand<'ctx>| match operand {
            Operand::Text(line) => Some(line.clone()),
            _ => None,
        };
        for chain in node.operands() {
            let operands = match chain {
                Operand::Node(chain) => chain.operands(),
                _ => Vec::new(),
            };
            let (leads_to, lines) = match operands.split_first() {
                Some((leads_to, lines)) => (
                    Some(leads_to),
                    lines.iter().map(line).collect::<Option<Vec<_>>>(),
                ),
                None => (None, None),
            };
            match (leads_to, lines) {
                (Some(&Operand::Integer { value, .. }), Some(lines)) => {
                    let aspect = u32::try_from(value);
                    read.aspects.extend(aspect.map(|aspect| (aspect, lines)));
                }
                (Some(Operand::Text(function)), Some(lines)) => {
                    read.functions.insert(function.clone(), lines);
                }
                _ => return Err(self.malformed(ASPECT_ORIGINS, "not a list of chains of calls")),
            }
        }
        Ok(read)
    }

    fn fixed_targets(&self) -> Result<Option<BTreeSet<String>>, PostLinkError> {
        let Some((name, node)) = self.node(FIXED_TARGETS) else {
            return Ok(None);
        };
        let target = |operand: Operand<'ctx>| match operand {
            // One name for a target, however the command line called it.
            Operand::Text(name) => match targets::find(&name) {
                Some(target) => Some(target.name.to_owned()),
                None => Some(name),
            },
            // DPC++ writes an aspect, of an architecture or of a kind of device.
            Operand::Integer { value, .. } => {
                let aspect = u32::try_from(value).ok()?;
                Some(match targets::by_aspect(aspect) {
                    Some(target) => target.name.to_owned(),
                    None => aspects::display_name(aspect),
                })
            }
            _ => None,
        };
        let targets: Option<_> = node.operands().into_iter().map(target).collect();
        let targets = targets.ok_or_else(|| self.malformed(name, "not a list of target names"))?;
        Ok(Some(targets))
    }

    /// The numbers of a node that must hold between one and `most` of them.
    fn numbers(&self, name: &'static str, most: usize) -> Result<Option<Vec<u32>>, PostLinkError> {
        let Some(node) = metadata::of_global(self.global, name) else {
            return Ok(None);
        };
        match node.u32s() {
            Some(numbers) if (1..=most).contains(&numbers.len()) => Ok(Some(numbers)),
            Some(numbers) => {
                let reason = format!("{} numbers where 1 to {most} belong", numbers.len());
                Err(self.malformed(name, reason))
            }
            None => Err(self.malformed(name, "not a list of 32-bit numbers")),
        }
    }

    /// The named sizes (`automatic` is 0, `primary` is -1) are not numeric.
    fn sub_group_size(&self) -> Result<Option<u32>, PostLinkError> {
        if let Some(node) = metadata::of_global(self.global, SUB_GROUP_SIZE)
            && let [Operand::Text(name)] = &node.operands()[..]
            && matches!(name.as_str(), "automatic" | "primary")
        {
            return Ok(None);
        }
        let size = self.numbers(SUB_GROUP_SIZE, 1)?.map(|sizes| sizes[0]);
        Ok(size.filter(|&size| size != 0 && size != u32::MAX))
    }

    fn work_group_size(&self) -> Result<Option<WorkGroupSize>, PostLinkError> {
        // In the source's order.
        if let Some(sizes) = self.numbers(LOGICAL_WORK_GROUP_SIZE, 3)? {
            return Ok(Some(WorkGroupSize {
                dimensions: sizes.clone(),
                metadata: sizes,
                written_dimensions: None,
            }));
        }
        let Some(mut sizes) = self.numbers(WORK_GROUP_SIZE, 3)? else {
            return Ok(None);
        };
        if sizes.contains(&0) {
            return Err(self.malformed(WORK_GROUP_SIZE, "a dimension of size 0"));
        }
        let metadata = sizes.clone();
        let written = self.numbers(WORK_GROUP_DIMENSIONS, 1)?.map(|n| n[0]);
        if let Some(dimensions) = written.map(|n| n as usize) {
            // The sizes then stand fastest dimension first and are padded, as OpenCL has them;
            // C++ has the fastest dimension last.
            if dimensions == 0 || dimensions > sizes.len() {
                let reason = format!("{dimensions} dimensions, but {} sizes", sizes.len());
                return Err(self.malformed(WORK_GROUP_DIMENSIONS, reason));
            }
            if sizes.iter().skip(dimensions).any(|&size| size != 1) {
                let reason = format!("{sizes:?} is not of {dimensions} dimensions");
                return Err(self.malformed(WORK_GROUP_SIZE, reason));
            }
            sizes.truncate(dimensions);
            sizes.reverse();
        }
        Ok(Some(WorkGroupSize {
            dimensions: sizes,
            metadata,
            written_dimensions: written,
        }))
    }

    /// A kernel that must run with a larger group than it may run with can't run at all.
    fn check_sizes(&self, function: &FunctionFacts) -> Result<(), PostLinkError> {
        let Some(required) = function.work_group_size.as_ref().map(|size| &size.metadata) else {
            return Ok(());
        };
        let most = function.max_work_group_size.as_deref().unwrap_or_default();
        if let Some((size, most)) = required.iter().zip(most).find(|(size, most)| size > most) {
            let reason = format!("requires {size} work items where at most {most} are allowed");
            return Err(self.malformed(WORK_GROUP_SIZE, reason));
        }
        let items = required
            .iter()
            .fold(1u64, |items, &size| items.saturating_mul(size.into()));
        match function.max_linear_work_group_size {
            Some(most) if items > most.into() => {
                let reason =
                    format!("requires {items} work items where at most {most} are allowed");
                Err(self.malformed(WORK_GROUP_SIZE, reason))
            }
            _ => Ok(()),
        }
    }

    /// A list of truth values, one for each parameter.
    fn omitted_parameters(&self) -> Result<Vec<bool>, PostLinkError> {
        let Some(node) = metadata::of_global(self.global, OMITTED_PARAMETERS) else {
            return Ok(Vec::new());
        };
        let flag = |operand| match operand {
            Operand::Integer { value, .. } => Some(value != 0),
            _ => None,
        };
        let flags: Option<_> = node.operands().into_iter().map(flag).collect();
        flags.ok_or_else(|| self.malformed(OMITTED_PARAMETERS, "not a list of truth values"))
    }

    /// What the attributes of a device global say; none for any other variable.
    fn device_global(&self) -> Result<Option<DeviceGlobal>, PostLinkError> {
        let attribute = |key| attributes::of_variable(self.global, key);
        let Some(size) = attribute(DEVICE_GLOBAL_SIZE) else {
            return Ok(None);
        };
        let Ok(size) = size.parse() else {
            return Err(self.malformed(DEVICE_GLOBAL_SIZE, format!("'{size}' is not a size")));
        };
        let Some(unique_id) = attribute(UNIQUE_ID) else {
            return Err(self.malformed(UNIQUE_ID, "a device global must have one"));
        };
        Ok(Some(DeviceGlobal {
            unique_id,
            size,
            image_scope: attribute("sycl-device-image-scope").is_some_and(|text| text != "false"),
            initial_value_at: attribute(INITIAL_VALUE_AT).and_then(|text| text.parse().ok()),
        }))
    }

    fn opt_level(&self, function: FunctionValue<'ctx>) -> Result<Option<u32>, PostLinkError> {
        let Some(text) = attributes::of_function(function, "sycl-optlevel") else {
            return Ok(None);
        };
        match text.parse() {
            Ok(level @ 0..=3) => Ok(Some(level)),
            _ => {
                let reason = format!("'{text}' is not a level from 0 to 3");
                Err(self.malformed("sycl-optlevel", reason))
            }
        }
    }
}

/// Where a function first handles a floating-point type whose aspect it uses: the aspects that can
/// be seen in instructions after optimization.
fn use_places(function: FunctionValue<'_>, used: &BTreeSet<u32>) -> BTreeMap<u32, InlinedPlace> {
    let kinds = [
        ("fp16", LLVMTypeKind::LLVMHalfTypeKind),
        ("fp64", LLVMTypeKind::LLVMDoubleTypeKind),
    ];
    let wanted = kinds.map(|(name, kind)| (aspects::number(name), kind));
    let mut places = BTreeMap::new();
    for (aspect, kind) in wanted {
        let Some(aspect) = aspect.filter(|aspect| used.contains(aspect)) else {
            continue;
        };
        let place = values::instructions(function)
            .filter(|&instruction| handles(instruction, kind))
            .map(location::with_inlining)
            .find(|place| place.at.is_some());
        places.extend(place.map(|place| (aspect, place)));
    }
    places
}

/// Whether an instruction yields or takes a value of this kind of type, alone or in a vector.
fn handles(instruction: InstructionValue<'_>, kind: LLVMTypeKind) -> bool {
    let value = instruction.as_value_ref();
    // SAFETY: the instruction is valid, and the indices are in range.
    unsafe {
        let is = |value| {
            let ty = LLVMTypeOf(value);
            match LLVMGetTypeKind(ty) {
                LLVMTypeKind::LLVMVectorTypeKind => LLVMGetTypeKind(LLVMGetElementType(ty)) == kind,
                other => other == kind,
            }
        };
        let count = u32::try_from(LLVMGetNumOperands(value)).unwrap_or(0);
        is(value) || (0..count).any(|i| is(LLVMGetOperand(value, i)))
    }
}

/// Whether a function takes or returns a `double`.
fn handles_double(function: FunctionValue<'_>) -> bool {
    let ty = function.get_type();
    let parameters = ty.get_param_types();
    let mut types = parameters.iter().filter_map(|ty| (*ty).try_into().ok());
    let double = |ty: BasicTypeEnum<'_>| {
        // SAFETY: the type is one of LLVM's.
        unsafe { LLVMGetTypeKind(ty.as_type_ref()) == LLVMTypeKind::LLVMDoubleTypeKind }
    };
    // Intrinsics take metadata too, which is no value.
    ty.get_return_type().is_some_and(double) || types.any(double)
}

/// What a body calls.
#[derive(Default)]
struct Calls {
    direct: Vec<Call>,
    /// Candidates of its calls through pointers.
    indirect: BTreeSet<GlobalId>,
    instructions: u32,
}

fn calls<'ctx>(
    function: FunctionValue<'ctx>,
    graph: &Graph<'_, 'ctx>,
    around: &Around,
    with_locations: bool,
) -> Calls {
    let mut calls = Calls::default();
    for instruction in values::instructions(function) {
        calls.instructions = calls.instructions.saturating_add(1);
        match callee(instruction) {
            Callee::Known(global) => calls.direct.extend(graph.id(global).map(|callee| Call {
                callee,
                place: match with_locations {
                    true => location::with_inlining(instruction),
                    false => InlinedPlace::default(),
                },
            })),
            Callee::Pointer(ty) => {
                calls
                    .indirect
                    .extend(around.candidates.get(&ty).into_iter().flatten());
            }
            Callee::None => {}
        }
    }
    calls
}

enum Callee<'ctx> {
    /// Not a call.
    None,
    /// A function or alias of the module.
    Known(GlobalValue<'ctx>),
    /// A pointer to a function of this type.
    Pointer(LLVMTypeRef),
}

fn callee(instruction: InstructionValue<'_>) -> Callee<'_> {
    let value = instruction.as_value_ref();
    // SAFETY: the instruction is valid, and a call when the rest is asked.
    unsafe {
        if LLVMIsACallInst(value).is_null() {
            return Callee::None;
        }
        let called = LLVMGetCalledValue(value);
        match LLVMIsAGlobalValue(called).is_null() {
            true => Callee::Pointer(LLVMGetCalledFunctionType(value)),
            false => Callee::Known(GlobalValue::new(called)),
        }
    }
}

//! [`facts`](super::facts) from a module's IR, attributes and metadata.

use std::collections::{BTreeSet, HashMap};

use inkwell::llvm_sys::core::{LLVMGetCalledFunctionType, LLVMGetCalledValue, LLVMIsACallInst};
use inkwell::llvm_sys::prelude::LLVMTypeRef;
use inkwell::module::{Linkage, Module};
use inkwell::values::{AsValueRef as _, FunctionValue, GlobalValue, InstructionValue};

use super::PostLinkError;
use super::facts::{Call, FunctionFacts, GlobalFacts, GlobalId, ModuleFacts, WorkGroupSize};
use super::options::Options;
use super::spec_constants::{Layout, Table, calls};
use crate::llvm::graph::Graph;
use crate::llvm::metadata::{self, Node, Operand};
use crate::llvm::{attributes, identifier, location, values};

/// Names of one piece of metadata: the documents' own, and the one that DPC++ writes today.
type Names = [&'static str; 2];

const USED_ASPECTS: Names = ["intel_used_aspects", "sycl_used_aspects"];
const DECLARED_ASPECTS: Names = ["intel_declared_aspects", "sycl_declared_aspects"];
const FIXED_TARGETS: Names = ["intel_fixed_targets", "sycl_fixed_targets"];
const SUB_GROUP_SIZE: &str = "intel_reqd_sub_group_size";
const WORK_GROUP_SIZE: &str = "reqd_work_group_size";
const WORK_GROUP_DIMENSIONS: &str = "work_group_num_dim";

/// Reads a whole module.
///
/// # Errors
/// [`PostLinkError::Malformed`] for metadata and attributes that don't have their shape.
pub fn read(module: &Module<'_>, options: &Options) -> Result<ModuleFacts, PostLinkError> {
    let mut graph = Graph::new(module);
    let globals: Vec<_> = graph.globals().collect();
    let origin = identifier(module);
    let candidates = indirect_candidates(&graph);
    let mut facts = ModuleFacts {
        origin,
        globals: Vec::with_capacity(globals.len()),
        spec_constants: Table::default(),
    };
    let layout = Layout::of(module);
    for (id, global) in globals {
        let mut read = GlobalFacts {
            name: values::name(global),
            declaration: values::is_declaration(global),
            visible: !matches!(global.get_linkage(), Linkage::Internal | Linkage::Private),
            needs: graph.mentions(id)?.to_vec(),
            weight: 1,
            function: None,
        };
        if let Some(function) = values::as_function(global) {
            let reader = Reader {
                origin: &facts.origin,
                symbol: &read.name,
                global,
            };
            let mut read_function = reader.function(function)?;
            // Only chains of aspects are shown, so only their places are kept.
            let with_locations = !read_function.used_aspects.is_empty();
            let calls = calls(function, &graph, &candidates, with_locations);
            read.needs.extend(calls.indirect);
            read.weight += calls.instructions;
            read_function.calls = calls.direct;
            if options.spec_constants.is_some() {
                read_function.spec_constants =
                    spec_constants(function, layout, &mut facts.spec_constants)
                        .map_err(|reason| spec_constant_error(&read.name, reason))?;
            }
            read.function = Some(read_function);
        }
        facts.globals.push(read);
    }
    Ok(facts)
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

fn spec_constant_error(function: &str, reason: String) -> PostLinkError {
    PostLinkError::SpecConstant {
        function: function.to_owned(),
        reason,
    }
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
            let ty = inkwell::types::AsTypeRef::as_type_ref(&function.get_type());
            candidates.entry(ty).or_default().push(id);
        }
    }
    candidates
}

/// Reads one function; knows how to name it in an error.
struct Reader<'a, 'ctx> {
    origin: &'a str,
    symbol: &'a str,
    global: GlobalValue<'ctx>,
}

impl<'ctx> Reader<'_, 'ctx> {
    fn function(&self, function: FunctionValue<'ctx>) -> Result<FunctionFacts, PostLinkError> {
        Ok(FunctionFacts {
            kernel: values::is_kernel(function),
            module_id: attributes::of_function(function, "sycl-module-id"),
            used_aspects: self.aspects(USED_ASPECTS)?,
            declared_aspects: self.aspects(DECLARED_ASPECTS)?,
            fixed_targets: self.fixed_targets()?,
            sub_group_size: self.sub_group_size()?,
            work_group_size: self.work_group_size()?,
            opt_level: self.opt_level(function)?,
            calls: Vec::new(),
            spec_constants: BTreeSet::new(),
            location: location::of_function(function),
        })
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

    /// A list of numbers, each alone or, as DPC++ writes it, in a pair behind its name.
    fn aspects(&self, names: Names) -> Result<BTreeSet<u32>, PostLinkError> {
        let Some((name, node)) = self.node(names) else {
            return Ok(BTreeSet::new());
        };
        let number = |operand: Operand<'ctx>| match operand {
            Operand::Integer { value, .. } => u32::try_from(value).ok(),
            Operand::Node(pair) => match pair.operands()[..] {
                [Operand::Text(_), Operand::Integer { value, .. }] => u32::try_from(value).ok(),
                _ => None,
            },
            _ => None,
        };
        node.operands()
            .into_iter()
            .map(number)
            .collect::<Option<_>>()
            .ok_or_else(|| self.malformed(name, "not a list of aspect numbers"))
    }

    fn fixed_targets(&self) -> Result<Option<BTreeSet<String>>, PostLinkError> {
        let Some((name, node)) = self.node(FIXED_TARGETS) else {
            return Ok(None);
        };
        let targets = node
            .texts()
            .ok_or_else(|| self.malformed(name, "not a list of target names"))?;
        Ok(Some(targets.into_iter().collect()))
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
        let Some(mut sizes) = self.numbers(WORK_GROUP_SIZE, 3)? else {
            return Ok(None);
        };
        if sizes.contains(&0) {
            return Err(self.malformed(WORK_GROUP_SIZE, "a dimension of size 0"));
        }
        // Where the number of dimensions is given, the sizes stand fastest dimension first and
        // are padded, as OpenCL has them; C++ has the fastest dimension last.
        let Some(dimensions) = self
            .numbers(WORK_GROUP_DIMENSIONS, 1)?
            .map(|n| n[0] as usize)
        else {
            return Ok(Some(WorkGroupSize {
                dimensions: sizes.clone(),
                metadata_order: sizes,
            }));
        };
        if dimensions == 0 || dimensions > sizes.len() {
            let reason = format!("{dimensions} dimensions, but {} sizes", sizes.len());
            return Err(self.malformed(WORK_GROUP_DIMENSIONS, reason));
        }
        if sizes.iter().skip(dimensions).any(|&size| size != 1) {
            let reason = format!("{sizes:?} is not of {dimensions} dimensions");
            return Err(self.malformed(WORK_GROUP_SIZE, reason));
        }
        sizes.truncate(dimensions);
        Ok(Some(WorkGroupSize {
            dimensions: sizes.iter().rev().copied().collect(),
            metadata_order: sizes,
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
    candidates: &Candidates,
    with_locations: bool,
) -> Calls {
    let mut calls = Calls::default();
    for instruction in values::instructions(function) {
        calls.instructions = calls.instructions.saturating_add(1);
        match callee(instruction) {
            Callee::Known(global) => calls.direct.extend(graph.id(global).map(|callee| {
                Call {
                    callee,
                    location: with_locations
                        .then(|| location::of_instruction(instruction))
                        .flatten(),
                }
            })),
            Callee::Pointer(ty) => {
                calls
                    .indirect
                    .extend(candidates.get(&ty).into_iter().flatten());
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
        match inkwell::llvm_sys::core::LLVMIsAGlobalValue(called).is_null() {
            true => Callee::Pointer(LLVMGetCalledFunctionType(value)),
            false => Callee::Known(GlobalValue::new(called)),
        }
    }
}

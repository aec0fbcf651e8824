//! What each function of a module uses by itself, and whom it calls: one look at every instruction.
//!
//! Types are looked up by their address. LLVM's C interface is called directly here, since this
//! runs over every operand of every instruction.

use std::collections::HashMap;

use inkwell::attributes::Attribute;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind, LLVMValueKind};
use inkwell::module::Module;
use inkwell::values::{AsValueRef as _, FunctionValue, GlobalValue, InstructionValue};
use offload_formats::aspects as known;
use rustc_hash::FxHashMap;

use super::set::{AspectSet, Aspects, TooManyAspects};
use crate::frontend::features::{DECLARED_ASPECTS, TYPES_THAT_USE_ASPECTS, USED_ASPECTS};
use crate::llvm::metadata::{self, Operand};
use crate::llvm::{calls, values};

/// Metadata that lists the aspects which an instruction uses: the documents' own name for those of
/// functions, and the one that DPC++ writes today.
const USED_ASPECTS_OF_INSTRUCTIONS: [&str; 2] = [USED_ASPECTS, "sycl_used_aspects"];

/// A function by its place among the module's functions.
pub type FunctionId = u32;

/// One function of the module.
#[derive(Debug)]
pub struct Function<'ctx> {
    /// The function.
    pub value: FunctionValue<'ctx>,
    /// What it uses by itself.
    pub own: AspectSet,
    /// What its `device_has` lists.
    pub declared: AspectSet,
    /// For each aspect that it uses by itself, the first instruction that does; none when an
    /// attribute or its signature says so.
    pub uses: Vec<(u8, Option<LLVMValueRef>)>,
    /// The aspects that no instruction with a place in the source was seen to use yet.
    vague: AspectSet,
    /// The functions that it calls or otherwise names, each once, with the first instruction.
    pub calls: Vec<(FunctionId, LLVMValueRef)>,
}

/// Looks at every function of a module.
///
/// # Errors
/// When the module speaks of too many aspects.
pub fn functions<'ctx>(
    module: &Module<'ctx>,
    aspects: &mut Aspects,
) -> Result<Vec<Function<'ctx>>, TooManyAspects> {
    let values: Vec<_> = module.get_functions().collect();
    let mut scan = Scan {
        types: Types::new(module, aspects)?,
        ids: (0..)
            .zip(&values)
            .map(|(id, f)| (f.as_value_ref(), id))
            .collect(),
        seen_by: vec![FunctionId::MAX; values.len()],
        by_value: ["byval", "sret"].map(Attribute::get_named_enum_kind_id),
        kinds: USED_ASPECTS_OF_INSTRUCTIONS.map(|kind| metadata::kind_in(module, kind)),
    };
    (0..)
        .zip(values)
        .map(|(id, value)| scan.function(id, value, aspects))
        .collect()
}

struct Scan {
    types: Types,
    ids: FxHashMap<LLVMValueRef, FunctionId>,
    /// For each function, the last one that was seen to name it.
    seen_by: Vec<FunctionId>,
    by_value: [u32; 2],
    /// Kinds of metadata that list the aspects of an instruction.
    kinds: [u32; 2],
}

impl Scan {
    fn function<'ctx>(
        &mut self,
        id: FunctionId,
        value: FunctionValue<'ctx>,
        aspects: &mut Aspects,
    ) -> Result<Function<'ctx>, TooManyAspects> {
        let mut function = Function {
            value,
            own: AspectSet::default(),
            declared: aspects.set(&numbers(value, DECLARED_ASPECTS))?,
            uses: Vec::new(),
            vague: AspectSet::default(),
            calls: Vec::new(),
        };
        function.add(aspects.set(&numbers(value, USED_ASPECTS))?, None);
        if values::is_declaration(value.as_global_value()) {
            return Ok(function);
        }
        // SAFETY: the function is valid, and blocks and instructions are LLVM's own lists, valid
        // until null.
        unsafe {
            let signature = LLVMGlobalGetValueType(value.as_value_ref());
            function.add(self.types.uses(signature), None);
            self.parameters(&mut function);
            let mut block = LLVMGetFirstBasicBlock(value.as_value_ref());
            while !block.is_null() {
                let mut instruction = LLVMGetFirstInstruction(block);
                while !instruction.is_null() {
                    self.instruction(id, instruction, &mut function);
                    for numbers in self.listed(instruction) {
                        function.add_placed(aspects.set(&numbers)?, instruction);
                    }
                    instruction = LLVMGetNextInstruction(instruction);
                }
                block = LLVMGetNextBasicBlock(block);
            }
        }
        Ok(function)
    }

    /// The aspects that metadata of an instruction lists.
    ///
    /// # Safety
    /// `instruction` is an instruction.
    unsafe fn listed(&self, instruction: LLVMValueRef) -> impl Iterator<Item = Vec<u32>> + use<> {
        // SAFETY: by contract.
        let instruction = unsafe { InstructionValue::new(instruction) };
        let nodes = self.kinds.into_iter();
        nodes.filter_map(move |kind| metadata::of_instruction(instruction, kind)?.u32s())
    }

    /// Parameters and results that travel behind pointers.
    ///
    /// # Safety
    /// The function is valid.
    unsafe fn parameters(&mut self, function: &mut Function<'_>) {
        // SAFETY: by contract; a `byval` or `sret` attribute holds a type.
        unsafe {
            let value = function.value.as_value_ref();
            for index in 1..=LLVMCountParams(value) {
                for kind in self.by_value {
                    let attribute = LLVMGetEnumAttributeAtIndex(value, index, kind);
                    if !attribute.is_null() {
                        let ty = LLVMGetTypeAttributeValue(attribute);
                        function.add(self.types.uses(ty), None);
                    }
                }
            }
        }
    }

    /// # Safety
    /// `instruction` is an instruction of `function`.
    unsafe fn instruction(
        &mut self,
        id: FunctionId,
        instruction: LLVMValueRef,
        function: &mut Function<'_>,
    ) {
        // SAFETY: by contract; each kind of instruction is asked for what it has.
        unsafe {
            let mut used = self.types.uses(LLVMTypeOf(instruction));
            match LLVMGetInstructionOpcode(instruction) {
                LLVMOpcode::LLVMAlloca => {
                    used.join(&self.types.uses(LLVMGetAllocatedType(instruction)));
                }
                LLVMOpcode::LLVMGetElementPtr => {
                    let source = LLVMGetGEPSourceElementType(instruction);
                    used.join(&self.types.uses(source));
                }
                LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke => {
                    used.join(&self.types.uses(LLVMGetCalledFunctionType(instruction)));
                    if let Some(callee) = calls::raw_callee(instruction) {
                        self.call(id, callee, instruction, function);
                    }
                }
                _ => {}
            }
            let operands = u32::try_from(LLVMGetNumOperands(instruction)).unwrap_or(0);
            for index in 0..operands {
                let operand = LLVMGetOperand(instruction, index);
                self.operand(id, operand, instruction, function, &mut used);
            }
            // Variables are set up at no place of the source.
            match LLVMGetInstructionOpcode(instruction) {
                LLVMOpcode::LLVMAlloca => function.add(used, Some(instruction)),
                _ => function.add_placed(used, instruction),
            }
        }
    }

    /// # Safety
    /// `operand` is an operand of `instruction`, or of a constant among its operands.
    unsafe fn operand(
        &mut self,
        id: FunctionId,
        operand: LLVMValueRef,
        instruction: LLVMValueRef,
        function: &mut Function<'_>,
        used: &mut AspectSet,
    ) {
        // SAFETY: by contract; each kind of value is asked for what it has.
        unsafe {
            match LLVMGetValueKind(operand) {
                // Counted where they are defined.
                LLVMValueKind::LLVMArgumentValueKind
                | LLVMValueKind::LLVMInstructionValueKind
                | LLVMValueKind::LLVMBasicBlockValueKind
                | LLVMValueKind::LLVMMetadataAsValueValueKind
                | LLVMValueKind::LLVMInlineAsmValueKind => {}
                LLVMValueKind::LLVMFunctionValueKind => {
                    self.call(id, operand, instruction, function);
                }
                LLVMValueKind::LLVMGlobalVariableValueKind => {
                    used.join(&self.types.uses(LLVMGlobalGetValueType(operand)));
                }
                LLVMValueKind::LLVMConstantExprValueKind => {
                    used.join(&self.types.uses(LLVMTypeOf(operand)));
                    let operands = u32::try_from(LLVMGetNumOperands(operand)).unwrap_or(0);
                    for index in 0..operands {
                        let inner = LLVMGetOperand(operand, index);
                        self.operand(id, inner, instruction, function, used);
                    }
                }
                _ => {
                    used.join(&self.types.uses(LLVMTypeOf(operand)));
                }
            }
        }
    }

    fn call(
        &mut self,
        caller: FunctionId,
        callee: LLVMValueRef,
        instruction: LLVMValueRef,
        function: &mut Function<'_>,
    ) {
        let Some(&callee) = self.ids.get(&callee) else {
            return;
        };
        if let Some(seen_by) = self.seen_by.get_mut(callee as usize)
            && *seen_by != caller
        {
            *seen_by = caller;
            function.calls.push((callee, instruction));
        }
    }
}

impl Function<'_> {
    fn add(&mut self, used: AspectSet, instruction: Option<LLVMValueRef>) {
        let new = used.without(&self.own);
        if !new.is_empty() {
            self.uses
                .extend(new.iter().map(|index| (index, instruction)));
            self.own.join(&new);
            self.vague.join(&new);
        }
    }

    /// Like `add`, for an instruction that has a place in the source.
    fn add_placed(&mut self, used: AspectSet, instruction: LLVMValueRef) {
        if used.is_empty() {
            return; // As of nearly every instruction.
        }
        self.add(used, Some(instruction));
        for index in used.shared(&self.vague).iter() {
            let entry = self.uses.iter_mut().find(|(known, _)| *known == index);
            if let Some((_, place)) = entry {
                *place = Some(instruction);
            }
        }
        self.vague = self.vague.without(&used);
    }
}

/// The aspects of each type, looked up once a type.
struct Types {
    named: HashMap<LLVMTypeRef, AspectSet>,
    fp64: AspectSet,
    known: FxHashMap<LLVMTypeRef, AspectSet>,
}

impl Types {
    fn new(module: &Module<'_>, aspects: &mut Aspects) -> Result<Self, TooManyAspects> {
        let mut named = HashMap::new();
        for node in metadata::named(module, TYPES_THAT_USE_ASPECTS) {
            let operands = node.operands();
            let Some((Operand::Text(name), numbers)) = operands.split_first() else {
                continue;
            };
            let numbers: Vec<u32> = numbers
                .iter()
                .filter_map(|operand| match operand {
                    Operand::Integer { value, .. } => u32::try_from(*value).ok(),
                    _ => None,
                })
                .collect();
            let set = aspects.set(&numbers)?;
            if let Some(ty) = module.get_struct_type(name) {
                let ty = inkwell::types::AsTypeRef::as_type_ref(&ty);
                named
                    .entry(ty)
                    .or_insert_with(AspectSet::default)
                    .join(&set);
            }
        }
        Ok(Types {
            named,
            fp64: AspectSet::of(aspects.index(known::FP64)?),
            known: FxHashMap::default(),
        })
    }

    /// What mentioning a type uses: the aspects of the type and of all it is made of.
    ///
    /// # Safety
    /// `ty` is a type of the module's context.
    unsafe fn uses(&mut self, ty: LLVMTypeRef) -> AspectSet {
        if let Some(&set) = self.known.get(&ty) {
            return set;
        }
        // SAFETY: by contract; each kind of type is asked for what it has. A named structure can
        // hold itself only behind a pointer, and pointers have no inner type, so this ends.
        let set = unsafe {
            match LLVMGetTypeKind(ty) {
                LLVMTypeKind::LLVMDoubleTypeKind => self.fp64,
                LLVMTypeKind::LLVMArrayTypeKind
                | LLVMTypeKind::LLVMVectorTypeKind
                | LLVMTypeKind::LLVMScalableVectorTypeKind => self.uses(LLVMGetElementType(ty)),
                LLVMTypeKind::LLVMStructTypeKind => self.structure(ty),
                LLVMTypeKind::LLVMFunctionTypeKind => self.signature(ty),
                _ => AspectSet::default(),
            }
        };
        self.known.insert(ty, set);
        set
    }

    /// # Safety
    /// `ty` is a structure.
    unsafe fn structure(&mut self, ty: LLVMTypeRef) -> AspectSet {
        let mut set = self.named.get(&ty).copied().unwrap_or_default();
        // SAFETY: by contract; an opaque structure has no elements.
        unsafe {
            for index in 0..LLVMCountStructElementTypes(ty) {
                set.join(&self.uses(LLVMStructGetTypeAtIndex(ty, index)));
            }
        }
        set
    }

    /// # Safety
    /// `ty` is a function type.
    unsafe fn signature(&mut self, ty: LLVMTypeRef) -> AspectSet {
        // SAFETY: by contract; LLVM fills as many parameter types as it says.
        unsafe {
            let mut set = self.uses(LLVMGetReturnType(ty));
            let count = LLVMCountParamTypes(ty) as usize;
            let mut parameters = vec![std::ptr::null_mut(); count];
            LLVMGetParamTypes(ty, parameters.as_mut_ptr());
            for parameter in parameters {
                set.join(&self.uses(parameter));
            }
            set
        }
    }
}

/// The numbers of a function's metadata of one kind; none where it has none.
fn numbers(function: FunctionValue<'_>, kind: &str) -> Vec<u32> {
    metadata::of_global(function.as_global_value(), kind)
        .and_then(metadata::Node::u32s)
        .unwrap_or_default()
}

/// The function as a global, for metadata.
pub fn as_global<'ctx>(function: &Function<'ctx>) -> GlobalValue<'ctx> {
    function.value.as_global_value()
}

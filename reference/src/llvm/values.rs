//! The globals of a module: functions, variables, aliases, indirect functions, in module order.

use std::ffi::CStr;

use std::collections::HashSet;
use std::slice;

use inkwell::builder::{Builder, BuilderError};
use inkwell::llvm_sys::comdat::LLVMSetComdat;
use inkwell::llvm_sys::core::{
    LLVMAliasGetAliasee, LLVMBuildFreeze, LLVMGetFirstGlobalAlias, LLVMGetFirstGlobalIFunc,
    LLVMGetFirstUse, LLVMGetNextGlobalAlias, LLVMGetNextGlobalIFunc, LLVMGetNextUse,
    LLVMGetOperand, LLVMGetTypeKind, LLVMGetUser, LLVMGetValueName2, LLVMIsAFunction,
    LLVMIsAGlobalAlias, LLVMIsAGlobalIFunc, LLVMIsAInstruction, LLVMIsDeclaration,
    LLVMReplaceAllUsesWith, LLVMTypeOf,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::{Linkage, Module};
use inkwell::types::IntType;
use inkwell::values::{
    AsValueRef as _, FunctionValue, GlobalValue, InstructionValue, IntValue, PointerValue,
};

use super::metadata::{self, Operand};
use super::{LlvmError, shim};

/// The calling convention of kernels (`spir_kernel`).
pub const SPIR_KERNEL: u32 = 76;
/// The calling convention of other SPIR functions (`spir_func`).
pub const SPIR_FUNC: u32 = 75;
/// The calling convention of kernels for NVPTX (`ptx_kernel`).
pub const PTX_KERNEL: u32 = 71;

/// The calling convention of kernels for AMD GPUs (`amdgpu_kernel`).
pub const AMDGPU_KERNEL: u32 = 91;

/// Every global of a module: functions first, then variables, aliases and indirect functions, each
/// in module order. The order survives writing and reading.
#[must_use]
pub fn globals<'ctx>(module: &Module<'ctx>) -> Vec<GlobalValue<'ctx>> {
    let mut all: Vec<_> = module
        .get_functions()
        .map(FunctionValue::as_global_value)
        .collect();
    all.extend(module.get_globals());
    // SAFETY: the module is valid, and so is each step of LLVM's own lists until it is null.
    unsafe {
        let raw = module.as_mut_ptr();
        all.extend(chain(LLVMGetFirstGlobalAlias(raw), LLVMGetNextGlobalAlias));
        all.extend(chain(LLVMGetFirstGlobalIFunc(raw), LLVMGetNextGlobalIFunc));
    }
    all
}

/// Has arrays and structures of optimized functions that are chosen between, or between them and other memory, and
/// arrays of pointers be found by an address to which a function of two integers adds nothing: `add` names it for those of 32 and 64 bits.
pub fn open_variables(module: &Module<'_>, [add32, add64]: [&CStr; 2]) {
    // SAFETY: the module is valid, and the names outlive the call.
    unsafe {
        shim::plumbline_open_variables(module.as_mut_ptr(), add32.as_ptr(), add64.as_ptr());
    }
}

/// Has what chooses between two places of one variable of an optimized function choose between their offsets in bytes.
pub fn choose_offsets(module: &Module<'_>) {
    // SAFETY: the module is valid.
    unsafe { shim::plumbline_choose_offsets(module.as_mut_ptr()) }
}

/// Gives what initializers leave undefined in part, such as the room between members, zeros in its place. LLVM 22's
/// SPIR-V back end takes no other initializers.
pub fn define_initializers(module: &Module<'_>) {
    // SAFETY: the module is valid.
    unsafe { shim::plumbline_define_initializers(module.as_mut_ptr()) }
}

/// Has pointers of initializers into the middle of other variables be so many bytes behind the beginning of variables
/// of bytes. LLVM 22's SPIR-V back end writes no others, or counts in elements of what the variable holds.
///
/// # Errors
/// When a variable that is pointed into holds addresses itself, or constants lead back to themselves by theirs, which
/// SPIR-V has no way to say.
pub fn plain_initializers(module: &Module<'_>) -> Result<(), LlvmError> {
    let mut message = std::ptr::null_mut();
    // SAFETY: the module is valid, and the message is LLVM's where there is one.
    unsafe {
        if shim::plumbline_plain_initializers(module.as_mut_ptr(), &mut message) == 0 {
            return Ok(());
        }
        Err(LlvmError::Build {
            origin: super::identifier(module),
            reason: super::take_message(message),
        })
    }
}

/// The address of a byte of an object, so many bytes behind its first.
///
/// # Errors
/// When LLVM refuses the instruction.
pub fn byte_within<'ctx>(
    builder: &Builder<'ctx>,
    object: PointerValue<'ctx>,
    offset: IntValue<'ctx>,
) -> Result<PointerValue<'ctx>, BuilderError> {
    let byte = object.get_type().get_context().i8_type();
    // SAFETY: the one index is of bytes, which nothing lies within.
    unsafe { builder.build_in_bounds_gep(byte, object, &[offset], "") }
}

/// A zero that builders do not compute with: what is made of constants and it is an instruction.
#[must_use]
pub fn opaque_zero<'ctx>(builder: &Builder<'ctx>, ty: IntType<'ctx>) -> IntValue<'ctx> {
    // SAFETY: the builder is valid and stands in a block; freezing gives a value of the same type.
    unsafe {
        let zero = ty.const_zero().as_value_ref();
        IntValue::new(LLVMBuildFreeze(builder.as_mut_ptr(), zero, c"".as_ptr()))
    }
}

/// # Safety
/// `first` is null or a valid global, and `next` steps along its list.
unsafe fn chain<'ctx>(
    first: LLVMValueRef,
    next: unsafe extern "C" fn(LLVMValueRef) -> LLVMValueRef,
) -> Vec<GlobalValue<'ctx>> {
    let some = |value: LLVMValueRef| (!value.is_null()).then_some(value);
    std::iter::successors(some(first), |&value| {
        // SAFETY: by contract.
        some(unsafe { next(value) })
    })
    // SAFETY: each is a valid global.
    .map(|value| unsafe { GlobalValue::new(value) })
    .collect()
}

/// A global's symbol.
#[must_use]
pub fn name(global: GlobalValue<'_>) -> String {
    let mut length = 0;
    // SAFETY: the name is LLVM's, of the length that it says, and copied at once.
    unsafe {
        let text = LLVMGetValueName2(global.as_value_ref(), &mut length);
        String::from_utf8_lossy(slice::from_raw_parts(text.cast(), length)).into_owned()
    }
}

/// A function's symbol.
#[must_use]
pub fn function_name(function: FunctionValue<'_>) -> String {
    name(function.as_global_value())
}

/// The function that a global is, if it is one.
#[must_use]
pub fn as_function(global: GlobalValue<'_>) -> Option<FunctionValue<'_>> {
    // SAFETY: the global is valid; LLVM answers null for anything but a function.
    unsafe { FunctionValue::new(LLVMIsAFunction(global.as_value_ref())) }
}

/// Whether a global is an alias or an indirect function: another name for something else.
#[must_use]
pub fn is_alias(global: GlobalValue<'_>) -> bool {
    let value = global.as_value_ref();
    // SAFETY: the global is valid.
    unsafe { !LLVMIsAGlobalAlias(value).is_null() || !LLVMIsAGlobalIFunc(value).is_null() }
}

/// The function that an alias, which other modules can see, is another name for.
#[must_use]
pub fn aliased_function(alias: GlobalValue<'_>) -> Option<FunctionValue<'_>> {
    let is_local = matches!(alias.get_linkage(), Linkage::Internal | Linkage::Private);
    let mut meant = alias.as_value_ref();
    // SAFETY: the globals are valid, and only aliases are asked for what they mean.
    unsafe {
        while !LLVMIsAGlobalAlias(meant).is_null() {
            meant = LLVMAliasGetAliasee(meant);
        }
        let is_alias = meant != alias.as_value_ref();
        FunctionValue::new(LLVMIsAFunction(meant)).filter(|_| is_alias && !is_local)
    }
}

/// Puts a global in the place of another one of its module, whose name it gets. Nothing uses the old one any
/// more, and nobody outside sees it.
pub fn replace(old: GlobalValue<'_>, new: GlobalValue<'_>) {
    let symbol = name(old);
    // SAFETY: both are valid pointers of one module.
    unsafe { LLVMReplaceAllUsesWith(old.as_value_ref(), new.as_value_ref()) };
    old.set_name("");
    old.set_linkage(Linkage::Internal);
    new.set_name(&symbol);
}

/// Whether another definition may be in the place of one with this linkage.
#[must_use]
pub fn is_replaceable(linkage: Linkage) -> bool {
    matches!(
        linkage,
        Linkage::WeakAny | Linkage::LinkOnceAny | Linkage::Common
    )
}

/// The source file that a module was compiled from, if it says.
#[must_use]
pub fn source_file(module: &Module<'_>) -> Option<String> {
    let name = module.get_source_file_name().to_string_lossy().into_owned();
    Some(name).filter(|name| !name.is_empty())
}

/// Whether a global has no definition in its module.
#[must_use]
pub fn is_declaration(global: GlobalValue<'_>) -> bool {
    // SAFETY: the global is valid.
    unsafe { LLVMIsDeclaration(global.as_value_ref()) != 0 }
}

/// Takes a global out of its comdat group: what only its own module sees is merged with nothing.
pub fn leave_comdat(global: GlobalValue<'_>) {
    // SAFETY: the global is valid; no group is a null one.
    unsafe { LLVMSetComdat(global.as_value_ref(), std::ptr::null_mut()) }
}

/// The functions of a module that have a definition.
pub fn defined_functions<'ctx>(
    module: &Module<'ctx>,
) -> impl Iterator<Item = FunctionValue<'ctx>> + use<'ctx> {
    module
        .get_functions()
        .filter(|f| !is_declaration(f.as_global_value()))
}

/// A function's instructions, block by block.
pub fn instructions<'ctx>(
    function: FunctionValue<'ctx>,
) -> impl Iterator<Item = InstructionValue<'ctx>> + use<'ctx> {
    function
        .get_basic_block_iter()
        .flat_map(|block| block.get_instructions())
}

/// An instruction's operands that are instructions themselves, by their numbers, whatever types they have.
pub fn operands<'ctx>(
    instruction: InstructionValue<'ctx>,
) -> impl Iterator<Item = (u32, InstructionValue<'ctx>)> {
    (0..instruction.get_num_operands()).filter_map(move |number| {
        // SAFETY: the instruction is valid and has such an operand.
        let operand = unsafe {
            let operand = LLVMGetOperand(instruction.as_value_ref(), number);
            LLVMIsAInstruction(operand)
        };
        // SAFETY: it is an instruction.
        (!operand.is_null()).then(|| (number, unsafe { InstructionValue::new(operand) }))
    })
}

/// The instructions that use an instruction's value, as often as they do, whatever types they have.
pub fn users<'ctx>(
    instruction: InstructionValue<'ctx>,
) -> impl Iterator<Item = InstructionValue<'ctx>> {
    // SAFETY: the list of uses is LLVM's own, valid until null.
    let first = unsafe { LLVMGetFirstUse(instruction.as_value_ref()) };
    let uses = std::iter::successors((!first.is_null()).then_some(first), |each| {
        // SAFETY: as above.
        let next = unsafe { LLVMGetNextUse(*each) };
        (!next.is_null()).then_some(next)
    });
    uses.filter_map(|each| {
        // SAFETY: as above; only an instruction is taken for one.
        unsafe {
            let user = LLVMIsAInstruction(LLVMGetUser(each));
            (!user.is_null()).then(|| InstructionValue::new(user))
        }
    })
}

/// Whether an instruction gives a number, a pointer or a vector of fixed size.
#[must_use]
pub fn is_plain(instruction: InstructionValue<'_>) -> bool {
    use inkwell::llvm_sys::LLVMTypeKind as Kind;
    // SAFETY: the instruction is valid.
    let kind = unsafe { LLVMGetTypeKind(LLVMTypeOf(instruction.as_value_ref())) };
    matches!(
        kind,
        Kind::LLVMIntegerTypeKind
            | Kind::LLVMHalfTypeKind
            | Kind::LLVMFloatTypeKind
            | Kind::LLVMDoubleTypeKind
            | Kind::LLVMPointerTypeKind
            | Kind::LLVMVectorTypeKind
    )
}

/// Whether a function is a kernel of its target: callable by the host.
#[must_use]
pub fn is_kernel(function: FunctionValue<'_>) -> bool {
    matches!(
        function.get_call_conventions(),
        SPIR_KERNEL | PTX_KERNEL | AMDGPU_KERNEL
    )
}

/// The functions that `!nvvm.annotations` marks as kernels, whatever their calling convention.
#[must_use]
pub fn annotated_kernels(module: &Module<'_>) -> HashSet<String> {
    let kernel = |node: metadata::Node<'_>| {
        match &node.operands()[..] {
        [Operand::Global(function), facts @ ..] => facts
            .chunks_exact(2)
            .any(|fact| {
                matches!(fact, [Operand::Text(key), Operand::Integer { value: 1, .. }] if key == "kernel")
            })
            .then(|| name(*function)),
        _ => None,
    }
    };
    let nodes = metadata::named(module, "nvvm.annotations");
    nodes.into_iter().filter_map(kernel).collect()
}

//! Who calls whom, as instructions say it.

use inkwell::llvm_sys::core::{
    LLVMConstInt, LLVMGetCalledValue, LLVMGetFirstUse, LLVMGetNextUse, LLVMGetUser,
    LLVMInstructionEraseFromParent, LLVMIsACallInst, LLVMIsAFunction, LLVMIsAGlobalAlias,
    LLVMIsAInvokeInst, LLVMReplaceAllUsesWith, LLVMTypeOf,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::{AsValueRef as _, BasicValueEnum, FunctionValue, InstructionValue};

use super::{shim, values};

/// The function that an instruction calls by its name; none for anything else.
#[must_use]
pub fn callee<'ctx>(instruction: InstructionValue<'ctx>) -> Option<FunctionValue<'ctx>> {
    // SAFETY: the instruction is valid.
    unsafe { FunctionValue::new(raw_callee(instruction.as_value_ref())?) }
}

/// # Safety
/// `instruction` is a valid instruction.
pub(crate) unsafe fn raw_callee(instruction: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: by contract; only calls are asked for what they call. An alias is looked through.
    unsafe {
        if LLVMIsACallInst(instruction).is_null() && LLVMIsAInvokeInst(instruction).is_null() {
            return None;
        }
        let mut called = LLVMGetCalledValue(instruction);
        if !LLVMIsAGlobalAlias(called).is_null() {
            called = inkwell::llvm_sys::core::LLVMAliasGetAliasee(called);
        }
        let function = LLVMIsAFunction(called);
        (!function.is_null()).then_some(function)
    }
}

/// Whether an instruction says when a variable of a function begins or ends.
#[must_use]
pub fn is_of_lifetime(instruction: InstructionValue<'_>) -> bool {
    callee(instruction)
        .is_some_and(|function| values::function_name(function).starts_with("llvm.lifetime."))
}

/// The functions that a function calls by their names, in order, as often as it does.
pub fn direct<'ctx>(
    function: FunctionValue<'ctx>,
) -> impl Iterator<Item = FunctionValue<'ctx>> + use<'ctx> {
    values::instructions(function).filter_map(callee)
}

/// The calls of a function by its name, in no order; an `invoke` is none.
#[must_use]
pub fn of<'ctx>(function: FunctionValue<'ctx>) -> Vec<InstructionValue<'ctx>> {
    let function = function.as_value_ref();
    let mut calls = Vec::new();
    // SAFETY: the list of uses is LLVM's own, valid until null; only calls are asked what they call.
    unsafe {
        let mut each = LLVMGetFirstUse(function);
        while !each.is_null() {
            let user = LLVMGetUser(each);
            each = LLVMGetNextUse(each);
            if !LLVMIsACallInst(user).is_null() && LLVMGetCalledValue(user) == function {
                calls.push(InstructionValue::new(user));
            }
        }
    }
    calls
}

/// Puts the body of the function that is called in the call's place; whether it has one.
pub fn inline(call: InstructionValue<'_>) -> bool {
    // SAFETY: the call is valid and not used afterwards, unless nothing was done.
    unsafe { shim::plumbline_inline(call.as_value_ref()) != 0 }
}

/// Puts a number in the place of a call that gives an integer.
pub fn replace_by_number(call: InstructionValue<'_>, number: u64) {
    let call = call.as_value_ref();
    // SAFETY: the call is valid and not used afterwards; the number is of its type.
    unsafe {
        let number = LLVMConstInt(LLVMTypeOf(call), number, 0);
        LLVMReplaceAllUsesWith(call, number);
        LLVMInstructionEraseFromParent(call);
    }
}

/// Puts a value of the same type in the place of a call.
pub fn replace(call: InstructionValue<'_>, by: BasicValueEnum<'_>) {
    let call = call.as_value_ref();
    // SAFETY: the call is valid and not used afterwards; who calls vouches for the type.
    unsafe {
        LLVMReplaceAllUsesWith(call, by.as_value_ref());
        LLVMInstructionEraseFromParent(call);
    }
}

/// Has a call go to another function of the same type.
pub fn redirect<'ctx>(call: InstructionValue<'ctx>, function: FunctionValue<'ctx>) {
    // What is called comes last among the operands.
    if let Some(last) = call.get_num_operands().checked_sub(1) {
        call.set_operand(last, function.as_global_value().as_pointer_value());
    }
}

//! The tables of virtual functions. Device code has no virtual calls, so nothing reads a function or
//! a type from one there: without those entries, virtual functions that nobody calls are no device
//! code, and what they do is no error (OFF, "Device code outlining"). Offsets of virtual bases stay.

use inkwell::llvm_sys::core::{
    LLVMConstArray2, LLVMConstNull, LLVMConstStructInContext, LLVMCountStructElementTypes,
    LLVMGetElementType, LLVMGetInitializer, LLVMGetNumOperands, LLVMGetOperand, LLVMGetTypeContext,
    LLVMGlobalGetValueType, LLVMIsAConstantArray, LLVMIsAConstantExpr, LLVMIsAConstantStruct,
    LLVMIsAGlobalValue, LLVMIsPackedStruct, LLVMSetInitializer, LLVMTypeOf,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::{Linkage, Module};
use inkwell::values::{AsValueRef as _, GlobalValue};

use crate::llvm::values;

/// The beginnings of the symbols of such tables, also of those that constructors use.
const TABLES: [&str; 2] = ["_ZTV", "_ZTC"];

/// Takes the functions and types out of all tables of a module. A table of another unit, which is
/// host code there, becomes an empty one of this.
pub fn empty(module: &Module<'_>) {
    for table in module.get_globals() {
        let symbol = values::name(table);
        if !TABLES.iter().any(|beginning| symbol.starts_with(beginning)) {
            continue;
        }
        // SAFETY: the table is valid, its new contents have the type of its old ones.
        unsafe { LLVMSetInitializer(table.as_value_ref(), emptied(table)) };
        table.set_linkage(Linkage::Internal);
        values::leave_comdat(table);
    }
}

/// What is left of a table's contents.
fn emptied(table: GlobalValue<'_>) -> LLVMValueRef {
    let value = table.as_value_ref();
    // SAFETY: the table is valid; one without contents has the type of what it would hold.
    unsafe {
        let contents = LLVMGetInitializer(value);
        match contents.is_null() {
            true => LLVMConstNull(LLVMGlobalGetValueType(value)),
            false => without_globals(contents),
        }
    }
}

/// The same constant with null in the place of each function and variable.
///
/// # Safety
/// `value` is a valid constant.
unsafe fn without_globals(value: LLVMValueRef) -> LLVMValueRef {
    // SAFETY: by contract; aggregates have as many operands as LLVM says.
    unsafe {
        let ty = LLVMTypeOf(value);
        let is_array = !LLVMIsAConstantArray(value).is_null();
        if is_array || !LLVMIsAConstantStruct(value).is_null() {
            let count = u32::try_from(LLVMGetNumOperands(value)).unwrap_or(0);
            let mut parts: Vec<LLVMValueRef> = (0..count)
                .map(|index| without_globals(LLVMGetOperand(value, index)))
                .collect();
            return match is_array {
                true => {
                    LLVMConstArray2(LLVMGetElementType(ty), parts.as_mut_ptr(), u64::from(count))
                }
                false => LLVMConstStructInContext(
                    LLVMGetTypeContext(ty),
                    parts.as_mut_ptr(),
                    LLVMCountStructElementTypes(ty),
                    LLVMIsPackedStruct(ty),
                ),
            };
        }
        match names_global(value) {
            true => LLVMConstNull(ty),
            false => value,
        }
    }
}

/// Whether a constant is a function or variable, or is computed from one.
///
/// # Safety
/// `value` is a valid constant.
unsafe fn names_global(value: LLVMValueRef) -> bool {
    // SAFETY: by contract.
    unsafe {
        if !LLVMIsAGlobalValue(value).is_null() {
            return true;
        }
        let count = u32::try_from(LLVMGetNumOperands(value)).unwrap_or(0);
        !LLVMIsAConstantExpr(value).is_null()
            && (0..count).any(|index| names_global(LLVMGetOperand(value, index)))
    }
}

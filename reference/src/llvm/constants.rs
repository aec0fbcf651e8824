//! Constants as typed values: initializers of variables, and what their parts are.

use std::slice;

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::{
    LLVMConstIntGetSExtValue, LLVMGetAggregateElement, LLVMGetAsString, LLVMGetConstOpcode,
    LLVMGetInitializer, LLVMGetNumOperands, LLVMGetOperand, LLVMIsAConstantAggregateZero,
    LLVMIsAConstantArray, LLVMIsAConstantDataSequential, LLVMIsAConstantExpr, LLVMIsAConstantInt,
    LLVMIsAConstantStruct, LLVMIsAConstantVector, LLVMIsAGlobalValue, LLVMIsAGlobalVariable,
    LLVMIsConstant, LLVMIsConstantString, LLVMIsNull,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::values::{AsValueRef as _, GlobalValue, InstructionValue};

/// A constant, one level deep; casts of pointers are looked through.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant<'ctx> {
    /// An integer of up to 64 bits, extended with its sign.
    Integer(i64),
    /// An array of bytes that is marked as text, without its closing NUL.
    Text(Vec<u8>),
    /// A function, variable or alias.
    Global(GlobalValue<'ctx>),
    /// The parts of an array or structure.
    Aggregate(Vec<Constant<'ctx>>),
    /// Zeros of any type.
    Null,
    /// Anything else.
    Other,
}

impl<'ctx> Constant<'ctx> {
    /// The initializer of a variable; none for a declaration and for what is no variable.
    #[must_use]
    pub fn of_initializer(variable: GlobalValue<'ctx>) -> Option<Self> {
        // SAFETY: the global is valid, and asked for an initializer only if it is a variable.
        unsafe {
            if LLVMIsAGlobalVariable(variable.as_value_ref()).is_null() {
                return None;
            }
            let initializer = LLVMGetInitializer(variable.as_value_ref());
            (!initializer.is_null()).then(|| read(initializer))
        }
    }

    /// An operand of an instruction; none where there is none of that number, or it is no constant.
    #[must_use]
    pub fn of_operand(instruction: InstructionValue<'ctx>, number: u32) -> Option<Self> {
        if number >= instruction.get_num_operands() {
            return None;
        }
        // SAFETY: the instruction is valid and has such an operand, which is read only as a constant.
        unsafe {
            let operand = LLVMGetOperand(instruction.as_value_ref(), number);
            (LLVMIsConstant(operand) != 0).then(|| read(operand))
        }
    }

    /// The text that a pointer to a constant string means, or a string itself.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        match self {
            Constant::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            Constant::Global(global) => match Self::of_initializer(*global)? {
                Constant::Text(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
                Constant::Null => Some(String::new()),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The bytes of a variable that is initialized with an array of bytes, closing zeros included.
#[must_use]
pub fn bytes_of_initializer(variable: GlobalValue<'_>) -> Option<Vec<u8>> {
    // SAFETY: the global is valid and asked for an initializer only if it is a variable; the bytes
    // are LLVM's, as many as it says, and copied at once.
    unsafe {
        if LLVMIsAGlobalVariable(variable.as_value_ref()).is_null() {
            return None;
        }
        let initializer = LLVMGetInitializer(variable.as_value_ref());
        if initializer.is_null() || LLVMIsAConstantDataSequential(initializer).is_null() {
            return None;
        }
        if LLVMIsConstantString(initializer) == 0 {
            return None;
        }
        let mut length = 0;
        let bytes = LLVMGetAsString(initializer, &mut length);
        Some(slice::from_raw_parts(bytes.cast(), length).to_vec())
    }
}

/// # Safety
/// `value` is a valid constant.
unsafe fn read<'ctx>(value: LLVMValueRef) -> Constant<'ctx> {
    // SAFETY: by contract; every step asks LLVM first what the constant is, and every operand of
    // a constant is a constant.
    unsafe {
        let value = strip_casts(value);
        if !LLVMIsAConstantInt(value).is_null() {
            return Constant::Integer(LLVMConstIntGetSExtValue(value));
        }
        if !LLVMIsAGlobalValue(value).is_null() {
            return Constant::Global(GlobalValue::new(value));
        }
        if !LLVMIsAConstantAggregateZero(value).is_null() || LLVMIsNull(value) != 0 {
            return Constant::Null;
        }
        if !LLVMIsAConstantDataSequential(value).is_null() {
            return data(value);
        }
        let aggregate = [
            LLVMIsAConstantArray,
            LLVMIsAConstantStruct,
            LLVMIsAConstantVector,
        ];
        if aggregate.iter().any(|is_a| !is_a(value).is_null()) {
            let parts = u32::try_from(LLVMGetNumOperands(value)).unwrap_or(0);
            return Constant::Aggregate(
                (0..parts).map(|i| read(LLVMGetOperand(value, i))).collect(),
            );
        }
        Constant::Other
    }
}

/// # Safety
/// `value` is a constant sequence of plain data.
unsafe fn data<'ctx>(value: LLVMValueRef) -> Constant<'ctx> {
    // SAFETY: by contract; the text is LLVM's, of the length that it says, and copied at once. An
    // element beyond the last is null.
    unsafe {
        if LLVMIsConstantString(value) != 0 {
            let mut length = 0;
            let text = LLVMGetAsString(value, &mut length);
            let bytes: &[u8] = slice::from_raw_parts(text.cast(), length);
            return Constant::Text(bytes.strip_suffix(&[0]).unwrap_or(bytes).to_vec());
        }
        let elements = (0..)
            .map(|i| LLVMGetAggregateElement(value, i))
            .take_while(|element| !element.is_null());
        Constant::Aggregate(elements.map(|element| read(element)).collect())
    }
}

/// # Safety
/// `value` is a valid constant.
unsafe fn strip_casts(mut value: LLVMValueRef) -> LLVMValueRef {
    // SAFETY: by contract; a cast has one operand, a constant again.
    unsafe {
        while !LLVMIsAConstantExpr(value).is_null()
            && matches!(
                LLVMGetConstOpcode(value),
                LLVMOpcode::LLVMAddrSpaceCast | LLVMOpcode::LLVMBitCast
            )
        {
            value = LLVMGetOperand(value, 0);
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{context, read as reader};

    #[test]
    fn initializers_are_read_through_casts() {
        let context = context();
        let text = "@s = constant [3 x i8] c\"ab\\00\"\n\
                    @n = constant [2 x i32] [i32 1, i32 -2]\n\
                    @p = constant { ptr addrspace(4), i32, ptr } { ptr addrspace(4) addrspacecast \
                    (ptr @s to ptr addrspace(4)), i32 7, ptr null }\n@z = constant [2 x i8] zeroinitializer\n";
        let module = reader::module(&context, text.as_bytes(), "a.ll").unwrap();
        let of = |name| Constant::of_initializer(module.get_global(name).unwrap()).unwrap();
        assert_eq!(of("s"), Constant::Text(b"ab".to_vec()));
        let numbers = vec![Constant::Integer(1), Constant::Integer(-2)];
        assert_eq!(of("n"), Constant::Aggregate(numbers));
        assert_eq!(of("z"), Constant::Null);
        let Constant::Aggregate(parts) = of("p") else {
            panic!("no aggregate")
        };
        assert_eq!(parts[0].text().as_deref(), Some("ab"));
        assert_eq!(parts[1..], [Constant::Integer(7), Constant::Null]);
    }
}

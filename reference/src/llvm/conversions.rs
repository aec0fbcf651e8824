//! Conversions between integers of different widths.

use inkwell::builder::Builder;
use inkwell::llvm_sys::core::{
    LLVMBuildAnd, LLVMBuildTrunc, LLVMBuildZExt, LLVMConstAllOnes, LLVMGetElementType,
    LLVMGetInstructionOpcode, LLVMGetIntTypeWidth, LLVMGetOperand, LLVMGetTypeKind,
    LLVMInstructionEraseFromParent, LLVMIsATruncInst, LLVMReplaceAllUsesWith, LLVMTypeOf,
};
use inkwell::llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind};
use inkwell::values::{AsValueRef as _, InstructionValue};

/// A zero extension of the low bits of a number that is wider than the result.
pub struct Narrowed<'ctx> {
    extension: InstructionValue<'ctx>,
    source: LLVMValueRef,
}

/// What an instruction is, when it extends the low bits of a number wider than the result.
#[must_use]
pub fn narrowed(instruction: InstructionValue<'_>) -> Option<Narrowed<'_>> {
    let raw = instruction.as_value_ref();
    // SAFETY: the instruction is valid; conversions have one operand, and are between integers or
    // vectors of them.
    unsafe {
        if LLVMGetInstructionOpcode(raw) != LLVMOpcode::LLVMZExt {
            return None;
        }
        let cut = LLVMGetOperand(raw, 0);
        if LLVMIsATruncInst(cut).is_null() {
            return None;
        }
        // The back end joins truncations of truncations too.
        let mut source = LLVMGetOperand(cut, 0);
        while !LLVMIsATruncInst(source).is_null() {
            source = LLVMGetOperand(source, 0);
        }
        (width(LLVMTypeOf(source)) > width(LLVMTypeOf(raw))).then_some(Narrowed {
            extension: instruction,
            source,
        })
    }
}

impl<'ctx> Narrowed<'ctx> {
    /// Has the number cut to the size of the result, and masked, in place of the extension.
    pub fn mask(self, builder: &Builder<'ctx>) {
        builder.position_before(&self.extension);
        let (builder, extension) = (builder.as_mut_ptr(), self.extension.as_value_ref());
        let name = c"".as_ptr();
        // SAFETY: the extension is one of a truncation of the source, which is wider than the
        // result: each instruction gets values of the sizes that it takes.
        unsafe {
            let kept = LLVMTypeOf(LLVMGetOperand(extension, 0));
            let ty = LLVMTypeOf(extension);
            let low = LLVMBuildTrunc(builder, self.source, ty, name);
            let mask = LLVMBuildZExt(builder, LLVMConstAllOnes(kept), ty, name);
            let masked = LLVMBuildAnd(builder, low, mask, name);
            LLVMReplaceAllUsesWith(extension, masked);
            LLVMInstructionEraseFromParent(extension);
        }
    }
}

/// # Safety
/// `ty` is an integer or a vector of integers.
unsafe fn width(ty: LLVMTypeRef) -> u32 {
    // SAFETY: by contract.
    unsafe {
        match LLVMGetTypeKind(ty) {
            LLVMTypeKind::LLVMIntegerTypeKind => LLVMGetIntTypeWidth(ty),
            _ => LLVMGetIntTypeWidth(LLVMGetElementType(ty)),
        }
    }
}

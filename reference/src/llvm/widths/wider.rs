//! Each number of a width that OpenCL lacks is held in the next wider integer that it has, or in two of
//! 64 bits, with the bits above its own zero.

use std::collections::HashMap;

use inkwell::builder::Builder;
use inkwell::llvm_sys::core::{
    LLVMAddCase, LLVMAddIncoming, LLVMArrayType2, LLVMBuildArrayAlloca, LLVMBuildCall2,
    LLVMBuildExtractValue, LLVMBuildFreeze, LLVMBuildInsertValue, LLVMBuildPhi, LLVMBuildSelect,
    LLVMBuildSwitch, LLVMConstInt, LLVMConstIntOfArbitraryPrecision, LLVMConstNull,
    LLVMConstVector, LLVMCountIncoming, LLVMGetAlignment, LLVMGetAllocatedType,
    LLVMGetArrayLength2, LLVMGetElementType, LLVMGetFirstUse, LLVMGetIncomingBlock,
    LLVMGetIncomingValue, LLVMGetIndices, LLVMGetInstructionOpcode, LLVMGetIntTypeWidth,
    LLVMGetNextUse, LLVMGetNumIndices, LLVMGetNumOperands, LLVMGetNumSuccessors, LLVMGetOperand,
    LLVMGetPoison, LLVMGetSuccessor, LLVMGetTypeContext, LLVMGetTypeKind, LLVMGetUser,
    LLVMGlobalGetValueType, LLVMInstructionEraseFromParent, LLVMIntTypeInContext, LLVMIsAConstant,
    LLVMIsAConstantInt, LLVMIsNull, LLVMIsPackedStruct, LLVMIsUndef, LLVMPositionBuilderBefore,
    LLVMReplaceAllUsesWith, LLVMSetAlignment, LLVMStructTypeInContext, LLVMTypeOf, LLVMVectorType,
};
use inkwell::llvm_sys::prelude::{LLVMBuilderRef, LLVMTypeRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind};
use inkwell::module::Module;
use inkwell::values::{AsValueRef as _, FunctionValue};

use crate::llvm::shim;

use super::{Odd, WIDEST, holds_odd, members, shown};

/// Has instructions work on wider numbers: those that compute become calls of the functions that stand
/// beside them, the others the same of the wider type. The list is all of [`find`].
///
/// # Errors
/// The function, and what in it nothing is known for; the module is of no use then.
pub fn widen<'ctx>(
    module: &Module<'ctx>,
    list: Vec<(Odd<'ctx>, Option<FunctionValue<'ctx>>)>,
) -> Result<(), (String, String)> {
    let builder = module.get_context().create_builder();
    // SAFETY: the instructions are the module's own, and nothing else changes it meanwhile.
    unsafe { Widening::default().run(&builder, &list) }
}

/// What has become of the numbers of a module so far.
#[derive(Default)]
struct Widening {
    wide: HashMap<LLVMValueRef, LLVMValueRef>,
}

type Listed<'ctx> = (Odd<'ctx>, Option<FunctionValue<'ctx>>);

impl Widening {
    /// # Safety
    /// The instructions of the list are valid.
    unsafe fn run(
        mut self,
        builder: &Builder<'_>,
        list: &[Listed<'_>],
    ) -> Result<(), (String, String)> {
        let raw_builder = builder.as_mut_ptr();
        // SAFETY: by contract.
        let refused = |odd: &Odd<'_>| (odd.function.clone(), unsafe { shown(odd.raw) });
        // SAFETY: by contract. What is new stands before what it replaces; its operands are new too
        // or concern no such number.
        unsafe {
            let (phis, mut rest): (Vec<_>, Vec<_>) =
                list.iter().partition(|(odd, _)| is_phi(odd.raw));
            for (odd, _) in &phis {
                LLVMPositionBuilderBefore(raw_builder, odd.raw);
                let ty = wider(LLVMTypeOf(odd.raw)).ok_or_else(|| refused(odd))?;
                let phi = LLVMBuildPhi(raw_builder, ty, c"".as_ptr());
                self.wide.insert(odd.raw, phi);
            }
            // An operand comes before what takes it, but not always in the order of blocks.
            while !rest.is_empty() {
                let before = rest.len();
                let mut waiting = Vec::new();
                for entry in rest {
                    match self.operands(entry.0.raw) {
                        Some(operands) => {
                            LLVMPositionBuilderBefore(raw_builder, entry.0.raw);
                            let new = self.rebuilt(raw_builder, entry, operands);
                            let new = new.ok_or_else(|| refused(&entry.0))?;
                            self.wide.insert(entry.0.raw, new);
                        }
                        None => waiting.push(entry),
                    }
                }
                rest = waiting;
                if let Some((odd, _)) = rest.first().filter(|_| rest.len() == before) {
                    return Err(refused(odd));
                }
            }
            for (odd, _) in &phis {
                for n in 0..LLVMCountIncoming(odd.raw) {
                    let value = self.operand(LLVMGetIncomingValue(odd.raw, n));
                    let mut value = value.ok_or_else(|| refused(odd))?;
                    let mut block = LLVMGetIncomingBlock(odd.raw, n);
                    LLVMAddIncoming(self.wide[&odd.raw], &mut value, &mut block, 1);
                }
            }
            self.replace(list)
        }
    }

    /// Takes out what was replaced.
    ///
    /// # Safety
    /// Everything in the list was.
    unsafe fn replace(self, list: &[Listed<'_>]) -> Result<(), (String, String)> {
        // SAFETY: by contract; nothing mentions an instruction when it goes.
        unsafe {
            for (odd, _) in list {
                let ty = LLVMTypeOf(odd.raw);
                if LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMVoidTypeKind {
                    continue;
                }
                if !holds_odd(ty) {
                    LLVMReplaceAllUsesWith(odd.raw, self.wide[&odd.raw]);
                    continue;
                }
                let mut user = LLVMGetFirstUse(odd.raw);
                while !user.is_null() {
                    let instruction = LLVMGetUser(user);
                    if !self.wide.contains_key(&instruction) {
                        return Err((odd.function.clone(), shown(instruction)));
                    }
                    user = LLVMGetNextUse(user);
                }
            }
            for (odd, _) in list {
                let ty = LLVMTypeOf(odd.raw);
                if LLVMGetTypeKind(ty) != LLVMTypeKind::LLVMVoidTypeKind {
                    LLVMReplaceAllUsesWith(odd.raw, LLVMGetPoison(ty));
                }
                LLVMInstructionEraseFromParent(odd.raw);
            }
        }
        Ok(())
    }

    /// The operands of an instruction after the change, as soon as all are known.
    ///
    /// # Safety
    /// `raw` is a valid instruction.
    unsafe fn operands(&self, raw: LLVMValueRef) -> Option<Vec<LLVMValueRef>> {
        // SAFETY: by contract.
        unsafe {
            // What a switch compares with, and blocks, are nobody's results.
            let count = match LLVMGetInstructionOpcode(raw) {
                LLVMOpcode::LLVMSwitch => 1,
                _ => LLVMGetNumOperands(raw) as u32,
            };
            (0..count)
                .map(|n| self.operand(LLVMGetOperand(raw, n)))
                .collect()
        }
    }

    /// # Safety
    /// `value` is a valid value.
    unsafe fn operand(&self, value: LLVMValueRef) -> Option<LLVMValueRef> {
        // SAFETY: by contract.
        unsafe {
            if let Some(wide) = self.wide.get(&value) {
                return Some(*wide);
            }
            let ty = LLVMTypeOf(value);
            if !holds_odd(ty) {
                return Some(value);
            }
            match LLVMIsAConstant(value).is_null() {
                true => None,
                false => constant(value),
            }
        }
    }

    /// # Safety
    /// The builder stands where the new instruction belongs; the operands are those of the old one
    /// after the change.
    unsafe fn rebuilt(
        &self,
        builder: LLVMBuilderRef,
        (odd, function): &Listed<'_>,
        mut operands: Vec<LLVMValueRef>,
    ) -> Option<LLVMValueRef> {
        let (raw, name) = (odd.raw, c"".as_ptr());
        // SAFETY: by contract; each instruction is made as the one that it replaces was.
        unsafe {
            if let Some(function) = function {
                let function = function.as_value_ref();
                let (ty, count) = (LLVMGlobalGetValueType(function), operands.len() as u32);
                return Some(LLVMBuildCall2(
                    builder,
                    ty,
                    function,
                    operands.as_mut_ptr(),
                    count,
                    name,
                ));
            }
            Some(match LLVMGetInstructionOpcode(raw) {
                LLVMOpcode::LLVMSelect => {
                    let [condition, yes, no] = operands[..] else {
                        return None;
                    };
                    LLVMBuildSelect(builder, condition, yes, no, name)
                }
                LLVMOpcode::LLVMFreeze => LLVMBuildFreeze(builder, operands[0], name),
                LLVMOpcode::LLVMExtractValue if LLVMGetNumIndices(raw) == 1 => {
                    LLVMBuildExtractValue(builder, operands[0], *LLVMGetIndices(raw), name)
                }
                LLVMOpcode::LLVMInsertValue if LLVMGetNumIndices(raw) == 1 => {
                    let (whole, part) = (operands[0], operands[1]);
                    LLVMBuildInsertValue(builder, whole, part, *LLVMGetIndices(raw), name)
                }
                LLVMOpcode::LLVMAlloca => {
                    let ty = wider(LLVMGetAllocatedType(raw))?;
                    let place = LLVMBuildArrayAlloca(builder, ty, operands[0], name);
                    LLVMSetAlignment(place, LLVMGetAlignment(raw));
                    place
                }
                LLVMOpcode::LLVMSwitch => {
                    let cases = LLVMGetNumSuccessors(raw).saturating_sub(1);
                    let default = LLVMGetSuccessor(raw, 0);
                    let new = LLVMBuildSwitch(builder, operands[0], default, cases);
                    for n in 0..cases {
                        let value = constant(shim::plumbline_switch_case(raw, n))?;
                        if LLVMIsAConstantInt(value).is_null() {
                            return None; // No switch is over two integers.
                        }
                        LLVMAddCase(new, value, LLVMGetSuccessor(raw, n + 1));
                    }
                    new
                }
                _ => return None,
            })
        }
    }
}

/// # Safety
/// `raw` is a valid instruction.
unsafe fn is_phi(raw: LLVMValueRef) -> bool {
    // SAFETY: by contract.
    unsafe { LLVMGetInstructionOpcode(raw) == LLVMOpcode::LLVMPHI }
}

/// The type that holds what `ty` did; none for vectors of such numbers, and for numbers too wide.
///
/// # Safety
/// `ty` is a valid type.
unsafe fn wider(ty: LLVMTypeRef) -> Option<LLVMTypeRef> {
    // SAFETY: by contract.
    unsafe {
        if !holds_odd(ty) {
            return Some(ty);
        }
        let context = LLVMGetTypeContext(ty);
        match LLVMGetTypeKind(ty) {
            LLVMTypeKind::LLVMIntegerTypeKind => match LLVMGetIntTypeWidth(ty) {
                width @ ..=64 => {
                    let width = width.next_power_of_two().max(8);
                    Some(LLVMIntTypeInContext(context, width))
                }
                ..=WIDEST => Some(LLVMVectorType(LLVMIntTypeInContext(context, 64), 2)),
                _ => None,
            },
            LLVMTypeKind::LLVMArrayTypeKind => {
                let element = wider(LLVMGetElementType(ty))?;
                Some(LLVMArrayType2(element, LLVMGetArrayLength2(ty)))
            }
            LLVMTypeKind::LLVMStructTypeKind => {
                let members = members(ty).into_iter().map(|member| wider(member));
                let mut members: Vec<_> = members.collect::<Option<_>>()?;
                let (count, packed) = (members.len() as u32, LLVMIsPackedStruct(ty));
                Some(LLVMStructTypeInContext(
                    context,
                    members.as_mut_ptr(),
                    count,
                    packed,
                ))
            }
            _ => None,
        }
    }
}

/// A constant of such a type, as one of the wider type. What is undefined is zero.
///
/// # Safety
/// `value` is a valid constant.
unsafe fn constant(value: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: by contract; numbers are read from their text, which has all digits.
    unsafe {
        let ty = LLVMTypeOf(value);
        let wide = wider(ty)?;
        if LLVMIsUndef(value) != 0 || LLVMIsNull(value) != 0 {
            return Some(LLVMConstNull(wide));
        }
        if LLVMIsAConstantInt(value).is_null() {
            return None;
        }
        let text = shown(value);
        let (_, digits) = text.rsplit_once(' ')?;
        let width = LLVMGetIntTypeWidth(ty);
        let bits = match digits {
            "true" => 1,
            "false" => 0,
            digits => digits
                .parse::<u128>()
                .or_else(|_| digits.parse::<i128>().map(|n| n as u128))
                .ok()?,
        } & (u128::MAX >> (WIDEST - width));
        if width <= 64 {
            let words = [bits as u64];
            return Some(LLVMConstIntOfArbitraryPrecision(wide, 1, words.as_ptr()));
        }
        let word = LLVMGetElementType(wide);
        let mut halves = [
            LLVMConstInt(word, bits as u64, 0),
            LLVMConstInt(word, (bits >> 64) as u64, 0),
        ];
        Some(LLVMConstVector(halves.as_mut_ptr(), 2))
    }
}

//! Integers of widths that OpenCL lacks, such as `i24` and `i65`: the instructions that work on them,
//! and what they become ([`widen`]).

mod wider;

use std::ffi::CStr;
use std::fmt;
use std::marker::PhantomData;

use inkwell::llvm_sys::core::{
    LLVMCountStructElementTypes, LLVMDisposeMessage, LLVMGetAlignment, LLVMGetAllocatedType,
    LLVMGetElementType, LLVMGetICmpPredicate, LLVMGetInstructionOpcode, LLVMGetIntTypeWidth,
    LLVMGetNumOperands, LLVMGetOperand, LLVMGetOrdering, LLVMGetStructElementTypes,
    LLVMGetTypeKind, LLVMGetVolatile, LLVMPrintTypeToString, LLVMPrintValueToString, LLVMTypeOf,
};
use inkwell::llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMIntPredicate, LLVMOpcode, LLVMTypeKind};
use inkwell::module::Module;
use inkwell::types::AsTypeRef as _;
use inkwell::values::{AsValueRef as _, FunctionValue};

pub use self::wider::widen;
use super::values;

/// An instruction that has such a number as its result, or takes one.
pub struct Odd<'ctx> {
    raw: LLVMValueRef,
    /// The symbol of the function that it stands in.
    pub function: String,
    /// What it does.
    pub what: What,
    lifetime: PhantomData<&'ctx ()>,
}

/// What an instruction does with such a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// It moves it: the same instruction does so for the wider one.
    Moves,
    /// It computes: another function does that.
    Computes(Operation),
    /// What nothing is known for, in words.
    Unknown(String),
}

/// What an instruction computes. Types are as IR spells them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// As IR spells it: `add`, `icmp ult`, `load`.
    pub name: &'static str,
    /// The types of its operands.
    pub operands: Vec<String>,
    /// The type of its result.
    pub result: String,
    /// Of loads and stores, in bytes.
    pub alignment: u32,
    /// Of loads and stores.
    pub volatile: bool,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.name, self.operands.join(", "))
    }
}

/// Whether OpenCL has no integers of a width.
#[must_use]
pub fn is_odd(width: u32) -> bool {
    !matches!(width, 1 | 8 | 16 | 32 | 64)
}

/// The widest number that becomes one of OpenCL's integers or two.
pub const WIDEST: u32 = 128;

/// Whether a function takes or gives such a number.
#[must_use]
pub fn in_signature(function: FunctionValue<'_>) -> bool {
    let ty = function.get_type();
    let mut types: Vec<LLVMTypeRef> = ty
        .get_param_types()
        .iter()
        .map(|ty| ty.as_type_ref())
        .collect();
    types.extend(ty.get_return_type().map(|ty| ty.as_type_ref()));
    // SAFETY: the types are valid.
    types.into_iter().any(|ty| unsafe { holds_odd(ty) })
}

/// Every instruction of a module that has to do with such numbers.
#[must_use]
pub fn find<'ctx>(module: &Module<'ctx>) -> Vec<Odd<'ctx>> {
    let mut found = Vec::new();
    for function in values::defined_functions(module) {
        for instruction in values::instructions(function) {
            let raw = instruction.as_value_ref();
            // SAFETY: the instruction is valid.
            if unsafe { concerns(raw) } {
                found.push(Odd {
                    raw,
                    function: values::function_name(function),
                    // SAFETY: as above.
                    what: unsafe { what(raw) },
                    lifetime: PhantomData,
                });
            }
        }
    }
    found
}

/// # Safety
/// `ty` is a valid type.
unsafe fn holds_odd(ty: LLVMTypeRef) -> bool {
    // SAFETY: by contract; each question is asked of the kind of type that it is for.
    unsafe {
        match LLVMGetTypeKind(ty) {
            LLVMTypeKind::LLVMIntegerTypeKind => is_odd(LLVMGetIntTypeWidth(ty)),
            LLVMTypeKind::LLVMVectorTypeKind | LLVMTypeKind::LLVMArrayTypeKind => {
                holds_odd(LLVMGetElementType(ty))
            }
            LLVMTypeKind::LLVMStructTypeKind => {
                members(ty).into_iter().any(|member| holds_odd(member))
            }
            _ => false,
        }
    }
}

/// # Safety
/// `ty` is a valid structure.
unsafe fn members(ty: LLVMTypeRef) -> Vec<LLVMTypeRef> {
    // SAFETY: the list has room for as many as there are.
    unsafe {
        let mut members = vec![std::ptr::null_mut(); LLVMCountStructElementTypes(ty) as usize];
        LLVMGetStructElementTypes(ty, members.as_mut_ptr());
        members
    }
}

/// # Safety
/// `raw` is a valid instruction.
unsafe fn concerns(raw: LLVMValueRef) -> bool {
    // SAFETY: by contract; operands are asked for as far as there are any.
    unsafe {
        if holds_odd(LLVMTypeOf(raw)) {
            return true;
        }
        let operand = |n| LLVMTypeOf(LLVMGetOperand(raw, n));
        match LLVMGetInstructionOpcode(raw) {
            LLVMOpcode::LLVMAlloca => holds_odd(LLVMGetAllocatedType(raw)),
            LLVMOpcode::LLVMBitCast => {
                holds_odd(operand(0)) || is_mask(operand(0)) != is_mask(LLVMTypeOf(raw))
            }
            LLVMOpcode::LLVMCall => {
                (0..LLVMGetNumOperands(raw) as u32).any(|n| holds_odd(operand(n)))
            }
            _ if LLVMGetNumOperands(raw) > 0 => holds_odd(operand(0)),
            _ => false,
        }
    }
}

/// Whether a type is a vector of truth values.
///
/// # Safety
/// `ty` is a valid type.
unsafe fn is_mask(ty: LLVMTypeRef) -> bool {
    // SAFETY: by contract.
    unsafe {
        LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMVectorTypeKind && {
            let lane = LLVMGetElementType(ty);
            LLVMGetTypeKind(lane) == LLVMTypeKind::LLVMIntegerTypeKind
                && LLVMGetIntTypeWidth(lane) == 1
        }
    }
}

/// # Safety
/// `raw` is a valid instruction that concerns such numbers.
unsafe fn what(raw: LLVMValueRef) -> What {
    // SAFETY: by contract; each question is asked of the kind of instruction that it is for.
    unsafe {
        let opcode = LLVMGetInstructionOpcode(raw);
        let accesses = matches!(opcode, LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore);
        let plain = || LLVMGetOrdering(raw) == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic;
        let name = match opcode {
            LLVMOpcode::LLVMPHI
            | LLVMOpcode::LLVMSelect
            | LLVMOpcode::LLVMFreeze
            | LLVMOpcode::LLVMExtractValue
            | LLVMOpcode::LLVMInsertValue
            | LLVMOpcode::LLVMSwitch
            | LLVMOpcode::LLVMAlloca => return What::Moves,
            LLVMOpcode::LLVMAdd => "add",
            LLVMOpcode::LLVMSub => "sub",
            LLVMOpcode::LLVMMul => "mul",
            LLVMOpcode::LLVMUDiv => "udiv",
            LLVMOpcode::LLVMSDiv => "sdiv",
            LLVMOpcode::LLVMURem => "urem",
            LLVMOpcode::LLVMSRem => "srem",
            LLVMOpcode::LLVMShl => "shl",
            LLVMOpcode::LLVMLShr => "lshr",
            LLVMOpcode::LLVMAShr => "ashr",
            LLVMOpcode::LLVMAnd => "and",
            LLVMOpcode::LLVMOr => "or",
            LLVMOpcode::LLVMXor => "xor",
            LLVMOpcode::LLVMTrunc => "trunc",
            LLVMOpcode::LLVMZExt => "zext",
            LLVMOpcode::LLVMSExt => "sext",
            LLVMOpcode::LLVMUIToFP => "uitofp",
            LLVMOpcode::LLVMSIToFP => "sitofp",
            LLVMOpcode::LLVMFPToUI => "fptoui",
            LLVMOpcode::LLVMFPToSI => "fptosi",
            LLVMOpcode::LLVMBitCast => "bitcast",
            LLVMOpcode::LLVMLoad if plain() => "load",
            LLVMOpcode::LLVMStore if plain() => "store",
            LLVMOpcode::LLVMICmp => compared(LLVMGetICmpPredicate(raw)),
            _ => return What::Unknown(shown(raw)),
        };
        let operands = 0..LLVMGetNumOperands(raw) as u32;
        What::Computes(Operation {
            name,
            operands: operands
                .map(|n| spelled(LLVMTypeOf(LLVMGetOperand(raw, n))))
                .collect(),
            result: spelled(LLVMTypeOf(raw)),
            alignment: if accesses { LLVMGetAlignment(raw) } else { 0 },
            volatile: accesses && LLVMGetVolatile(raw) != 0,
        })
    }
}

fn compared(predicate: LLVMIntPredicate) -> &'static str {
    match predicate {
        LLVMIntPredicate::LLVMIntEQ => "icmp eq",
        LLVMIntPredicate::LLVMIntNE => "icmp ne",
        LLVMIntPredicate::LLVMIntUGT => "icmp ugt",
        LLVMIntPredicate::LLVMIntUGE => "icmp uge",
        LLVMIntPredicate::LLVMIntULT => "icmp ult",
        LLVMIntPredicate::LLVMIntULE => "icmp ule",
        LLVMIntPredicate::LLVMIntSGT => "icmp sgt",
        LLVMIntPredicate::LLVMIntSGE => "icmp sge",
        LLVMIntPredicate::LLVMIntSLT => "icmp slt",
        LLVMIntPredicate::LLVMIntSLE => "icmp sle",
    }
}

/// # Safety
/// `ty` is a valid type.
unsafe fn spelled(ty: LLVMTypeRef) -> String {
    // SAFETY: by contract.
    unsafe { taken(LLVMPrintTypeToString(ty)) }
}

/// # Safety
/// `value` is a valid value.
unsafe fn shown(value: LLVMValueRef) -> String {
    // SAFETY: by contract.
    unsafe { taken(LLVMPrintValueToString(value)).trim().to_owned() }
}

/// # Safety
/// `text` is a string that LLVM gave away.
unsafe fn taken(text: *mut std::ffi::c_char) -> String {
    // SAFETY: by contract; it is freed once, after it was copied.
    unsafe {
        let copied = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        copied
    }
}

//! The calls by which device code asks for a specialization constant.

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use inkwell::module::Module;
use inkwell::values::{AsValueRef as _, FunctionValue, GlobalValue, InstructionValue};

use super::layout::Layout;
use super::table::Constant;
use crate::llvm::values;

/// How the symbols of the functions that are called begin: templates over the constant's type.
const PREFIXES: [&str; 2] = [
    "_Z37__sycl_getScalar2020SpecConstantValue",
    "_Z40__sycl_getComposite2020SpecConstantValue",
];

/// One call.
#[derive(Debug, Clone, Copy)]
pub struct Call<'ctx> {
    /// The call itself.
    pub instruction: InstructionValue<'ctx>,
    /// The type of the constant.
    pub ty: LLVMTypeRef,
    /// Where the value goes, when it is not returned.
    pub place: Option<LLVMValueRef>,
    /// The pointer to the constant's name.
    name: LLVMValueRef,
    /// The pointer to the constant's default value.
    default: LLVMValueRef,
    /// The buffer that holds the values when they are emulated.
    pub buffer: LLVMValueRef,
}

/// Whether a symbol is one of the functions that give a constant.
#[must_use]
pub fn is_getter(symbol: &str) -> bool {
    PREFIXES.iter().any(|prefix| symbol.starts_with(prefix))
}

/// The functions of a module that give a constant.
pub fn getters<'ctx>(
    module: &Module<'ctx>,
) -> impl Iterator<Item = FunctionValue<'ctx>> + use<'ctx> {
    module
        .get_functions()
        .filter(|&function| is_getter(&values::function_name(function)))
}

/// The calls of a function body that ask for a constant.
///
/// # Errors
/// When a call has not the arguments that it must have.
pub fn of_function(function: FunctionValue<'_>) -> Result<Vec<Call<'_>>, String> {
    values::instructions(function)
        .filter_map(|instruction| of_instruction(instruction).transpose())
        .collect()
}

fn of_instruction(instruction: InstructionValue<'_>) -> Result<Option<Call<'_>>, String> {
    let call = instruction.as_value_ref();
    // SAFETY: the instruction is valid, and a call of a function when the rest is asked.
    unsafe {
        if LLVMIsACallInst(call).is_null() {
            return Ok(None);
        }
        let Some(callee) = FunctionValue::new(LLVMIsAFunction(LLVMGetCalledValue(call))) else {
            return Ok(None);
        };
        if !is_getter(&values::function_name(callee)) {
            return Ok(None);
        }
        let sret = LLVMGetEnumAttributeKindForName("sret".as_ptr().cast(), 4);
        let sret = LLVMGetEnumAttributeAtIndex(callee.as_value_ref(), 1, sret);
        let (first, ty) = match sret.is_null() {
            true => (0, LLVMTypeOf(call)),
            false => (1, LLVMGetTypeAttributeValue(sret)),
        };
        if LLVMGetNumArgOperands(call) != first + 3 {
            return Err("a call for a specialization constant with a wrong signature".to_owned());
        }
        Ok(Some(Call {
            instruction,
            ty,
            place: (first == 1).then(|| LLVMGetOperand(call, 0)),
            name: LLVMGetOperand(call, first),
            default: LLVMGetOperand(call, first + 1),
            buffer: LLVMGetOperand(call, first + 2),
        }))
    }
}

impl<'ctx> Call<'ctx> {
    /// The constant's name: the text that the first argument points to.
    ///
    /// # Errors
    /// When that is not known in the module.
    pub fn name(&self) -> Result<String, String> {
        // SAFETY: the pointer is an operand of a valid call.
        unsafe {
            let text = initializer(self.name)
                .filter(|&text| LLVMIsConstantString(text) != 0)
                .ok_or("the name of a specialization constant is not a known text")?;
            let mut length = 0;
            let start = LLVMGetAsString(text, &mut length);
            let bytes = std::slice::from_raw_parts(start.cast::<u8>(), length);
            let bytes = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
            Ok(String::from_utf8_lossy(bytes).into_owned())
        }
    }

    /// The variable that holds the constant's name.
    pub fn name_variable(&self) -> Option<GlobalValue<'ctx>> {
        // SAFETY: the pointer is an operand of a valid call.
        unsafe { variable(self.name).map(|found| GlobalValue::new(found)) }
    }

    /// The object that stands for the constant in the program.
    pub fn default_variable(&self) -> Option<GlobalValue<'ctx>> {
        // SAFETY: the pointer is an operand of a valid call.
        unsafe { variable(self.default).map(|found| GlobalValue::new(found)) }
    }

    /// What the constant is: its scalars and its default value.
    ///
    /// # Errors
    /// When its type can't be specialized, or its default is not known in the module.
    pub fn constant(&self, layout: Layout) -> Result<Constant, String> {
        let size = layout.size(self.ty)?;
        // SAFETY: the pointer is an operand of a valid call.
        let default = unsafe { initializer(self.default) }
            .ok_or("the default value of a specialization constant is not known")?;
        let mut bytes = layout.bytes(default)?;
        if bytes.len() < size as usize {
            return Err("the default value of a specialization constant is too small".to_owned());
        }
        bytes.truncate(size as usize);
        Ok(Constant {
            scalars: layout.scalars(self.ty)?,
            size,
            alignment: layout.alignment(self.ty),
            default: bytes,
        })
    }
}

/// The initializer of the variable that a pointer is known to point to.
///
/// # Safety
/// `pointer` is a valid value.
unsafe fn initializer(pointer: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: by contract, and a variable is what is asked.
    unsafe {
        let initializer = LLVMGetInitializer(variable(pointer)?);
        (!initializer.is_null()).then_some(initializer)
    }
}

/// The variable that a pointer is known to point to.
///
/// # Safety
/// `pointer` is a valid value.
unsafe fn variable(pointer: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: by contract, and what is found from a valid value is valid.
    unsafe {
        let mut pointer = stripped(pointer);
        if !LLVMIsALoadInst(pointer).is_null() {
            // Without optimization the pointer goes through a local variable.
            pointer = stripped(only_store(stripped(LLVMGetOperand(pointer, 0)))?);
        }
        (!LLVMIsAGlobalVariable(pointer).is_null()).then_some(pointer)
    }
}

/// A pointer without the casts around it.
///
/// # Safety
/// `pointer` is a valid value.
unsafe fn stripped(mut pointer: LLVMValueRef) -> LLVMValueRef {
    // SAFETY: by contract; each question fits the kind of value.
    unsafe {
        loop {
            let opcode = if !LLVMIsAConstantExpr(pointer).is_null() {
                LLVMGetConstOpcode(pointer)
            } else if !LLVMIsAInstruction(pointer).is_null() {
                LLVMGetInstructionOpcode(pointer)
            } else {
                return pointer;
            };
            match opcode {
                LLVMOpcode::LLVMAddrSpaceCast | LLVMOpcode::LLVMBitCast => {}
                LLVMOpcode::LLVMGetElementPtr if offsets_are_zero(pointer) => {}
                _ => return pointer,
            }
            pointer = LLVMGetOperand(pointer, 0);
        }
    }
}

/// # Safety
/// `gep` is a valid element address.
unsafe fn offsets_are_zero(gep: LLVMValueRef) -> bool {
    // SAFETY: by contract; the indices are in range.
    unsafe {
        let count = u32::try_from(LLVMGetNumOperands(gep)).unwrap_or(0);
        (1..count).all(|i| LLVMIsNull(LLVMGetOperand(gep, i)) != 0)
    }
}

/// The one value that is ever stored to a local variable.
///
/// # Safety
/// `place` is a valid value.
unsafe fn only_store(place: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: by contract; the list of uses is LLVM's own, valid until null.
    unsafe {
        if LLVMIsAAllocaInst(place).is_null() {
            return None;
        }
        let mut stored = None;
        let mut open = vec![place];
        while let Some(place) = open.pop() {
            let mut uses = LLVMGetFirstUse(place);
            while !uses.is_null() {
                let user = LLVMGetUser(uses);
                uses = LLVMGetNextUse(uses);
                if !LLVMIsAAddrSpaceCastInst(user).is_null() {
                    open.push(user);
                } else if !LLVMIsAStoreInst(user).is_null()
                    && stored.replace(LLVMGetOperand(user, 0)).is_some()
                {
                    return None;
                }
            }
        }
        stored
    }
}

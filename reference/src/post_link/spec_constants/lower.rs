//! Calls for specialization constants, replaced in the module of an image.

use std::collections::{BTreeMap, BTreeSet};

use inkwell::context::AsContextRef as _;
use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMBuilderRef, LLVMTypeRef, LLVMValueRef};
use inkwell::module::Module;
use inkwell::values::AsValueRef as _;

use super::calls::{self, Call};
use super::layout::{Layout, Parts};
use super::table::Table;
use crate::llvm::{c_string, identifier, passes, values};
use crate::post_link::PostLinkError;
use crate::post_link::options::SpecConstants;

/// What a constant becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lowering {
    /// A SPIR-V specialization constant or a load, as the options ask.
    Mode(SpecConstants),
    /// Its default value.
    Default,
}

/// Replaces every call for a constant in a module that uses the constants `names`.
///
/// # Errors
/// When a constant can't be lowered; the reading of the whole module finds the same first.
pub fn lower(
    module: &Module<'_>,
    table: &Table,
    names: &BTreeSet<String>,
    lowering: Lowering,
) -> Result<(), PostLinkError> {
    // SAFETY: the builder lives as long as the emitter, below.
    let builder = unsafe { LLVMCreateBuilderInContext(module.get_context().as_ctx_ref()) };
    let emitter = Emitter {
        module,
        builder,
        layout: Layout::of(module),
        table,
        offsets: table.offsets(names),
    };
    for function in values::defined_functions(module) {
        let symbol = values::function_name(function);
        let fail = |reason| PostLinkError::SpecConstant {
            origin: identifier(module),
            function: symbol.clone(),
            reason,
        };
        for call in calls::of_function(function).map_err(fail)? {
            emitter.replace(&call, lowering).map_err(fail)?;
        }
    }
    // Names, default values and the functions that were called are of no more use.
    passes::run(module, "globaldce")?;
    for getter in calls::getters(module).collect::<Vec<_>>() {
        // SAFETY: every call of it has just been replaced; one without uses is not used below.
        unsafe {
            if LLVMGetFirstUse(getter.as_value_ref()).is_null() {
                getter.delete();
            }
        }
    }
    Ok(())
}

struct Emitter<'a, 'ctx> {
    module: &'a Module<'ctx>,
    builder: LLVMBuilderRef,
    layout: Layout,
    table: &'a Table,
    /// Places in the buffer of emulated values.
    offsets: BTreeMap<&'a str, u32>,
}

impl Drop for Emitter<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: the builder is this emitter's own.
        unsafe { LLVMDisposeBuilder(self.builder) };
    }
}

impl Emitter<'_, '_> {
    fn replace(&self, call: &Call<'_>, lowering: Lowering) -> Result<(), String> {
        let name = call.name()?;
        let constant = self.table.get(&name);
        let constant =
            constant.ok_or_else(|| format!("unknown specialization constant '{name}'"))?;
        let old = call.instruction.as_value_ref();
        // SAFETY: the call is valid, and everything is built in front of it, of its types.
        unsafe {
            LLVMPositionBuilderBefore(self.builder, old);
            let value = match lowering {
                Lowering::Mode(SpecConstants::Emulation) => {
                    let offset = self.offsets.get(name.as_str()).copied().unwrap_or(0);
                    self.load(call, offset)
                }
                Lowering::Mode(SpecConstants::Native) => {
                    let mut ids = self.table.first_id(&name)..;
                    self.native(call.ty, 0, &constant.default, &mut ids)?
                }
                Lowering::Default => self.default(call.ty, 0, &constant.default)?,
            };
            match call.place {
                Some(place) => {
                    LLVMBuildStore(self.builder, value, place);
                }
                None => LLVMReplaceAllUsesWith(old, value),
            }
            LLVMInstructionEraseFromParent(old);
        }
        Ok(())
    }

    /// # Safety
    /// The builder stands in front of the call.
    unsafe fn load(&self, call: &Call<'_>, offset: u32) -> LLVMValueRef {
        // SAFETY: by contract; the buffer is a pointer.
        unsafe {
            let context = self.module.get_context().as_ctx_ref();
            let byte = LLVMInt8TypeInContext(context);
            let mut index = LLVMConstInt(LLVMInt32TypeInContext(context), offset.into(), 0);
            let place = LLVMBuildGEP2(self.builder, byte, call.buffer, &mut index, 1, c"".as_ptr());
            // A truth value takes a byte in memory.
            let in_memory = if is_bool(call.ty) { byte } else { call.ty };
            let value = LLVMBuildLoad2(self.builder, in_memory, place, c"".as_ptr());
            LLVMSetAlignment(value, self.layout.alignment(in_memory));
            self.as_bool(value, call.ty)
        }
    }

    /// A value of memory's byte as a truth value, when that is what is asked for.
    ///
    /// # Safety
    /// The builder stands where the value is known.
    unsafe fn as_bool(&self, value: LLVMValueRef, ty: LLVMTypeRef) -> LLVMValueRef {
        match is_bool(ty) {
            // SAFETY: by contract.
            true => unsafe { LLVMBuildTrunc(self.builder, value, ty, c"".as_ptr()) },
            false => value,
        }
    }

    /// Calls that SPIR-V writers turn into specialization constants: one for each scalar, and one
    /// for each composite of what it is made of.
    ///
    /// # Safety
    /// The builder stands in front of the call; `ty` is valid.
    unsafe fn native(
        &self,
        ty: LLVMTypeRef,
        offset: u32,
        default: &[u8],
        ids: &mut impl Iterator<Item = u32>,
    ) -> Result<LLVMValueRef, String> {
        // SAFETY: by contract.
        unsafe {
            let context = self.module.get_context().as_ctx_ref();
            match self.layout.parts(ty)? {
                Parts::Scalar => {
                    let id = ids.next().unwrap_or(u32::MAX);
                    let id = LLVMConstInt(LLVMInt32TypeInContext(context), id.into(), 0);
                    let byte = LLVMInt8TypeInContext(context);
                    let in_memory = if is_bool(ty) { byte } else { ty };
                    let default = self.scalar(in_memory, offset, default)?;
                    let value = self.call("__spirv_SpecConstant", in_memory, &mut [id, default])?;
                    Ok(self.as_bool(value, ty))
                }
                Parts::Composite(parts) => {
                    let mut values = Vec::with_capacity(parts.len());
                    for (inner, ty) in parts {
                        values.push(self.native(ty, offset + inner, default, ids)?);
                    }
                    self.call("__spirv_SpecConstantComposite", ty, &mut values)
                }
            }
        }
    }

    /// The default value itself.
    ///
    /// # Safety
    /// `ty` is valid.
    unsafe fn default(
        &self,
        ty: LLVMTypeRef,
        offset: u32,
        default: &[u8],
    ) -> Result<LLVMValueRef, String> {
        // SAFETY: by contract; the parts are of the types that the composite has there.
        unsafe {
            let Parts::Composite(parts) = self.layout.parts(ty)? else {
                return self.scalar(ty, offset, default);
            };
            let mut values = parts
                .into_iter()
                .map(|(inner, ty)| self.default(ty, offset + inner, default))
                .collect::<Result<Vec<_>, _>>()?;
            let (first, count) = (values.as_mut_ptr(), values.len());
            let narrow = u32::try_from(count).unwrap_or(0);
            Ok(match LLVMGetTypeKind(ty) {
                LLVMTypeKind::LLVMArrayTypeKind => {
                    LLVMConstArray2(LLVMGetElementType(ty), first, count as u64)
                }
                LLVMTypeKind::LLVMVectorTypeKind => LLVMConstVector(first, narrow),
                _ if LLVMIsLiteralStruct(ty) != 0 => {
                    let context = self.module.get_context().as_ctx_ref();
                    LLVMConstStructInContext(context, first, narrow, LLVMIsPackedStruct(ty))
                }
                _ => LLVMConstNamedStruct(ty, first, narrow),
            })
        }
    }

    /// A scalar constant from its bytes in memory.
    ///
    /// # Safety
    /// `ty` is a valid number type.
    unsafe fn scalar(
        &self,
        ty: LLVMTypeRef,
        offset: u32,
        default: &[u8],
    ) -> Result<LLVMValueRef, String> {
        let size = self.layout.size(ty)? as usize;
        let start = offset as usize;
        let bytes = default
            .get(start..start + size)
            .ok_or("the default value is too small")?;
        let mut word = [0; 8];
        word.iter_mut()
            .zip(bytes)
            .for_each(|(to, from)| *to = *from);
        let bits = u64::from_le_bytes(word);
        // SAFETY: by contract; both types have the same size.
        unsafe {
            if LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMIntegerTypeKind {
                return Ok(LLVMConstInt(ty, bits, 0));
            }
            let context = self.module.get_context().as_ctx_ref();
            let width = u32::try_from(size * 8).unwrap_or(64);
            let integer = LLVMConstInt(LLVMIntTypeInContext(context, width), bits, 0);
            Ok(LLVMConstBitCast(integer, ty))
        }
    }

    /// A call of a SPIR-V builtin, declared on its first use.
    ///
    /// # Safety
    /// The types and arguments are valid and of this context.
    unsafe fn call(
        &self,
        base: &str,
        result: LLVMTypeRef,
        arguments: &mut [LLVMValueRef],
    ) -> Result<LLVMValueRef, String> {
        let count = u32::try_from(arguments.len()).map_err(|_| "too many parts")?;
        // SAFETY: by contract.
        unsafe {
            let mut types: Vec<_> = arguments.iter().map(|&value| LLVMTypeOf(value)).collect();
            let mut symbol = format!("_Z{}{base}", base.len());
            types.iter().for_each(|&ty| symbol.push_str(&mangled(ty)));
            if LLVMGetTypeKind(result) != LLVMTypeKind::LLVMIntegerTypeKind
                && base.ends_with("Composite")
            {
                // Composites of the same parts can be of several types.
                symbol.push_str("_R");
                symbol.push_str(&mangled(result));
            }
            let ty = LLVMFunctionType(result, types.as_mut_ptr(), count, 0);
            let symbol = c_string(&symbol);
            let mut callee = LLVMGetNamedFunction(self.module.as_mut_ptr(), symbol.as_ptr());
            if callee.is_null() {
                callee = LLVMAddFunction(self.module.as_mut_ptr(), symbol.as_ptr(), ty);
                LLVMSetFunctionCallConv(callee, values::SPIR_FUNC);
            }
            let (first, name) = (arguments.as_mut_ptr(), c"".as_ptr());
            let call = LLVMBuildCall2(self.builder, ty, callee, first, count, name);
            LLVMSetInstructionCallConv(call, values::SPIR_FUNC);
            Ok(call)
        }
    }
}

fn is_bool(ty: LLVMTypeRef) -> bool {
    // SAFETY: the type is valid.
    unsafe {
        LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMIntegerTypeKind && LLVMGetIntTypeWidth(ty) == 1
    }
}

/// A type in a symbol: only so far like C++ that writers of SPIR-V know the builtin, and that
/// builtins of different types differ.
///
/// # Safety
/// The type is valid, and a number or made of numbers.
unsafe fn mangled(ty: LLVMTypeRef) -> String {
    use LLVMTypeKind::*;
    // SAFETY: by contract; each question fits its kind.
    unsafe {
        match LLVMGetTypeKind(ty) {
            LLVMHalfTypeKind => "Dh".to_owned(),
            LLVMFloatTypeKind => "f".to_owned(),
            LLVMDoubleTypeKind => "d".to_owned(),
            LLVMIntegerTypeKind => match LLVMGetIntTypeWidth(ty) {
                1 => "b",
                8 => "a",
                16 => "s",
                64 => "x",
                _ => "i",
            }
            .to_owned(),
            LLVMArrayTypeKind => {
                let element = mangled(LLVMGetElementType(ty));
                format!("A{}_{element}", LLVMGetArrayLength2(ty))
            }
            LLVMVectorTypeKind => {
                let element = mangled(LLVMGetElementType(ty));
                format!("Dv{}_{element}", LLVMGetVectorSize(ty))
            }
            _ if LLVMIsLiteralStruct(ty) != 0 => {
                let parts = (0..LLVMCountStructElementTypes(ty))
                    .map(|i| mangled(LLVMStructGetTypeAtIndex(ty, i)));
                format!("S{}E", parts.collect::<String>())
            }
            _ => {
                let name = LLVMGetStructName(ty);
                std::ffi::CStr::from_ptr(name)
                    .to_string_lossy()
                    .into_owned()
            }
        }
    }
}

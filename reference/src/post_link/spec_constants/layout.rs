//! The scalars of a type and the bytes of a constant, as the module's data layout places them.

use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use inkwell::llvm_sys::target::{
    LLVMABIAlignmentOfType, LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement,
    LLVMStoreSizeOfType, LLVMTargetDataRef,
};
use inkwell::module::Module;

/// The most scalars of one constant: enough for any value that a program sets, and few enough that
/// no input asks for all memory.
const MOST_SCALARS: usize = 1 << 16;

/// A scalar within a composite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scalar {
    /// Its place, in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
}

/// A module's data layout.
#[derive(Clone, Copy)]
pub struct Layout(LLVMTargetDataRef);

/// The members of a type with their offsets, or that it is a scalar.
pub enum Parts {
    /// A number.
    Scalar,
    /// A struct, array or vector.
    Composite(Vec<(u32, LLVMTypeRef)>),
}

impl Layout {
    /// The layout of a module, which must outlive it.
    #[must_use]
    pub fn of(module: &Module<'_>) -> Self {
        // SAFETY: the module is valid.
        Layout(unsafe { LLVMGetModuleDataLayout(module.as_mut_ptr()) })
    }

    /// The size of a type in memory, padding included.
    ///
    /// # Errors
    /// When it does not fit 32 bits.
    pub fn size(self, ty: LLVMTypeRef) -> Result<u32, String> {
        // SAFETY: the type is valid and sized.
        let size = unsafe { LLVMABISizeOfType(self.0, ty) };
        u32::try_from(size).map_err(|_| format!("a constant of {size} bytes"))
    }

    /// The alignment of a type in memory.
    #[must_use]
    pub fn alignment(self, ty: LLVMTypeRef) -> u32 {
        // SAFETY: the type is valid and sized.
        unsafe { LLVMABIAlignmentOfType(self.0, ty) }
    }

    /// What a type is made of.
    ///
    /// # Errors
    /// For types that can't be specialized: pointers, odd integers, and composites that are too
    /// large.
    pub fn parts(self, ty: LLVMTypeRef) -> Result<Parts, String> {
        use LLVMTypeKind::*;
        // SAFETY: the type is valid, and each question fits its kind.
        unsafe {
            match LLVMGetTypeKind(ty) {
                LLVMHalfTypeKind | LLVMFloatTypeKind | LLVMDoubleTypeKind => Ok(Parts::Scalar),
                LLVMIntegerTypeKind => match LLVMGetIntTypeWidth(ty) {
                    1 | 8 | 16 | 32 | 64 => Ok(Parts::Scalar),
                    width => Err(format!("an integer of {width} bits can't be specialized")),
                },
                LLVMStructTypeKind => self.members(ty),
                LLVMArrayTypeKind => self.elements(LLVMGetElementType(ty), LLVMGetArrayLength2(ty)),
                LLVMVectorTypeKind => {
                    self.elements(LLVMGetElementType(ty), LLVMGetVectorSize(ty).into())
                }
                _ => Err("a pointer can't be specialized".to_owned()),
            }
        }
    }

    fn members(self, ty: LLVMTypeRef) -> Result<Parts, String> {
        // SAFETY: the type is a struct with a body, and the indices are in range.
        unsafe {
            (0..LLVMCountStructElementTypes(ty))
                .map(|i| {
                    let offset = LLVMOffsetOfElement(self.0, ty, i);
                    let offset = u32::try_from(offset).map_err(|_| too_large())?;
                    Ok((offset, LLVMStructGetTypeAtIndex(ty, i)))
                })
                .collect::<Result<_, _>>()
                .map(Parts::Composite)
        }
    }

    fn elements(self, element: LLVMTypeRef, count: u64) -> Result<Parts, String> {
        let count = usize::try_from(count).ok().filter(|&n| n <= MOST_SCALARS);
        let count = count.ok_or_else(too_large)?;
        let size = self.size(element)?;
        (0..count)
            .map(|i| {
                let offset = u32::try_from(i).ok().and_then(|i| i.checked_mul(size));
                Ok((offset.ok_or_else(too_large)?, element))
            })
            .collect::<Result<_, _>>()
            .map(Parts::Composite)
    }

    /// Every scalar of a type, in memory order.
    ///
    /// # Errors
    /// Those of [`Layout::parts`].
    pub fn scalars(self, ty: LLVMTypeRef) -> Result<Vec<Scalar>, String> {
        let mut found = Vec::new();
        let mut open = vec![(0, ty)];
        while let Some((offset, ty)) = open.pop() {
            match self.parts(ty)? {
                Parts::Scalar => {
                    let size = self.size(ty)?;
                    found.push(Scalar { offset, size });
                }
                Parts::Composite(parts) => {
                    for (inner, ty) in parts.into_iter().rev() {
                        open.push((offset.checked_add(inner).ok_or_else(too_large)?, ty));
                    }
                }
            }
            if found.len() + open.len() > MOST_SCALARS {
                return Err(too_large());
            }
        }
        Ok(found)
    }

    /// The bytes of a constant in memory; what is undefined is 0.
    ///
    /// # Errors
    /// For constants that are no plain values, such as addresses.
    pub fn bytes(self, constant: LLVMValueRef) -> Result<Vec<u8>, String> {
        // SAFETY: the constant is valid and of a sized type.
        let ty = unsafe { LLVMTypeOf(constant) };
        let mut bytes = vec![0; self.size(ty)? as usize];
        self.fill(constant, ty, &mut bytes)?;
        Ok(bytes)
    }

    fn fill(self, constant: LLVMValueRef, ty: LLVMTypeRef, bytes: &mut [u8]) -> Result<(), String> {
        // SAFETY: the constant is valid; each question fits its kind.
        unsafe {
            if LLVMIsNull(constant) != 0 || LLVMIsUndef(constant) != 0 {
                return Ok(());
            }
            let Parts::Composite(parts) = self.parts(ty)? else {
                return self.fill_scalar(constant, ty, bytes);
            };
            for (i, (offset, ty)) in (0..).zip(parts) {
                let part = LLVMGetAggregateElement(constant, i);
                let place = bytes.get_mut(offset as usize..);
                let (false, Some(place)) = (part.is_null(), place) else {
                    return Err("its default value can't be read".to_owned());
                };
                self.fill(part, ty, place)?;
            }
        }
        Ok(())
    }

    /// # Safety
    /// The constant is valid and of the scalar type `ty`.
    unsafe fn fill_scalar(
        self,
        constant: LLVMValueRef,
        ty: LLVMTypeRef,
        bytes: &mut [u8],
    ) -> Result<(), String> {
        // SAFETY: by contract; a cast between types of one size that folds, or is refused below.
        unsafe {
            let size = LLVMStoreSizeOfType(self.0, ty) as usize;
            let integer = match LLVMIsAConstantInt(constant).is_null() {
                false => constant,
                true => {
                    let bits = u32::try_from(size * 8).unwrap_or(u32::MAX);
                    LLVMConstBitCast(constant, LLVMIntTypeInContext(LLVMGetTypeContext(ty), bits))
                }
            };
            if LLVMIsAConstantInt(integer).is_null() {
                return Err("its default value is not a number".to_owned());
            }
            let value = LLVMConstIntGetZExtValue(integer).to_le_bytes();
            match (bytes.get_mut(..size), value.get(..size)) {
                (Some(place), Some(value)) => place.copy_from_slice(value),
                _ => return Err("its default value does not fit".to_owned()),
            }
            Ok(())
        }
    }
}

fn too_large() -> String {
    "the constant is too large to be specialized".to_owned()
}

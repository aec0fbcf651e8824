//! A kernel functor taken apart: which parts of it become parameters of the entry point
//! (ARCHITECTURE.md, "Headers to front end").

use inkwell::AddressSpace;
use inkwell::targets::TargetData;
use inkwell::types::{BasicTypeEnum, PointerType, StructType};

/// The IR name of the memory object behind an accessor, less clang's `struct.` or `class.`.
const GLOBAL_MEMORY: &str = "sycl::detail::global_memory";
/// The IR name of the memory object behind a local accessor; `_of_8` behind it says how elements are aligned.
const LOCAL_MEMORY: &str = "sycl::detail::local_memory";

/// How a part travels from the host to the device; the integration header has the same names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartKind {
    /// A memory object: a pointer to global memory, and three triples of sizes.
    Accessor,
    /// Local memory: a pointer, and a triple of sizes.
    LocalAccessor,
    /// A pointer to global memory.
    Pointer,
    /// Bytes.
    Value,
}

impl PartKind {
    /// The name in the integration header.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            PartKind::Accessor => "accessor",
            PartKind::LocalAccessor => "local_accessor",
            PartKind::Pointer => "pointer",
            PartKind::Value => "value",
        }
    }
}

/// One part of a functor.
#[derive(Debug, Clone, Copy)]
pub struct Part<'ctx> {
    /// What it is.
    pub kind: PartKind,
    /// Its IR type.
    pub ty: BasicTypeEnum<'ctx>,
    /// Its place in the functor, in bytes.
    pub offset: u64,
    /// Its size in bytes.
    pub size: u64,
    /// How the elements of local memory are aligned, in bytes, where its accessor tells it.
    pub element_alignment: Option<u32>,
}

/// The parts of a functor, in the order of their offsets.
#[must_use]
pub fn of_functor<'ctx>(functor: BasicTypeEnum<'ctx>, data: &TargetData) -> Vec<Part<'ctx>> {
    let mut parts = Vec::new();
    match functor {
        BasicTypeEnum::StructType(ty) if memory_kind(ty).is_none() => {
            take_fields(ty, 0, data, &mut parts);
        }
        _ => take_apart(functor, 0, data, &mut parts),
    }
    parts
}

fn take_apart<'ctx>(
    ty: BasicTypeEnum<'ctx>,
    offset: u64,
    data: &TargetData,
    parts: &mut Vec<Part<'ctx>>,
) {
    let mut element_alignment = None;
    let kind = match ty {
        BasicTypeEnum::StructType(ty) => match memory_kind(ty) {
            Some((kind, alignment)) => {
                element_alignment = alignment;
                kind
            }
            None if holds_memory(ty.into()) => return take_fields(ty, offset, data, parts),
            None => PartKind::Value,
        },
        BasicTypeEnum::ArrayType(array) if holds_memory(ty) => {
            let element = array.get_element_type();
            let stride = data.get_abi_size(&element);
            for index in 0..u64::from(array.len()) {
                take_apart(element, offset + index * stride, data, parts);
            }
            return;
        }
        BasicTypeEnum::PointerType(_) => PartKind::Pointer,
        _ => PartKind::Value,
    };
    // A pointer into local or private memory means nothing to the host: it is only bytes.
    let kind = match (kind, ty) {
        (PartKind::Pointer, BasicTypeEnum::PointerType(pointer))
            if !is_visible_to_host(pointer) =>
        {
            PartKind::Value
        }
        (kind, _) => kind,
    };
    let size = data.get_abi_size(&ty);
    if size > 0 {
        parts.push(Part {
            kind,
            ty,
            offset,
            size,
            element_alignment,
        });
    }
}

/// Generic and global pointers are.
fn is_visible_to_host(pointer: PointerType<'_>) -> bool {
    [0, 1, 4]
        .map(AddressSpace::from)
        .contains(&pointer.get_address_space())
}

fn take_fields<'ctx>(
    ty: StructType<'ctx>,
    offset: u64,
    data: &TargetData,
    parts: &mut Vec<Part<'ctx>>,
) {
    for (index, field) in (0..).zip(ty.get_field_types_iter()) {
        let place = data.offset_of_element(&ty, index).unwrap_or(0);
        take_apart(field, offset + place, data, parts);
    }
}

/// Whether a type is a memory object, or holds one at any depth.
fn holds_memory(ty: BasicTypeEnum<'_>) -> bool {
    match ty {
        BasicTypeEnum::StructType(ty) => {
            memory_kind(ty).is_some() || ty.get_field_types_iter().any(holds_memory)
        }
        BasicTypeEnum::ArrayType(array) => {
            !array.is_empty() && holds_memory(array.get_element_type())
        }
        _ => false,
    }
}

/// What a memory object is, and how its elements are aligned, where its name says it.
fn memory_kind(ty: StructType<'_>) -> Option<(PartKind, Option<u32>)> {
    let name = ty.get_name()?.to_str().ok()?;
    let name = name
        .strip_prefix("struct.")
        .or_else(|| name.strip_prefix("class."))?;
    // LLVM numbers the second type of a name: `….global_memory.12`.
    let plain = match name.rsplit_once('.') {
        Some((plain, number)) if number.bytes().all(|b| b.is_ascii_digit()) => plain,
        _ => name,
    };
    match plain {
        GLOBAL_MEMORY => Some((PartKind::Accessor, None)),
        LOCAL_MEMORY => Some((PartKind::LocalAccessor, None)),
        _ => {
            let bytes = plain.strip_prefix(LOCAL_MEMORY)?.strip_prefix("_of_")?;
            Some((PartKind::LocalAccessor, Some(bytes.parse().ok()?)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{context, read};

    #[test]
    fn local_memory_tells_how_its_elements_are_aligned() {
        let context = context();
        let text = "%\"struct.sycl::detail::local_memory\" = type { ptr addrspace(3), [3 x i64] }\n\
             %\"struct.sycl::detail::local_memory_of_16.7\" = type { %\"struct.sycl::detail::local_memory\" }\n\
             %class.accessor = type { %\"struct.sycl::detail::local_memory_of_16.7\" }\n\
             %functor = type { i32, %class.accessor, %\"struct.sycl::detail::local_memory\" }\n\
             @kept = external global %functor\n";
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        let functor = module.get_struct_type("functor").unwrap();
        let data = TargetData::create("e-p:64:64-i64:64");
        let parts = of_functor(functor.into(), &data);
        let told = parts
            .iter()
            .map(|part| (part.kind, part.offset, part.size, part.element_alignment));
        let told: Vec<_> = told.collect();
        let expected = [
            (PartKind::Value, 0, 4, None),
            (PartKind::LocalAccessor, 8, 32, Some(16)),
            (PartKind::LocalAccessor, 40, 32, None),
        ];
        assert_eq!(told, expected);
    }
}

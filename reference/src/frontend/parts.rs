//! A kernel functor taken apart: which parts of it become parameters of the entry point
//! (ARCHITECTURE.md, "Headers to front end").

use inkwell::AddressSpace;
use inkwell::targets::TargetData;
use inkwell::types::{BasicTypeEnum, PointerType, StructType};

/// The IR name of the memory object behind an accessor, less clang's `struct.` or `class.`.
const GLOBAL_MEMORY: &str = "sycl::detail::global_memory";
/// The IR name of the memory object behind a local accessor.
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
    let kind = match ty {
        BasicTypeEnum::StructType(ty) => match memory_kind(ty) {
            Some(kind) => kind,
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

fn memory_kind(ty: StructType<'_>) -> Option<PartKind> {
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
        GLOBAL_MEMORY => Some(PartKind::Accessor),
        LOCAL_MEMORY => Some(PartKind::LocalAccessor),
        _ => None,
    }
}

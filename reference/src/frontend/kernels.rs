//! Kernel wrappers become entry points: functions that the host can call, which rebuild the functor
//! from their parameters and go on as the wrapper did (OFF, "Lowering of lambda function objects").

use std::collections::HashMap;

use inkwell::AddressSpace;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::{Builder, BuilderError};
use inkwell::llvm_sys::core::{LLVMGetPoison, LLVMReplaceAllUsesWith, LLVMTypeOf};
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetData;
use inkwell::types::{AnyType as _, BasicMetadataTypeEnum, BasicTypeEnum};
use inkwell::values::{
    AsValueRef as _, BasicValueEnum, FunctionValue, InstructionOpcode, PointerValue,
};
use offload_formats::kernel_functor;

use super::annotations::{self, Annotation, Argument};
use super::diagnostics::Diagnostic;
use super::parts::{self, Part, PartKind};
use super::units::Wrappers;
pub use crate::llvm::nvptx::is_for as is_nvptx;
use crate::llvm::values::{self, PTX_KERNEL, SPIR_KERNEL};
use crate::llvm::{attributes, demangle};

/// The address space of global memory, the same in SPIR-V's and NVPTX's numbering.
const GLOBAL: u16 = 1;
/// The address space of local (NVPTX: shared) memory.
pub const LOCAL: u16 = 3;

/// The symbol that stands for all local memory of a work-group in PTX, which a launch gives its size.
pub const PTX_LOCAL_MEMORY: &str = "__plumbline_local_memory";
/// What the parts of it that accessors have are aligned to at most: the longest vector of SYCL's.
const PTX_LOCAL_ALIGNMENT: u32 = 128;

/// The attribute of a parameter of PTX that is the range of a local accessor.
pub const LOCAL_RANGE: &str = "plumbline-local-range";

/// The attribute of a parameter of PTX that is the kernel's iteration space.
pub const ITERATION_SPACE: &str = "plumbline-iteration-space";

/// A kernel of the device module.
#[derive(Debug, Clone)]
pub struct Kernel<'ctx> {
    /// The kernel's name, the symbol of its entry point.
    pub name: String,
    /// The entry point.
    pub entry: FunctionValue<'ctx>,
    /// The size of the functor in bytes.
    pub functor_size: u64,
    /// The functor's parts, in the order of the entry point's parameters.
    pub parts: Vec<Part<'ctx>>,
    /// What it was made of ([`offload_formats::kernel_functor`]).
    pub made_of: String,
    /// Whether the name carries the tag of its translation unit.
    pub is_local: bool,
    /// Whether it asks for memory whose size starts of other kernels say ([`scratch`](super::scratch)).
    pub lacks_scratch: bool,
}

/// The function attribute that tells what a kernel was made of: two kernels of one name must have the
/// same. The text goes on with a blank and the wrapper's symbol.
pub const FUNCTOR: &str = "plumbline-functor";

/// What an image says a kernel was made of; none for kernels of other front ends.
#[must_use]
pub fn made_of(kernel: FunctionValue<'_>) -> Option<String> {
    let text = attributes::of_function(kernel, FUNCTOR)?;
    let (made_of, _symbol) = text.rsplit_once(' ')?;
    Some(made_of.to_owned())
}

/// Why a kernel wrapper cannot become an entry point.
#[derive(Debug, thiserror::Error)]
pub enum KernelError {
    /// What carries a wrapper's annotation is no function.
    #[error("'{0}' is annotated as a kernel wrapper but is no function")]
    NoFunction(String),
    /// The annotation of a wrapper has no name.
    #[error("the kernel wrapper '{0}' carries no kernel name")]
    NoName(String),
    /// The functor does not come as a plain copy.
    #[error("kernel '{}' cannot be copied to a device: what it captures is no plain bytes", demangle::demangled(.0))]
    NotCopied(String),
    /// The wrapper takes more than a functor and, for PTX, the iteration space.
    #[error("the wrapper of kernel '{}' takes more than a functor", demangle::demangled(.0))]
    Parameters(String),
    /// LLVM refused an instruction.
    #[error("kernel '{0}': {1}")]
    Build(String, BuilderError),
}

/// Makes the entry point of the wrapper that `annotation` stands on; the wrapper is gone then.
/// A name that other units may use too gets `tag`.
///
/// # Errors
/// When the wrapper breaks the contract with the headers.
pub fn lower<'ctx>(
    module: &Module<'ctx>,
    annotation: &Annotation<'ctx>,
    wrappers: &Wrappers,
    tag: &str,
) -> Result<Kernel<'ctx>, KernelError> {
    let symbol = || values::name(annotation.entity);
    let wrapper = annotation
        .function()
        .ok_or_else(|| KernelError::NoFunction(symbol()))?;
    let mut name = name(annotation).ok_or_else(|| KernelError::NoName(symbol()))?;
    let symbol = symbol();
    let is_local = wrappers.has_local_name(&symbol);
    if is_local {
        name.push_str(tag);
    }
    let functor = copied(wrapper, 0).ok_or_else(|| KernelError::NotCopied(name.clone()))?;
    let space = match wrapper.count_params() {
        0 | 1 => None,
        2 if is_nvptx(module) => copied(wrapper, 1),
        _ => return Err(KernelError::Parameters(name)),
    };
    let data = TargetData::create(&module.get_data_layout().as_str().to_string_lossy());
    let parts = parts::of_functor(functor, &data);
    let mut parameters: Vec<_> = parts
        .iter()
        .flat_map(|p| parameters(module, p, &data))
        .collect();
    parameters.extend(space.map(|ty| Parameter {
        mark: Some(ITERATION_SPACE),
        ..Parameter::copied(module, ty, data.get_abi_alignment(&ty))
    }));
    let entry = declare(module, &name, wrapper, &parameters);
    let functor_size = data.get_abi_size(&functor);
    let place = wrappers.place(&symbol).unwrap_or("?");
    let described = parts.iter().map(|p| (p.kind.name(), p.size, p.offset));
    let made_of = kernel_functor::describe(place, functor_size, described);
    attributes::set_on_function(entry, FUNCTOR, &format!("{made_of} {symbol}"));
    take_body(wrapper, entry);
    rebuild_functor(module, entry, wrapper, functor, &parts, &data)
        .map_err(|error| KernelError::Build(name.clone(), error))?;
    let value = wrapper.as_value_ref();
    // SAFETY: the wrapper has no body any more. Annotations that named it are gone; what is left is
    // host code, which clang writes along with its static variables and outlining drops.
    unsafe {
        LLVMReplaceAllUsesWith(value, LLVMGetPoison(LLVMTypeOf(value)));
        wrapper.delete();
    };
    Ok(Kernel {
        name,
        entry,
        functor_size,
        parts,
        made_of,
        is_local,
        lacks_scratch: false,
    })
}

/// The type that a wrapper takes by value as a parameter.
fn copied(wrapper: FunctionValue<'_>, parameter: u32) -> Option<BasicTypeEnum<'_>> {
    if wrapper.count_params() <= parameter {
        return None;
    }
    BasicTypeEnum::try_from(attributes::by_value(wrapper, parameter)?).ok()
}

fn declare<'ctx>(
    module: &Module<'ctx>,
    name: &str,
    wrapper: FunctionValue<'ctx>,
    parameters: &[Parameter<'ctx>],
) -> FunctionValue<'ctx> {
    let context = module.get_context();
    let types: Vec<_> = parameters.iter().map(|p| p.ty).collect();
    let ty = context.void_type().fn_type(&types, false);
    let entry = module.add_function(name, ty, Some(Linkage::WeakODR));
    for (index, value) in (0..).zip(entry.get_param_iter()) {
        value.set_name(&format!("_arg_{index}"));
    }
    entry.set_call_conventions(match is_nvptx(module) {
        true => PTX_KERNEL,
        false => SPIR_KERNEL,
    });
    for attribute in wrapper.attributes(AttributeLoc::Function) {
        entry.add_attribute(AttributeLoc::Function, attribute);
    }
    let by_value = Attribute::get_named_enum_kind_id("byval");
    for (index, parameter) in (0..).zip(parameters) {
        if let Some(copied) = parameter.copied {
            let attribute = context.create_type_attribute(by_value, copied.as_any_type_enum());
            entry.add_attribute(AttributeLoc::Param(index), attribute);
        }
        if let Some(alignment) = parameter.alignment {
            entry.set_param_alignment(index, alignment);
        }
        if let Some(mark) = parameter.mark {
            let attribute = context.create_string_attribute(mark, "");
            entry.add_attribute(AttributeLoc::Param(index), attribute);
        }
    }
    if let Some(subprogram) = wrapper.get_subprogram() {
        entry.set_subprogram(subprogram);
    }
    entry
}

/// One parameter of an entry point.
struct Parameter<'ctx> {
    ty: BasicMetadataTypeEnum<'ctx>,
    /// The type behind the pointer, when the parameter is a copy of bytes.
    copied: Option<BasicTypeEnum<'ctx>>,
    /// How what it points to is aligned, in bytes, where that is known.
    alignment: Option<u32>,
    /// What PTX's kernels have there, where that is to be known later.
    mark: Option<&'static str>,
}

impl<'ctx> Parameter<'ctx> {
    fn plain(ty: BasicTypeEnum<'ctx>) -> Self {
        Parameter {
            ty: ty.into(),
            copied: None,
            alignment: None,
            mark: None,
        }
    }

    fn copied(module: &Module<'ctx>, ty: BasicTypeEnum<'ctx>, alignment: u32) -> Self {
        let context = module.get_context();
        Parameter {
            ty: context.ptr_type(AddressSpace::default()).into(),
            // Device compilers copy structures; to some of them a pointer to anything else is a
            // pointer.
            copied: Some(match ty {
                BasicTypeEnum::StructType(_) => ty,
                _ => context.struct_type(&[ty], false).into(),
            }),
            alignment: Some(alignment),
            mark: None,
        }
    }
}

fn parameters<'ctx>(
    module: &Module<'ctx>,
    part: &Part<'ctx>,
    data: &TargetData,
) -> Vec<Parameter<'ctx>> {
    let context = module.get_context();
    let plain = Parameter::plain;
    let pointer = |space: u16| plain(context.ptr_type(AddressSpace::from(space)).into());
    let copied = |ty, alignment| Parameter::copied(module, ty, alignment);
    let sizes = || {
        let three = context.i64_type().array_type(3);
        copied(three.into(), data.get_abi_alignment(&three))
    };
    match part.kind {
        PartKind::Accessor => vec![pointer(GLOBAL), sizes(), sizes(), sizes()],
        // CUDA has one piece of local memory for a launch; the accessor has an offset into it, the
        // first one 0.
        PartKind::LocalAccessor if is_nvptx(module) => {
            let range = Parameter {
                mark: Some(LOCAL_RANGE),
                ..sizes()
            };
            vec![plain(context.i64_type().into()), range]
        }
        // Drivers place it so. Intel's for processors looks for what it may be used as where this is not told,
        // through all that is computed from it, round loops for ever.
        PartKind::LocalAccessor => {
            let first = Parameter {
                alignment: part.element_alignment,
                ..pointer(LOCAL)
            };
            vec![first, sizes()]
        }
        PartKind::Pointer => vec![pointer(GLOBAL)],
        PartKind::Value => match part.ty {
            BasicTypeEnum::IntType(_) | BasicTypeEnum::FloatType(_) => vec![plain(part.ty)],
            _ => vec![copied(part.ty, copy_alignment(part, data))],
        },
    }
}

/// How the copy of a value is aligned that a kernel gets. clang writes ordinary classes packed, if they end
/// in padding that others may use, and those are aligned to nothing: a pointer among them would be read byte by byte.
fn copy_alignment(part: &Part<'_>, data: &TargetData) -> u32 {
    let of_type = data.get_abi_alignment(&part.ty);
    of_type.max(alignment_at(part.offset).min(widest(part.ty, data)))
}

/// The alignment of the member of a value that has most.
fn widest(ty: BasicTypeEnum<'_>, data: &TargetData) -> u32 {
    match ty {
        BasicTypeEnum::StructType(members) => {
            let each = members.get_field_types_iter().map(|ty| widest(ty, data));
            each.max().unwrap_or(1)
        }
        BasicTypeEnum::ArrayType(elements) => widest(elements.get_element_type(), data),
        _ => data.get_abi_alignment(&ty),
    }
}

fn take_body(wrapper: FunctionValue<'_>, entry: FunctionValue<'_>) {
    for block in wrapper.get_basic_blocks() {
        if block.remove_from_function().is_ok() {
            entry.append_existing_basic_block(block);
        }
    }
}

/// Puts a functor at the head of the entry point's body, fills it from the parameters, and lets the
/// body use it in place of the wrapper's parameter.
fn rebuild_functor<'ctx>(
    module: &Module<'ctx>,
    entry: FunctionValue<'ctx>,
    wrapper: FunctionValue<'ctx>,
    functor: BasicTypeEnum<'ctx>,
    parts: &[Part<'ctx>],
    data: &TargetData,
) -> Result<(), BuilderError> {
    let builder = module.get_context().create_builder();
    let Some(block) = entry.get_first_basic_block() else {
        return Ok(());
    };
    if let Some(first) = block.get_first_instruction() {
        builder.position_before(&first);
    }
    let object = builder.build_alloca(functor, "functor")?;
    if let Some(instruction) = object.as_instruction() {
        let _ = instruction.set_alignment(FUNCTOR_ALIGNMENT.max(alignment_of(wrapper)));
    }
    // Both SPIR-V writers want a function's variables before anything else in it.
    let after = block
        .get_instructions()
        .find(|i| i.get_opcode() != InstructionOpcode::Alloca);
    if let Some(after) = after {
        builder.position_before(&after);
    }
    if let Some(parameter) = wrapper.get_first_param() {
        parameter.into_pointer_value().replace_all_uses_with(object);
    }
    let filler = Filler {
        module,
        builder: &builder,
        data,
        object,
    };
    let mut values = entry.get_param_iter();
    let local = |part: &&Part<'_>| part.kind == PartKind::LocalAccessor;
    let first_local = parts.iter().find(local).map(|part| part.offset);
    for part in parts {
        let is_first_local = Some(part.offset) == first_local;
        filler.fill(part, is_first_local, &mut values)?;
    }
    // The iteration space stays where it comes in.
    if let (Some(space), Some(given)) = (wrapper.get_nth_param(1), values.next()) {
        let given = given.into_pointer_value();
        space.into_pointer_value().replace_all_uses_with(given);
    }
    Ok(())
}

fn alignment_of(wrapper: FunctionValue<'_>) -> u32 {
    let align = Attribute::get_named_enum_kind_id("align");
    wrapper
        .get_enum_attribute(AttributeLoc::Param(0), align)
        .and_then(|attribute| u32::try_from(attribute.get_enum_value()).ok())
        .unwrap_or(1)
}

/// Writes parameters into the functor.
struct Filler<'a, 'ctx> {
    module: &'a Module<'ctx>,
    builder: &'a Builder<'ctx>,
    data: &'a TargetData,
    object: PointerValue<'ctx>,
}

/// What every functor is aligned to at least.
const FUNCTOR_ALIGNMENT: u32 = 8;

/// The alignment that an offset in a functor has for certain.
fn alignment_at(offset: u64) -> u32 {
    match offset.trailing_zeros() {
        0 => 1,
        1 => 2,
        2 => 4,
        _ => FUNCTOR_ALIGNMENT,
    }
}

impl<'ctx> Filler<'_, 'ctx> {
    /// Fills in a part; the first local accessor of PTX has the beginning of local memory.
    fn fill(
        &self,
        part: &Part<'ctx>,
        is_first_local: bool,
        values: &mut impl Iterator<Item = BasicValueEnum<'ctx>>,
    ) -> Result<(), BuilderError> {
        let mut offset = part.offset;
        for parameter in parameters(self.module, part, self.data) {
            let Some(value) = values.next() else {
                return Ok(());
            };
            let place = self.place(offset)?;
            match (parameter.copied, part.ty) {
                (Some(ty), _) => {
                    let size = self.data.get_abi_size(&ty);
                    let from = value.into_pointer_value();
                    self.builder.build_memcpy(
                        place,
                        alignment_at(offset),
                        from,
                        parameter.alignment.unwrap_or(1),
                        self.bytes(size),
                    )?;
                    offset += size;
                }
                // A pointer of the functor is generic; the parameter is a global one.
                (None, BasicTypeEnum::PointerType(generic)) => {
                    let value = value.into_pointer_value();
                    let cast = match value.get_type() == generic {
                        true => value,
                        false => self.builder.build_address_space_cast(value, generic, "")?,
                    };
                    self.store(place, cast.into(), offset)?;
                }
                (None, _) => {
                    let value = match (part.kind, value) {
                        (PartKind::LocalAccessor, BasicValueEnum::IntValue(start)) => {
                            self.ptx_local_memory(start, is_first_local)?
                        }
                        _ => value,
                    };
                    self.store(place, value, offset)?;
                    // The sizes of a memory object stand behind its pointer.
                    offset += self.data.get_abi_size(&value.get_type());
                }
            }
        }
        Ok(())
    }

    fn store(
        &self,
        place: PointerValue<'ctx>,
        value: BasicValueEnum<'ctx>,
        offset: u64,
    ) -> Result<(), BuilderError> {
        let store = self.builder.build_store(place, value)?;
        let natural = self.data.get_abi_alignment(&value.get_type());
        // Fields of packed structures stand where they like.
        let _ = store.set_alignment(natural.min(alignment_at(offset)));
        Ok(())
    }

    fn place(&self, offset: u64) -> Result<PointerValue<'ctx>, BuilderError> {
        if offset == 0 {
            return Ok(self.object);
        }
        let byte = self.module.get_context().i8_type();
        // SAFETY: the offset is that of a part, which lies inside the functor.
        unsafe {
            self.builder
                .build_in_bounds_gep(byte, self.object, &[self.bytes(offset)], "")
        }
    }

    /// The place in PTX's local memory that begins after so many bytes, none where it is the first.
    fn ptx_local_memory(
        &self,
        start: inkwell::values::IntValue<'ctx>,
        is_first: bool,
    ) -> Result<BasicValueEnum<'ctx>, BuilderError> {
        let byte = self.module.get_context().i8_type();
        let all = self.module.get_global(PTX_LOCAL_MEMORY).unwrap_or_else(|| {
            let space = Some(AddressSpace::from(LOCAL));
            let all = self
                .module
                .add_global(byte.array_type(0), space, PTX_LOCAL_MEMORY);
            all.set_linkage(Linkage::External);
            all.set_alignment(PTX_LOCAL_ALIGNMENT);
            all
        });
        if is_first {
            return Ok(all.as_pointer_value().into());
        }
        // Launches align each to that; said so, what lies behind is read in as long words as it may be.
        let aligned = !u64::from(PTX_LOCAL_ALIGNMENT - 1);
        let start = self.builder.build_and(start, self.bytes(aligned), "")?;
        // SAFETY: the launch asks for as much memory as the offsets and sizes need.
        let place = unsafe {
            self.builder
                .build_gep(byte, all.as_pointer_value(), &[start], "")?
        };
        Ok(place.into())
    }

    fn bytes(&self, count: u64) -> inkwell::values::IntValue<'ctx> {
        self.module.get_context().i64_type().const_int(count, false)
    }
}

/// An error for each kernel whose name another one has already.
#[must_use]
pub fn duplicates(annotations: &[Annotation<'_>]) -> Vec<Diagnostic> {
    let mut first = HashMap::new();
    let mut found = Vec::new();
    for wrapper in wrappers(annotations) {
        let Some(name) = name(wrapper) else { continue };
        let symbol = values::name(wrapper.entity);
        match first.get(&name) {
            None => {
                first.insert(name, symbol);
            }
            Some(other) => {
                let message = format!("two kernels have the name '{}'", demangle::demangled(&name));
                let mut error = Diagnostic::error(wrapper.location.clone(), message);
                for symbol in [other, &symbol] {
                    error
                        .notes
                        .push(format!("  {}", demangle::demangled(symbol)));
                }
                found.push(error);
            }
        }
    }
    found
}

/// The name of the kernel that a wrapper is for.
#[must_use]
pub fn name(wrapper: &Annotation<'_>) -> Option<String> {
    match wrapper.arguments.first() {
        Some(Argument::Text(name)) => Some(name.clone()),
        _ => None,
    }
}

/// The annotations of kernel wrappers among `all`.
pub fn wrappers<'a, 'ctx>(
    all: &'a [Annotation<'ctx>],
) -> impl Iterator<Item = &'a Annotation<'ctx>> {
    all.iter().filter(|a| a.name == annotations::KERNEL)
}

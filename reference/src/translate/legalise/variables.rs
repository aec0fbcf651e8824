//! Variables of functions that hold pointers. LLVM 22's SPIR-V back end guesses what pointers point to, and
//! takes a variable whose first pointer is loaded, or that an array of pointers is indexed in, for one that it
//! knows too little of: whatever else is done with it next decides how large it is. One that is then read by
//! its bytes is one byte, and what else is kept in it overwrites others. The same holds of what kernels are handed
//! as copies. What lets it guess goes by the address of the first byte instead, of which it guesses
//! nothing; and a pointer that is kept as more than a pointer is bytes. Variables of local memory are what the
//! first use says that has a say, which must not be a choice between two of them: a function that has any begins
//! with their addresses.

use std::collections::HashMap;

use inkwell::AddressSpace;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::{Builder, BuilderError};
use inkwell::module::Module;
use inkwell::targets::TargetData;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    AnyValue as _, AnyValueEnum, AsValueRef as _, BasicValue as _, BasicValueEnum, FunctionValue,
    GlobalValue, InstructionOpcode, InstructionValue, PointerValue,
};

use crate::frontend::kernels::LOCAL;
use crate::llvm::graph::Graph;
use crate::llvm::{LlvmError, calls, values};

/// Lets what holds pointers be named by its bytes.
///
/// # Errors
/// When LLVM refuses an instruction, or a function's body cannot be read.
pub(super) fn mend(module: &Module<'_>) -> Result<(), String> {
    let refused = |error: BuilderError| error.to_string();
    let data = TargetData::create(&module.get_data_layout().as_str().to_string_lossy());
    let builder = module.get_context().create_builder();
    for function in values::defined_functions(module) {
        for object in copies(function).into_iter().chain(variables(function)) {
            if !object.is_guessed() {
                continue;
            }
            let object = object.as_bytes(&builder, &data).map_err(refused)?;
            name_by_bytes(object, &builder).map_err(refused)?;
        }
    }
    for (function, variables) in of_local_memory(module).map_err(|error| error.to_string())? {
        tell(function, variables, &builder).map_err(refused)?;
    }
    Ok(())
}

/// The variables of local memory that each function mentions. They have no initializers, off which the back end
/// would read what they are.
fn of_local_memory<'ctx>(
    module: &Module<'ctx>,
) -> Result<Vec<(FunctionValue<'ctx>, Vec<PointerValue<'ctx>>)>, LlvmError> {
    let variables: HashMap<_, _> = module
        .get_globals()
        .map(GlobalValue::as_pointer_value)
        .filter(|address| address.get_type().get_address_space() == AddressSpace::from(LOCAL))
        .map(|address| (address.as_value_ref(), address))
        .collect();
    if variables.is_empty() {
        return Ok(Vec::new());
    }
    let mut graph = Graph::new(module);
    let mut mentioned = Vec::new();
    for function in values::defined_functions(module) {
        let Some(id) = graph.id(function.as_global_value()) else {
            continue;
        };
        let all = graph.mentions(id)?.to_vec();
        let globals = all.into_iter().filter_map(|id| graph.global(id));
        let own = globals.filter_map(|global| variables.get(&global.as_value_ref()));
        mentioned.push((function, own.copied().collect()));
    }
    Ok(mentioned)
}

/// Has a function say of variables what they are before it does anything with them.
fn tell<'ctx>(
    function: FunctionValue<'ctx>,
    variables: Vec<PointerValue<'ctx>>,
    builder: &Builder<'ctx>,
) -> Result<(), BuilderError> {
    let entry = function.get_first_basic_block();
    let first = entry.and_then(|entry| entry.get_first_instruction());
    let mut after = std::iter::successors(first, |i| i.get_next_instruction())
        .skip_while(|i| i.get_opcode() == InstructionOpcode::Alloca);
    let (Some(after), false) = (after.next(), variables.is_empty()) else {
        return Ok(());
    };
    builder.position_before(&after);
    let context = function.get_type().get_context();
    let zero = values::opaque_zero(builder, context.i64_type());
    for variable in variables {
        values::byte_within(builder, variable, zero)?;
    }
    Ok(())
}

/// What a function has memory for.
#[derive(Clone, Copy)]
struct Object<'ctx> {
    address: PointerValue<'ctx>,
    /// The pointer's own type, where it is no more than a pointer.
    single: Option<BasicTypeEnum<'ctx>>,
}

/// The parameters that a function has copies of.
fn copies(function: FunctionValue<'_>) -> Vec<Object<'_>> {
    let by_value = Attribute::get_named_enum_kind_id("byval");
    let is_copy = |index| {
        let place = AttributeLoc::Param(index);
        function.get_enum_attribute(place, by_value).is_some()
    };
    let parameters = (0..).zip(function.get_param_iter());
    let copies = parameters.filter_map(|(index, parameter)| match parameter {
        BasicValueEnum::PointerValue(address) if is_copy(index) => Some(Object {
            address,
            single: None,
        }),
        _ => None,
    });
    copies.collect()
}

fn variables(function: FunctionValue<'_>) -> Vec<Object<'_>> {
    let variables = values::instructions(function)
        .filter(|instruction| instruction.get_opcode() == InstructionOpcode::Alloca);
    let variables = variables.filter_map(|variable| {
        let address = PointerValue::try_from(variable.as_any_value_enum()).ok()?;
        let single = variable.get_allocated_type().ok();
        Some(Object {
            address,
            single: single.filter(|allocated| allocated.is_pointer_type()),
        })
    });
    variables.collect()
}

impl<'ctx> Object<'ctx> {
    /// Whether the back end may change its mind on what this is.
    fn is_guessed(self) -> bool {
        let mut users = users(self.address).into_iter();
        match self.single {
            None => users.any(has_it_guess),
            Some(_) => users.any(|user| !takes_a_pointer(user)),
        }
    }

    /// The same, with nothing to guess of it.
    fn as_bytes(
        self,
        builder: &Builder<'ctx>,
        data: &TargetData,
    ) -> Result<PointerValue<'ctx>, BuilderError> {
        let (Some(pointer), Some(variable)) = (self.single, self.address.as_instruction()) else {
            return Ok(self.address);
        };
        builder.position_before(&variable);
        let length = u32::try_from(data.get_store_size(&pointer)).unwrap_or_default();
        let byte = variable.get_type().into_pointer_type().get_context();
        let bytes = builder.build_alloca(byte.i8_type().array_type(length), "")?;
        if let (Some(made), Ok(align)) = (bytes.as_instruction(), variable.get_alignment()) {
            // It was one before.
            let _ = made.set_alignment(align);
        }
        calls::replace(variable, bytes.into());
        Ok(bytes)
    }
}

/// The instructions that use an address, but for those that tell when a variable lives.
fn users(address: PointerValue<'_>) -> Vec<InstructionValue<'_>> {
    let uses = std::iter::successors(address.get_first_use(), |each| each.get_next_use());
    let users = uses.filter_map(|each| instruction(each.get_user()));
    users.filter(|user| !calls::is_of_lifetime(*user)).collect()
}

fn instruction(value: AnyValueEnum<'_>) -> Option<InstructionValue<'_>> {
    match value {
        AnyValueEnum::InstructionValue(instruction) => Some(instruction),
        AnyValueEnum::ArrayValue(value) => value.as_instruction(),
        AnyValueEnum::IntValue(value) => value.as_instruction(),
        AnyValueEnum::FloatValue(value) => value.as_instruction(),
        AnyValueEnum::PhiValue(value) => Some(value.as_instruction()),
        AnyValueEnum::PointerValue(value) => value.as_instruction(),
        AnyValueEnum::StructValue(value) => value.as_instruction(),
        AnyValueEnum::VectorValue(value) => value.as_instruction(),
        _ => None,
    }
}

/// Whether it takes a variable that this is done with for one that it knows too little of.
fn has_it_guess(user: InstructionValue<'_>) -> bool {
    match user.get_opcode() {
        InstructionOpcode::Load => user.get_type().is_pointer_type(),
        InstructionOpcode::GetElementPtr => {
            user.get_gep_source_element_type().is_ok_and(holds_pointers)
        }
        _ => false,
    }
}

fn holds_pointers(kind: BasicTypeEnum<'_>) -> bool {
    match kind {
        BasicTypeEnum::PointerType(_) => true,
        BasicTypeEnum::ArrayType(array) => holds_pointers(array.get_element_type()),
        BasicTypeEnum::StructType(fields) => fields.get_field_types_iter().any(holds_pointers),
        BasicTypeEnum::VectorType(vector) => holds_pointers(vector.get_element_type()),
        _ => false,
    }
}

/// Whether a pointer in memory is used as no more than that.
fn takes_a_pointer(user: InstructionValue<'_>) -> bool {
    match user.get_opcode() {
        InstructionOpcode::Load => user.get_type().is_pointer_type(),
        // Of the pointer that is kept, or of where the variable is.
        InstructionOpcode::Store => user
            .get_operand(0)
            .and_then(|kept| kept.value())
            .is_some_and(|kept| kept.is_pointer_value()),
        _ => false,
    }
}

/// Has what lets an object be guessed go by the address of its first byte.
fn name_by_bytes<'ctx>(
    object: PointerValue<'ctx>,
    builder: &Builder<'ctx>,
) -> Result<(), BuilderError> {
    let none = object.get_type().get_context().i64_type().const_zero();
    for user in users(object).into_iter().filter(|user| has_it_guess(*user)) {
        // At each place anew: compilers that keep addresses across barriers keep none more.
        builder.position_before(&user);
        user.set_operand(0, values::byte_within(builder, object, none)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    #[test]
    fn a_pointer_at_the_beginning_of_a_variable_is_not_all_of_it() {
        let after = legal(
            "%both = type { ptr addrspace(4), i16 }\n\
             define ptr addrspace(4) @f(ptr addrspace(4) %x, i16 %y) {\n\
               %own = alloca %both\n\
               %single = alloca ptr addrspace(4)\n\
               store ptr addrspace(4) %x, ptr %single\n\
               %place = getelementptr i8, ptr %own, i64 8\n\
               store i16 %y, ptr %place\n\
               %a = load ptr addrspace(4), ptr %own\n\
               %b = load ptr addrspace(4), ptr %single\n\
               %c = load i16, ptr %own\n\
               %r = select i1 true, ptr addrspace(4) %a, ptr addrspace(4) %b\n\
               ret ptr addrspace(4) %r\n}\n",
        );
        let first = "getelementptr inbounds i8, ptr %own, i64 0";
        assert_eq!(after.matches(first).count(), 1, "{after}");
        assert!(
            !after.contains("load ptr addrspace(4), ptr %own"),
            "{after}"
        );
        assert!(
            after.contains("%b = load ptr addrspace(4), ptr %single"),
            "{after}"
        );
    }

    #[test]
    fn an_array_of_pointers_that_is_indexed_and_read_elsewhere_keeps_its_size() {
        let after = legal(
            "define ptr addrspace(4) @f(i64 %i, ptr addrspace(4) %x) {\n\
               %own = alloca [4 x ptr addrspace(4)]\n\
               call void @llvm.lifetime.start.p0(i64 32, ptr %own)\n\
               %at = getelementptr [4 x ptr addrspace(4)], ptr %own, i64 0, i64 %i\n\
               store ptr addrspace(4) %x, ptr %at\n\
               %place = getelementptr i8, ptr %own, i64 8\n\
               %r = load ptr addrspace(4), ptr %place\n\
               ret ptr addrspace(4) %r\n}\n\
             define spir_kernel void @copied(ptr byval([2 x ptr addrspace(4)]) %own, i64 %i) {\n\
               %at = getelementptr [2 x ptr addrspace(4)], ptr %own, i64 0, i64 %i\n\
               store ptr addrspace(4) null, ptr %at\n\
               store i8 0, ptr %own\n  ret void\n}\n\
             declare void @llvm.lifetime.start.p0(i64, ptr)\n",
        );
        // The address of the variable comes from a function.
        for first in ["ptr %3, i64 0", "ptr %own, i64 0"] {
            let first = format!("getelementptr inbounds i8, {first}");
            assert_eq!(after.matches(&first).count(), 1, "{after}");
        }
        assert!(!after.contains("x ptr addrspace(4)], ptr %own,"), "{after}");
    }

    #[test]
    fn variables_of_local_memory_are_told_before_a_choice_between_them() {
        let after = legal(
            "@short = internal addrspace(3) global [8 x i32] undef\n\
             @long = internal addrspace(3) global [64 x i32] undef\n\
             define void @other() {\n  ret void\n}\n\
             define spir_kernel void @f(i1 %c, i64 %i) {\n\
               %p = select i1 %c, ptr addrspace(3) @short, ptr addrspace(3) @long\n\
               %at = getelementptr i32, ptr addrspace(3) %p, i64 %i\n\
               store i32 1, ptr addrspace(3) %at\n  ret void\n}\n",
        );
        for variable in ["@short", "@long"] {
            let told = format!("getelementptr inbounds i8, ptr addrspace(3) {variable}, i64 %");
            assert_eq!(after.matches(&told).count(), 1, "{after}");
            assert!(after.find(&told) < after.find("select"), "{after}");
        }
    }

    #[test]
    fn what_a_function_that_is_always_inlined_copies_keeps_its_size() {
        let after = legal(
            "%many = type { ptr addrspace(4), i32 }\n\
             define internal ptr addrspace(4) @inner(ptr byval(%many) %copy) alwaysinline {\n\
               %first = load ptr addrspace(4), ptr %copy\n\
               ret ptr addrspace(4) %first\n}\n\
             define ptr addrspace(4) @f(ptr %all) {\n\
               %r = call ptr addrspace(4) @inner(ptr byval(%many) %all)\n\
               ret ptr addrspace(4) %r\n}\n",
        );
        let outer = after.split("@f").nth(1).unwrap();
        assert!(outer.contains("alloca %many"), "{after}");
        assert!(!outer.contains("ptr addrspace(4), ptr %copy"), "{after}");
    }

    #[test]
    fn a_pointer_that_is_read_by_its_bytes_is_bytes() {
        let after = legal(
            "define i8 @f(ptr addrspace(4) %x) {\n\
               %own = alloca ptr addrspace(4), align 16\n\
               store ptr addrspace(4) %x, ptr %own\n\
               %r = load i8, ptr %own\n\
               ret i8 %r\n}\n",
        );
        assert!(after.contains("alloca [8 x i8], align 16"), "{after}");
    }
}

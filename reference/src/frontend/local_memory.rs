//! Local memory that calls of a function have (`sycl_ext_oneapi_local_memory`). Each call in the source has
//! memory of its own, also where templates and functions of the headers, or functions that a program says are
//! always inlined, stand between it and the one function that asks: those bodies come into the place of their
//! calls first.

use inkwell::AddressSpace;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::{Linkage, Module};
use inkwell::values::{BasicValueEnum, FunctionValue, InstructionValue};

use super::annotations::{Annotation, IN_PLACE};
use crate::llvm::graph::Graph;
use crate::llvm::{LlvmError, calls};

/// What the headers call: size and alignment in bytes.
const QUERY: &str = "__plumbline_memory_of_call";

/// The number of local memory's address space, in SPIR-V's modules and in PTX's.
pub(super) const LOCAL: u16 = 3;

/// Gives each call local memory.
///
/// # Errors
/// When a size or an alignment is not known, or is none, or a function's body cannot be read.
pub fn place<'ctx>(module: &Module<'ctx>, annotations: &[Annotation<'ctx>]) -> Result<(), String> {
    let Some(query) = module.get_function(QUERY) else {
        return Ok(());
    };
    let in_place = annotations.iter().filter(|each| each.name == IN_PLACE);
    let in_place: Vec<FunctionValue<'_>> = in_place.filter_map(Annotation::function).collect();
    let mut graph = Graph::new(module);
    // They call one another, in no more steps than there are functions.
    for _ in 0..=module.get_functions().count() {
        // In the same order each time, so that the same source gives the same bytes.
        let mut holders = in_place.clone();
        let always = calls::of(query).into_iter().filter_map(holder);
        for function in always.filter(is_always_inlined) {
            if !holders.contains(&function) {
                holders.push(function);
            }
        }
        let mut found = Vec::new();
        for function in holders {
            // What calls itself is refused later, with the functions' names.
            if !calls_itself(&mut graph, function).map_err(|e| e.to_string())? {
                found.extend(calls::of(function));
            }
        }
        let inlined = found.into_iter().map(calls::inline);
        if inlined.filter(|inlined| *inlined).count() == 0 {
            break;
        }
    }
    for call in calls::of(query) {
        let numbers = number(call, 0).zip(number(call, 1));
        let numbers = numbers.and_then(|(size, alignment)| {
            Some((u32::try_from(size).ok()?, u32::try_from(alignment).ok()?))
        });
        let numbers = numbers.filter(|(_, alignment)| alignment.is_power_of_two());
        let Some((size, alignment)) = numbers else {
            let wanted = "a constant below 4 GiB, its alignment a power of two";
            return Err(format!(
                "the size of a call's local memory must be {wanted}"
            ));
        };
        let bytes = module.get_context().i8_type().array_type(size);
        let memory = module.add_global(bytes, Some(AddressSpace::from(LOCAL)), "local_memory");
        memory.set_linkage(Linkage::Internal);
        memory.set_initializer(&bytes.get_undef());
        memory.set_alignment(alignment);
        calls::replace(call, memory.as_pointer_value().into());
    }
    Ok(())
}

/// The function that an instruction is in.
fn holder(call: InstructionValue<'_>) -> Option<FunctionValue<'_>> {
    call.get_parent()?.get_parent()
}

/// Whether a program says that a function has no place of its own, as DPC++ then gives each call of it memory.
fn is_always_inlined(function: &FunctionValue<'_>) -> bool {
    let always = Attribute::get_named_enum_kind_id("alwaysinline");
    function
        .get_enum_attribute(AttributeLoc::Function, always)
        .is_some()
}

/// Whether a function reaches itself.
fn calls_itself<'ctx>(
    graph: &mut Graph<'_, 'ctx>,
    function: FunctionValue<'ctx>,
) -> Result<bool, LlvmError> {
    let Some(own) = graph.id(function.as_global_value()) else {
        return Ok(false);
    };
    let next = graph.mentions(own)?.to_vec();
    Ok(graph.reach(next)?.contains(&own))
}

/// An argument that is a number.
fn number(call: InstructionValue<'_>, argument: u32) -> Option<u64> {
    match call.get_operand(argument)?.value()? {
        BasicValueEnum::IntValue(number) => number.get_zero_extended_constant(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::annotations;
    use super::place;
    use crate::llvm::{context, read, write};

    /// What becomes of a module.
    fn placed(functions: &str) -> String {
        let context = context();
        let text = format!("target triple = \"spir64-unknown-unknown\"\n{functions}");
        let module = read::module(&context, text.as_bytes(), "test").unwrap();
        let annotations = annotations::take(&module);
        place(&module, &annotations).unwrap();
        write::verify(&module).unwrap();
        write::text(&module)
    }

    #[test]
    fn each_call_of_what_is_always_inlined_has_memory_of_its_own() {
        let text = placed(
            "declare ptr addrspace(3) @__plumbline_memory_of_call(i64, i64)
             define linkonce_odr ptr addrspace(3) @inner() alwaysinline {
               %memory = call ptr addrspace(3) @__plumbline_memory_of_call(i64 24, i64 8)
               ret ptr addrspace(3) %memory
             }
             define linkonce_odr ptr addrspace(3) @outer() alwaysinline {
               %memory = call ptr addrspace(3) @inner()
               ret ptr addrspace(3) %memory
             }
             define i1 @same() {
               %one = call ptr addrspace(3) @outer()
               %two = call ptr addrspace(3) @outer()
               %same = icmp eq ptr addrspace(3) %one, %two
               ret i1 %same
             }",
        );
        let (_, same) = text.split_once("@same").unwrap();
        assert!(!same.contains("call "), "{text}");
        let (_, compared) = same.split_once("icmp eq ptr addrspace(3) ").unwrap();
        let (one, two) = compared.lines().next().unwrap().split_once(", ").unwrap();
        assert!(one.starts_with("@local_memory") && two.starts_with("@local_memory"));
        assert_ne!(one, two, "{text}");
    }

    #[test]
    fn functions_that_call_one_another_are_left_to_who_refuses_them() {
        let text = placed(
            "declare ptr addrspace(3) @__plumbline_memory_of_call(i64, i64)
             define void @ping() alwaysinline {
               %memory = call ptr addrspace(3) @__plumbline_memory_of_call(i64 24, i64 8)
               call void @pong()
               call void @pong()
               ret void
             }
             define void @pong() alwaysinline {
               %memory = call ptr addrspace(3) @__plumbline_memory_of_call(i64 24, i64 8)
               call void @ping()
               call void @ping()
               ret void
             }",
        );
        assert_eq!(text.matches("call void @p").count(), 4, "{text}");
    }

    #[test]
    fn each_call_has_memory_of_its_own_through_functions_of_the_headers() {
        let text = placed(
            "@.text = private constant [14 x i8] c\"sycl-in-place\\00\"
             @llvm.global.annotations = appending global [2 x { ptr, ptr, ptr, i32, ptr }] [
               { ptr, ptr, ptr, i32, ptr } { ptr @outer, ptr @.text, ptr null, i32 1, ptr null },
               { ptr, ptr, ptr, i32, ptr } { ptr @inner, ptr @.text, ptr null, i32 1, ptr null }]
             declare ptr addrspace(3) @__plumbline_memory_of_call(i64, i64)
             define linkonce_odr ptr addrspace(3) @inner() {
               %memory = call ptr addrspace(3) @__plumbline_memory_of_call(i64 24, i64 8)
               ret ptr addrspace(3) %memory
             }
             define linkonce_odr ptr addrspace(3) @outer() noinline {
               %memory = call ptr addrspace(3) @inner()
               ret ptr addrspace(3) %memory
             }
             define ptr addrspace(3) @first() {
               %one = call ptr addrspace(3) @outer()
               ret ptr addrspace(3) %one
             }
             define i1 @second() {
               %one = call ptr addrspace(3) @outer()
               %two = call ptr addrspace(3) @inner()
               %same = icmp eq ptr addrspace(3) %one, %two
               ret i1 %same
             }",
        );
        // Three calls, and the two functions of the headers themselves.
        let memories = text.matches("internal addrspace(3) global [24 x i8] undef, align 8");
        assert_eq!(memories.count(), 5, "{text}");
        assert!(!text.contains("call "), "{text}");
    }
}

//! Generic pointers of which a program asks whether they point into an address space. Intel's compiler for GPUs
//! knows that question (`OpGenericCastToPtrExplicit`) of pointers to bytes alone, and links no program that asks
//! it of one to anything else, which LLVM 22's SPIR-V back end makes of what the pointer is used for elsewhere.

use inkwell::builder::BuilderError;
use inkwell::module::Module;
use inkwell::values::BasicValueEnum;

use crate::llvm::{calls, values};

/// What the functions have in their names, mangled or not, that writers take for the instruction.
const QUESTION: &str = "__spirv_GenericCastToPtrExplicit_To";

/// Has the question asked of pointers to bytes.
///
/// # Errors
/// When LLVM refuses an instruction.
pub(super) fn mend(module: &Module<'_>) -> Result<(), BuilderError> {
    let context = module.get_context();
    let (builder, none) = (context.create_builder(), context.i64_type().const_zero());
    let asked = module.get_functions();
    for function in asked.filter(|f| values::function_name(*f).contains(QUESTION)) {
        for call in calls::of(function) {
            let pointer = call.get_operand(0).and_then(|operand| operand.value());
            if let Some(BasicValueEnum::PointerValue(pointer)) = pointer {
                builder.position_before(&call);
                call.set_operand(0, values::byte_within(&builder, pointer, none)?);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    #[test]
    fn where_a_pointer_points_is_asked_of_bytes() {
        let asked = "_Z41__spirv_GenericCastToPtrExplicit_ToGlobalPU3AS4vi";
        let after = legal(&format!(
            "declare spir_func ptr addrspace(1) @{asked}(ptr addrspace(4), i32)\n\
             define ptr addrspace(1) @f(ptr addrspace(4) %x) {{\n\
               store i32 3, ptr addrspace(4) %x\n\
               %r = call spir_func ptr addrspace(1) @{asked}(ptr addrspace(4) %x, i32 5)\n\
               ret ptr addrspace(1) %r\n}}\n",
        ));
        let bytes = "%1 = getelementptr inbounds i8, ptr addrspace(4) %x, i64 0";
        assert!(after.contains(bytes), "{after}");
        assert!(after.contains("(ptr addrspace(4) %1, i32 5)"), "{after}");
    }
}

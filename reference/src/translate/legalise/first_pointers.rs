//! Pointers that variables of functions begin with. LLVM 22's SPIR-V back end takes a variable that a
//! pointer is loaded from for a variable of that pointer, and gives it no room for what follows:
//! whatever else is kept in it overwrites others. Such a load goes by the address of the first byte.

use inkwell::builder::BuilderError;
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicValueEnum, InstructionOpcode, InstructionValue, PointerValue};

use crate::llvm::values;

/// Lets loads of pointers name bytes of their variables.
///
/// # Errors
/// When LLVM refuses an instruction.
pub(super) fn mend(module: &Module<'_>) -> Result<(), BuilderError> {
    let context = module.get_context();
    let (builder, none) = (context.create_builder(), context.i64_type().const_zero());
    for function in values::defined_functions(module) {
        let loads = values::instructions(function).filter_map(|i| Some((i, of_variable(i)?)));
        for (load, variable) in loads.collect::<Vec<_>>() {
            builder.position_before(&load);
            load.set_operand(0, values::byte_within(&builder, variable, none)?);
        }
    }
    Ok(())
}

/// The variable of more than a pointer that an instruction loads its first pointer from.
fn of_variable<'ctx>(load: InstructionValue<'ctx>) -> Option<PointerValue<'ctx>> {
    if load.get_opcode() != InstructionOpcode::Load || !load.get_type().is_pointer_type() {
        return None;
    }
    let BasicValueEnum::PointerValue(address) = load.get_operand(0)?.value()? else {
        return None;
    };
    let variable = address.as_instruction()?;
    let is_more = variable.get_opcode() == InstructionOpcode::Alloca
        && !matches!(
            variable.get_allocated_type(),
            Ok(BasicTypeEnum::PointerType(_))
        );
    is_more.then_some(address)
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
            !after.contains("%a = load ptr addrspace(4), ptr %own"),
            "{after}"
        );
        assert!(
            after.contains("%b = load ptr addrspace(4), ptr %single"),
            "{after}"
        );
        assert!(after.contains("%c = load i16, ptr %own"), "{after}");
    }
}

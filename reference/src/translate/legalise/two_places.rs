//! Places of a variable of a kernel's own (an array that is no number of registers) of which a condition chooses one:
//! `values[x > 1] = y`, `values[x > 1 ? 3 : 5] = y`. Where work-items run side by side, Intel's compiler for processors
//! (2026) has them write to other elements where the index is the condition as a number, and the one for the FPGA
//! emulator (2024) where optimizers have made a choice of pointers of it: with what has gone through a function that
//! the compilers do not look into, an index is one like any other. Chosen between two variables (`(x > 1 ? one :
//! other)[i]`), both compilers find neither, and the emulator's ends at arrays of pointers: the addresses of such
//! variables go through that function, too.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::BuilderError;
use inkwell::module::Module;
use inkwell::values::{
    BasicValue as _, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue,
};

use super::hoisted;
use crate::llvm::values;

/// Has indices that a condition chooses, into variables of optimized functions, come from a function.
///
/// # Errors
/// When LLVM does not take an instruction, which would be a mistake of this stage.
pub(super) fn mend(module: &Module<'_>) -> Result<(), BuilderError> {
    values::choose_offsets(module);
    values::open_variables(module, hoisted::NEUTRAL_NAMES);
    let builder = module.get_context().create_builder();
    for function in values::defined_functions(module).filter(is_optimized) {
        let places: Vec<_> = values::instructions(function)
            .filter(|place| place.get_opcode() == InstructionOpcode::GetElementPtr)
            .filter(|place| is_of_variable(*place))
            .collect();
        for place in places {
            for operand in 1..place.get_num_operands() {
                let index = place.get_operand(operand).and_then(|index| index.value());
                let Some(index) = index.filter(|index| is_chosen(*index)) else {
                    continue;
                };
                builder.position_before(&place);
                let index = hoisted::given_back(module, &builder, index)?;
                place.set_operand(operand, index);
            }
        }
    }
    Ok(())
}

fn is_optimized(function: &FunctionValue<'_>) -> bool {
    let unoptimized = Attribute::get_named_enum_kind_id("optnone");
    let found = function.get_enum_attribute(AttributeLoc::Function, unoptimized);
    found.is_none()
}

/// Whether a pointer leads into a variable of the function's.
fn is_of_variable(place: InstructionValue<'_>) -> bool {
    let mut place = place;
    loop {
        let base = place.get_operand(0).and_then(|base| base.value());
        let Some(base) = base.and_then(|base| base.as_instruction_value()) else {
            return false;
        };
        match base.get_opcode() {
            InstructionOpcode::Alloca => return true,
            InstructionOpcode::GetElementPtr | InstructionOpcode::AddrSpaceCast => place = base,
            _ => return false,
        }
    }
}

/// Whether a condition is the number, or chooses it.
fn is_chosen(index: BasicValueEnum<'_>) -> bool {
    let Some(made) = index.as_instruction_value() else {
        return false;
    };
    let first = made.get_operand(0).and_then(|given| given.value());
    let is_condition = |given: BasicValueEnum<'_>| {
        given.is_int_value() && given.into_int_value().get_type().get_bit_width() == 1
    };
    match made.get_opcode() {
        InstructionOpcode::Select => index.is_int_value(),
        InstructionOpcode::ZExt | InstructionOpcode::SExt => first.is_some_and(is_condition),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    #[test]
    fn a_condition_as_an_index_comes_from_a_function() {
        let after = legal(
            "define i32 @f(i1 %c, i32 %y, ptr addrspace(1) %p, i64 %n) {\n\
               %own = alloca [8 x i32]\n\
               %i = zext i1 %c to i64\n\
               %place = getelementptr [8 x i32], ptr %own, i64 0, i64 %i\n\
               store i32 %y, ptr %place\n\
               %other = getelementptr i32, ptr addrspace(1) %p, i64 %i\n\
               store i32 %y, ptr addrspace(1) %other\n\
               %any = getelementptr [8 x i32], ptr %own, i64 0, i64 %n\n\
               %r = load i32, ptr %any\n\
               ret i32 %r\n}\n",
        );
        let call = "call i64 @_Z21__spirv_ocl_u_add_satmm(i64 %i, i64 0)";
        assert_eq!(after.matches(call).count(), 1, "{after}");
        assert!(after.contains("ptr addrspace(1) %p, i64 %i"), "{after}");
        assert!(after.contains("ptr %own, i64 0, i64 %n"), "{after}");
    }

    #[test]
    fn two_places_of_a_variable_are_a_choice_of_offsets() {
        let after = legal(
            "define void @f(i1 %c, i32 %y, i64 %n) {\n\
               %own = alloca [8 x i32]\n\
               %one = getelementptr i8, ptr %own, i64 12\n\
               %two = getelementptr i32, ptr %own, i64 %n\n\
               %place = select i1 %c, ptr %one, ptr %two\n\
               store i32 %y, ptr %place\n\
               ret void\n}\n",
        );
        assert!(after.contains("mul i64 %n, 4"), "{after}");
        assert!(after.contains("select i1 %c, i64 12, i64 %"), "{after}");
        assert!(after.contains(ADD), "{after}");
        assert!(!after.contains("ptrtoint"), "{after}");
    }

    const ADD: &str = "call i64 @_Z21__spirv_ocl_u_add_satmm(i64 %";

    #[test]
    fn variables_that_something_chooses_between_are_found_by_an_address_from_a_function() {
        let after = legal(
            "define void @f(i1 %c, i32 %y, i64 %n, ptr %q) {\n\
               %one = alloca [8 x i32]\n\
               %two = alloca [8 x i32]\n\
               %three = alloca [8 x i32]\n\
               %number = alloca i32\n\
               %pointers = alloca [2 x ptr]\n\
               %place = select i1 %c, ptr %one, ptr %two\n\
               %in = getelementptr i32, ptr %place, i64 %n\n\
               store i32 %y, ptr %in\n\
               %alone = getelementptr i32, ptr %three, i64 %n\n\
               store i32 %y, ptr %alone\n\
               %any = select i1 %c, ptr %number, ptr %q\n\
               store i32 %y, ptr %any\n\
               %p = getelementptr ptr, ptr %pointers, i64 %n\n\
               store ptr %q, ptr %p\n\
               ret void\n}\n",
        );
        assert_eq!(after.matches(ADD).count(), 3, "{after}");
        for variable in ["one", "two", "pointers"] {
            assert!(
                after.contains(&format!("ptrtoint ptr %{variable} to i64")),
                "{after}"
            );
        }
        assert!(
            after.contains("getelementptr i32, ptr %three, i64 %n"),
            "{after}"
        );
        assert!(
            after.contains("select i1 %c, ptr %number, ptr %q"),
            "{after}"
        );
    }

    #[test]
    fn code_that_is_not_optimized_stays() {
        let after = legal(
            "define void @f(i1 %c, i32 %y) noinline optnone {\n\
               %own = alloca [8 x i32]\n\
               %i = zext i1 %c to i64\n\
               %place = getelementptr [8 x i32], ptr %own, i64 0, i64 %i\n\
               store i32 %y, ptr %place\n\
               ret void\n}\n",
        );
        assert!(!after.contains("call"), "{after}");
    }
}

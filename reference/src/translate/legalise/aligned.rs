//! Variables of functions that are aligned to more than LLVM 22's SPIR-V back end can say, which is
//! what fits in eight bits with a sign: it writes 0 for 256 and more, which is no alignment. (It
//! writes 128 as a negative number, which is mended where it stands:
//! [`crate::translate::spirv_words`].) Such a variable becomes bytes with room for the first place
//! in them that is aligned.

use inkwell::builder::{Builder, BuilderError};
use inkwell::module::Module;
use inkwell::targets::TargetData;
use inkwell::values::{
    AnyValue as _, BasicValueEnum, InstructionOpcode, InstructionValue, PointerValue,
};

use crate::llvm::{calls, values};

/// The most that it can say.
const MOST: u32 = 128;

/// Aligns variables by their places.
///
/// # Errors
/// When LLVM refuses an instruction.
pub(super) fn mend(module: &Module<'_>) -> Result<(), BuilderError> {
    let is_over = |instruction: &InstructionValue<'_>| {
        instruction.get_opcode() == InstructionOpcode::Alloca
            && instruction.get_alignment().is_ok_and(|align| align > MOST)
    };
    let over: Vec<_> = values::defined_functions(module)
        .flat_map(|function| values::instructions(function).filter(is_over))
        .collect();
    if over.is_empty() {
        return Ok(());
    }
    let data = TargetData::create(&module.get_data_layout().as_str().to_string_lossy());
    let builder = module.get_context().create_builder();
    for variable in over {
        align(variable, module, &builder, &data)?;
    }
    Ok(())
}

fn align<'ctx>(
    variable: InstructionValue<'ctx>,
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    data: &TargetData,
) -> Result<(), BuilderError> {
    let count = variable.get_operand(0).and_then(|count| count.value());
    let count = count.and_then(|count| match count {
        BasicValueEnum::IntValue(count) => count.get_zero_extended_constant(),
        _ => None,
    });
    let (Some(count), Ok(ty), Ok(alignment)) = (
        count,
        variable.get_allocated_type(),
        variable.get_alignment(),
    ) else {
        return Ok(());
    };
    let size = data.get_abi_size(&ty) * count;
    let context = module.get_context();
    let address = context.i64_type();
    builder.position_before(&variable);
    let length = u32::try_from(size + u64::from(alignment - MOST)).unwrap_or(u32::MAX);
    let bytes = builder.build_alloca(context.i8_type().array_type(length), "")?;
    if let Some(bytes) = bytes.as_instruction() {
        let _ = bytes.set_alignment(MOST);
    }
    // Writers want a function's variables before anything else in it.
    let after = std::iter::successors(variable.get_next_instruction(), |i| {
        i.get_next_instruction()
    });
    let mut after = after.skip_while(|i| i.get_opcode() == InstructionOpcode::Alloca);
    if let Some(after) = after.next() {
        builder.position_before(&after);
    }
    let begin = builder.build_ptr_to_int(bytes, address, "")?;
    let down = builder.build_int_neg(begin, "")?;
    let mask = address.const_int(u64::from(alignment - 1), false);
    let gap = builder.build_and(down, mask, "")?;
    // Less than what the alignment is more than that of the bytes.
    let place = values::byte_within(builder, bytes, gap)?;
    // Only variables themselves have a time that they live for.
    let users = std::iter::successors(variable.get_first_use(), |each| each.get_next_use());
    let users = users.filter_map(|each| InstructionValue::try_from(each.get_user()).ok());
    let marks: Vec<_> = users.filter(|user| is_of_lifetime(*user)).collect();
    for mark in marks {
        mark.erase_from_basic_block();
    }
    if let Ok(own) = PointerValue::try_from(variable.as_any_value_enum()) {
        own.replace_all_uses_with(place);
    }
    variable.erase_from_basic_block();
    Ok(())
}

fn is_of_lifetime(user: InstructionValue<'_>) -> bool {
    calls::callee(user)
        .is_some_and(|function| values::function_name(function).starts_with("llvm.lifetime."))
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    #[test]
    fn what_is_aligned_to_more_than_can_be_said_is_put_where_it_is() {
        let after = legal(
            "declare void @g(ptr)\n\
             declare void @llvm.lifetime.start.p0(i64, ptr)\n\
             define void @f() {\n\
               %own = alloca [512 x i8], align 256\n\
               %other = alloca i64, align 8\n\
               %some = alloca [3 x i64], i32 2, align 128\n\
               call void @llvm.lifetime.start.p0(i64 512, ptr %own)\n\
               call void @g(ptr %own)\n\
               call void @g(ptr %other)\n\
               call void @g(ptr %some)\n\
               ret void\n}\n",
        );
        assert!(after.contains("alloca [640 x i8], align 128"), "{after}");
        assert!(
            after.contains("alloca [3 x i64], i32 2, align 128"),
            "{after}"
        );
        assert!(after.contains(", 255"), "{after}");
        let last_variable = after.rfind("alloca").unwrap();
        assert!(after.find("ptrtoint").unwrap() > last_variable, "{after}");
        assert!(!after.contains("align 256"), "{after}");
        assert!(!after.contains("call void @llvm.lifetime"), "{after}");
    }
}

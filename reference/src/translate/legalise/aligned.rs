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
/// Which function's variable has no place: one of no constant size, too large a one, or one that lies in
/// other memory than variables do; and when LLVM refuses an instruction.
pub(super) fn mend(module: &Module<'_>) -> Result<(), String> {
    let is_over = |instruction: &InstructionValue<'_>| {
        instruction.get_opcode() == InstructionOpcode::Alloca
            && instruction.get_alignment().is_ok_and(|align| align > MOST)
    };
    let over: Vec<_> = values::defined_functions(module)
        .flat_map(|function| {
            let variables = values::instructions(function).filter(is_over);
            variables.map(move |variable| (function, variable))
        })
        .collect();
    if over.is_empty() {
        return Ok(());
    }
    let data = TargetData::create(&module.get_data_layout().as_str().to_string_lossy());
    let builder = module.get_context().create_builder();
    for (function, variable) in over {
        align(variable, module, &builder, &data).map_err(|reason| {
            format!(
                "'{}': an aligned variable: {reason}",
                values::function_name(function)
            )
        })?;
    }
    Ok(())
}

fn align<'ctx>(
    variable: InstructionValue<'ctx>,
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    data: &TargetData,
) -> Result<(), String> {
    let refused = |error: BuilderError| error.to_string();
    let alignment = variable.get_alignment().map_err(|e| e.to_string())?;
    let (own, length) = (
        PointerValue::try_from(variable.as_any_value_enum()).map_err(|()| "it is no pointer")?,
        length(variable, alignment, data)?,
    );
    let context = module.get_context();
    let address = context.i64_type();
    builder.position_before(&variable);
    let bytes = builder.build_alloca(context.i8_type().array_type(length), "");
    let bytes = bytes.map_err(refused)?;
    if bytes.get_type() != own.get_type() {
        return Err("it lies in other memory than variables do".to_owned());
    }
    if let Some(bytes) = bytes.as_instruction() {
        bytes.set_alignment(MOST).map_err(|e| e.to_string())?;
    }
    // Writers want a function's variables before anything else in it.
    let after = std::iter::successors(variable.get_next_instruction(), |i| {
        i.get_next_instruction()
    });
    let mut after = after.skip_while(|i| i.get_opcode() == InstructionOpcode::Alloca);
    if let Some(after) = after.next() {
        builder.position_before(&after);
    }
    let begin = builder
        .build_ptr_to_int(bytes, address, "")
        .map_err(refused)?;
    let down = builder.build_int_neg(begin, "").map_err(refused)?;
    let mask = address.const_int(u64::from(alignment - 1), false);
    let gap = builder.build_and(down, mask, "").map_err(refused)?;
    // Less than what the alignment is more than that of the bytes.
    let place = values::byte_within(builder, bytes, gap).map_err(refused)?;
    // Only variables themselves have a time that they live for.
    let users = std::iter::successors(variable.get_first_use(), |each| each.get_next_use());
    let users = users.filter_map(|each| InstructionValue::try_from(each.get_user()).ok());
    let marks: Vec<_> = users.filter(|user| calls::is_of_lifetime(*user)).collect();
    for mark in marks {
        mark.erase_from_basic_block();
    }
    own.replace_all_uses_with(place);
    variable.erase_from_basic_block();
    Ok(())
}

/// The bytes that there have to be for a variable to have an aligned place in them.
fn length(
    variable: InstructionValue<'_>,
    alignment: u32,
    data: &TargetData,
) -> Result<u32, String> {
    let count = match variable.get_operand(0).and_then(|count| count.value()) {
        Some(BasicValueEnum::IntValue(count)) => count.get_zero_extended_constant(),
        _ => None,
    };
    let count = count.ok_or("its size is no constant")?;
    let ty = variable.get_allocated_type().map_err(|e| e.to_string())?;
    let size = data.get_abi_size(&ty).checked_mul(count);
    let size = size.and_then(|size| size.checked_add(u64::from(alignment - MOST)));
    let length = size.and_then(|size| u32::try_from(size).ok());
    length.ok_or_else(|| "its size does not fit in 32 bits".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{legal, refused};

    #[test]
    fn what_has_no_place_is_told() {
        for (variable, reason) in [
            ("alloca i8, i64 %n, align 256", "no constant"),
            ("alloca [4294967296 x i8], align 256", "32 bits"),
            (
                "alloca [1024 x i64], i64 9223372036854775807, align 256",
                "32 bits",
            ),
            ("alloca i8, align 256, addrspace(5)", "other memory"),
        ] {
            let error = refused(&format!(
                "define void @f(i64 %n) {{\n  %own = {variable}\n  ret void\n}}\n"
            ));
            assert!(error.contains("'f'") && error.contains(reason), "{error}");
        }
    }

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

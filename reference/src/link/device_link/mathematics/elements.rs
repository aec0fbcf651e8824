//! Functions of vectors, which libraries have of single numbers: each element by itself.

use inkwell::builder::{Builder, BuilderError};
use inkwell::module::Module;
use inkwell::types::VectorType;
use inkwell::values::{
    BasicMetadataValueEnum, BasicValue as _, BasicValueEnum, InstructionValue, VectorValue,
};

use super::{intrinsic_of, of_types};
use crate::llvm::calls;

/// Has mathematics of vectors called for each of their elements.
pub(super) fn call_each(module: &Module<'_>) {
    let is_vector = |ty: &str| {
        let count = ty.strip_prefix('v');
        count.is_some_and(|count| count.starts_with(|first: char| first.is_ascii_digit()))
    };
    for (plain, call) in of_types(module, is_vector) {
        if let Ok(Some(value)) = elements(module, call, &plain) {
            calls::replace(call, value.into());
        }
    }
}

/// What the call gives, of a call for each element before it; none of what gives no vector.
fn elements<'ctx>(
    module: &Module<'ctx>,
    call: InstructionValue<'ctx>,
    plain: &str,
) -> Result<Option<VectorValue<'ctx>>, BuilderError> {
    let Some(ty) = vector_type(call) else {
        return Ok(None);
    };
    let builder = module.get_context().create_builder();
    builder.position_before(&call);
    let mut result = ty.get_undef();
    for index in 0..ty.get_size() {
        let Some(element) = element(module, &builder, call, plain, index)? else {
            return Ok(None);
        };
        let index = module
            .get_context()
            .i32_type()
            .const_int(index.into(), false);
        result = builder.build_insert_element(result, element, index, "")?;
    }
    Ok(Some(result))
}

fn vector_type<'ctx>(call: InstructionValue<'ctx>) -> Option<VectorType<'ctx>> {
    let ty = call.get_type();
    ty.is_vector_type().then(|| ty.into_vector_type())
}

/// What the function gives for the elements of its arguments with this index, with the call's own freedoms.
fn element<'ctx>(
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    call: InstructionValue<'ctx>,
    plain: &str,
    index: u32,
) -> Result<Option<BasicValueEnum<'ctx>>, BuilderError> {
    let Some(gives) = vector_type(call) else {
        return Ok(None);
    };
    let index = module
        .get_context()
        .i32_type()
        .const_int(index.into(), false);
    let mut arguments: Vec<BasicMetadataValueEnum<'_>> = Vec::new();
    let mut types = Vec::new();
    if gives.get_element_type().is_int_type() {
        types.push(gives.get_element_type());
    }
    for operand in 0..call.get_num_operands().saturating_sub(1) {
        let Some(argument) = call
            .get_operand(operand)
            .and_then(|operand| operand.value())
        else {
            return Ok(None);
        };
        let argument = match argument {
            BasicValueEnum::VectorValue(vector) => {
                builder.build_extract_element(vector, index, "")?
            }
            other => other,
        };
        // The second number of a power is of the first one's type.
        if !types.contains(&argument.get_type()) {
            types.push(argument.get_type());
        }
        arguments.push(argument.into());
    }
    let value = intrinsic_of(module, builder, (plain, &types), &arguments)?;
    let instruction = value.and_then(|value| value.as_instruction_value());
    if let (Some(instruction), Ok(freedoms)) = (instruction, call.get_fast_math_flags()) {
        // What gives integers takes none.
        let _ = instruction.set_fast_math_flags(freedoms);
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::super::call_functions;
    use crate::llvm::{context, read, write};

    #[test]
    fn vectors_are_computed_number_by_number() {
        let text = "target triple = \"nvptx64-nvidia-cuda\"\n\
             declare <2 x double> @llvm.sqrt.v2f64(<2 x double>)\n\
             declare <2 x half> @llvm.pow.v2f16(<2 x half>, <2 x half>)\n\
             declare <3 x float> @llvm.powi.v3f32.i32(<3 x float>, i32)\n\
             declare <2 x i64> @llvm.llround.v2i64.v2f32(<2 x float>)\n\
             declare <2 x float> @llvm.floor.v2f32(<2 x float>)\n\
             define <2 x double> @root(<2 x double> %x) \"unsafe-fp-math\"=\"true\" {\n\
               %r = call fast <2 x double> @llvm.sqrt.v2f64(<2 x double> %x)\n\
               ret <2 x double> %r\n\
             }\n\
             define <2 x half> @power(<2 x half> %x) {\n\
               %r = call <2 x half> @llvm.pow.v2f16(<2 x half> %x, <2 x half> %x)\n\
               ret <2 x half> %r\n\
             }\n\
             define <3 x float> @integral(<3 x float> %x, i32 %n) {\n\
               %r = call <3 x float> @llvm.powi.v3f32.i32(<3 x float> %x, i32 %n)\n\
               ret <3 x float> %r\n\
             }\n\
             define <2 x i64> @rounded(<2 x float> %x) {\n\
               %d = call <2 x float> @llvm.floor.v2f32(<2 x float> %x)\n\
               %r = call <2 x i64> @llvm.llround.v2i64.v2f32(<2 x float> %d)\n\
               ret <2 x i64> %r\n\
             }\n";
        let context = context();
        let module = read::module(&context, text.as_bytes(), "test").unwrap();
        call_functions(&module, false);
        write::verify(&module).unwrap();
        let text = write::text(&module);
        for (call, count) in [
            ("call fast double @llvm.nvvm.sqrt.rn.d(double", 2),
            ("call float @powf(float", 2),
            ("call float @__nv_powif(float", 3),
            ("call i64 @llroundf(float", 2),
            ("call <2 x float> @llvm.floor.v2f32(", 1),
        ] {
            assert_eq!(text.matches(call).count(), count, "{call}: {text}");
        }
    }
}

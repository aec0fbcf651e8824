//! Functions of half precision, which libraries have in single precision.

use inkwell::builder::BuilderError;
use inkwell::module::Module;
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, InstructionValue};

use super::{intrinsic_of, of_types};
use crate::llvm::calls;

/// Has functions of half precision computed in single precision.
pub(super) fn widen(module: &Module<'_>) {
    for (plain, call) in of_types(module, |ty| ty == "f16") {
        if let Ok(Some(value)) = widened(module, call, &plain) {
            calls::replace(call, value);
        }
    }
}

/// What the call gives, computed in single precision before it.
fn widened<'ctx>(
    module: &Module<'ctx>,
    call: InstructionValue<'ctx>,
    plain: &str,
) -> Result<Option<BasicValueEnum<'ctx>>, BuilderError> {
    let context = module.get_context();
    let (half, single) = (context.f16_type(), context.f32_type());
    let builder = context.create_builder();
    builder.position_before(&call);
    let mut arguments: Vec<BasicMetadataValueEnum<'_>> = Vec::new();
    let mut types = vec![single.into()];
    for index in 0..call.get_num_operands().saturating_sub(1) {
        match call.get_operand(index).and_then(|operand| operand.value()) {
            Some(BasicValueEnum::FloatValue(number)) if number.get_type() == half => {
                arguments.push(builder.build_float_ext(number, single, "")?.into());
            }
            Some(BasicValueEnum::IntValue(number)) => {
                types.push(number.get_type().into());
                arguments.push(number.into());
            }
            _ => return Ok(None),
        }
    }
    let gives_integer = call.get_type().is_int_type();
    if gives_integer {
        types.insert(0, call.get_type().into_int_type().into());
    }
    Ok(
        match intrinsic_of(module, &builder, (plain, &types), &arguments)? {
            Some(BasicValueEnum::FloatValue(number)) => {
                Some(builder.build_float_trunc(number, half, "")?.into())
            }
            other => other,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::super::call_functions;
    use crate::llvm::{context, read, write};

    #[test]
    fn halves_are_computed_in_single_precision() {
        let text = "target triple = \"nvptx64-nvidia-cuda\"\n\
             declare half @llvm.pow.f16(half, half)\n\
             declare half @llvm.sin.f16(half)\n\
             declare half @llvm.powi.f16.i32(half, i32)\n\
             declare i64 @llvm.llround.i64.f16(half)\n\
             declare half @llvm.floor.f16(half)\n\
             define i64 @f(half %x, i32 %n) {\n\
               %p = call half @llvm.pow.f16(half %x, half %x)\n\
               %s = call half @llvm.sin.f16(half %p)\n\
               %w = call half @llvm.powi.f16.i32(half %s, i32 %n)\n\
               %d = call half @llvm.floor.f16(half %w)\n\
               %r = call i64 @llvm.llround.i64.f16(half %d)\n\
               ret i64 %r\n\
             }\n";
        let context = context();
        let module = read::module(&context, text.as_bytes(), "test").unwrap();
        call_functions(&module, false);
        write::verify(&module).unwrap();
        let text = write::text(&module);
        for call in [
            "call float @powf(float",
            "call float @sinf(float",
            "call float @__nv_powif(float",
            "call half @llvm.floor.f16(half",
            "call i64 @llroundf(float",
        ] {
            assert!(text.contains(call), "{call}: {text}");
        }
        assert_eq!(text.matches("fpext half").count(), 5, "{text}");
    }
}

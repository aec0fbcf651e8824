//! The sine and the cosine of one number. Each function of libdevice finds the number's place in a quarter turn
//! by itself, with code for large ones that is longer than all the rest: one that gives both does so once.

use std::collections::HashMap;

use inkwell::basic_block::BasicBlock;
use inkwell::builder::BuilderError;
use inkwell::module::Module;
use inkwell::types::FloatType;
use inkwell::values::{BasicValueEnum, FloatValue, InstructionValue};

use crate::llvm::{calls, values};

/// Has both computed at once where a block asks for both.
pub(super) fn join(module: &Module<'_>) {
    let context = module.get_context();
    let pairs = [
        (["sinf", "cosf", "__nv_sincosf"], context.f32_type()),
        (["sin", "cos", "__nv_sincos"], context.f64_type()),
    ];
    for ([sine, cosine, both], ty) in pairs {
        let library = |name| {
            let found = module.get_function(name)?;
            let is_library = values::is_declaration(found.as_global_value());
            (is_library && found.get_type() == ty.fn_type(&[ty.into()], false)).then_some(found)
        };
        let (Some(sine), Some(cosine)) = (library(sine), library(cosine)) else {
            continue;
        };
        let cosines = calls::of(cosine).into_iter();
        let mut cosines: HashMap<_, _> = cosines
            .filter_map(|call| Some((question(call)?, call)))
            .collect();
        for sine in calls::of(sine) {
            let asked = question(sine);
            let found = asked.and_then(|asked| Some((asked.1, cosines.remove(&asked)?)));
            if let Some((number, cosine)) = found {
                // A builder that stands in a block fails at nothing.
                let _ = compute_both(module, (both, ty), number, [sine, cosine]);
            }
        }
    }
}

/// In which block a function is asked for which number.
fn question<'ctx>(call: InstructionValue<'ctx>) -> Option<(BasicBlock<'ctx>, FloatValue<'ctx>)> {
    match call.get_operand(0)?.value()? {
        BasicValueEnum::FloatValue(number) => Some((call.get_parent()?, number)),
        _ => None,
    }
}

/// Puts a call of the function that gives both before the first of two calls, and what it gives in their place.
fn compute_both<'ctx>(
    module: &Module<'ctx>,
    (both, ty): (&str, FloatType<'ctx>),
    number: FloatValue<'ctx>,
    calls: [InstructionValue<'ctx>; 2],
) -> Result<(), BuilderError> {
    let context = module.get_context();
    let function = calls[0].get_parent().and_then(|block| block.get_parent());
    let entry = function.and_then(|function| function.get_first_basic_block());
    let Some(start) = entry.and_then(|entry| entry.get_first_instruction()) else {
        return Ok(());
    };
    let builder = context.create_builder();
    builder.position_before(&start);
    let places = [
        builder.build_alloca(ty, "sine")?,
        builder.build_alloca(ty, "cosine")?,
    ];
    let behind = std::iter::successors(Some(calls[0]), |each| each.get_next_instruction());
    let first = calls[usize::from(!behind.into_iter().any(|each| each == calls[1]))];
    builder.position_before(&first);
    let function = module.get_function(both).unwrap_or_else(|| {
        let pointer = places[0].get_type().into();
        let parameters = [ty.into(), pointer, pointer];
        module.add_function(both, context.void_type().fn_type(&parameters, false), None)
    });
    builder.build_call(
        function,
        &[number.into(), places[0].into(), places[1].into()],
        "",
    )?;
    let given = [
        builder.build_load(ty, places[0], "is_sine")?,
        builder.build_load(ty, places[1], "is_cosine")?,
    ];
    for (call, given) in calls.into_iter().zip(given) {
        calls::replace(call, given);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::call_functions;
    use crate::llvm::{context, read, write};

    fn joined(body: &str) -> String {
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"\n\
             declare float @llvm.sin.f32(float)\n\
             declare float @llvm.cos.f32(float)\n\
             declare double @sin(double)\n\
             declare double @cos(double)\n\
             {body}"
        );
        let context = context();
        let module = read::module(&context, text.as_bytes(), "test").unwrap();
        call_functions(&module, true);
        write::verify(&module).unwrap();
        write::text(&module)
    }

    #[test]
    fn both_of_a_number_are_computed_at_once() {
        let text = joined(
            "define float @f(float %x, double %y) {\n\
               %c = call float @llvm.cos.f32(float %x)\n\
               %cy = call double @cos(double %y)\n\
               %half = fmul float %c, 0.5\n\
               %s = call float @llvm.sin.f32(float %x)\n\
               %sy = call double @sin(double %y)\n\
               %d = fadd double %sy, %cy\n\
               %t = fptrunc double %d to float\n\
               %a = fadd float %half, %s\n\
               %r = fadd float %a, %t\n\
               ret float %r\n}\n",
        );
        for call in [
            "@__nv_sincosf(float %x, ptr %sine, ptr %cosine)",
            "@__nv_sincos(double %y",
        ] {
            assert_eq!(text.matches(call).count(), 1, "{text}");
        }
        for line in [
            "%is_sine = load float, ptr %sine",
            "%is_cosine = load float, ptr %cosine",
            "fmul float %is_cosine, 5.0",
            "fadd float %half, %is_sine",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(!text.contains("call float @cosf"), "{text}");
        assert!(!text.contains("call double @sin("), "{text}");
    }

    #[test]
    fn of_other_numbers_and_in_other_blocks_they_stay() {
        let text = joined(
            "define float @f(float %x, float %y, i1 %k) {\n\
               %c = call float @llvm.cos.f32(float %x)\n\
               %s = call float @llvm.sin.f32(float %y)\n\
               br i1 %k, label %more, label %end\n\
             more:\n\
               %t = call float @llvm.sin.f32(float %x)\n\
               ret float %t\n\
             end:\n\
               %r = fadd float %c, %s\n\
               ret float %r\n}\n\
             define float @near(float %x) \"unsafe-fp-math\"=\"true\" {\n\
               %c = call float @llvm.cos.f32(float %x)\n\
               %s = call float @llvm.sin.f32(float %x)\n\
               %r = fadd float %c, %s\n\
               ret float %r\n}\n",
        );
        assert!(!text.contains("sincos"), "{text}");
        assert!(text.contains("@__nv_fast_sinf(float %x)"), "{text}");
    }
}

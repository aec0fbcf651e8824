//! Truth values that become signed floating-point numbers, as optimizers make of `float(-(x < y))` and of what
//! relational functions give: true is -1 there. LLVM 22's SPIR-V back end and LLVM 19's of NVIDIA's GPUs put 1 in
//! its place, which an unsigned conversion gives.

use inkwell::builder::{Builder, BuilderError};
use inkwell::module::Module;
use inkwell::types::{AnyTypeEnum, BasicTypeEnum, VectorType};
use inkwell::values::{BasicValueEnum, InstructionOpcode, InstructionValue};

/// Has such conversions choose between the two numbers.
///
/// # Errors
/// When LLVM does not take an instruction, which would be a mistake of this stage.
pub(in crate::translate) fn mend(module: &Module<'_>) -> Result<(), BuilderError> {
    let truth = |instruction| truth(instruction).map(|truth| (truth, instruction));
    super::replace_each(module, truth, |builder, (truth, conversion)| {
        choice(builder, truth, conversion)
    })
}

/// The truth value, or the vector of such, that an instruction converts.
fn truth(instruction: InstructionValue<'_>) -> Option<BasicValueEnum<'_>> {
    if instruction.get_opcode() != InstructionOpcode::SIToFP {
        return None;
    }
    let converted = instruction.get_operand(0)?.value()?;
    let element = match converted.get_type() {
        BasicTypeEnum::VectorType(vector) => vector.get_element_type(),
        ty => ty,
    };
    let is_truth = element.is_int_type() && element.into_int_type().get_bit_width() == 1;
    is_truth.then_some(converted)
}

/// -1 where a truth value holds and 0 where not, in the type that the conversion gives.
fn choice<'ctx>(
    builder: &Builder<'ctx>,
    truth: BasicValueEnum<'ctx>,
    conversion: InstructionValue<'ctx>,
) -> Result<Option<BasicValueEnum<'ctx>>, BuilderError> {
    let chosen = match (truth, conversion.get_type()) {
        (BasicValueEnum::IntValue(truth), AnyTypeEnum::FloatType(ty)) => {
            let (minus_one, zero) = (ty.const_float(-1.0), ty.const_zero());
            builder.build_select(truth, minus_one, zero, "")?
        }
        (BasicValueEnum::VectorValue(truths), AnyTypeEnum::VectorType(ty)) => {
            let minus_one = ty.get_element_type().into_float_type().const_float(-1.0);
            let all = vec![minus_one; ty.get_size() as usize];
            builder.build_select(truths, VectorType::const_vector(&all), ty.const_zero(), "")?
        }
        _ => return Ok(None),
    };
    Ok(Some(chosen))
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    #[test]
    fn a_truth_value_that_has_a_sign_is_minus_one() {
        let after = legal(
            "define float @scalar(i1 %x) {\n\
               %r = sitofp i1 %x to float\n  ret float %r\n}\n\
             define <2 x double> @vector(<2 x i1> %x) {\n\
               %r = sitofp <2 x i1> %x to <2 x double>\n  ret <2 x double> %r\n}\n\
             define half @others(i1 %x, i8 %y) {\n\
               %a = uitofp i1 %x to half\n  %b = sitofp i8 %y to half\n\
               %r = fadd half %a, %b\n  ret half %r\n}\n",
        );
        let scalar = "select i1 %x, float -1.000000e+00, float 0.000000e+00";
        assert!(after.contains(scalar), "{after}");
        assert!(
            after.contains("select <2 x i1> %x, <2 x double>"),
            "{after}"
        );
        assert!(after.contains("uitofp i1 %x to half"), "{after}");
        assert_eq!(after.matches("sitofp").count(), 1, "{after}");
    }
}

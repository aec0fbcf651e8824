//! Numbers that are negated in kernels whose work-items wait for one another. Intel's compilers for processors
//! and for the FPGA emulator (2023 to 2026) take a negated number for a value that all work-items of
//! a group have in common: behind a barrier every one reads what the last of them had, and so does all that was
//! computed from it. They put no negation into the place of a copied sign. The emulator takes vectors so, too.

use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::types::{BasicTypeEnum, FloatType, IntType};
use inkwell::values::{BasicValueEnum, InstructionOpcode, InstructionValue};

use super::waiting::Waiting;
use crate::llvm::values;

/// Has negations give the number with the opposite of its own sign, in what kernels reach that wait.
///
/// # Errors
/// When LLVM does not take an instruction, which would be a mistake of this stage.
pub(super) fn mend(module: &Module<'_>) -> Result<(), BuilderError> {
    let mut instructions = values::defined_functions(module).flat_map(values::instructions);
    if !instructions.any(|instruction| negated(instruction).is_some()) {
        return Ok(());
    }
    let reached = Waiting::of(module).reached;
    let is_reached = |instruction: InstructionValue<'_>| {
        let function = instruction.get_parent().and_then(BasicBlock::get_parent);
        function.is_some_and(|function| reached.contains(&function))
    };
    let number = |instruction| negated(instruction).filter(|_| is_reached(instruction));
    super::replace_each(module, number, |builder, number| {
        opposite(module, builder, number)
    })
}

/// The number, or the vector of such, that an instruction negates.
fn negated(instruction: InstructionValue<'_>) -> Option<BasicValueEnum<'_>> {
    if instruction.get_opcode() != InstructionOpcode::FNeg {
        return None;
    }
    let number = instruction.get_operand(0)?.value()?;
    bits(number.get_type()).map(|_| number)
}

/// The integers in which the bits are of a type that is taken for what it is not.
fn bits(ty: BasicTypeEnum<'_>) -> Option<BasicTypeEnum<'_>> {
    match ty {
        BasicTypeEnum::FloatType(number) => bits_of_number(number).map(Into::into),
        BasicTypeEnum::VectorType(vector) => {
            let element = vector.get_element_type();
            let bits = element.is_float_type().then(|| element.into_float_type());
            let bits = bits.and_then(bits_of_number)?;
            Some(bits.vec_type(vector.get_size()).into())
        }
        _ => None,
    }
}

/// The integer of a `half`'s, `float`'s or `double`'s width.
pub(super) fn bits_of_number<'ctx>(ty: FloatType<'ctx>) -> Option<IntType<'ctx>> {
    let context = ty.get_context();
    let known = [
        (context.f16_type(), context.i16_type()),
        (context.f32_type(), context.i32_type()),
        (context.f64_type(), context.i64_type()),
    ];
    let found = known.into_iter().find(|(known, _)| *known == ty);
    found.map(|(_, bits)| bits)
}

fn opposite<'ctx>(
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    number: BasicValueEnum<'ctx>,
) -> Result<Option<BasicValueEnum<'ctx>>, BuilderError> {
    let ty = number.get_type();
    let found = Intrinsic::find("llvm.copysign");
    let found = found.and_then(|found| found.get_declaration(module, &[ty]));
    let Some((copysign, bits)) = found.zip(bits(ty)) else {
        return Ok(None);
    };
    let own = builder.build_bit_cast(number, bits, "")?;
    let turned: BasicValueEnum<'_> = match own {
        BasicValueEnum::VectorValue(own) => builder.build_not(own, "")?.into(),
        own => builder.build_not(own.into_int_value(), "")?.into(),
    };
    let sign = builder.build_bit_cast(turned, ty, "")?;
    let call = builder.build_call(copysign, &[number.into(), sign.into()], "")?;
    Ok(call.try_as_basic_value().basic())
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    #[test]
    fn what_may_be_used_behind_a_barrier_is_not_negated() {
        let after = legal(
            "declare void @elsewhere()\n\
             define spir_kernel void @asks_another_image(ptr addrspace(1) %p) {\n\
               %x = load float, ptr addrspace(1) %p\n\
               %imported = fneg float %x\n\
               call void @elsewhere()\n\
               store float %imported, ptr addrspace(1) %p\n\
               ret void\n}\n\
             declare void @_Z22__spirv_ControlBarrieriii(i32, i32, i32)\n\
             define internal float @turn(float %x) {\n\
               %n = fneg float %x\n  ret float %n\n}\n\
             define spir_kernel void @waits(ptr addrspace(1) %p) {\n\
               %x = load float, ptr addrspace(1) %p\n\
               %n = call float @turn(float %x)\n\
               call void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 912)\n\
               store float %n, ptr addrspace(1) %p\n\
               ret void\n}\n\
             define spir_kernel void @goes_on(ptr addrspace(1) %p) {\n\
               %x = load double, ptr addrspace(1) %p\n\
               %n = fneg double %x\n\
               store double %n, ptr addrspace(1) %p\n\
               ret void\n}\n\
             define double @exported(double %x, <2 x double> %v, <2 x half> %z) {\n\
               %n = fneg double %x\n\
               %w = fneg <2 x double> %v\n\
               %h = fneg <2 x half> %z\n\
               %e = extractelement <2 x double> %w, i32 0\n\
               %r = fadd double %n, %e\n\
               ret double %r\n}\n",
        );
        assert!(
            after.contains("call float @llvm.copysign.f32(float %x, float"),
            "{after}"
        );
        assert!(
            after.contains("call double @llvm.copysign.f64(double %x, double"),
            "{after}"
        );
        assert!(
            after.contains("call <2 x double> @llvm.copysign.v2f64(<2 x double> %v, <2 x double>"),
            "{after}"
        );
        assert!(
            after.contains("call <2 x half> @llvm.copysign.v2f16(<2 x half> %z, <2 x half>"),
            "{after}"
        );
        assert_eq!(after.matches("fneg double").count(), 1, "{after}");
        assert!(!after.contains("fneg float"), "{after}");
    }
}

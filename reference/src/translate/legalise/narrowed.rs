//! Numbers of 32 bits out of the middle of one of 64, as `(int)(id / 16)` is of a `size_t`: to optimizers a shift to
//! the left and one by 32 to the right. Intel's compilers for processors and for the FPGA emulator (2023 to 2026)
//! take the pair for a number that is cut to 32 bits wherever it begins in a number that goes up by one from
//! work-item to work-item, as local ids do: they compute with `id` itself.

use inkwell::builder::{Builder, BuilderError};
use inkwell::module::Module;
use inkwell::values::{BasicValueEnum, InstructionOpcode, InstructionValue, IntValue};

/// How many bits the numbers have that are left.
const HALF: u64 = 32;

/// Has such numbers be put together out of the two halves that they have bits of.
///
/// # Errors
/// When LLVM does not take an instruction, which would be a mistake of this stage.
pub(super) fn mend(module: &Module<'_>) -> Result<(), BuilderError> {
    super::replace_each(module, Narrowed::of, |builder, narrowed| {
        Ok(Some(narrowed.of_halves(builder)?.into()))
    })
}

/// 32 bits of a number, which fill 64 with their sign.
struct Narrowed<'ctx> {
    number: IntValue<'ctx>,
    /// The first of them, counted from the lowest.
    first: u64,
}

impl<'ctx> Narrowed<'ctx> {
    fn of(instruction: InstructionValue<'ctx>) -> Option<Self> {
        let (shifted, by) = shift(instruction, InstructionOpcode::AShr)?;
        if by != HALF || shifted.get_type().get_bit_width() != 64 {
            return None;
        }
        let (number, by) = shift(shifted.as_instruction()?, InstructionOpcode::Shl)?;
        let first = HALF
            .checked_sub(by)
            .filter(|first| *first != 0 && *first != HALF)?;
        Some(Narrowed { number, first })
    }

    fn of_halves(&self, builder: &Builder<'ctx>) -> Result<IntValue<'ctx>, BuilderError> {
        let whole = self.number.get_type();
        let half = whole.get_context().i32_type();
        let by = |amount| half.const_int(amount, false);
        let low = builder.build_int_truncate(self.number, half, "")?;
        let low = builder.build_right_shift(low, by(self.first), false, "")?;
        let high = whole.const_int(HALF, false);
        let high = builder.build_right_shift(self.number, high, false, "")?;
        let high = builder.build_int_truncate(high, half, "")?;
        let high = builder.build_left_shift(high, by(HALF - self.first), "")?;
        let both = builder.build_or(low, high, "")?;
        builder.build_int_s_extend(both, whole, "")
    }
}

/// The number that an instruction shifts, and by how much.
fn shift(
    instruction: InstructionValue<'_>,
    opcode: InstructionOpcode,
) -> Option<(IntValue<'_>, u64)> {
    if instruction.get_opcode() != opcode {
        return None;
    }
    let operand = |number| instruction.get_operand(number)?.value();
    match (operand(0)?, operand(1)?) {
        (BasicValueEnum::IntValue(number), BasicValueEnum::IntValue(by)) => {
            Some((number, by.get_zero_extended_constant()?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    #[test]
    fn bits_out_of_the_middle_are_put_together() {
        let after = legal(
            "define i64 @middle(i64 %x) {\n\
               %left = shl i64 %x, 28\n  %right = ashr i64 %left, 32\n  ret i64 %right\n}\n\
             define i64 @cut(i64 %x) {\n\
               %left = shl i64 %x, 32\n  %right = ashr exact i64 %left, 32\n  ret i64 %right\n}\n\
             define i64 @times(i64 %x) {\n\
               %left = shl i64 %x, 36\n  %right = ashr i64 %left, 32\n  ret i64 %right\n}\n\
             define i64 @twice(i64 %x) {\n\
               %a = shl i64 %x, 28\n  %b = ashr i64 %a, 32\n\
               %c = shl i64 %b, 20\n  %d = ashr i64 %c, 32\n  ret i64 %d\n}\n\
             define i64 @short(i64 %x) {\n\
               %left = shl i64 %x, 44\n  %right = ashr i64 %left, 48\n  ret i64 %right\n}\n",
        );
        assert_eq!(after.matches("ashr").count(), 3, "{after}");
        assert!(after.contains("lshr i32 %1, 4"), "{after}");
        assert!(after.contains("shl i32 %4, 28"), "{after}");
        assert_eq!(after.matches("sext i32").count(), 3, "{after}");
    }
}

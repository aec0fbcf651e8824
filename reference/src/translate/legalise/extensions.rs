//! Extensions of what was cut off: at `-O0` a conversion such as `unsigned(std::uint8_t(n))` of a
//! 64-bit number is a truncation and a zero extension. LLVM 22's SPIR-V back end makes of both one
//! mask of the wide number, and when the result is narrower than that number, it forgets to cut the
//! number to the size of the result: consumers refuse such a module, or misread it. Optimized code
//! has no such pairs, and is not searched for them.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::values::{BasicValue as _, FunctionValue, InstructionOpcode, InstructionValue};

use super::widths;
use crate::llvm::{calls, conversions, values};

/// Writes such pairs as a truncation to the size of the result, and a mask of that; `everywhere` also
/// where code is optimized.
pub(super) fn mend(module: &Module<'_>, everywhere: bool) {
    let unoptimized = Attribute::get_named_enum_kind_id("optnone");
    let unoptimized = |function: &FunctionValue<'_>| {
        let found = function.get_enum_attribute(AttributeLoc::Function, unoptimized);
        everywhere || found.is_some()
    };
    if everywhere {
        join(module);
    }
    let mut wrong = Vec::new();
    for function in values::defined_functions(module).filter(unoptimized) {
        wrong.extend(values::instructions(function).filter_map(conversions::narrowed));
    }
    if wrong.is_empty() {
        return;
    }
    let builder = module.get_context().create_builder();
    for extension in wrong {
        extension.mask(&builder);
    }
}

/// Puts functions into their callers that extend what was cut off there, as writers do: the two come together only
/// then.
fn join(module: &Module<'_>) {
    let is_cut = |call: InstructionValue<'_>| {
        let given = call.get_operand(0).and_then(|given| given.value());
        let made = given.and_then(|given| given.as_instruction_value());
        made.is_some_and(|made| made.get_opcode() == InstructionOpcode::Trunc)
    };
    let extends = |call: &InstructionValue<'_>| {
        let callee = calls::callee(*call);
        callee.is_some_and(|f| values::function_name(f).starts_with(widths::EXTENDS))
    };
    let all = values::defined_functions(module).flat_map(values::instructions);
    let calls: Vec<_> = all.filter(extends).filter(|call| is_cut(*call)).collect();
    for call in calls {
        calls::inline(call);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    #[test]
    fn what_was_cut_off_more_than_the_result_is_cut_to_it_first() {
        let after = legal(
            "define i32 @f(i64 %x) noinline optnone {\n\
               %cut = trunc i64 %x to i8\n\
               %r = zext i8 %cut to i32\n\
               ret i32 %r\n}\n\
             define <2 x i16> @g(<2 x i32> %x) noinline optnone {\n\
               %cut = trunc <2 x i32> %x to <2 x i8>\n\
               %r = zext <2 x i8> %cut to <2 x i16>\n\
               ret <2 x i16> %r\n}\n",
        );
        assert!(!after.contains("zext"), "{after}");
        assert!(after.contains("trunc i64 %x to i32"), "{after}");
        assert!(after.contains(", 255"), "{after}");
        assert!(after.contains("trunc <2 x i32> %x to <2 x i16>"), "{after}");
    }

    #[test]
    fn what_functions_extend_is_cut_first_too() {
        let after = legal(
            "define i32 @f(i64 %x, ptr addrspace(4) %p) noinline optnone {\n\
               %cut = trunc i64 %x to i16\n\
               %odd = zext i16 %cut to i24\n\
               %low = and i24 %odd, 63\n\
               %r = zext i24 %low to i32\n\
               ret i32 %r\n}\n",
        );
        assert!(after.contains("trunc i64 %x to i32"), "{after}");
        assert!(!after.contains("zext i16 %cut"), "{after}");
    }

    #[test]
    fn other_extensions_stay() {
        let after = legal(
            "define i64 @f(i32 %x, i8 %y) noinline optnone {\n\
               %cut = trunc i32 %x to i8\n\
               %a = zext i8 %cut to i32\n\
               %b = zext i8 %cut to i64\n\
               %c = zext i32 %a to i64\n\
               %d = add i64 %b, %c\n\
               ret i64 %d\n}\n",
        );
        assert_eq!(after.matches("zext").count(), 3, "{after}");
    }
}

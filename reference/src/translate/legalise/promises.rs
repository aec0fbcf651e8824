//! What optimizers were told to assume. To a device's own compiler one thing of it is of use: that numbers
//! of work-items fit in 31 bits (`-fsycl-id-queries-fit-in-int`), by which it sees that neighbours use
//! neighbouring memory although the program counts in `int`. SPIR-V says so by an extension,
//! SPV_KHR_expect_assume, which modules that promise nothing need not ask devices for.

use inkwell::IntPredicate;
use inkwell::values::InstructionValue;

use super::Action;
use super::memory::integer;

/// One more than the largest number, of all work-items and of those of a work-group.
const LIMITS: [u64; 2] = [1 << 31, 1 << 28];

/// What becomes of a call of the intrinsic function `name`, when it is an assumption.
pub(super) fn action(name: &str, call: InstructionValue<'_>) -> Action {
    match name == "llvm.assume" && !is_of_work_items(call).unwrap_or(false) {
        true => Action::Erase,
        false => Action::Keep,
    }
}

/// Whether the call assumes of a number that it is below the limit, in the form that optimizers give it.
fn is_of_work_items(call: InstructionValue<'_>) -> Option<bool> {
    let condition = call.get_operand(0)?.value()?.into_int_value();
    let compared = condition.as_instruction()?;
    let is_below = compared.get_icmp_predicate()? == IntPredicate::ULT;
    Some(is_below && LIMITS.contains(&integer(compared, 1)?))
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    #[test]
    fn of_all_assumptions_that_of_work_items_stays() {
        let after = legal(
            "declare void @llvm.assume(i1)\n\
             define void @f(i64 %x, i64 %y, ptr addrspace(1) %p) {\n\
               %small = icmp ult i64 %x, 2147483648\n\
               call void @llvm.assume(i1 %small)\n\
               %other = icmp ult i64 %y, 7\n\
               call void @llvm.assume(i1 %other)\n\
               call void @llvm.assume(i1 true) [\"align\"(ptr addrspace(1) %p, i64 16)]\n\
               ret void\n}\n",
        );
        assert_eq!(after.matches("call void @llvm.assume").count(), 1);
        assert!(after.contains("call void @llvm.assume(i1 %small)"));
    }
}

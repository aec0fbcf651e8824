//! What keeps Intel's compiler for processors from running work-items side by side: then a kernel runs in sub-groups
//! of one, whatever size it requires (SYCL 2020, "`reqd_sub_group_size`"), and shuffles give each work-item its own.
//! Such are failed assertions, after which a kernel does not go on: a device ends the program in the call itself, so
//! what comes after it may be what comes without it, or the work-item's end. Such are loops that `goto` enters in
//! several places. And what its compilers read wrongly, and the FPGA emulator's ends in: a block that several cases
//! of a switch lead to has a value for each of them in LLVM, and one for all in SPIR-V.

use inkwell::module::Module;

use crate::llvm::flow;

/// Has what follows a call that does not return be what comes without the call, loops entered in one place, and
/// blocks reached from another in one way.
pub(super) fn mend(module: &Module<'_>) {
    flow::join_dead_ends(module);
    flow::fix_irreducible(module);
    flow::join_edges(module);
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    const FAIL: &str = "declare void @fail(i32) noreturn\n";

    #[test]
    fn the_sort_of_the_library_calls_itself_no_more() {
        let after = legal(
            "define linkonce_odr void @_ZSt16__introsort_loopIPilEvT_S1_T0_(ptr %a, ptr %b, i64 %d) {\n\
             entry:\n  %end = icmp eq i64 %d, 0\n\
               br i1 %end, label %heap, label %more\n\
             heap:\n  store i8 1, ptr %a\n  ret void\n\
             more:\n  %left = sub i64 %d, 1\n\
               call void @_ZSt16__introsort_loopIPilEvT_S1_T0_(ptr %b, ptr %a, i64 %left)\n\
               ret void\n}\n\
             define spir_kernel void @k() {\n\
               %x = alloca [2 x i8]\n\
               call void @_ZSt16__introsort_loopIPilEvT_S1_T0_(ptr %x, ptr %x, i64 9)\n\
               ret void\n}\n",
        );
        let call = "call void @_ZSt16__introsort_loopIPilEvT_S1_T0_";
        let last = format!("{call}.last(ptr %b, ptr %a, i64 %left)");
        assert_eq!(after.matches(&last).count(), 1, "{after}");
        assert_eq!(after.matches(call).count(), 2, "{after}");
        assert!(after.contains("icmp eq i64 0, 0"), "{after}");
    }

    #[test]
    fn a_kernel_goes_on_after_a_failed_assertion() {
        let after = legal(&format!(
            "{FAIL}define spir_kernel void @k(i1 %a, i1 %b, ptr addrspace(1) %p) {{\n\
             entry:\n  br i1 %a, label %second, label %failed\n\
             second:\n  %x = phi i32 [ 7, %entry ]\n  br i1 %b, label %fine, label %failed\n\
             failed:\n  %line = phi i32 [ 3, %entry ], [ 4, %second ]\n\
               call void @fail(i32 %line) noreturn\n  unreachable\n\
             fine:\n  %y = phi i32 [ %x, %second ]\n\
               store i32 %y, ptr addrspace(1) %p\n  ret void\n}}\n"
        ));
        assert!(!after.contains("unreachable"), "{after}");
        assert!(!after.contains("noreturn"), "{after}");
        for (call, next) in [("i32 3", "second"), ("i32 4", "fine")] {
            let block = format!("call void @fail({call})\n  br label %{next}\n");
            assert!(after.contains(&block), "{after}");
        }
    }

    #[test]
    fn what_always_fails_is_one_end_and_returns_where_there_is_no_other_way() {
        let after = legal(&format!(
            "{FAIL}define i32 @f(i32 %n) {{\n\
             entry:\n  switch i32 %n, label %one [ i32 1, label %two\n i32 2, label %two ]\n\
             one:\n  call void @fail(i32 1)\n  br label %last\n\
             two:\n  call void @fail(i32 2)\n  br label %last\n\
             last:\n  call void @fail(i32 3)\n  unreachable\n}}\n"
        ));
        assert!(!after.contains("unreachable"), "{after}");
        assert_eq!(
            after.matches("call void @fail(i32 3)").count(),
            2,
            "{after}"
        );
        assert!(after.contains("ret i32 0"), "{after}");
    }

    #[test]
    fn a_place_that_nothing_calls_before_stays() {
        let after = legal(
            "define i32 @f(i1 %a) {\n  br i1 %a, label %x, label %y\n\
             x:\n  ret i32 1\ny:\n  unreachable\n}\n",
        );
        assert!(after.contains("unreachable"), "{after}");
    }

    #[test]
    fn cases_that_lead_to_one_choice_lead_there_in_one_way() {
        let after = legal(
            "define i32 @f(i8 %n, i32 %x) {\n\
             entry:\n  switch i8 %n, label %other [ i8 0, label %end\n i8 -1, label %end\n i8 7, label %none ]\n\
             other:\n  br label %end\n\
             none:\n  br i1 true, label %end, label %end\n\
             end:\n  %r = phi i32 [ 1, %entry ], [ 1, %entry ], [ %x, %other ], [ 2, %none ], [ 2, %none ]\n\
               ret i32 %r\n}\n",
        );
        let one = after.matches("[ 1, %").count() == 1 && after.matches("[ 2, %").count() == 1;
        assert!(one && !after.contains("[ 1, %entry ]"), "{after}");
        assert_eq!(after.matches("br label %end").count(), 3, "{after}");
    }

    #[test]
    fn loops_are_entered_in_one_place() {
        let after = legal(
            "define spir_kernel void @k(i1 %a, ptr addrspace(1) %p) {\n\
             entry:\n  br i1 %a, label %x, label %y\n\
             x:\n  store i32 1, ptr addrspace(1) %p\n  br label %y\n\
             y:\n  %r = load i32, ptr addrspace(1) %p\n\
               switch i32 %r, label %x [ i32 7, label %end\n i32 9, label %end ]\n\
             end:\n  ret void\n}\n",
        );
        // The one entry chooses between both.
        assert!(after.contains("irr.guard:"), "{after}");
        assert!(!after.contains("switch"), "{after}");
        assert_eq!(after.matches("label %x").count(), 1, "{after}");
    }
}

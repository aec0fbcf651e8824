//! Places of a variable of a kernel's own (an array that is no number of registers) of which a condition chooses one,
//! or that become numbers: `values[x > 1] = y`, `values[x > 1 ? 3 : 5] = y`. Where work-items run side by side, Intel's
//! compiler for processors (2026) has them write to other elements where the index is the condition as a number, and
//! the one for the FPGA emulator (2024) where optimizers have made a choice of pointers of it: with what has gone
//! through a function that the compilers do not look into, an index is one like any other. Chosen between two variables
//! (`(x > 1 ? one : other)[i]`), both compilers find neither, and the emulator's ends at arrays of pointers: the
//! addresses of such variables go through that function, too. So do those of variables whose places become numbers
//! (`std::find` in an array): the emulator's compiler counts wrongly what lies between two places in an array that it
//! has spread over work-items, and that for processors walks over all that is computed of the number, time and again.
//! What a function is given may be a variable of another one that it becomes a part of.

use inkwell::module::Module;

use super::hoisted;
use crate::llvm::values;

/// Has such indices, into variables of optimized functions, and the addresses of such variables come from a function.
/// What is the same for all work-items of a group stays: it costs nothing, and private memory that compilers can
/// spread is many times as fast.
pub(super) fn mend(module: &Module<'_>) {
    values::choose_offsets(module);
    values::open_variables(module, hoisted::NEUTRAL_NAMES);
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    #[test]
    fn a_condition_as_an_index_comes_from_a_function() {
        let after = legal(
            "define i32 @f(i1 %c, i32 %y, ptr addrspace(1) %p, i64 %n) {\n\
               %own = alloca [8 x i32]\n\
               %i = zext i1 %c to i64\n\
               %place = getelementptr [8 x i32], ptr %own, i64 0, i64 %i\n\
               store i32 %y, ptr %place\n\
               %other = getelementptr i32, ptr addrspace(1) %p, i64 %i\n\
               store i32 %y, ptr addrspace(1) %other\n\
               %any = getelementptr [8 x i32], ptr %own, i64 0, i64 %n\n\
               %r = load i32, ptr %any\n\
               ret i32 %r\n}\n",
        );
        let call = "call i64 @_Z21__spirv_ocl_u_add_satmm(i64 %i, i64 0)";
        assert_eq!(after.matches(call).count(), 1, "{after}");
        assert!(after.contains("ptr addrspace(1) %p, i64 %i"), "{after}");
        assert!(after.contains("ptr %own, i64 0, i64 %n"), "{after}");
    }

    #[test]
    fn two_places_of_a_variable_are_a_choice_of_offsets() {
        let after = legal(
            "define void @f(i1 %c, i32 %y, i64 %n) {\n\
               %own = alloca [8 x i32]\n\
               %one = getelementptr i8, ptr %own, i64 12\n\
               %two = getelementptr i32, ptr %own, i64 %n\n\
               %place = select i1 %c, ptr %one, ptr %two\n\
               store i32 %y, ptr %place\n\
               ret void\n}\n",
        );
        assert!(after.contains("mul i64 %n, 4"), "{after}");
        assert!(after.contains("select i1 %c, i64 12, i64 %"), "{after}");
        assert!(after.contains(ADD), "{after}");
        assert!(!after.contains("ptrtoint"), "{after}");
    }

    const ADD: &str = "call i64 @_Z21__spirv_ocl_u_add_satmm(i64 %";

    #[test]
    fn variables_that_something_chooses_between_are_found_by_an_address_from_a_function() {
        let after = legal(
            "define void @f(i1 %c, i32 %y, i64 %n, ptr %q) {\n\
               %one = alloca [8 x i32]\n\
               %two = alloca [8 x i32]\n\
               %three = alloca [8 x i32]\n\
               %number = alloca i32\n\
               %pointers = alloca [2 x ptr]\n\
               %place = select i1 %c, ptr %one, ptr %two\n\
               %in = getelementptr i32, ptr %place, i64 %n\n\
               store i32 %y, ptr %in\n\
               %alone = getelementptr i32, ptr %three, i64 %n\n\
               store i32 %y, ptr %alone\n\
               %any = select i1 %c, ptr %number, ptr %q\n\
               store i32 %y, ptr %any\n\
               %p = getelementptr ptr, ptr %pointers, i64 %n\n\
               store ptr %q, ptr %p\n\
               ret void\n}\n",
        );
        assert_eq!(after.matches(ADD).count(), 3, "{after}");
        for variable in ["one", "two", "pointers"] {
            assert!(
                after.contains(&format!("ptrtoint ptr %{variable} to i64")),
                "{after}"
            );
        }
        assert!(
            after.contains("getelementptr i32, ptr %three, i64 %n"),
            "{after}"
        );
        assert!(
            after.contains("select i1 %c, ptr %number, ptr %q"),
            "{after}"
        );
    }

    #[test]
    fn variables_whose_places_become_numbers_are_found_by_an_address_from_a_function() {
        let after = legal(
            "define i64 @f(i64 %n, i64 %m, i32 %y) {\n\
               %own = alloca [8 x i32]\n\
               %other = alloca [8 x i32]\n\
               %one = getelementptr i32, ptr %own, i64 %n\n\
               %two = getelementptr i32, ptr %own, i64 %m\n\
               store i32 %y, ptr %one\n\
               %last = ptrtoint ptr %one to i64\n\
               %first = ptrtoint ptr %two to i64\n\
               %alone = getelementptr i32, ptr %other, i64 %n\n\
               store i32 %y, ptr %alone\n\
               %r = sub i64 %last, %first\n\
               ret i64 %r\n}\n",
        );
        assert_eq!(after.matches(ADD).count(), 1, "{after}");
        assert!(after.contains("ptrtoint ptr %own to i64"), "{after}");
    }

    /// What is a place in memory for LLVM is none for compilers that make more parts of their callers.
    #[test]
    fn a_place_that_comes_from_memory_may_be_in_all_that_goes_there() {
        let after = legal(
            "define internal i64 @f(ptr addrspace(4) %range) {\n\
               %first = load ptr addrspace(4), ptr addrspace(4) %range\n\
               %number = ptrtoint ptr addrspace(4) %first to i64\n\
               ret i64 %number\n}\n\
             define spir_kernel void @k(i64 %n, ptr addrspace(1) %out) {\n\
               %range = alloca ptr addrspace(4)\n\
               %one = alloca i32\n\
               %other = alloca [8 x i32]\n\
               %place = addrspacecast ptr %one to ptr addrspace(4)\n\
               store ptr addrspace(4) %place, ptr %range\n\
               %alone = getelementptr i32, ptr %other, i64 %n\n\
               store i32 1, ptr %alone\n\
               %given = addrspacecast ptr %range to ptr addrspace(4)\n\
               %number = call i64 @f(ptr addrspace(4) %given)\n\
               store i64 %number, ptr addrspace(1) %out\n\
               ret void\n}\n",
        );
        assert!(after.contains("ptrtoint ptr %one to i64"), "{after}");
        assert_eq!(after.matches(ADD).count(), 1, "{after}");
    }

    /// Compilers make parts of their callers of them, and then it is a variable of theirs.
    #[test]
    fn what_functions_are_given_may_be_a_variable() {
        let after = legal(
            "define internal i64 @f(ptr addrspace(4) %a, ptr addrspace(4) %b, i1 %c, i32 %y) {\n\
               %i = zext i1 %c to i64\n\
               %place = getelementptr i32, ptr addrspace(4) %a, i64 %i\n\
               store i32 %y, ptr addrspace(4) %place\n\
               %last = ptrtoint ptr addrspace(4) %b to i64\n\
               ret i64 %last\n}\n\
             define void @between(ptr addrspace(4) %p, i1 %c, i32 %y) {\n\
               call i64 @f(ptr addrspace(4) null, ptr addrspace(4) %p, i1 %c, i32 %y)\n\
               ret void\n}\n\
             define spir_kernel void @k(i1 %c, i32 %y) {\n\
               %one = alloca [8 x i32]\n\
               %two = alloca [8 x i32]\n\
               %given = addrspacecast ptr %one to ptr addrspace(4)\n\
               %told = addrspacecast ptr %two to ptr addrspace(4)\n\
               call i64 @f(ptr addrspace(4) %given, ptr addrspace(4) %given, i1 %c, i32 %y)\n\
               call void @between(ptr addrspace(4) %told, i1 %c, i32 %y)\n\
               ret void\n}\n",
        );
        assert!(
            after.contains("_Z21__spirv_ocl_u_add_satmm(i64 %i, i64 0)"),
            "{after}"
        );
        for variable in ["one", "two"] {
            let opened = format!("ptrtoint ptr %{variable} to i64");
            assert!(after.contains(&opened), "{after}");
        }
    }

    #[test]
    fn code_that_is_not_optimized_stays() {
        let after = legal(
            "define void @f(i1 %c, i32 %y) noinline optnone {\n\
               %own = alloca [8 x i32]\n\
               %i = zext i1 %c to i64\n\
               %place = getelementptr [8 x i32], ptr %own, i64 0, i64 %i\n\
               store i32 %y, ptr %place\n\
               ret void\n}\n",
        );
        assert!(!after.contains("call"), "{after}");
    }
}

//! Which functions of the implementation ask nothing of the work-items beside one. Clang takes every
//! function that device code only declares for one that a group has to reach together (`convergent`):
//! no call of such a one leaves a loop, and what several ask for is asked for each time.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::values::CallSiteValue;

use super::builtins;
use crate::llvm::{calls, values};

/// Frees the numbers of work-items and mathematics of that.
pub fn free_functions_of_one(module: &Module<'_>) {
    let convergent = Attribute::get_named_enum_kind_id("convergent");
    let of_one = module
        .get_functions()
        .filter(|function| builtins::is_of_one_work_item(&values::function_name(*function)));
    for function in of_one {
        function.remove_enum_attribute(AttributeLoc::Function, convergent);
        for call in calls::of(function) {
            if let Ok(call) = CallSiteValue::try_from(call) {
                call.remove_enum_attribute(AttributeLoc::Function, convergent);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::free_functions_of_one;
    use crate::llvm::{context, passes, read, write};

    #[test]
    fn a_number_is_asked_for_once_and_a_group_meets_where_it_did() {
        let text = "target triple = \"spir64-unknown-unknown\"\n\
             declare spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32) #0\n\
             declare spir_func i64 @_Z17__spirv_GroupIAddjjl(i32, i32, i64) #0\n\
             define spir_kernel void @k(ptr addrspace(1) %p, i1 %again) {\n\
               %a = call spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 0) #1\n\
               %all = call spir_func i64 @_Z17__spirv_GroupIAddjjl(i32 2, i32 0, i64 1) #1\n\
               store i64 %a, ptr addrspace(1) %p\n\
               br i1 %again, label %more, label %end\n\
             more:\n\
               %b = call spir_func i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 0) #1\n\
               %some = call spir_func i64 @_Z17__spirv_GroupIAddjjl(i32 2, i32 0, i64 1) #1\n\
               %sum = add i64 %b, %some\n\
               %both = add i64 %sum, %all\n\
               store i64 %both, ptr addrspace(1) %p\n\
               br label %end\n\
             end:\n  ret void\n}\n\
             attributes #0 = { convergent nounwind willreturn memory(none) }\n\
             attributes #1 = { convergent nounwind willreturn memory(none) }\n";
        let context = context();
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        free_functions_of_one(&module);
        passes::run(&module, "function(early-cse)").unwrap();
        let made = write::text(&module);
        let calls = |name: &str| made.matches(&format!("call spir_func i64 @{name}")).count();
        assert_eq!(calls("_Z32__spirv_BuiltInLocalInvocationIdi"), 1, "{made}");
        assert_eq!(calls("_Z17__spirv_GroupIAddjjl"), 2, "{made}");
    }
}

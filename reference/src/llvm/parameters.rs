//! Parameters of functions, and functions without some of theirs.

use inkwell::llvm_sys::core::LLVMGetFirstUse;
use inkwell::values::{AsValueRef as _, BasicValueEnum, FunctionValue};

use super::shim;

/// Whether no instruction uses a parameter; what debug information says of it is no use.
#[must_use]
pub fn is_unused(parameter: BasicValueEnum<'_>) -> bool {
    // SAFETY: the parameter is valid; LLVM answers null where there is no use.
    unsafe { LLVMGetFirstUse(parameter.as_value_ref()).is_null() }
}

/// Puts in place of a function that is defined one without those of its parameters that `omitted` has a
/// true value for and nothing uses: with its body, its name, and all that is said of it and of the
/// parameters that stay. `None`, and nothing done, where there are none of these. The old one is gone.
#[must_use]
pub fn without<'ctx>(
    function: FunctionValue<'ctx>,
    omitted: &[bool],
) -> Option<FunctionValue<'ctx>> {
    let mut omitted = omitted.iter();
    let omitted: Vec<u8> = function
        .get_param_iter()
        .map(|each| (omitted.next() == Some(&true) && is_unused(each)).into())
        .collect();
    if function.count_basic_blocks() == 0 || omitted.iter().all(|&omitted| omitted == 0) {
        return None;
    }
    // SAFETY: the function is valid and has a body, and each of its parameters has a byte; those that are
    // left out have no use. The function that comes back is a valid one of the same module.
    unsafe {
        let own = shim::plumbline_omit_parameters(function.as_value_ref(), omitted.as_ptr());
        FunctionValue::new(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{context, read, write};

    #[test]
    fn a_function_without_some_parameters_keeps_all_else() {
        let text = "$k = comdat any\n\
             @table = global [1 x ptr] [ptr @k]\n\
             define void @before() {\n  ret void\n}\n\
             define weak_odr spir_kernel void @k(i32 %a, ptr byval([3 x i64]) align 8 %b, i64 noundef %c) #0 \
             comdat !own !1 !dbg !4 {\n\
               #dbg_value(i32 %a, !6, !DIExpression(), !7)\n\
               #dbg_value(i64 %c, !8, !DIExpression(), !7)\n\
               call void @sink(i64 %c), !dbg !7\n  ret void\n}\n\
             declare void @sink(i64)\n\
             attributes #0 = { nounwind \"sycl-module-id\"=\"a.cpp\" }\n\
             !llvm.dbg.cu = !{!2}\n!llvm.module.flags = !{!0}\n!list = !{!9}\n\
             !0 = !{i32 2, !\"Debug Info Version\", i32 3}\n\
             !1 = !{i32 7}\n\
             !2 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !3, emissionKind: FullDebug)\n\
             !3 = !DIFile(filename: \"a.cpp\", directory: \"/\")\n\
             !4 = distinct !DISubprogram(name: \"k\", scope: !3, file: !3, type: !5, spFlags: DISPFlagDefinition, \
             unit: !2)\n\
             !5 = !DISubroutineType(types: !{})\n\
             !6 = !DILocalVariable(name: \"a\", scope: !4)\n\
             !7 = !DILocation(line: 1, scope: !4)\n\
             !8 = !DILocalVariable(name: \"c\", scope: !4)\n\
             !9 = !{ptr @k, !\"kernel\", i32 1}\n";
        let context = context();
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        let kernel = module.get_function("k").unwrap();
        let kernel = without(kernel, &[true, true, true]).unwrap();
        assert_eq!(Some(kernel), module.get_function("k"));
        // What is used stays, whatever is asked for.
        assert_eq!(without(kernel, &[true]), None);
        write::verify(&module).unwrap();
        let made = write::text(&module);
        for part in [
            "define weak_odr spir_kernel void @k(i64 noundef %c) #0 comdat !dbg !",
            "!own !",
            "call void @sink(i64 %c), !dbg",
            "@table = global [1 x ptr] [ptr @k]",
            "\"sycl-module-id\"=\"a.cpp\"",
            "i64 %c, !",
            "{ptr @k, !\"kernel\", i32 1}",
        ] {
            assert!(made.contains(part), "{part} not in {made}");
        }
        assert!(made.find("@before()").unwrap() < made.find("@k(").unwrap());
    }

    #[test]
    fn a_parameter_that_is_kept_keeps_its_type_and_place() {
        let text = "define void @f(i32 %a, ptr byval([3 x i64]) align 8 \"mark\" %b, float %c) {\n\
             ret void\n}\n\
             declare void @elsewhere(i32)\n";
        let context = context();
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        let elsewhere = module.get_function("elsewhere").unwrap();
        assert_eq!(without(elsewhere, &[true]), None);
        let function = module.get_function("f").unwrap();
        assert_eq!(without(function, &[]), None);
        without(function, &[true, false, true]).unwrap();
        let made = write::text(&module);
        let expected = "define void @f(ptr byval([3 x i64]) align 8 \"mark\" %b) {";
        assert!(made.contains(expected), "{made}");
    }
}

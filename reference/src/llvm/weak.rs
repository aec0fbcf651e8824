//! References that need no definition (`extern_weak`).

use inkwell::llvm_sys::core::{
    LLVMConstInt, LLVMConstPointerNull, LLVMGetFirstUse, LLVMGetICmpPredicate, LLVMGetNextUse,
    LLVMGetOperand, LLVMGetTypeKind, LLVMGetUndef, LLVMGetUser, LLVMInstructionEraseFromParent,
    LLVMIsAICmpInst, LLVMIsNull, LLVMReplaceAllUsesWith, LLVMTypeOf,
};
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMTypeKind};
use inkwell::module::{Linkage, Module};
use inkwell::values::{AsValueRef as _, FunctionValue, GlobalValue};

use super::{calls, subset, values};

/// The references of a module that need no definition and have none.
#[must_use]
pub fn undefined<'ctx>(module: &Module<'ctx>) -> Vec<GlobalValue<'ctx>> {
    let weak = |global: &GlobalValue<'_>| {
        values::is_declaration(*global) && global.get_linkage() == Linkage::ExternalWeak
    };
    values::globals(module).into_iter().filter(weak).collect()
}

/// Makes such a reference the null pointer that it is when nothing defines it. What calls it is never
/// reached, and loses the call, which no device compiler takes.
pub fn set_null(global: GlobalValue<'_>) {
    if let Some(function) = values::as_function(global) {
        for call in calls::of(function) {
            let call = call.as_value_ref();
            // SAFETY: the call is valid, in a block, and its uses get another value of its type
            // before it goes away.
            unsafe {
                let result = LLVMTypeOf(call);
                if LLVMGetTypeKind(result) != LLVMTypeKind::LLVMVoidTypeKind {
                    LLVMReplaceAllUsesWith(call, LLVMGetUndef(result));
                }
                LLVMInstructionEraseFromParent(call);
            }
        }
    }
    let reference = global.as_value_ref();
    // SAFETY: the global is valid, and null has its type.
    unsafe { LLVMReplaceAllUsesWith(reference, LLVMConstPointerNull(LLVMTypeOf(reference))) };
    subset::leave_out([global]);
}

/// Leaves a function to another module's definition.
pub fn give_way<'ctx>(module: &Module<'ctx>, function: FunctionValue<'ctx>) {
    let global = function.as_global_value();
    let name = values::name(global);
    global.set_name("");
    let declared = module.add_function(&name, function.get_type(), None);
    declared.set_call_conventions(function.get_call_conventions());
    function.replace_all_uses_with(declared);
    // What it called may have been its own use of itself, which is the other's now.
    subset::leave_out([global]);
}

/// Settles comparisons with null of a function that a reference without need of it found: no device
/// compiler has addresses of functions, and null is what some write for them.
pub fn set_present(function: FunctionValue<'_>) {
    let function = function.as_value_ref();
    // SAFETY: the list of uses is LLVM's own, valid until null, and no use goes away meanwhile but one
    // that was followed; only comparisons are asked what they compare, and what used them gets a value
    // of their type before they go away.
    unsafe {
        let mut each = LLVMGetFirstUse(function);
        while !each.is_null() {
            let user = LLVMGetUser(each);
            each = LLVMGetNextUse(each);
            if LLVMIsAICmpInst(user).is_null() {
                continue;
            }
            let operands = [0, 1].map(|number| LLVMGetOperand(user, number));
            let present = match LLVMGetICmpPredicate(user) {
                LLVMIntPredicate::LLVMIntNE => 1,
                LLVMIntPredicate::LLVMIntEQ => 0,
                _ => continue,
            };
            if operands.iter().any(|operand| LLVMIsNull(*operand) != 0) {
                LLVMReplaceAllUsesWith(user, LLVMConstInt(LLVMTypeOf(user), present, 0));
                LLVMInstructionEraseFromParent(user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{context, read, write};

    #[test]
    fn references_without_a_definition_become_null() {
        let context = context();
        let text = "target triple = \"spir64-unknown-unknown\"\n\
                    declare extern_weak spir_func i32 @f(i32)\n\
                    @v = extern_weak addrspace(1) global i32\n@w = external addrspace(1) global i32\n\
                    define spir_func i32 @user() {\n\
                      %c = icmp ne ptr @f, null\n  br i1 %c, label %call, label %end\n\
                    call:\n  %r = call spir_func i32 @f(i32 1)\n  br label %end\n\
                    end:\n  %p = phi i32 [ 0, %0 ], [ %r, %call ]\n\
                      %n = icmp eq ptr addrspace(1) @v, null\n  %z = zext i1 %n to i32\n\
                      %s = add i32 %p, %z\n  ret i32 %s\n}\n";
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        let found = undefined(&module);
        assert_eq!(found.len(), 2);
        found.into_iter().for_each(set_null);
        write::verify(&module).unwrap();
        let text = write::text(&module);
        assert!(
            !text.contains("extern_weak") && !text.contains("@f"),
            "{text}"
        );
        assert!(text.contains("icmp ne ptr null, null"), "{text}");
        assert!(text.contains("@w = external"), "{text}");
    }
    #[test]
    fn functions_that_are_there_are_not_null() {
        let context = context();
        let text = "define spir_func void @f() {\n  ret void\n}\n\
                    define spir_func i1 @user(ptr %p) {\n  %ne = icmp ne ptr @f, null\n\
                    %eq = icmp eq ptr null, @f\n  %other = icmp eq ptr %p, @f\n\
                    %a = or i1 %ne, %other\n  %b = or i1 %a, %eq\n  ret i1 %b\n}\n";
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        set_present(module.get_function("f").unwrap());
        let text = write::text(&module);
        assert!(
            text.contains("or i1 true, %other") && text.contains("or i1 %a, false"),
            "{text}"
        );
        assert!(
            !text.contains("%ne = ") && !text.contains("%eq = "),
            "{text}"
        );
    }
}

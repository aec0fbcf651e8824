//! String attributes of functions and global variables.

use std::slice;

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::ContextRef;
use inkwell::llvm_sys::core::LLVMGetTypeAttributeValue;
use inkwell::llvm_sys::core::LLVMGetTypeContext;
use inkwell::llvm_sys::core::LLVMTypeOf;
use inkwell::types::AnyTypeEnum;
use inkwell::values::{AsValueRef as _, FunctionValue, GlobalValue};

use super::shim;

/// The text of a function's attribute; the empty text for one without a value.
#[must_use]
pub fn of_function(function: FunctionValue<'_>, key: &str) -> Option<String> {
    let attribute = function.get_string_attribute(AttributeLoc::Function, key)?;
    Some(attribute.get_string_value().to_string_lossy().into_owned())
}

/// Sets a function's attribute, in place of one that it had.
pub fn set_on_function(function: FunctionValue<'_>, key: &str, value: &str) {
    // SAFETY: the function is valid, and so are its type and context.
    let context =
        unsafe { ContextRef::new(LLVMGetTypeContext(LLVMTypeOf(function.as_value_ref()))) };
    let attribute = context.create_string_attribute(key, value);
    function.remove_string_attribute(AttributeLoc::Function, key);
    function.add_attribute(AttributeLoc::Function, attribute);
}

/// The type of a parameter that a function takes by value behind a pointer.
#[must_use]
pub fn by_value<'ctx>(function: FunctionValue<'ctx>, parameter: u32) -> Option<AnyTypeEnum<'ctx>> {
    let kind = Attribute::get_named_enum_kind_id("byval");
    let attribute = function.get_enum_attribute(AttributeLoc::Param(parameter), kind)?;
    // SAFETY: a `byval` attribute holds a type, which lives as long as the function's context.
    unsafe {
        Some(AnyTypeEnum::new(LLVMGetTypeAttributeValue(
            attribute.as_mut_ptr(),
        )))
    }
}

/// The text of a global variable's attribute; none for anything but a variable.
#[must_use]
pub fn of_variable(variable: GlobalValue<'_>, key: &str) -> Option<String> {
    let mut length = 0;
    // SAFETY: the variable is valid; the text is the context's, of the length that is said, and
    // copied at once.
    unsafe {
        let text = shim::plumbline_variable_attribute(
            variable.as_value_ref(),
            key.as_ptr().cast(),
            key.len(),
            &mut length,
        );
        if text.is_null() {
            return None;
        }
        let bytes = slice::from_raw_parts(text.cast(), length);
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// Gives a global variable an attribute; nothing but a variable takes one.
pub fn set_on_variable(variable: GlobalValue<'_>, key: &str, text: &str) {
    // SAFETY: the variable is valid; both texts are copied at once.
    unsafe {
        shim::plumbline_set_variable_attribute(
            variable.as_value_ref(),
            key.as_ptr().cast(),
            key.len(),
            text.as_ptr().cast(),
            text.len(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{context, read};

    #[test]
    fn attributes_of_functions_and_variables() {
        let context = context();
        let text = "@g = global i32 0 #0\ndefine void @f() #1 {\n  ret void\n}\n\
                    attributes #0 = { \"id\"=\"x y\" \"bare\" }\n\
                    attributes #1 = { \"sycl-module-id\"=\"a.cpp\" }\n";
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        let g = module.get_global("g").unwrap();
        assert_eq!(of_variable(g, "id").as_deref(), Some("x y"));
        assert_eq!(of_variable(g, "bare").as_deref(), Some(""));
        assert_eq!(of_variable(g, "none"), None);
        set_on_variable(g, "none", "some");
        assert_eq!(of_variable(g, "none").as_deref(), Some("some"));
        let f = module.get_function("f").unwrap();
        assert_eq!(of_function(f, "sycl-module-id").as_deref(), Some("a.cpp"));
        set_on_function(f, "sycl-module-id", "b.cpp");
        assert_eq!(of_function(f, "sycl-module-id").as_deref(), Some("b.cpp"));
    }
}

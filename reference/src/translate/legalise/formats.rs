//! The formats of `printf`, which OpenCL has in constant memory and C++ in global memory: there it takes an
//! extension of SPIR-V (`SPV_EXT_relaxed_printf_string_address_space`), with which Intel's FPGA emulator of 2023
//! builds no kernel. A format that is known gets a copy in constant memory.

use inkwell::AddressSpace;
use inkwell::builder::BuilderError;
use inkwell::module::{Linkage, Module};
use inkwell::types::FunctionType;
use inkwell::values::{
    BasicMetadataValueEnum, CallSiteValue, FunctionValue, GlobalValue, InstructionValue,
};

use super::CONSTANT;
use crate::llvm::constants::Constant;
use crate::llvm::{calls, demangle, subset, values};

/// `int __spirv_ocl_printf(constant const char *, ...)`, which writers take for the instruction.
const PRINTF: &str = "_Z18__spirv_ocl_printfPU3AS2Kcz";

/// Has `printf` read its formats in constant memory, where they are known.
///
/// # Errors
/// When LLVM refuses an instruction.
pub(super) fn mend(module: &Module<'_>) -> Result<(), BuilderError> {
    let builder = module.get_context().create_builder();
    let mut copies: Vec<(GlobalValue<'_>, GlobalValue<'_>)> = Vec::new();
    let printing: Vec<_> = module.get_functions().filter(|f| is_printf(*f)).collect();
    for function in printing {
        for call in calls::of(function) {
            let Some(Constant::Global(format)) = Constant::of_operand(call, 0) else {
                continue;
            };
            let known = copies.iter().find(|(own, _)| *own == format);
            let copy = match known.map(|(_, copy)| *copy) {
                Some(copy) => copy,
                None => match in_constant_memory(module, format) {
                    Some(copy) => {
                        copies.push((format, copy));
                        copy
                    }
                    None => continue,
                },
            };
            let mut arguments: Vec<BasicMetadataValueEnum<'_>> =
                vec![copy.as_pointer_value().into()];
            arguments.extend(others(call));
            builder.position_before(&call);
            let print = printf(module);
            let made = builder.build_call(print, &arguments, "")?;
            made.set_call_convention(print.get_call_conventions());
            if let Some(printed) = made.try_as_basic_value().basic() {
                calls::replace(call, printed);
            }
        }
        subset::leave_out([function.as_global_value()]);
    }
    Ok(())
}

/// Whether it is the one whose format is in no constant memory.
fn is_printf(function: FunctionValue<'_>) -> bool {
    let name = values::function_name(function);
    function.count_basic_blocks() == 0
        && name != PRINTF
        && demangle::function_name(&name) == "__spirv_ocl_printf"
        && format_space(function.get_type()) != Some(AddressSpace::from(CONSTANT))
}

fn format_space(ty: FunctionType<'_>) -> Option<AddressSpace> {
    let first = ty.get_param_types().into_iter().next()?;
    first
        .is_pointer_type()
        .then(|| first.into_pointer_type().get_address_space())
}

/// The function for formats in constant memory.
fn printf<'ctx>(module: &Module<'ctx>) -> FunctionValue<'ctx> {
    module.get_function(PRINTF).unwrap_or_else(|| {
        let context = module.get_context();
        let format = context.ptr_type(AddressSpace::from(CONSTANT));
        let ty = context.i32_type().fn_type(&[format.into()], true);
        let function = module.add_function(PRINTF, ty, None);
        function.set_call_conventions(values::SPIR_FUNC);
        function
    })
}

/// A copy of a constant, if that is what the variable is.
fn in_constant_memory<'ctx>(
    module: &Module<'ctx>,
    format: GlobalValue<'ctx>,
) -> Option<GlobalValue<'ctx>> {
    // Of functions and other names nothing more must be asked.
    Constant::of_initializer(format)?;
    let text = format.get_initializer().filter(|_| format.is_constant())?;
    let name = format!("{}.plumbline.format", values::name(format));
    let copy = module.add_global(text.get_type(), Some(AddressSpace::from(CONSTANT)), &name);
    copy.set_initializer(&text);
    copy.set_constant(true);
    copy.set_linkage(Linkage::Internal);
    copy.set_alignment(format.get_alignment().max(1));
    Some(copy)
}

/// What is printed: all arguments but the format.
fn others(call: InstructionValue<'_>) -> Vec<BasicMetadataValueEnum<'_>> {
    let count = CallSiteValue::try_from(call).map_or(0, |call| call.count_arguments());
    let values = (1..count).filter_map(|number| call.get_operand(number)?.value());
    values.map(Into::into).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    const DECLARED: &str = "@text = private unnamed_addr addrspace(1) constant [4 x i8] c\"%d\\0A\\00\"\n\
        declare spir_func i32 @_Z18__spirv_ocl_printfPKcz(ptr addrspace(4), ...)\n";

    #[test]
    fn known_formats_are_in_constant_memory() {
        let after = legal(&format!(
            "{DECLARED}define spir_kernel void @k(i32 %x) {{\n\
             %a = call spir_func i32 (ptr addrspace(4), ...) @_Z18__spirv_ocl_printfPKcz(ptr addrspace(4) \
             addrspacecast (ptr addrspace(1) @text to ptr addrspace(4)), i32 %x)\n\
             %b = call spir_func i32 (ptr addrspace(4), ...) @_Z18__spirv_ocl_printfPKcz(ptr addrspace(4) \
             addrspacecast (ptr addrspace(1) @text to ptr addrspace(4)), i32 7)\n  ret void\n}}\n"
        ));
        let copy = "internal addrspace(2) constant [4 x i8] c\"%d\\0A\\00\"";
        assert_eq!(after.matches(copy).count(), 1, "{after}");
        for value in ["%x", "7"] {
            let call = format!(
                "call spir_func i32 (ptr addrspace(2), ...) @_Z18__spirv_ocl_printfPU3AS2Kcz(\
                 ptr addrspace(2) @text.plumbline.format, i32 {value})"
            );
            assert!(after.contains(&call), "{after}");
        }
        assert!(!after.contains("printfPKcz"), "{after}");
    }

    #[test]
    fn others_are_where_they_were() {
        let after = legal(&format!(
            "{DECLARED}define spir_kernel void @k(ptr addrspace(4) %text) {{\n\
             %a = call spir_func i32 (ptr addrspace(4), ...) @_Z18__spirv_ocl_printfPKcz(\
             ptr addrspace(4) %text)\n  ret void\n}}\n"
        ));
        assert!(
            after.contains("printfPKcz(ptr addrspace(4) %text)"),
            "{after}"
        );
    }
}

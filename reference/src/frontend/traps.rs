//! `__builtin_trap` in device code. SPIR-V has no instruction for it, and its writers drop it: the
//! device library has a function in its place, which ends the program as a failed assertion does.

use inkwell::builder::BuilderError;
use inkwell::module::Module;

use super::kernels::is_nvptx;
use crate::llvm::{calls, values};

/// The device library's function.
const TRAP: &str = "__devicelib_trap";

/// LLVM's instructions that end a program.
const INTRINSICS: [&str; 2] = ["llvm.trap", "llvm.ubsantrap"];

/// Calls the device library where a module for SPIR-V traps. PTX has an instruction of its own.
///
/// # Errors
/// When LLVM refuses the call.
pub fn lower(module: &Module<'_>) -> Result<(), BuilderError> {
    let known = |name: &&str| module.get_function(name).is_some();
    if is_nvptx(module) || !INTRINSICS.iter().any(known) {
        return Ok(());
    }
    let context = module.get_context();
    let library = module.get_function(TRAP).unwrap_or_else(|| {
        let function = module.add_function(TRAP, context.void_type().fn_type(&[], false), None);
        function.set_call_conventions(values::SPIR_FUNC);
        function
    });
    let builder = context.create_builder();
    for function in values::defined_functions(module) {
        let traps: Vec<_> = values::instructions(function)
            .filter(|instruction| {
                let name = calls::callee(*instruction).map(|f| values::name(f.as_global_value()));
                name.is_some_and(|name| INTRINSICS.contains(&name.as_str()))
            })
            .collect();
        for trap in traps {
            builder.position_before(&trap);
            let call = builder.build_call(library, &[], "")?;
            call.set_call_convention(values::SPIR_FUNC);
            trap.erase_from_basic_block();
        }
    }
    Ok(())
}

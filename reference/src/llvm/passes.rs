//! LLVM's own passes over a module.

use std::ffi::CStr;
use std::ptr;

use inkwell::llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use inkwell::llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPasses,
};
use inkwell::module::Module;

use super::{LlvmError, c_string, identifier};

/// Runs a pipeline in the syntax of `opt -passes=`, e.g. `internalize,default<O2>`, with no target
/// machine: SPIR-V has no registered target in this LLVM.
///
/// # Errors
/// [`LlvmError::Passes`] when the pipeline's text is wrong.
pub fn run(module: &Module<'_>, pipeline: &str) -> Result<(), LlvmError> {
    let text = c_string(pipeline);
    // SAFETY: the module and the text outlive the call; the options and the error are ours.
    unsafe {
        let options = LLVMCreatePassBuilderOptions();
        let error = LLVMRunPasses(module.as_mut_ptr(), text.as_ptr(), ptr::null_mut(), options);
        LLVMDisposePassBuilderOptions(options);
        if error.is_null() {
            return Ok(());
        }
        let message = LLVMGetErrorMessage(error);
        let reason = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(LlvmError::Passes {
            origin: identifier(module),
            pipeline: pipeline.to_owned(),
            reason,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::llvm::{context, read, write};

    #[test]
    fn a_pipeline_runs_and_a_wrong_one_is_an_error() {
        let context = context();
        let text = "target triple = \"spir64-unknown-unknown\"\n\
                    define internal void @dead() {\n  ret void\n}\n\
                    define spir_kernel void @k() {\n  ret void\n}\n";
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        super::run(&module, "globaldce").unwrap();
        assert!(!write::text(&module).contains("@dead"));
        let error = super::run(&module, "no-such-pass").unwrap_err().to_string();
        assert!(error.contains("no-such-pass"), "{error}");
    }
}

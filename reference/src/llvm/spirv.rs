//! SPIR-V out of LLVM's own back end, which releases from 20 on have: LTO's step from a module to code
//! (`THIN`, "Device code link time changes": the long-term flow).

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;

use inkwell::llvm_sys::prelude::LLVMBool;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::targets::{TargetData, TargetTriple};

use super::{LlvmError, c_string, diagnostics, shim, take_message};

/// Whether the back end is in this program.
#[must_use]
pub fn is_there() -> bool {
    // SAFETY: the function only answers.
    unsafe { shim::plumbline_spirv_is_there() != 0 }
}

/// Why no code was generated.
#[derive(Debug)]
pub enum Failure {
    /// What was left to do for the module failed.
    Finish(LlvmError),
    /// LLVM's reason.
    Generate(String),
}

/// Generates code for a complete module, which is of no use afterwards. `triple` says which SPIR-V, as in
/// `spirv64v1.2-unknown-unknown`; `extensions` is the list that `--spirv-ext=` of LLVM's tools takes.
/// `finish` is a pass of LTO's, the first of those that generate code.
///
/// # Errors
/// With the reason, when `finish` fails or LLVM takes the module not.
pub fn generate(
    module: &Module<'_>,
    triple: &str,
    extensions: &str,
    finish: impl FnOnce() -> Result<(), LlvmError>,
) -> Result<Vec<u8>, Failure> {
    let origin = super::identifier(module);
    // Through `inkwell`, which remembers what it knows of a module.
    module.set_triple(&TargetTriple::create(triple));
    let (triple, extensions) = (c_string(triple), c_string(extensions));
    if is_there() {
        // SAFETY: the text outlives the call, and a message is ours.
        let layout = unsafe { take_message(shim::plumbline_spirv_layout(triple.as_ptr())) };
        module.set_data_layout(&TargetData::create(&layout).get_data_layout());
    }
    let (mut message, mut crashed) = (ptr::null_mut(), 0);
    let mut finish = Some(finish);
    let mut pass = Pass {
        run: &mut || finish.take().map_or(Ok(()), |finish| finish()),
        outcome: Ok(Ok(())),
    };
    // SAFETY: the module and the texts outlive the call, and nothing else uses the pass meanwhile.
    let made = diagnostics::generating("SPIR-V", &origin, || unsafe {
        shim::plumbline_spirv_generate(
            module.as_mut_ptr(),
            triple.as_ptr(),
            extensions.as_ptr(),
            (&raw mut pass).cast(),
            run,
            &mut message,
            &mut crashed,
        )
    });
    if crashed != 0 {
        diagnostics::end_generating(&origin);
    }
    // SAFETY: a buffer is ours when there is one.
    let made = (!made.is_null()).then(|| unsafe { MemoryBuffer::new(made) });
    match pass.outcome {
        Ok(outcome) => outcome.map_err(Failure::Finish)?,
        Err(panic) => resume_unwind(panic),
    }
    if let Some(reason) = diagnostics::take_errors() {
        return Err(Failure::Generate(reason));
    }
    match made {
        Some(made) => Ok(made.as_slice().to_vec()),
        // SAFETY: a message is ours on failure.
        None => Err(Failure::Generate(unsafe { take_message(message) })),
    }
}

/// Rust's side of the pass.
struct Pass<'a> {
    run: &'a mut dyn FnMut() -> Result<(), LlvmError>,
    outcome: Result<Result<(), LlvmError>, Box<dyn Any + Send>>,
}

/// Runs the pass behind `state`; false when it failed. No panic goes through LLVM.
extern "C" fn run(state: *mut c_void) -> LLVMBool {
    // SAFETY: `state` is what `generate` gave, and its only user now.
    let pass = unsafe { &mut *state.cast::<Pass<'_>>() };
    pass.outcome = catch_unwind(AssertUnwindSafe(&mut *pass.run));
    matches!(pass.outcome, Ok(Ok(()))).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{context, read, subset};

    const TEXT: &str = "target triple = \"spir64-unknown-unknown\"\n\
                        define spir_kernel void @k(ptr addrspace(1) %p) {\n\
                          store i32 7, ptr addrspace(1) %p\n  ret void\n}\n\
                        define spir_kernel void @late() {\n  ret void\n}\n";

    fn generated(extensions: &str, fails: bool) -> Result<Vec<u8>, Failure> {
        let context = context();
        let module = read::module(&context, TEXT.as_bytes(), "a.ll").unwrap();
        generate(&module, "spirv64v1.1-unknown-unknown", extensions, || {
            let late = module.get_function("late").unwrap();
            subset::leave_out([late.as_global_value()]);
            match fails {
                true => Err(LlvmError::Passes {
                    origin: "a.ll".to_owned(),
                    pipeline: "x".to_owned(),
                    reason: "y".to_owned(),
                }),
                false => Ok(()),
            }
        })
    }

    #[test]
    #[cfg(feature = "llvm19")]
    fn without_a_back_end_it_says_so() {
        let made = generated("", false);
        assert!(matches!(made, Err(Failure::Generate(reason)) if reason.contains("no SPIR-V")));
    }

    #[test]
    #[cfg_attr(
        feature = "llvm19",
        ignore = "skipped: the LLVM inside has no SPIR-V back end"
    )]
    fn the_pass_comes_first_and_the_version_is_the_triples() {
        let made = generated("", false).unwrap();
        assert_eq!(made[..8], [3, 2, 0x23, 7, 0, 1, 1, 0]);
        let has = |name: &[u8]| made.windows(name.len()).any(|found| found == name);
        assert!(has(b"k\0") && !has(b"late"));
    }

    #[test]
    #[cfg_attr(
        feature = "llvm19",
        ignore = "skipped: the LLVM inside has no SPIR-V back end"
    )]
    fn what_fails_is_told() {
        assert!(matches!(generated("", true), Err(Failure::Finish(_))));
        let unknown = generated("+SPV_ACME_teapot", false);
        assert!(matches!(unknown, Err(Failure::Generate(r)) if r.contains("teapot")));
        assert!(generated("+SPV_KHR_bit_instructions", false).is_ok());
    }
}

//! LLVM's own passes over a module.

use std::ptr;

use inkwell::OptimizationLevel;
use inkwell::module::Module;
use inkwell::targets::TargetMachine;

use super::{LlvmError, c_string, identifier, nvptx, shim, take_message};

/// Runs a pipeline in the syntax of `opt -passes=`, e.g. `internalize,default<O2>`: for NVIDIA's GPUs
/// with what LLVM knows of them, else with no target machine, as SPIR-V has no registered target in
/// this LLVM. Passes that vectorize are left out: how wide its units are only the device's own
/// compiler knows. What the module asks of the architecture stays open: links know which it is.
///
/// # Errors
/// [`LlvmError::Passes`] when the pipeline's text is wrong.
pub fn run(module: &Module<'_>, pipeline: &str) -> Result<(), LlvmError> {
    let Some(machine) = own_machine(module)? else {
        return run_with(module, pipeline, None, false);
    };
    // LLVM answers by the machine what goes by this name.
    let rename = |from, to| {
        if let Some(question) = module.get_function(from) {
            question.as_global_value().set_name(to);
        }
    };
    rename(nvptx::REFLECT, OPEN_QUESTION);
    let done = run_with(module, pipeline, Some(&machine), false);
    rename(OPEN_QUESTION, nvptx::REFLECT);
    done
}

/// What [`nvptx::REFLECT`] is called while passes run that are not to answer it.
const OPEN_QUESTION: &str = "__plumbline_open_question";

/// The same over a linked module, the device libraries with it, for a machine that the caller has: no
/// call of a library function comes in that is not there.
///
/// # Errors
/// [`LlvmError::Passes`] when the pipeline's text is wrong.
pub fn run_for(
    machine: &TargetMachine,
    module: &Module<'_>,
    pipeline: &str,
) -> Result<(), LlvmError> {
    run_with(module, pipeline, Some(machine), true)
}

/// The machine that a module says it is for.
fn own_machine(module: &Module<'_>) -> Result<Option<TargetMachine>, LlvmError> {
    if !nvptx::is_for(module) {
        return Ok(None);
    }
    let machine = nvptx::machine(nvptx::DEFAULT_ARCH, OptimizationLevel::Default);
    machine.map(Some).map_err(|reason| LlvmError::Passes {
        origin: identifier(module),
        pipeline: String::new(),
        reason,
    })
}

fn run_with(
    module: &Module<'_>,
    pipeline: &str,
    machine: Option<&TargetMachine>,
    linked: bool,
) -> Result<(), LlvmError> {
    let text = c_string(pipeline);
    let machine = machine.map_or(ptr::null_mut(), TargetMachine::as_mut_ptr);
    let mut message = ptr::null_mut();
    // SAFETY: module, text and machine outlive the call; the message is ours when there is one.
    unsafe {
        let (raw, text) = (module.as_mut_ptr(), text.as_ptr());
        if shim::plumbline_run_passes(raw, text, machine, linked.into(), &mut message) == 0 {
            return Ok(());
        }
        Err(LlvmError::Passes {
            origin: identifier(module),
            pipeline: pipeline.to_owned(),
            reason: take_message(message),
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

    /// What `pipeline` makes of a function for SPIR-V with this layout of data.
    fn for_spirv(function: &str, pipeline: &str) -> String {
        let context = context();
        let text = format!(
            "target triple = \"spir64-unknown-unknown\"\n\
             target datalayout = \"{LAYOUT}\"\n{function}"
        );
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        super::run(&module, pipeline).unwrap();
        write::text(&module)
    }

    const LAYOUT: &str = "e-i64:64-v16:16-G1";

    #[test]
    fn only_short_loops_of_barriers_are_unrolled_for_spirv() {
        let unrolled = |barrier: &str| {
            let made = for_spirv(
                &format!(
                    "declare void @_Z22__spirv_ControlBarrieriii(i32, i32, i32) convergent\n\
                     define spir_kernel void @k(ptr addrspace(1) %p) {{\n\
                     entry:\n  br label %loop\n\
                     loop:\n  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n\
                     %place = getelementptr float, ptr addrspace(1) %p, i64 %i\n\
                     {barrier}\n\
                     store volatile float 1.0, ptr addrspace(1) %place\n\
                     %next = add nuw nsw i64 %i, 1\n\
                     %more = icmp ult i64 %next, 128\n\
                     br i1 %more, label %loop, label %end, !llvm.loop !0\n\
                     end:\n  ret void\n}}\n\
                     !0 = distinct !{{!0, !1}}\n!1 = !{{!\"llvm.loop.unroll.enable\"}}\n"
                ),
                "default<O2>",
            );
            made.matches("store volatile").count()
        };
        let barrier = "call void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 912) convergent";
        assert_eq!((unrolled(""), unrolled(barrier)), (128, 1));
    }

    #[test]
    fn loops_for_spirv_count_as_wide_as_addresses_are() {
        let made = for_spirv(
            "define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {\n\
             entry:\n  br label %loop\n\
             loop:\n  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n\
             %wide = sext i32 %i to i64\n\
             %place = getelementptr float, ptr addrspace(1) %p, i64 %wide\n\
             store float 1.0, ptr addrspace(1) %place\n\
             %next = add nsw i32 %i, 1\n\
             %more = icmp slt i32 %next, %n\n\
             br i1 %more, label %loop, label %end\n\
             end:\n  ret void\n}\n",
            "function(loop(indvars))",
        );
        assert!(made.contains("phi i64"), "{made}");
        assert!(made.contains(&format!("\"{LAYOUT}\"")), "{made}");
    }

    #[test]
    fn indices_of_spirv_are_computed_as_wide_as_the_program_does() {
        let made = for_spirv(
            "declare void @llvm.assume(i1)\n\
             define spir_kernel void @k(ptr addrspace(3) %p, i64 %number) {\n\
               %fits = icmp ult i64 %number, 2147483648\n\
               call void @llvm.assume(i1 %fits)\n\
               %own = trunc i64 %number to i32\n\
               %before = sub nsw i32 %own, 2\n\
               %wide = sext i32 %before to i64\n\
               %place = getelementptr float, ptr addrspace(3) %p, i64 %wide\n\
               store float 1.0, ptr addrspace(3) %place\n\
               ret void\n}\n",
            "default<O2>",
        );
        assert!(!made.contains("shl"), "{made}");
    }

    #[test]
    fn pointers_of_spirv_say_what_memory_they_are_into() {
        let made = for_spirv(
            "define spir_kernel void @k(ptr addrspace(1) %p) {\n\
               %captures = alloca ptr addrspace(4)\n\
               %any = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)\n\
               store ptr addrspace(4) %any, ptr %captures\n\
               %own = load ptr addrspace(4), ptr %captures\n\
               %place = getelementptr float, ptr addrspace(4) %own, i64 3\n\
               store float 1.0, ptr addrspace(4) %place\n\
               ret void\n}\n",
            "default<O2>",
        );
        assert!(!made.contains("addrspace(4)"), "{made}");
    }

    #[test]
    fn a_linked_module_gets_no_call_of_the_c_library() {
        let text = "target triple = \"spir64-unknown-unknown\"\n\
                    declare double @pow(double, double)\n\
                    define double @f(double %x) {\n\
                      %r = call afn double @pow(double 2.0, double %x)\n\
                      ret double %r\n}\n";
        let optimized = |linked: bool| {
            let context = context();
            let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
            super::run_with(&module, "instcombine", None, linked).unwrap();
            write::text(&module)
        };
        assert!(!optimized(false).contains("call afn double @pow"));
        assert!(optimized(true).contains("call afn double @pow"));
    }

    #[test]
    fn no_level_vectorizes_device_code() {
        let text = r#"
target triple = "spir64-unknown-unknown"
define spir_kernel void @k(ptr noalias %to, ptr noalias %from) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %source = getelementptr inbounds i8, ptr %from, i64 %i
  %value = load i8, ptr %source
  %sum = add i8 %value, 3
  %place = getelementptr inbounds i8, ptr %to, i64 %i
  store i8 %sum, ptr %place
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 4096
  br i1 %done, label %end, label %loop
end:
  ret void
}
define spir_kernel void @unrolled(ptr noalias %to, ptr noalias %from) {
  %a = load i8, ptr %from
  %b = add i8 %a, 3
  store i8 %b, ptr %to
  %from1 = getelementptr inbounds i8, ptr %from, i64 1
  %to1 = getelementptr inbounds i8, ptr %to, i64 1
  %c = load i8, ptr %from1
  %d = add i8 %c, 3
  store i8 %d, ptr %to1
  ret void
}
"#;
        for level in ["O1", "O2", "O3", "Os", "Oz"] {
            let context = context();
            let module = read::module(&context, text.as_bytes(), "loop.ll").unwrap();
            super::run(&module, &format!("default<{level}>")).unwrap();
            let text = write::text(&module);
            assert!(!text.contains(" x i8>"), "{level}: {text}");
        }
    }
}

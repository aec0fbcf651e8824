//! CUDA's libdevice: the mathematics that PTX has no instructions for. It is linked as far as it is
//! needed, and asks by `__nvvm_reflect` how it is to compute.

use inkwell::module::Module;
use inkwell::values::FunctionValue;

use crate::llvm::constants::Constant;
use crate::llvm::nvptx::REFLECT;
use crate::llvm::{attributes, calls, values};

/// Beginnings of the names of its functions.
pub const PREFIX: &str = "__nv_";

/// Answers all that libdevice and the headers ask, for an architecture (`sm_90`).
pub(in crate::link) fn resolve(linked: &Module<'_>, arch: &str) {
    let asks = |function: &FunctionValue<'_>| {
        let gives = function.get_type().get_return_type();
        function.count_basic_blocks() == 0
            && gives.is_some_and(|given| given == linked.get_context().i32_type().into())
    };
    // Another function of that name is no concern of libdevice's.
    let Some(reflect) = linked.get_function(REFLECT).filter(asks) else {
        return;
    };
    let flushes = values::defined_functions(linked)
        .filter(|function| values::is_kernel(*function))
        .any(flushes_denormals);
    for call in calls::of(reflect) {
        let question = Constant::of_operand(call, 0).and_then(|text| text.text());
        let answer = match question.as_deref() {
            Some("__CUDA_ARCH") => capability(arch) * 10,
            Some("__CUDA_FTZ") => flushes.into(),
            // Roots and quotients are rounded as IEEE 754 has it, as instructions of kernels are.
            Some("__CUDA_PREC_SQRT" | "__CUDA_PREC_DIV") => 1,
            _ => 0,
        };
        calls::replace_by_number(call, answer);
    }
}

/// Whether a function computes with 0 in the place of denormal numbers in single precision.
fn flushes_denormals(function: FunctionValue<'_>) -> bool {
    let says = |key| attributes::of_function(function, key);
    let mode = says("denormal-fp-math-f32").or_else(|| says("denormal-fp-math"));
    mode.is_some_and(|mode| mode.starts_with("preserve-sign"))
}

/// The number of an architecture, which may have a letter behind (`sm_90a`).
fn capability(arch: &str) -> u64 {
    let number = arch.trim_start_matches("sm_");
    let number = number.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    number.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{context, read, write};

    fn resolved(arch: &str, attribute: &str) -> String {
        let text = format!(
            r#"
target triple = "nvptx64-nvidia-cuda"
@arch = private constant [12 x i8] c"__CUDA_ARCH\00"
@flush = private constant [11 x i8] c"__CUDA_FTZ\00"
@root = private constant [17 x i8] c"__CUDA_PREC_SQRT\00"
declare i32 @__nvvm_reflect(ptr)
define ptx_kernel void @k(ptr %p) {attribute} {{
  %a = call i32 @__nvvm_reflect(ptr @arch)
  store volatile i32 %a, ptr %p
  %f = call i32 @__nvvm_reflect(ptr @flush)
  store volatile i32 %f, ptr %p
  %r = call i32 @__nvvm_reflect(ptr addrspacecast (ptr addrspace(4) null to ptr))
  store volatile i32 %r, ptr %p
  %s = call i32 @__nvvm_reflect(ptr @root)
  store volatile i32 %s, ptr %p
  ret void
}}
"#
        );
        let context = context();
        let module = read::module(&context, text.as_bytes(), "k.ll").unwrap();
        resolve(&module, arch);
        let text = write::text(&module);
        let stores = text.lines().filter(|line| line.contains("store volatile"));
        let stored = stores.filter_map(|line| line.split_whitespace().nth(3));
        assert!(!text.contains("call"), "{text}");
        stored.collect()
    }

    #[test]
    fn every_question_has_its_answer() {
        assert_eq!(resolved("sm_90a", ""), "900,0,0,1,");
        let flushes = "\"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\"";
        assert_eq!(resolved("sm_50", flushes), "500,1,0,1,");
    }
}

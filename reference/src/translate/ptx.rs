//! PTX through LLVM's own NVPTX back end.

use inkwell::OptimizationLevel;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::{Linkage, Module};
use inkwell::targets::{FileType, TargetMachine, TargetTriple};
use inkwell::values::FunctionValue;

use super::legalise::truths;
use super::{TranslateError, iteration_space};
use crate::frontend::features::{WORK_GROUP_DIMENSIONS, WORK_GROUP_SIZE};
use crate::frontend::kernels::LOCAL_RANGE;
use crate::llvm::metadata::{self, Node, Operand};
use crate::llvm::{LlvmError, attributes, diagnostics, nvptx, passes, values};

pub use crate::llvm::nvptx::{DEFAULT_ARCH, TRIPLE};

/// What is run over a module whose device libraries are linked: their functions are small and stand in
/// loops, and nothing was optimized since they came.
const PIPELINE: &str = "function(infer-address-spaces),default<O3>";
/// What is run where nothing is optimized. It leaves all functions that are not to be inlined.
const ANSWERED: &str = "always-inline,function(sccp,simplifycfg)";
/// What is run when bodies have been doubled: the passes before would unite again what is alike but for
/// what is known in one, by which loads are aligned here.
const DOUBLED: &str = "function(early-cse,infer-alignment)";

/// Writes `module` as PTX for `arch` (`sm_52`…), with the NUL at its end that
/// `cuModuleLoadData` wants; optimized before as a whole unless the level is none.
///
/// # Errors
/// When the back end does not know the architecture or refuses the module.
pub fn translate(
    module: &Module<'_>,
    arch: &str,
    level: OptimizationLevel,
    origin: &str,
) -> Result<Vec<u8>, TranslateError> {
    let fail = |reason: String| TranslateError::Ptx {
        origin: origin.to_owned(),
        arch: arch.to_owned(),
        reason,
    };
    if !arch.starts_with("sm_") {
        return Err(fail("an architecture is named sm_NN".to_owned()));
    }
    let machine = nvptx::machine(arch, level).map_err(fail)?;
    module.set_triple(&TargetTriple::create(TRIPLE));
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    require_work_groups(module);
    iteration_space::answer(module).map_err(|e| fail(e.to_string()))?;
    forget_compilers(module);
    if level == OptimizationLevel::None {
        leave_other_architectures(&machine, module).map_err(|e| fail(e.to_string()))?;
    } else {
        optimize_whole(&machine, module).map_err(|e| fail(e.to_string()))?;
        nvptx::double_rows(module, LOCAL_RANGE);
        passes::run_for(&machine, module, DOUBLED).map_err(|e| fail(e.to_string()))?;
    }
    truths::mend(module).map_err(|e| fail(e.to_string()))?;
    nvptx::copy_by_words(module);
    let assembly = diagnostics::generating("PTX", origin, || {
        machine.write_to_memory_buffer(module, FileType::Assembly)
    });
    let assembly = assembly.map_err(|e| fail(e.to_string()))?;
    // What the back end cannot do it says in passing, and writes code that does something else.
    if let Some(errors) = diagnostics::take_errors() {
        return Err(fail(errors));
    }
    let mut ptx = assembly.as_slice().to_vec();
    if ptx.last() != Some(&0) {
        ptx.push(0);
    }
    Ok(ptx)
}

/// Runs the passes over all that there will be of the module: so a kernel's body is the one that runs, and
/// what it does is known of its parameters. By a pointer that shares no memory with others and is only
/// read by, the back end loads through the cache for such (`ld.global.nc`).
fn optimize_whole(machine: &TargetMachine, module: &Module<'_>) -> Result<(), LlvmError> {
    let shared = |function: &FunctionValue<'_>| {
        values::is_kernel(*function) && function.get_linkage() == Linkage::WeakODR
    };
    let kernels: Vec<_> = values::defined_functions(module).filter(shared).collect();
    for kernel in &kernels {
        kernel.set_linkage(Linkage::External);
    }
    let done = passes::run_for(machine, module, PIPELINE);
    for kernel in kernels {
        kernel.set_linkage(Linkage::WeakODR);
    }
    done
}

/// Takes away code for other architectures, of which this one may not have the instructions: it stands
/// behind questions that links have answered (`__nvvm_reflect`). Functions that are not to be optimized
/// (`optnone`) are no more than that.
fn leave_other_architectures(
    machine: &TargetMachine,
    module: &Module<'_>,
) -> Result<(), LlvmError> {
    let optnone = Attribute::get_named_enum_kind_id("optnone");
    let attribute = |f: FunctionValue<'_>| f.get_enum_attribute(AttributeLoc::Function, optnone);
    let left: Vec<_> = values::defined_functions(module)
        .filter_map(|function| Some((function, attribute(function)?)))
        .collect();
    for (function, _) in &left {
        function.remove_enum_attribute(AttributeLoc::Function, optnone);
    }
    let done = passes::run_for(machine, module, ANSWERED);
    for (function, attribute) in left {
        function.add_attribute(AttributeLoc::Function, attribute);
    }
    done?;
    // Only now: it takes functions away.
    passes::run_for(machine, module, "globaldce")
}

/// What compilers say on functions of how they were compiled, and LLVM takes for a reason not to inline
/// one into the other: libraries are compiled once for all architectures, and without functions of C
/// that the compiler knows, as these pipelines are run.
const OF_COMPILERS: [&str; 4] = ["target-cpu", "tune-cpu", "target-features", "no-builtins"];

/// Takes away what compilers say.
fn forget_compilers(module: &Module<'_>) {
    for function in values::defined_functions(module) {
        for key in OF_COMPILERS {
            function.remove_string_attribute(AttributeLoc::Function, key);
        }
    }
}

/// Says what work-group size a kernel requires as the back end reads it, which writes `.reqntid`: that of
/// LLVM 19 in a list of the module's, that of newer releases in an attribute.
fn require_work_groups(module: &Module<'_>) {
    let kernels = values::defined_functions(module).filter(|f| values::is_kernel(*f));
    for function in kernels {
        let kernel = function.as_global_value();
        let numbers = |kind| metadata::of_global(kernel, kind).and_then(Node::u32s);
        let Some(mut sizes) = numbers(WORK_GROUP_SIZE) else {
            continue;
        };
        // Without the number of dimensions the fastest one stands last (ARCHITECTURE.md, "Device
        // module to post-link").
        if numbers(WORK_GROUP_DIMENSIONS).is_none() {
            sizes.reverse();
        }
        let mut words = vec![Operand::Global(kernel)];
        sizes.resize(3, 1);
        for (name, size) in ["reqntidx", "reqntidy", "reqntidz"].into_iter().zip(&sizes) {
            words.extend([Operand::text(name), Operand::u32(*size)]);
        }
        let text: Vec<String> = sizes.iter().map(u32::to_string).collect();
        attributes::set_on_function(function, "nvvm.reqntid", &text.join(","));
        let node = Node::new(module.get_context(), &words);
        metadata::add_named(module, "nvvm.annotations", node);
    }
}

#[cfg(test)]
mod tests {
    use inkwell::context::Context;
    use inkwell::memory_buffer::MemoryBuffer;

    use super::*;

    #[test]
    fn a_kernel_becomes_an_entry_of_the_asked_architecture() {
        let text = "define ptx_kernel void @k(ptr addrspace(1) %p) {\n  store i32 7, ptr addrspace(1) %p\n  ret void\n}\n";
        let context = Context::create();
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "k.ll");
        let module = context.create_module_from_ir(buffer).unwrap();
        let ptx = translate(&module, "sm_52", OptimizationLevel::Default, "k.ll").unwrap();
        let text = String::from_utf8(ptx).unwrap();
        assert!(text.contains(".target sm_52"), "{text}");
        assert!(text.contains(".visible .entry k("), "{text}");
        assert!(text.ends_with('\0'));
    }

    /// The PTX of one kernel.
    fn ptx_of(text: &str) -> String {
        let context = Context::create();
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "k.ll");
        let module = context.create_module_from_ir(buffer).unwrap();
        let level = OptimizationLevel::Default;
        String::from_utf8(translate(&module, "sm_90", level, "k.ll").unwrap()).unwrap()
    }

    #[test]
    fn a_truth_value_with_a_sign_is_minus_one() {
        let ptx = ptx_of(
            "define ptx_kernel void @k(i32 %x, ptr addrspace(1) %to) {\n  \
             %is = icmp slt i32 %x, 7\n  %number = sitofp i1 %is to float\n  \
             store float %number, ptr addrspace(1) %to\n  ret void\n}\n",
        );
        assert!(ptx.contains("0fBF800000"), "{ptx}");
        assert!(!ptx.contains("cvt.rn"), "{ptx}");
    }

    #[test]
    fn values_are_copied_by_words() {
        let copy = |count: usize| {
            let size = 8 * count;
            ptx_of(&format!(
                "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n\
                 define ptx_kernel void @k(ptr byval([{count} x i64]) align 8 %value, i64 %at, ptr addrspace(1) %to) {{\n  \
                 %own = alloca [{count} x i64], align 8\n  \
                 call void @llvm.memcpy.p0.p0.i64(ptr align 8 %own, ptr align 8 %value, i64 {size}, i1 false)\n  \
                 %changed = getelementptr i64, ptr %own, i64 %at\n  store i64 7, ptr %changed\n  \
                 %next = add i64 %at, 1\n  %place = getelementptr i64, ptr %own, i64 %next\n  \
                 %read = load i64, ptr %place\n  store i64 %read, ptr addrspace(1) %to\n  ret void\n}}\n"
            ))
        };
        let (short, long) = (copy(41), copy(300));
        assert!(short.matches("ld.param.u64").count() >= 41, "{short}");
        assert!(long.contains(", 2400;"), "{long}");
        for ptx in [short, long] {
            assert!(!ptx.contains("ld.param.u8"), "{ptx}");
        }
    }

    #[test]
    fn what_is_only_read_and_shares_no_memory_is_loaded_as_that() {
        let copy = |attribute: &str| {
            ptx_of(&format!(
                "define weak_odr ptx_kernel void @k(ptr addrspace(1) {attribute} %to, ptr addrspace(1) {attribute} %from) {{\n  \
                 %v = load float, ptr addrspace(1) %from\n  \
                 store float %v, ptr addrspace(1) %to\n  ret void\n}}\n"
            ))
        };
        let promised = copy("noalias");
        assert!(promised.contains("ld.global.nc."), "{promised}");
        assert!(promised.contains(".weak .entry k("), "{promised}");
        let plain = copy("");
        assert!(!plain.contains("ld.global.nc."), "{plain}");
    }

    /// A kernel that sums four words of a row of local memory, whose length it reads.
    fn row_reader(attribute: &str) -> String {
        let reads = (0..4).map(|k| {
            format!(
                "  %p{k} = getelementptr float, ptr addrspace(3) %row, i64 {k}\n  \
                 %v{k} = load float, ptr addrspace(3) %p{k}, align 4\n"
            )
        });
        let reads: String = reads.collect();
        format!(
            "@m = external addrspace(3) global [0 x i8], align 128\n\
             define ptx_kernel void @k(ptr addrspace(1) %out, ptr byval({{ [3 x i64] }}) align 8 {attribute} %range, i64 %y) {{\n  \
             %place = getelementptr i8, ptr %range, i64 8\n  \
             %length = load i64, ptr %place, align 8\n  \
             %first = mul i64 %length, %y\n  \
             %row = getelementptr float, ptr addrspace(3) @m, i64 %first\n\
             {reads}  \
             %a = fadd float %v0, %v1\n  %b = fadd float %v2, %v3\n  %c = fmul float %a, %b\n  \
             store float %c, ptr addrspace(1) %out\n  ret void\n}}\n"
        )
    }

    #[test]
    fn rows_of_whole_vectors_are_read_at_once_where_they_are_that() {
        let ptx = ptx_of(&row_reader("\"plumbline-local-range\""));
        let (vectors, words) = (
            ptx.matches("ld.shared.v4.").count(),
            ptx.matches("ld.shared.f32").count(),
        );
        assert_eq!((vectors, words), (1, 4), "{ptx}");
        // The lowest two bits of the length decide.
        assert!(ptx.contains("and.b64") && ptx.contains(", 3;"), "{ptx}");
        let plain = ptx_of(&row_reader(""));
        assert!(!plain.contains("ld.shared.v4."), "{plain}");
    }

    #[test]
    fn a_short_loop_of_unknown_length_is_unrolled_four_times() {
        // 36 instructions an iteration: more than LLVM's own limit lets be unrolled at all.
        let steps = (0..30).map(|k| {
            let before = k.to_string();
            let next = k + 1;
            format!("  %v{next} = call float @llvm.sqrt.f32(float %v{before})\n")
        });
        let steps: String = steps.collect();
        let ptx = ptx_of(&format!(
            "declare float @llvm.sqrt.f32(float)\n\
             define ptx_kernel void @k(ptr addrspace(1) %p, i32 %n) {{\n\
             entry:\n  br label %loop\n\
             loop:\n  %i = phi i32 [ 0, %entry ], [ %j, %loop ]\n  \
             %q = getelementptr float, ptr addrspace(1) %p, i32 %i\n  \
             %v0 = load float, ptr addrspace(1) %q\n{steps}  \
             store float %v30, ptr addrspace(1) %q\n  \
             %j = add nuw nsw i32 %i, 1\n  %more = icmp slt i32 %j, %n\n  \
             br i1 %more, label %loop, label %end\n\
             end:\n  ret void\n}}\n"
        ));
        // Four at once, and one for what is left over.
        assert_eq!(ptx.matches("sqrt.rn.f32").count(), 30 * 5, "{ptx}");
    }

    #[test]
    fn a_required_work_group_size_stands_fastest_dimension_first() {
        let text = "define ptx_kernel void @three() !reqd_work_group_size !0 !work_group_num_dim !1 {\n  ret void\n}\n\
            define ptx_kernel void @two() !reqd_work_group_size !2 {\n  ret void\n}\n\
            define ptx_kernel void @any() {\n  ret void\n}\n\
            !0 = !{i32 8, i32 4, i32 2}\n!1 = !{i32 3}\n!2 = !{i32 4, i32 8}\n";
        let context = Context::create();
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "k.ll");
        let module = context.create_module_from_ir(buffer).unwrap();
        let ptx = translate(&module, "sm_50", OptimizationLevel::Default, "k.ll").unwrap();
        let kernels = offload_formats::ptx::kernels(&ptx).unwrap();
        let sizes: Vec<_> = kernels.iter().map(|k| &k.work_group_size[..]).collect();
        assert_eq!(sizes, [&[8, 4, 2][..], &[8, 4, 1], &[]]);
    }

    #[test]
    fn an_architecture_that_llvm_does_not_know_is_an_error() {
        let context = Context::create();
        let module = context.create_module("m");
        for (arch, known) in [("sm_999", false), ("sm_", false), ("sm_90a", true)] {
            let ptx = translate(&module, arch, OptimizationLevel::None, "m.bc");
            assert_eq!(ptx.is_ok(), known, "{arch}");
        }
    }

    #[test]
    fn an_architecture_of_another_vendor_is_an_error() {
        let context = Context::create();
        let module = context.create_module("m");
        let error = translate(&module, "gfx90a", OptimizationLevel::None, "m.bc").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the PTX back end cannot translate m.bc for gfx90a: an architecture is named sm_NN"
        );
    }
}

//! Answers functions that ask for the work-item that calls them (`this_work_item`).
//!
//! In PTX a kernel's iteration space comes as its last parameter (ARCHITECTURE.md, "Headers to front
//! end"). Where the question has been inlined into the kernel, the answer is that parameter. Functions
//! that are called find it in memory of the work-group, where kernels that may come to one put it first:
//! each work-item the same, so that none waits for another. That memory is weak, so that images that the
//! driver links share it.

use std::collections::HashSet;

use inkwell::AddressSpace;
use inkwell::attributes::AttributeLoc;
use inkwell::builder::BuilderError;
use inkwell::module::{Linkage, Module};
use inkwell::values::{FunctionValue, InstructionOpcode, PointerValue};

use super::builtins;
use crate::frontend::kernels::{ITERATION_SPACE, LOCAL};
use crate::llvm::graph::{GlobalId, Graph};
use crate::llvm::{LlvmError, calls, values};

/// The function by which code asks (`detail/work_item.hpp`).
pub(super) const QUERY: &str = "__plumbline_iteration_space";

/// The memory of a work-group where called functions find the answer.
const OF_GROUP: &str = "__plumbline_iteration_space_of_group";

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub(super) enum AnswerError {
    /// LLVM refuses to read a function.
    #[error(transparent)]
    Llvm(#[from] LlvmError),
    /// LLVM refuses to write an instruction.
    #[error(transparent)]
    Build(#[from] BuilderError),
}

/// The 64-bit words of `detail::iteration_space`.
const WORDS: u32 = 15;

/// Puts the answer in the place of each question.
///
/// # Errors
/// When LLVM refuses what is written.
pub(super) fn answer(module: &Module<'_>) -> Result<(), AnswerError> {
    let mut asking = Vec::new();
    let questions = module.get_function(QUERY);
    for call in questions.map(calls::of).unwrap_or_default() {
        let Some(function) = call.get_parent().and_then(|block| block.get_parent()) else {
            continue;
        };
        let answer = of_kernel(function).unwrap_or_else(|| {
            asking.push(function);
            let generic = module.get_context().ptr_type(AddressSpace::default());
            of_group(module).const_address_space_cast(generic)
        });
        calls::replace(call, answer.into());
    }
    // Other images' functions may ask too.
    asking.extend(module.get_functions().filter(|function| {
        let name = values::function_name(*function);
        values::is_declaration(function.as_global_value())
            && name != QUERY
            && builtins::may_be_imported(&name, true)
    }));
    if asking.is_empty() {
        return Ok(());
    }
    let mut graph = Graph::new(module);
    let asking = asking.into_iter().map(FunctionValue::as_global_value);
    let asking: HashSet<GlobalId> = asking.filter_map(|function| graph.id(function)).collect();
    for kernel in values::defined_functions(module) {
        let (Some(space), Some(id)) = (of_kernel(kernel), graph.id(kernel.as_global_value()))
        else {
            continue;
        };
        if graph.reach([id])?.iter().any(|id| asking.contains(id)) {
            keep(module, kernel, space)?;
        }
    }
    Ok(())
}

/// The parameter of a kernel that is its iteration space.
fn of_kernel(function: FunctionValue<'_>) -> Option<PointerValue<'_>> {
    let last = function.count_params().checked_sub(1)?;
    function.get_string_attribute(AttributeLoc::Param(last), ITERATION_SPACE)?;
    Some(function.get_nth_param(last)?.into_pointer_value())
}

/// Has the kernel write it where called functions find it, before anything else that it does.
fn keep<'ctx>(
    module: &Module<'ctx>,
    kernel: FunctionValue<'ctx>,
    space: PointerValue<'ctx>,
) -> Result<(), BuilderError> {
    let mut all = values::instructions(kernel);
    let Some(first) = all.find(|each| each.get_opcode() != InstructionOpcode::Alloca) else {
        return Ok(());
    };
    let builder = module.get_context().create_builder();
    builder.position_before(&first);
    let size = module
        .get_context()
        .i64_type()
        .const_int(8 * u64::from(WORDS), false);
    builder.build_memcpy(of_group(module), 8, space, 8, size)?;
    Ok(())
}

/// The memory of a work-group where called functions find it.
fn of_group<'ctx>(module: &Module<'ctx>) -> PointerValue<'ctx> {
    let global = module.get_global(OF_GROUP).unwrap_or_else(|| {
        let ty = module.get_context().i64_type().array_type(WORDS);
        let global = module.add_global(ty, Some(AddressSpace::from(LOCAL)), OF_GROUP);
        global.set_linkage(Linkage::WeakODR);
        global.set_initializer(&ty.get_undef());
        global.set_alignment(8);
        global
    });
    global.as_pointer_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{context, read, write};

    const HEAD: &str = r#"target triple = "nvptx64-nvidia-cuda"
        declare ptr @__plumbline_iteration_space()
        define i64 @called() {
          %space = call ptr @__plumbline_iteration_space()
          %range = load i64, ptr %space
          ret i64 %range
        }
    "#;

    fn answered(rest: &str) -> String {
        let context = context();
        let text = format!("{HEAD}{rest}");
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        answer(&module).unwrap();
        write::verify(&module).unwrap();
        write::text(&module)
    }

    #[test]
    fn a_kernel_has_its_own_parameter() {
        let text = answered(
            r#"define ptx_kernel void @k(ptr %p, ptr byval([15 x i64]) "plumbline-iteration-space" %own) {
              %space = call ptr @__plumbline_iteration_space()
              %range = load i64, ptr %space
              store i64 %range, ptr %p
              ret void
            }"#,
        );
        assert!(text.contains("%range = load i64, ptr %own"), "{text}");
        assert!(!text.contains("memcpy"), "{text}");
    }

    #[test]
    fn kernels_that_may_come_to_a_question_put_the_answer_where_it_is_found() {
        let text = answered(
            r#"@table = constant [1 x ptr] [ptr @called]
            declare void @elsewhere()
            define ptx_kernel void @calls(ptr byval([15 x i64]) "plumbline-iteration-space" %one) {
              %x = alloca i64
              %range = call i64 @called()
              ret void
            }
            define ptx_kernel void @by_table(ptr byval([15 x i64]) "plumbline-iteration-space" %two) {
              %function = load ptr, ptr @table
              %range = call i64 %function()
              ret void
            }
            define ptx_kernel void @abroad(ptr byval([15 x i64]) "plumbline-iteration-space" %three) {
              call void @elsewhere()
              ret void
            }
            define ptx_kernel void @alone(ptr byval([15 x i64]) "plumbline-iteration-space" %four) {
              ret void
            }
            define ptx_kernel void @task() {
              %range = call i64 @called()
              ret void
            }"#,
        );
        let copies = text.matches("call void @llvm.memcpy").count();
        assert_eq!(copies, 3, "{text}");
        for space in ["%one", "%two", "%three"] {
            let from = format!("ptr align 8 {space}, i64 120");
            assert!(text.contains(&from), "{space}: {text}");
        }
        let memory = "@__plumbline_iteration_space_of_group = weak_odr addrspace(3) global";
        assert!(text.contains(memory), "{text}");
    }
}

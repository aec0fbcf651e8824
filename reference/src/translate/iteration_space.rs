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
use inkwell::targets::TargetData;
use inkwell::types::{BasicType as _, BasicTypeEnum};
use inkwell::values::{BasicValueEnum, FunctionValue, InstructionOpcode, PointerValue};

use super::builtins;
use crate::frontend::kernels::{ITERATION_SPACE, LOCAL};
use crate::llvm::graph::{GlobalId, Graph};
use crate::llvm::{LlvmError, attributes, calls, values};

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
    /// What has a name of the headers' is not what they have under it.
    #[error("'{0}' is {1}")]
    NotOurs(String, &'static str),
}

/// The 64-bit words of `detail::iteration_space`, and its bytes.
const WORDS: u32 = 15;
const BYTES: u64 = 8 * WORDS as u64;

/// Puts the answer in the place of each question.
///
/// # Errors
/// When the question, a kernel's iteration space or the memory of work-groups is not what the headers
/// make of it, and when LLVM refuses what is written.
pub(super) fn answer(module: &Module<'_>) -> Result<(), AnswerError> {
    let generic = module.get_context().ptr_type(AddressSpace::default());
    let mut asking = Vec::new();
    let question = module.get_function(QUERY);
    if question.is_some_and(|own| own.get_type() != generic.fn_type(&[], false)) {
        let why = "no function without parameters that gives a pointer";
        return Err(AnswerError::NotOurs(QUERY.to_owned(), why));
    }
    for call in question.map(calls::of).unwrap_or_default() {
        let Some(function) = call.get_parent().and_then(|block| block.get_parent()) else {
            continue;
        };
        let answer = match of_kernel(module, function)? {
            Some(space) => space,
            None => {
                asking.push(function);
                of_group(module)?.const_address_space_cast(generic)
            }
        };
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
        let space = of_kernel(module, kernel)?;
        let (Some(space), Some(id)) = (space, graph.id(kernel.as_global_value())) else {
            continue;
        };
        if graph.reach([id])?.iter().any(|id| asking.contains(id)) {
            keep(module, kernel, space)?;
        }
    }
    Ok(())
}

/// The parameter of a kernel that is its iteration space; `None` where it has none.
///
/// # Errors
/// When the parameter that is said to be one is no copy of so many bytes.
fn of_kernel<'ctx>(
    module: &Module<'ctx>,
    function: FunctionValue<'ctx>,
) -> Result<Option<PointerValue<'ctx>>, AnswerError> {
    let Some(parameter) = function.get_last_param() else {
        return Ok(None);
    };
    let index = function.count_params() - 1;
    let mark = function.get_string_attribute(AttributeLoc::Param(index), ITERATION_SPACE);
    if mark.is_none() {
        return Ok(None);
    }
    let data = TargetData::create(&module.get_data_layout().as_str().to_string_lossy());
    let copied = attributes::by_value(function, index);
    let copied = copied.and_then(|ty| BasicTypeEnum::try_from(ty).ok());
    match parameter {
        BasicValueEnum::PointerValue(space)
            if copied.is_some_and(|ty| ty.is_sized() && data.get_abi_size(&ty) == BYTES) =>
        {
            Ok(Some(space))
        }
        _ => {
            let why = "a kernel whose last parameter is no iteration space, as it says";
            Err(AnswerError::NotOurs(values::function_name(function), why))
        }
    }
}

/// Has the kernel write it where called functions find it, before anything else that it does.
fn keep<'ctx>(
    module: &Module<'ctx>,
    kernel: FunctionValue<'ctx>,
    space: PointerValue<'ctx>,
) -> Result<(), AnswerError> {
    let mut all = values::instructions(kernel);
    let Some(first) = all.find(|each| each.get_opcode() != InstructionOpcode::Alloca) else {
        return Ok(());
    };
    let builder = module.get_context().create_builder();
    builder.position_before(&first);
    let size = module.get_context().i64_type().const_int(BYTES, false);
    builder.build_memcpy(of_group(module)?, 8, space, 8, size)?;
    Ok(())
}

/// The memory of a work-group where called functions find it.
///
/// # Errors
/// When something else has its name.
fn of_group<'ctx>(module: &Module<'ctx>) -> Result<PointerValue<'ctx>, AnswerError> {
    let ty = module.get_context().i64_type().array_type(WORDS);
    let space = AddressSpace::from(LOCAL);
    if let Some(global) = module.get_global(OF_GROUP) {
        let pointer = global.as_pointer_value();
        let is_own =
            global.get_value_type() == ty.into() && pointer.get_type().get_address_space() == space;
        let why = "not memory of a work-group that holds an iteration space";
        let error = || AnswerError::NotOurs(OF_GROUP.to_owned(), why);
        return is_own.then_some(pointer).ok_or_else(error);
    }
    let global = module.add_global(ty, Some(space), OF_GROUP);
    global.set_linkage(Linkage::WeakODR);
    global.set_initializer(&ty.get_undef());
    global.set_alignment(8);
    Ok(global.as_pointer_value())
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
    fn what_is_not_as_the_headers_have_it_is_refused_by_name() {
        let refused = |rest: &str| {
            let context = context();
            let text = format!("target triple = \"nvptx64-nvidia-cuda\"\n{rest}");
            let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
            answer(&module).unwrap_err().to_string()
        };
        let question = refused(
            "declare i32 @__plumbline_iteration_space()\n\
             define i32 @f() {\n %n = call i32 @__plumbline_iteration_space()\n ret i32 %n\n}",
        );
        assert!(question.contains(QUERY), "{question}");
        for parameter in ["i32", "ptr", "ptr byval([2 x i64])"] {
            let space = refused(&format!(
                "declare void @elsewhere()\n\
                 define ptx_kernel void @k({parameter} \"plumbline-iteration-space\" %own) {{\n\
                 call void @elsewhere()\n ret void\n}}"
            ));
            assert!(space.contains("'k'"), "{parameter}: {space}");
        }
        let memory = refused(
            "@__plumbline_iteration_space_of_group = global i32 0\n\
             declare ptr @__plumbline_iteration_space()\n\
             define ptr @f() {\n %p = call ptr @__plumbline_iteration_space()\n ret ptr %p\n}",
        );
        assert!(memory.contains(OF_GROUP), "{memory}");
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

//! Objects that functions are handed by value, behind a pointer (`byval`). Intel's compiler for processors, which
//! lets a function that it does not inline work for several work-items at once, has it read memory that nobody
//! wrote there. The function makes its copy itself instead, of what the pointer leads to.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::Builder;
use inkwell::module::Module;
use inkwell::targets::TargetData;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicValueEnum, CallSiteValue, FunctionValue, PointerValue};

use crate::llvm::{attributes, calls, parameters, values};

/// What the symbols of functions begin with that a device's own libraries define.
const RESERVED: &str = "__";

/// Attributes of a parameter that is a copy, which what is copied need not have.
const HELD_OF_COPIES: [&str; 7] = [
    "byval",
    "noalias",
    "writeonly",
    "readonly",
    "readnone",
    "returned",
    "initializes",
];

/// Has functions other than kernels, which the host hands their arguments, make the copies. Declarations say the
/// same as the definitions of other images; those of a device's own libraries say what these say.
///
/// # Errors
/// Which function has no copy: of no size, or when LLVM refuses an instruction.
pub(super) fn mend(module: &Module<'_>) -> Result<(), String> {
    let builder = module.get_context().create_builder();
    let data = TargetData::create(&module.get_data_layout().as_str().to_string_lossy());
    let is_ours = |function: &FunctionValue<'_>| {
        !values::is_declaration(function.as_global_value())
            || !values::function_name(*function).starts_with(RESERVED)
    };
    let functions = module.get_functions().filter(is_ours);
    for function in functions.filter(|f| !values::is_kernel(*f)) {
        for index in 0..function.count_params() {
            if attributes::by_value(function, index).is_some() {
                copy(function, index, &builder, &data).map_err(|reason| {
                    let name = values::function_name(function);
                    format!("'{name}': the copy of parameter {index}: {reason}")
                })?;
            }
        }
    }
    Ok(())
}

/// Has a function copy what a parameter points to.
fn copy(
    function: FunctionValue<'_>,
    index: u32,
    builder: &Builder<'_>,
    data: &TargetData,
) -> Result<(), String> {
    let place = AttributeLoc::Param(index);
    let kind = |name| Attribute::get_named_enum_kind_id(name);
    let object = attributes::by_value(function, index)
        .and_then(|object| BasicTypeEnum::try_from(object).ok())
        .ok_or("it is of no size")?;
    let has = |name| function.get_enum_attribute(place, kind(name)).is_some();
    let is_read = !has("writeonly") && !has("readnone");
    let calls = calls::of(function);
    let calls: Vec<_> = calls
        .into_iter()
        .flat_map(CallSiteValue::try_from)
        .collect();
    for call in &calls {
        // The caller's own variable is the function's to read now.
        call.set_tail_call(false);
    }
    // What these say of the pointer held of the copy. Not every LLVM knows all.
    for gone in HELD_OF_COPIES
        .map(kind)
        .into_iter()
        .filter(|known| *known != 0)
    {
        function.remove_enum_attribute(place, gone);
        for call in &calls {
            call.remove_enum_attribute(place, gone);
        }
    }
    let first = function
        .get_first_basic_block()
        .and_then(|entry| entry.get_first_instruction());
    let (Some(first), Some(parameter)) = (first, function.get_nth_param(index)) else {
        return Ok(());
    };
    let BasicValueEnum::PointerValue(given) = parameter else {
        return Err("it is no pointer".to_owned());
    };
    if parameters::is_unused(parameter) {
        return Ok(());
    }
    let said = function.get_enum_attribute(place, kind("align"));
    let said = said.and_then(|said| u32::try_from(said.get_enum_value()).ok());
    let alignment = said.unwrap_or_else(|| data.get_abi_alignment(&object));
    builder.position_before(&first);
    let own: PointerValue<'_> = builder
        .build_alloca(object, "")
        .map_err(|error| error.to_string())?;
    if let Some(variable) = own.as_instruction() {
        variable
            .set_alignment(alignment)
            .map_err(|error| error.to_string())?;
    }
    let named = match given.get_type() == own.get_type() {
        true => own,
        false => builder
            .build_address_space_cast(own, given.get_type(), "")
            .map_err(|error| error.to_string())?,
    };
    given.replace_all_uses_with(named);
    if !is_read {
        return Ok(());
    }
    let size = data.get_store_size(&object);
    let size = function
        .get_type()
        .get_context()
        .i64_type()
        .const_int(size, false);
    builder
        .build_memcpy(own, alignment, given, said.unwrap_or(1), size)
        .map_err(|error| error.to_string())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    const PAIR: &str = "%pair = type { i64, [2 x i32] }\n";

    #[test]
    fn functions_make_the_copies_that_they_are_handed() {
        let after = legal(&format!(
            "{PAIR}\
             define internal i64 @f(i64 %x, ptr noalias nocapture readonly byval(%pair) align 16 %own) {{\n\
               %a = load i64, ptr %own\n  ret i64 %a\n}}\n\
             define spir_kernel void @k(ptr byval(%pair) align 8 %all, ptr addrspace(1) %to) {{\n\
               %r = tail call i64 @f(i64 1, ptr nonnull byval(%pair) align 16 %all)\n\
               store i64 %r, ptr addrspace(1) %to\n  ret void\n}}\n\
             declare i64 @elsewhere(ptr byval(%pair) align 8)\n\
             declare void @__devicelib_log(ptr byval(%pair) align 8)\n\
             define i64 @calls(ptr %p) {{\n\
               call void @__devicelib_log(ptr byval(%pair) align 8 %p)\n\
               %r = call i64 @elsewhere(ptr byval(%pair) align 8 %p)\n  ret i64 %r\n}}\n"
        ));
        let copied = "(ptr align 16 %1, ptr align 16 %own, i64 16, i1 false)";
        assert!(after.contains(copied), "{after}");
        assert!(after.contains("%1 = alloca %pair, align 16"), "{after}");
        assert!(after.contains("load i64, ptr %1"), "{after}");
        assert_eq!(after.matches("byval").count(), 3, "{after}");
        assert_eq!(
            after.matches("@__devicelib_log(ptr byval(%pair)").count(),
            2,
            "{after}"
        );
        assert!(
            after.contains("@k(ptr byval(%pair) align 8 %all"),
            "{after}"
        );
        assert!(
            after.contains("@f(i64 %x, ptr nocapture align 16 %own)"),
            "{after}"
        );
        assert!(!after.contains("tail call"), "{after}");
    }

    #[test]
    fn what_a_function_only_writes_or_passes_by_is_not_read() {
        let after = legal(&format!(
            "{PAIR}\
             define void @f(ptr writeonly byval(%pair) align 8 %own, ptr byval(%pair) align 8 %other) {{\n\
               store i64 0, ptr %own\n  ret void\n}}\n"
        ));
        assert!(!after.contains("memcpy"), "{after}");
        assert_eq!(after.matches("alloca").count(), 1, "{after}");
        assert!(!after.contains("writeonly"), "{after}");
    }
}

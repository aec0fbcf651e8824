//! Other names of functions (`__attribute__((alias))`). SPIR-V has none, PTX has them from one version on, and
//! a post-link stage that parts modules knows functions: a function that calls the one that is meant is in
//! their place, as if it had been written so.

use inkwell::attributes::AttributeLoc;
use inkwell::builder::BuilderError;
use inkwell::module::Module;
use inkwell::values::{BasicMetadataValueEnum, FunctionValue, GlobalValue, ValueKind};

use crate::llvm::values;

/// A function that was an alias.
pub struct Forwarder<'ctx> {
    pub function: FunctionValue<'ctx>,
    /// The function that it was an alias of, by that one's own name.
    pub of: FunctionValue<'ctx>,
}

/// Makes functions of the aliases of functions that other modules can see. A variadic function keeps its
/// other names: no call hands on what it was given.
///
/// # Errors
/// When LLVM refuses a call.
pub fn become_functions<'ctx>(module: &Module<'ctx>) -> Result<Vec<Forwarder<'ctx>>, BuilderError> {
    let meant = |alias| Some((alias, values::aliased_function(alias)?));
    let aliases = values::globals(module).into_iter().filter_map(meant);
    // What is meant behind several aliases shows as long as all are there.
    let aliases: Vec<_> = aliases
        .filter(|(_, meant)| !meant.get_type().is_var_arg())
        .collect();
    let mut named = Vec::new();
    let mut forwarders = Vec::new();
    for (alias, meant) in aliases {
        let known = named.iter().find(|(known, _)| *known == meant);
        let of = match known {
            Some((_, of)) => *of,
            None => {
                let of = apart_from_its_name(module, meant)?;
                named.push((meant, of));
                of
            }
        };
        let function = in_place_of(module, alias, meant)?;
        forwarders.push(Forwarder { function, of });
    }
    Ok(forwarders)
}

/// The function that has the name of one. An alias is of its own unit's definition, whatever replaces that: a
/// weak function's name goes to another, which calls it.
fn apart_from_its_name<'ctx>(
    module: &Module<'ctx>,
    function: FunctionValue<'ctx>,
) -> Result<FunctionValue<'ctx>, BuilderError> {
    let global = function.as_global_value();
    if !values::is_replaceable(global.get_linkage()) {
        return Ok(function);
    }
    let own = format!("{}.own", values::name(global));
    let named = in_place_of(module, global, function)?;
    values::leave_comdat(global);
    global.set_name(&own);
    Ok(named)
}

/// A function that calls another one, in the place of a global.
fn in_place_of<'ctx>(
    module: &Module<'ctx>,
    old: GlobalValue<'ctx>,
    called: FunctionValue<'ctx>,
) -> Result<FunctionValue<'ctx>, BuilderError> {
    let function = module.add_function("", called.get_type(), Some(old.get_linkage()));
    function.set_call_conventions(called.get_call_conventions());
    function
        .as_global_value()
        .set_visibility(old.get_visibility());
    let parameters = (0..called.count_params()).map(AttributeLoc::Param);
    let places: Vec<_> = parameters.chain([AttributeLoc::Return]).collect();
    for &place in places.iter().chain(&[AttributeLoc::Function]) {
        for attribute in called.attributes(place) {
            function.add_attribute(place, attribute);
        }
    }
    // Before there is a call, which is not to be replaced.
    values::replace(old, function.as_global_value());
    let context = module.get_context();
    let builder = context.create_builder();
    builder.position_at_end(context.append_basic_block(function, ""));
    let arguments = function.get_param_iter().map(BasicMetadataValueEnum::from);
    let call = builder.build_call(called, &arguments.collect::<Vec<_>>(), "")?;
    call.set_call_convention(called.get_call_conventions());
    for &place in &places {
        for attribute in called.attributes(place) {
            call.add_attribute(place, attribute);
        }
    }
    match call.try_as_basic_value() {
        ValueKind::Basic(value) => builder.build_return(Some(&value))?,
        ValueKind::Instruction(_) => builder.build_return(None)?,
    };
    Ok(function)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{context, read, write};

    #[test]
    fn names_that_others_see_become_functions() {
        let text = "
            target triple = \"spir64-unknown-unknown\"
            %pair = type { i32, i32 }
            @other = weak alias i32 (i32), ptr @base
            @again = alias i32 (i32), ptr @other
            @filled = alias void (ptr, ptr), ptr @fill
            @weak_too = alias i32 (), ptr @weak
            @own = internal alias i32 (i32), ptr @base
            @constant = constant i32 4
            @number = alias i32, ptr @constant
            @table = constant ptr @other
            define spir_func noundef i32 @base(i32 noundef %x) noinline { ret i32 %x }
            define weak i32 @weak() { ret i32 1 }
            define i32 @user() { %r = call i32 @weak() ret i32 %r }
            define void @fill(ptr sret(%pair) %to, ptr byval(%pair) %from) { ret void }
        ";
        let context = context();
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        let made = become_functions(&module).unwrap();
        let meant = made.iter().map(|made| values::function_name(made.of));
        assert_eq!(meant.collect::<Vec<_>>(), ["base", "base", "fill", "weak"]);
        write::verify(&module).unwrap();
        let text = write::text(&module);
        for line in [
            "@table = constant ptr @other",
            "define weak spir_func noundef i32 @other(i32 noundef %0) #0 {",
            "%2 = call spir_func noundef i32 @base(i32 noundef %0)",
            "define spir_func noundef i32 @again(i32 noundef %0) #0 {",
            "define void @filled(ptr sret(%pair) %0, ptr byval(%pair) %1) {",
            "call void @fill(ptr sret(%pair) %0, ptr byval(%pair) %1)",
            "define internal i32 @weak.own() {\n  ret i32 1",
            "define weak i32 @weak() {\n  %1 = call i32 @weak.own()",
            "define i32 @weak_too() {\n  %1 = call i32 @weak.own()",
            "define i32 @user() {\n  %r = call i32 @weak()",
            "@own = internal alias i32 (i32), ptr @base",
            "@number = alias i32, ptr @constant",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }
}

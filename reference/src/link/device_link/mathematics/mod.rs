//! Mathematics that LLVM has intrinsic functions for and PTX no instructions. Compilers make them of functions
//! of the C library where those need not set `errno` (`-ffast-math`, `-fno-math-errno`); here they become calls
//! of these again, which device libraries have.

mod elements;
mod halves;
mod pairs;

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::{Builder, BuilderError};
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    BasicMetadataValueEnum, BasicValueEnum, CallSiteValue, FunctionValue, InstructionValue,
};

use crate::llvm::constants::Constant;
use crate::llvm::{attributes, calls, values};

/// Functions of one number that have the C library's names.
const OF_ONE: [&str; 19] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2", "exp10",
    "log", "log2", "log10", "lrint", "llrint", "lround", "llround",
];

/// Intrinsic functions that are none of those, and that the module knows what to do with.
const OTHERS: [&str; 3] = ["pow", "powi", "sqrt"];

/// A square root, and the one that PTX's back end never makes near: under `-ffast-math` it takes instructions for
/// double precision that give hardly more than single, where CUDA's compiler leaves doubles as they are.
const SQRT_OF_DOUBLE: (&str, &str) = ("llvm.sqrt.f64", "llvm.nvvm.sqrt.rn.d");

/// What libdevice has in single precision for functions that may be less exact.
const FAST: [&str; 8] = ["sin", "cos", "tan", "exp", "exp10", "log", "log2", "log10"];

/// Has functions called in the place of intrinsic ones; near ones where the code allows it and there are
/// some (`has_fast`).
pub(super) fn call_functions(module: &Module<'_>, has_fast: bool) {
    elements::call_each(module);
    halves::widen(module);
    keep_roots_exact(module);
    for intrinsic in module.get_functions().filter(|f| f.get_intrinsic_id() != 0) {
        let name = values::function_name(intrinsic);
        let Some((plain, suffix)) = plain_name(&name) else {
            continue;
        };
        for call in calls::of(intrinsic) {
            // Of powers that are known the back end makes products.
            if plain == "powi" && Constant::of_operand(call, 1).is_some() {
                continue;
            }
            let near = has_fast && suffix == "f" && is_near(call);
            let symbol = match near && (plain == "pow" || FAST.contains(&plain)) {
                true => format!("__nv_fast_{plain}f"),
                false if plain == "powi" => format!("__nv_powi{suffix}"),
                false => format!("{plain}{suffix}"),
            };
            let ty = intrinsic.get_type();
            let known = module.get_function(&symbol);
            let function = known.unwrap_or_else(|| module.add_function(&symbol, ty, None));
            // Another function of that name is not the C library's.
            if function.get_type() != ty {
                continue;
            }
            calls::redirect(call, function);
            // Optimizers know functions of these names, and would make them intrinsic again.
            if let Ok(call) = CallSiteValue::try_from(call) {
                let kind = Attribute::get_named_enum_kind_id("nobuiltin");
                let attribute = module.get_context().create_enum_attribute(kind, 0);
                call.add_attribute(AttributeLoc::Function, attribute);
            }
        }
    }
    pairs::join(module);
}

/// Has square roots of doubles rounded as they are without `-ffast-math`.
fn keep_roots_exact(module: &Module<'_>) {
    let (near, exact) = SQRT_OF_DOUBLE;
    let Some(root) = module.get_function(near) else {
        return;
    };
    for call in calls::of(root).into_iter().filter(|call| is_near(*call)) {
        let known = module.get_function(exact);
        calls::redirect(
            call,
            known.unwrap_or_else(|| module.add_function(exact, root.get_type(), None)),
        );
    }
}

/// The calls of intrinsic mathematics on a type whose name is such a one (`f16`, `v4f32`), with the functions'
/// plain names.
fn of_types<'ctx>(
    module: &Module<'ctx>,
    is_such: impl Fn(&str) -> bool,
) -> Vec<(String, InstructionValue<'ctx>)> {
    let mut found = Vec::new();
    for intrinsic in module.get_functions().filter(|f| f.get_intrinsic_id() != 0) {
        let name = values::function_name(intrinsic);
        let mut parts = name.split('.').skip(1);
        let plain = parts.next().unwrap_or_default();
        let is_known = OTHERS.contains(&plain) || OF_ONE.contains(&plain);
        if is_known && parts.any(&is_such) {
            let calls = calls::of(intrinsic).into_iter();
            found.extend(calls.map(|call| (plain.to_owned(), call)));
        }
    }
    found
}

/// What an intrinsic function gives, by its plain name and the types that its name is of; none where LLVM has no
/// such.
fn intrinsic_of<'ctx>(
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    (plain, types): (&str, &[BasicTypeEnum<'ctx>]),
    arguments: &[BasicMetadataValueEnum<'ctx>],
) -> Result<Option<BasicValueEnum<'ctx>>, BuilderError> {
    let found = Intrinsic::find(&format!("llvm.{plain}"));
    let Some(function) = found.and_then(|found| found.get_declaration(module, types)) else {
        return Ok(None);
    };
    let call = builder.build_call(function, arguments, "")?;
    Ok(call.try_as_basic_value().basic())
}

/// The C library's name of an intrinsic function, and what ends it for the type of its number.
fn plain_name(name: &str) -> Option<(&str, &'static str)> {
    let mut parts = name.strip_prefix("llvm.")?.split('.');
    let plain = parts.next()?;
    let types: Vec<&str> = parts.collect();
    let suffix = match (plain, types.as_slice()) {
        ("pow", ["f32"]) | ("powi", ["f32", "i32"]) => "f",
        ("pow", ["f64"]) | ("powi", ["f64", "i32"]) => "",
        // What gives an integer has its type first.
        (_, [.., "f32"]) if OF_ONE.contains(&plain) => "f",
        (_, [.., "f64"]) if OF_ONE.contains(&plain) => "",
        _ => return None,
    };
    Some((plain, suffix))
}

/// Whether the code that calls allows results that are near.
fn is_near(call: InstructionValue<'_>) -> bool {
    let function = call.get_parent().and_then(|block| block.get_parent());
    function.is_some_and(|function: FunctionValue<'_>| {
        attributes::of_function(function, "unsafe-fp-math").as_deref() == Some("true")
    })
}

#[cfg(test)]
mod tests {
    use super::call_functions;
    use crate::llvm::{context, read, write};

    #[test]
    fn functions_of_the_library_are_called_where_ptx_has_no_instructions() {
        let text = "target triple = \"nvptx64-nvidia-cuda\"\n\
             declare float @llvm.pow.f32(float, float)\n\
             declare double @llvm.exp.f64(double)\n\
             declare float @llvm.exp.f32(float)\n\
             declare float @llvm.sqrt.f32(float)\n\
             declare double @llvm.sqrt.f64(double)\n\
             declare double @llvm.powi.f64.i32(double, i32)\n\
             define float @near(float %x) \"unsafe-fp-math\"=\"true\" {\n\
               %p = call fast float @llvm.pow.f32(float %x, float %x)\n\
               %r = call fast float @llvm.sqrt.f32(float %p)\n\
               ret float %r\n\
             }\n\
             define double @root(double %x) \"unsafe-fp-math\"=\"true\" {\n\
               %r = call fast double @llvm.sqrt.f64(double %x)\n\
               ret double %r\n\
             }\n\
             define double @exact_root(double %x) {\n\
               %r = call double @llvm.sqrt.f64(double %x)\n\
               ret double %r\n\
             }\n\
             define double @exact(double %x, float %y, i32 %n) {\n\
               %one = call double @llvm.powi.f64.i32(double %x, i32 %n)\n\
               %two = call double @llvm.powi.f64.i32(double %one, i32 3)\n\
               %e = call float @llvm.exp.f32(float %y)\n\
               %w = fpext float %e to double\n\
               %f = call double @llvm.exp.f64(double %two)\n\
               %r = fadd double %w, %f\n\
               ret double %r\n\
             }\n";
        let called = |has_fast| {
            let context = context();
            let module = read::module(&context, text.as_bytes(), "test").unwrap();
            call_functions(&module, has_fast);
            write::verify(&module).unwrap();
            write::text(&module)
        };
        let (fast, slow) = (called(true), called(false));
        assert!(
            fast.contains("call fast double @llvm.nvvm.sqrt.rn.d(double %x)"),
            "{fast}"
        );
        assert!(
            fast.contains("call double @llvm.sqrt.f64(double %x)"),
            "{fast}"
        );
        for (text, pow) in [(&fast, "@__nv_fast_powf("), (&slow, "@powf(")] {
            for name in [
                "@__nv_powi(double %x, i32 %n)",
                "@llvm.powi.f64.i32(double %one, i32 3)",
                pow,
                "@exp(double",
                "@expf(float",
                "@llvm.sqrt.f32(float %p",
            ] {
                assert!(
                    text.contains(&format!("call fast float {name}"))
                        || text.contains(&format!("call float {name}"))
                        || text.contains(&format!("call double {name}")),
                    "{name}: {text}"
                );
            }
        }
    }
}

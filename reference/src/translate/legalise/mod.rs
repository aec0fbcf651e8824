//! A device module as every SPIR-V writer takes it: what optimizers and C++ make of a program, and
//! SPIR-V writers refuse or translate wrongly, becomes plain instructions
//! (`MODEL`, "Post-link and SPIR-V translation"). So does what drivers' compilers compute wrongly
//! ([`negations`], [`narrowed`], [`by_value`], [`hoisted`], [`two_places`], [`flow`]) or do not know ([`wide_sub_groups`], [`formats`]),
//! and what writers say wrongly ([`transfers`]).
//!
//! Intrinsic functions are declared, so a look at the declarations tells whether there is anything
//! to do for them. What a call of one means is written as the text of a function in IR
//! ([`numbers`], [`memory`]), which joins the module and is called instead. PTX needs [`truths`] alone:
//! LLVM's own back ends know all else that LLVM makes.

mod aligned;
mod by_value;
mod checked_casts;
mod extensions;
mod flow;
mod formats;
mod header;
mod hoisted;
mod memory;
mod narrowed;
mod negations;
mod numbers;
mod odd;
mod overlapping;
mod places;
mod promises;
mod transfers;
pub(super) mod truths;
mod two_places;
mod variables;
mod waiting;
mod wide_sub_groups;
mod widths;

use std::collections::{BTreeMap, BTreeSet};

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::{Builder, BuilderError};
use inkwell::module::{Linkage, Module};
use inkwell::values::{BasicValueEnum, CallSiteValue, FunctionValue, InstructionValue};

use crate::llvm::link::{Linker, Take};
use crate::llvm::widths::{self as llvm_widths, What};
use crate::llvm::{self, LlvmError, calls, passes, read, subset, values};

/// OpenCL's constant memory in LLVM's numbering.
const CONSTANT: u16 = 2;

/// What becomes of a call of an intrinsic function.
#[derive(Debug, PartialEq, Eq)]
enum Action {
    /// Writers take it.
    Keep,
    /// It does nothing that a program could notice.
    Erase,
    /// Another function of the same type is called.
    Call(Replacement),
}

/// A function that is called instead of an intrinsic one.
#[derive(Debug, PartialEq, Eq)]
struct Replacement {
    symbol: String,
    /// Its definition; none for what writers know by its name.
    definition: Option<String>,
    /// Declarations of what the definition calls.
    declarations: Vec<String>,
}

impl Replacement {
    fn defined(symbol: String, definition: String) -> Self {
        Replacement {
            symbol,
            definition: Some(definition),
            declarations: Vec::new(),
        }
    }

    fn declared(symbol: String) -> Self {
        Replacement {
            symbol,
            definition: None,
            declarations: Vec::new(),
        }
    }
}

/// Puts what SPIR-V writers cannot take into plain instructions. The module means what it meant.
///
/// Its debug information goes, with both writers. The back end writes none. What the translator of LLVM 19
/// makes of it is no valid SPIR-V (`DebugFunction` without a declaration), needs version 1.1 where the FPGA
/// emulator takes 1.0, ends Intel's compilers, and in optimized code ends the translator itself.
///
/// # Errors
/// When a module does with integers of a width that OpenCL lacks what nothing is known for, or has a
/// variable that no place can be made for as it is aligned. When LLVM
/// does not take the functions that join the module, which would be a mistake of this stage.
pub fn legalise(module: &Module<'_>) -> Result<(), LlvmError> {
    // Drivers that take functions which call themselves lose work-items at a barrier, or end.
    llvm::flow::end_recursion(module);
    // Compilers with the back end behind them do it too, and the copies that it makes are to be mended here.
    passes::run(module, "always-inline")?;
    intrinsics(module)?;
    wide_sub_groups::mend(module)?;
    let was_widened = widen(module)?;
    extensions::mend(module, was_widened);
    values::define_initializers(module);
    values::plain_initializers(module)?;
    let refused = |reason| LlvmError::Build {
        origin: llvm::identifier(module),
        reason,
    };
    by_value::mend(module).map_err(refused)?;
    transfers::mend(module).map_err(|error| refused(error.to_string()))?;
    aligned::mend(module).map_err(refused)?;
    variables::mend(module).map_err(refused)?;
    negations::mend(module).map_err(|error| refused(error.to_string()))?;
    narrowed::mend(module).map_err(|error| refused(error.to_string()))?;
    truths::mend(module).map_err(|error| refused(error.to_string()))?;
    checked_casts::mend(module).map_err(|error| refused(error.to_string()))?;
    formats::mend(module).map_err(|error| refused(error.to_string()))?;
    hoisted::mend(module).map_err(|error| refused(error.to_string()))?;
    two_places::mend(module);
    flow::mend(module);
    module.strip_debug_info();
    header::settle(module);
    Ok(())
}

/// Puts into the place of each instruction that is `found` what `made` gives for it, where it gives anything.
///
/// # Errors
/// When LLVM does not take an instruction, which would be a mistake of this stage.
fn replace_each<'ctx, Found>(
    module: &Module<'ctx>,
    found: impl Fn(InstructionValue<'ctx>) -> Option<Found>,
    made: impl Fn(&Builder<'ctx>, Found) -> Result<Option<BasicValueEnum<'ctx>>, BuilderError>,
) -> Result<(), BuilderError> {
    let instructions: Vec<_> = values::defined_functions(module)
        .flat_map(values::instructions)
        .filter(|instruction| found(*instruction).is_some())
        .collect();
    let builder = module.get_context().create_builder();
    for instruction in instructions {
        // Only now: what it works on may be what has been replaced.
        if let Some(found) = found(instruction) {
            builder.position_before(&instruction);
            if let Some(value) = made(&builder, found)? {
                calls::replace(instruction, value);
            }
        }
    }
    Ok(())
}

/// Has plain functions called instead of the intrinsic ones that writers lack.
fn intrinsics(module: &Module<'_>) -> Result<(), LlvmError> {
    let mut functions = Functions::default();
    let mut redirected = Vec::new();
    for intrinsic in module.get_functions().filter(|f| f.get_intrinsic_id() != 0) {
        let name = values::function_name(intrinsic);
        for call in calls::of(intrinsic) {
            match action(&name, intrinsic, call) {
                Action::Keep => {}
                Action::Erase => call.erase_from_basic_block(),
                Action::Call(replacement) => {
                    redirected.push((intrinsic, call, functions.add(replacement)));
                }
            }
        }
    }
    functions.join(module)?;
    for (intrinsic, call, symbol) in redirected {
        let known = module.get_function(&symbol);
        let function =
            known.unwrap_or_else(|| module.add_function(&symbol, intrinsic.get_type(), None));
        calls::redirect(call, function);
        if let Ok(call) = CallSiteValue::try_from(call) {
            call.set_call_convention(function.get_call_conventions());
        }
        subset::leave_out([intrinsic.as_global_value()]);
    }
    Ok(())
}

/// Has integers of widths that OpenCL lacks held in wider ones. Says whether there were any.
fn widen(module: &Module<'_>) -> Result<bool, LlvmError> {
    if llvm_widths::find(module).is_empty() {
        return Ok(false);
    }
    // Numbers cross from function to function as they are held only within one.
    let crossed: Vec<_> = values::defined_functions(module)
        .filter(|function| llvm_widths::in_signature(*function))
        .collect();
    if !crossed.is_empty() {
        crossed.into_iter().for_each(inline_always);
        passes::run(module, "always-inline")?;
    }
    let refused = |(function, instruction): (String, String)| LlvmError::Width {
        origin: llvm::identifier(module),
        function,
        instruction,
    };
    let mut functions = Functions::default();
    let mut list = Vec::new();
    for odd in llvm_widths::find(module) {
        let symbol = match &odd.what {
            What::Moves => None,
            What::Computes(operation) => match widths::function(operation) {
                Some(replacement) => Some(functions.add(replacement)),
                None => return Err(refused((odd.function, operation.to_string()))),
            },
            What::Unknown(instruction) => {
                return Err(refused((odd.function.clone(), instruction.clone())));
            }
        };
        list.push((odd, symbol));
    }
    functions.join(module)?;
    let list = list
        .into_iter()
        .map(|(odd, symbol)| (odd, symbol.and_then(|symbol| module.get_function(&symbol))));
    llvm_widths::widen(module, list.collect()).map_err(refused)?;
    Ok(true)
}

/// Has a function inlined wherever it is called.
fn inline_always(function: FunctionValue<'_>) {
    for name in ["noinline", "optnone"] {
        let kind = Attribute::get_named_enum_kind_id(name);
        function.remove_enum_attribute(AttributeLoc::Function, kind);
    }
    let kind = Attribute::get_named_enum_kind_id("alwaysinline");
    let always = function.get_type().get_context();
    function.add_attribute(
        AttributeLoc::Function,
        always.create_enum_attribute(kind, 0),
    );
}

fn action(name: &str, intrinsic: FunctionValue<'_>, call: InstructionValue<'_>) -> Action {
    match memory::action(name, call) {
        Action::Keep if promises::action(name, call) == Action::Erase => Action::Erase,
        Action::Keep => numbers::product(name, intrinsic.get_type(), call)
            .or_else(|| numbers::replacement(name, intrinsic.get_type()))
            .map_or(Action::Keep, Action::Call),
        action => action,
    }
}

/// The functions that join a module.
#[derive(Default)]
struct Functions {
    definitions: BTreeMap<String, String>,
    declarations: BTreeSet<String>,
}

impl Functions {
    /// Adds one, and gives its symbol back.
    fn add(&mut self, replacement: Replacement) -> String {
        self.declarations.extend(replacement.declarations);
        if let Some(text) = replacement.definition {
            self.definitions.insert(replacement.symbol.clone(), text);
        }
        replacement.symbol
    }

    fn join(&self, module: &Module<'_>) -> Result<(), LlvmError> {
        if self.definitions.is_empty() {
            return Ok(());
        }
        let parts = self.declarations.iter().chain(self.definitions.values());
        let text: Vec<&str> = parts.map(String::as_str).collect();
        let origin = "functions in place of intrinsic ones";
        let functions = llvm::keeping_names(module.get_context(), || {
            read::module(module.get_context(), text.join("\n").as_bytes(), origin)
        })?;
        functions.set_triple(&module.get_triple());
        functions.set_data_layout(&module.get_data_layout());
        Linker::new(module).add(functions, Take::All)?;
        // Not before: the linker leaves behind what is internal and not called yet.
        for symbol in self.definitions.keys() {
            if let Some(function) = module.get_function(symbol) {
                function.set_linkage(Linkage::Internal);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{context, write};

    /// The text of a module after the stage, which LLVM's verifier takes.
    pub(super) fn legal(text: &str) -> String {
        let context = context();
        let text = format!("target triple = \"spir64-unknown-unknown\"\n{text}");
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        legalise(&module).unwrap();
        write::verify(&module).unwrap();
        write::text(&module)
    }

    /// What the stage says of a module that it does not take.
    pub(super) fn refused(text: &str) -> String {
        let context = context();
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        legalise(&module).unwrap_err().to_string()
    }

    const WORDS: &str = "@words = internal addrspace(1) constant [3 x i32] [i32 1, i32 2, i32 3]\n";

    #[test]
    fn what_constants_point_into_is_bytes() {
        let text = legal(&format!(
            "{WORDS}\
             @in = internal addrspace(1) constant [2 x {{ ptr addrspace(4), i32 }}] [\
               {{ ptr addrspace(4), i32 }} {{ ptr addrspace(4) getelementptr (i8, \
                 ptr addrspace(4) addrspacecast (ptr addrspace(1) @words to ptr addrspace(4)), i64 8), i32 2 }}, \
               {{ ptr addrspace(4), i32 }} {{ ptr addrspace(4) addrspacecast (ptr addrspace(1) @words to ptr addrspace(4)), i32 0 }}]\n\
             define spir_kernel void @k(ptr addrspace(1) %p) {{\n\
               %x = load i32, ptr addrspace(1) @words\n\
               %y = load i64, ptr addrspace(1) @in\n\
               store i32 %x, ptr addrspace(1) %p\n  store i64 %y, ptr addrspace(1) %p\n  ret void\n}}\n"
        ));
        let bytes = "@words = internal addrspace(1) constant [12 x i8] \
                     c\"\\01\\00\\00\\00\\02\\00\\00\\00\\03\\00\\00\\00\", align 4";
        assert!(text.contains(bytes), "{text}");
        let place = "addrspacecast (ptr addrspace(1) getelementptr ([12 x i8], ptr addrspace(1) @words, i64 0, i64 8) \
                     to ptr addrspace(4))";
        assert!(text.contains(place), "{text}");
    }

    #[test]
    fn constants_without_an_order_are_refused_by_name() {
        let used = "define spir_kernel void @k(ptr addrspace(1) %p) {\n\
                    %x = load i64, ptr addrspace(1) @a\n  store i64 %x, ptr addrspace(1) %p\n  ret void\n}\n";
        let circle = "@a = internal addrspace(1) constant ptr addrspace(1) @b\n\
                      @b = internal addrspace(1) constant ptr addrspace(1) @a\n";
        let reason = refused(&format!("{circle}{used}"));
        assert!(reason.contains("leads back to itself"), "{reason}");
        let holding = "@a = internal addrspace(1) constant ptr addrspace(1) \
                       getelementptr (i8, ptr addrspace(1) @b, i64 8)\n\
                       @b = internal addrspace(1) constant [2 x ptr addrspace(1)] \
                       [ptr addrspace(1) @c, ptr addrspace(1) @c]\n\
                       @c = internal addrspace(1) constant i32 1\n";
        let reason = refused(&format!("{holding}{used}"));
        assert!(
            reason.contains("'a' points into the middle of 'b'"),
            "{reason}"
        );
    }

    #[test]
    fn what_writers_take_stays_as_it_is() {
        let text = "declare i32 @llvm.ctpop.i32(i32)\n\
                    declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)\n\
                    define i32 @f(i32 %x, ptr addrspace(1) %p, ptr addrspace(1) %q) {\n\
                      call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 8, i1 false)\n\
                      %r = call i32 @llvm.ctpop.i32(i32 %x)\n\
                      ret i32 %r\n}\n";
        let after = legal(text);
        assert!(
            after.contains("call i32 @llvm.ctpop.i32(i32 %x)"),
            "{after}"
        );
        assert!(after.contains("call void @llvm.memcpy"), "{after}");
        assert!(!after.contains("plumbline"), "{after}");
    }

    #[test]
    fn a_link_reads_modules_without_names() {
        let text = "declare i8 @llvm.bitreverse.i8(i8)\n\
                    define i8 @f(i8 %x) {\n\
                      %r = call i8 @llvm.bitreverse.i8(i8 %x)\n\
                      ret i8 %r\n}\n";
        let named = context();
        let module = read::module(&named, text.as_bytes(), "a.ll").unwrap();
        let context = llvm::context_without_names();
        let module = read::module(&context, &write::bitcode(&module), "a.bc").unwrap();
        legalise(&module).unwrap();
        write::verify(&module).unwrap();
        assert!(write::text(&module).contains("call i8 @plumbline.bitreverse.i8("));
    }

    #[test]
    fn what_initializers_leave_open_is_zero() {
        let after = legal(
            "%padded = type { [4 x i8], [4 x i8] }\n\
             @table = internal addrspace(2) constant [2 x %padded] [\
             %padded { [4 x i8] c\"abcd\", [4 x i8] undef }, %padded { [4 x i8] undef, [4 x i8] poison }]\n\
             @near = internal addrspace(3) global [4 x i32] undef\n\
             define ptr addrspace(2) @f() {\n  ret ptr addrspace(2) @table\n}\n\
             define ptr addrspace(3) @g() {\n  ret ptr addrspace(3) @near\n}\n",
        );
        assert!(
            after.contains("c\"abcd\", [4 x i8] zeroinitializer"),
            "{after}"
        );
        assert!(after.contains("%padded zeroinitializer"), "{after}");
        assert!(after.contains("global [4 x i32] undef"), "{after}");
    }

    #[test]
    fn one_function_serves_all_calls_of_a_kind_and_the_intrinsic_goes() {
        let after = legal(
            "declare i32 @llvm.bitreverse.i32(i32)\n\
             define i32 @f(i32 %x) {\n\
               %a = call i32 @llvm.bitreverse.i32(i32 %x)\n\
               %b = call i32 @llvm.bitreverse.i32(i32 %a)\n\
               ret i32 %b\n}\n",
        );
        assert_eq!(
            after
                .matches("define internal i32 @plumbline.bitreverse.i32")
                .count(),
            1
        );
        assert_eq!(
            after.matches("call i32 @plumbline.bitreverse.i32").count(),
            2
        );
        assert!(!after.contains("llvm.bitreverse"), "{after}");
    }
}

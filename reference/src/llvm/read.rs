//! Modules from bytes: bitcode or textual IR, told apart by their first bytes.
//!
//! Where LLVM's own reader crashes on broken bitcode, the process ends with a message that names
//! the file and exit status 1: the context is beyond use then, even for disposing of it.

use std::ffi::c_void;
use std::{ptr, slice};

use inkwell::AddressSpace;
use inkwell::context::{AsContextRef, Context};
use inkwell::llvm_sys::core::{LLVMCreateMemoryBufferWithMemoryRangeCopy, LLVMDisposeModule};
use inkwell::module::{Linkage, Module};
use inkwell::values::{AsValueRef as _, GlobalValue};

use super::shim::{self, Trust};
use super::{LlvmError, c_string, diagnostics, take_message, values};

/// Whether bytes open as LLVM bitcode does, with or without its wrapper.
#[must_use]
pub fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xC0\xDE") || bytes.starts_with(&[0xDE, 0xC0, 0x17, 0x0B])
}

/// Reads a whole module; `origin` becomes its identifier and stands in errors.
///
/// # Errors
/// [`LlvmError::Read`] with LLVM's reason.
pub fn module<'ctx>(
    context: impl AsContextRef<'ctx>,
    bytes: &[u8],
    origin: &str,
) -> Result<Module<'ctx>, LlvmError> {
    whole(context, bytes, origin, Trust::Reader)
}

/// The same, holding it to LLVM's rules ([`write::verify`](super::write::verify)).
///
/// # Errors
/// [`LlvmError::Read`] with LLVM's reason.
pub fn verified_module<'ctx>(
    context: impl AsContextRef<'ctx>,
    bytes: &[u8],
    origin: &str,
) -> Result<Module<'ctx>, LlvmError> {
    whole(context, bytes, origin, Trust::Nothing)
}

/// The same for one that was written out of a module that was held to them.
///
/// # Errors
/// [`LlvmError::Read`] with LLVM's reason.
pub fn own_module<'ctx>(
    context: impl AsContextRef<'ctx>,
    bytes: &[u8],
    origin: &str,
) -> Result<Module<'ctx>, LlvmError> {
    whole(context, bytes, origin, Trust::All)
}

/// Has LLVM believe, in the whole process, what was written out of modules that were held to its rules: it would
/// verify each at each of many readings. What is read with [`module`] is verified then. To be called before there
/// are other threads.
pub fn believe_own() {
    // SAFETY: it sets what readers look at; no other thread reads anything yet.
    unsafe { shim::plumbline_believe_own() };
}

fn whole<'ctx>(
    context: impl AsContextRef<'ctx>,
    bytes: &[u8],
    origin: &str,
    trust: Trust,
) -> Result<Module<'ctx>, LlvmError> {
    // LLVM takes no text at all for an empty module; as an input it is a mistake.
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(read_error(origin, "the file is empty".to_owned()));
    }
    parse(context, bytes, origin, (false, trust))
}

/// Reads a module without its function bodies, which [`materialize`] brings when they are needed;
/// textual IR is read whole.
///
/// # Errors
/// [`LlvmError::Read`] with LLVM's reason.
pub fn module_lazily<'ctx>(
    context: &'ctx Context,
    bytes: &[u8],
    origin: &str,
) -> Result<Module<'ctx>, LlvmError> {
    if !is_bitcode(bytes) {
        return module(context, bytes, origin);
    }
    let module = parse(context, bytes, origin, (true, Trust::Reader))?;
    let (mut message, mut crashed) = (ptr::null_mut(), 0);
    // SAFETY: the module is valid.
    let failed = diagnostics::reading(origin, || unsafe {
        shim::plumbline_materialize_metadata(module.as_mut_ptr(), &mut message, &mut crashed) != 0
    });
    if crashed != 0 {
        diagnostics::end_reading(origin);
    }
    if failed {
        // SAFETY: a message is ours on failure.
        let reason = unsafe { take_message(message) };
        return Err(read_error(origin, reason));
    }
    Ok(module)
}

/// A symbol of bitcode that others can see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSymbol {
    /// Its name in the object that is made of the bitcode.
    pub name: String,
    /// Its name in the module; empty for what only the module's assembly has.
    pub ir_name: String,
    /// What it does in a link.
    pub role: Role,
    /// It is weak.
    pub is_weak: bool,
    /// It is LLVM's own, and stands in no object.
    pub is_special: bool,
}

/// What a symbol does in a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is referred to; a definition that is available only for inlining is none.
    Undefined,
    /// It has room and no value.
    Common,
    /// It is defined.
    Defined,
}

/// The symbols of bitcode that others can see, out of the table that stands in it: hardly anything
/// else is read. `None` when there is none and LLVM can't make one, as for a module without a data
/// layout, or when it is broken.
#[must_use]
pub fn symbols(bytes: &[u8]) -> Option<Vec<TableSymbol>> {
    unsafe extern "C" fn take(all: *mut c_void, symbol: *const shim::TableSymbol) {
        // SAFETY: the state is the list below, which nothing else uses meanwhile; the symbol is
        // there for the call, and its names have as many bytes as said.
        let (all, symbol, name, ir_name) = unsafe {
            let symbol = &*symbol;
            let name = slice::from_raw_parts(symbol.name.cast(), symbol.length);
            let ir_name = slice::from_raw_parts(symbol.ir_name.cast(), symbol.ir_length);
            (&mut *all.cast::<Vec<TableSymbol>>(), symbol, name, ir_name)
        };
        all.push(TableSymbol {
            name: String::from_utf8_lossy(name).into_owned(),
            ir_name: String::from_utf8_lossy(ir_name).into_owned(),
            role: match (symbol.is_undefined, symbol.is_common) {
                (0, 0) => Role::Defined,
                (0, _) => Role::Common,
                _ => Role::Undefined,
            },
            is_weak: symbol.is_weak != 0,
            is_special: symbol.is_special != 0,
        });
    }
    let mut all: Vec<TableSymbol> = Vec::new();
    let state = (&raw mut all).cast();
    // SAFETY: the bytes are as many as said and outlive the call, as does the list.
    let done =
        unsafe { shim::plumbline_symbols(bytes.as_ptr().cast(), bytes.len(), state, take) != 0 };
    done.then_some(all)
}

/// The names of the symbols that bitcode defines for others, as [`symbols`] finds them.
#[must_use]
pub fn definitions(bytes: &[u8]) -> Option<Vec<String>> {
    let symbols = symbols(bytes)?.into_iter();
    let defined = symbols.filter(|symbol| symbol.role != Role::Undefined);
    Some(defined.map(|symbol| symbol.ir_name).collect())
}

/// The names of what device code in bitcode defines for others, out of the module itself, which need have
/// no table of symbols. Constants in the address space of constants are device code's own.
///
/// # Errors
/// When the bytes are no bitcode.
pub fn defined_for_others(bytes: &[u8]) -> Result<Vec<String>, String> {
    const CONSTANT: u16 = 2;
    let context = super::context();
    let module = module_lazily(&context, bytes, "bitcode").map_err(|error| error.to_string())?;
    let is_for_others = |value: &GlobalValue<'_>| {
        use Linkage::{AvailableExternally, Internal, Private};
        let linkage = value.get_linkage();
        !value.is_declaration() && ![AvailableExternally, Internal, Private].contains(&linkage)
    };
    let functions = module.get_functions().map(|f| f.as_global_value());
    let variables = module.get_globals();
    let is_constant = |value: &GlobalValue<'_>| {
        value.as_pointer_value().get_type().get_address_space() == AddressSpace::from(CONSTANT)
    };
    let variables = variables.filter(|value| !is_constant(value));
    let defined = functions.chain(variables).filter(is_for_others);
    let names = defined.map(|value| value.get_name().to_string_lossy().into_owned());
    Ok(names.filter(|name| !name.starts_with("llvm.")).collect())
}

/// The target triple of bitcode; hardly anything else is read. `None` when it cannot be found.
#[must_use]
pub fn triple(bytes: &[u8]) -> Option<String> {
    // SAFETY: the bytes are as many as said and outlive the call; the message is ours.
    unsafe {
        let triple = shim::plumbline_triple(bytes.as_ptr().cast(), bytes.len());
        (!triple.is_null()).then(|| take_message(triple))
    }
}

/// Reads the body of a global of a lazily read module, when it is still in the file.
///
/// # Errors
/// [`LlvmError::Body`] with LLVM's reason.
pub fn materialize(module: &Module<'_>, global: GlobalValue<'_>) -> Result<(), LlvmError> {
    // SAFETY: the global is valid.
    if unsafe { shim::plumbline_is_materializable(global.as_value_ref()) } == 0 {
        return Ok(());
    }
    let origin = super::identifier(module);
    let (mut message, mut crashed) = (ptr::null_mut(), 0);
    // SAFETY: the global is valid.
    let failed = diagnostics::reading(&origin, || unsafe {
        shim::plumbline_materialize(global.as_value_ref(), &mut message, &mut crashed) != 0
    });
    if crashed != 0 {
        diagnostics::end_reading(&origin);
    }
    match failed {
        false => Ok(()),
        true => Err(LlvmError::Body {
            origin,
            function: values::name(global),
            // SAFETY: a message is ours on failure.
            reason: unsafe { take_message(message) },
        }),
    }
}

fn parse<'ctx>(
    context: impl AsContextRef<'ctx>,
    bytes: &[u8],
    origin: &str,
    (lazily, trust): (bool, Trust),
) -> Result<Module<'ctx>, LlvmError> {
    let name = c_string(origin);
    let (mut module, mut message) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the buffer copies the bytes and is NUL-terminated; the parser takes it. What LLVM
    // hands back is either a module of this context or a message, both ours.
    unsafe {
        let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
            bytes.as_ptr().cast(),
            bytes.len(),
            name.as_ptr(),
        );
        let (context, lazily) = (context.as_ctx_ref(), lazily.into());
        let mut crashed = 0;
        let failed = diagnostics::reading(origin, || {
            shim::plumbline_read(
                context,
                buffer,
                lazily,
                trust,
                &mut module,
                &mut message,
                &mut crashed,
            ) != 0
        });
        if crashed != 0 {
            diagnostics::end_reading(origin);
        }
        if failed || module.is_null() {
            let reported = diagnostics::take_errors();
            let reason = take_message(message);
            return Err(read_error(origin, reported.unwrap_or(reason)));
        }
        if let Some(reason) = diagnostics::take_errors() {
            LLVMDisposeModule(module);
            return Err(read_error(origin, reason));
        }
        Ok(Module::new(module))
    }
}

fn read_error(origin: &str, reason: String) -> LlvmError {
    LlvmError::Read {
        origin: origin.to_owned(),
        reason: bare(origin, &reason).to_owned(),
    }
}

/// LLVM's reason less what the error around it says already: the name of what was read, and that it
/// is an error; a place in it stays.
fn bare<'r>(origin: &str, reason: &'r str) -> &'r str {
    let behind_name = reason
        .strip_prefix(origin)
        .and_then(|rest| rest.strip_prefix(':'));
    let rest = behind_name.unwrap_or(reason).trim();
    rest.strip_prefix("error: ").unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{context, write};

    const TEXT: &str = "define void @f() {\n  call void @g()\n  ret void\n}\n\
                        define void @g() {\n  ret void\n}\n";

    #[test]
    fn text_and_bitcode_read_alike() {
        let context = context();
        let text = module(&context, TEXT.as_bytes(), "a.ll").unwrap();
        let bitcode = write::bitcode(&text);
        assert!(is_bitcode(&bitcode));
        let again = module(&context, &bitcode, "a.ll").unwrap();
        assert_eq!(write::text(&text), write::text(&again));
    }

    #[test]
    fn an_old_layout_is_brought_up_to_date_in_either_form() {
        let text =
            "target triple = \"spir64-unknown-unknown\"\ndefine void @f() {\n  ret void\n}\n";
        let context = context();
        let read = module(&context, text.as_bytes(), "a.ll").unwrap();
        let layout = "target datalayout = \"G1\"";
        assert!(write::text(&read).contains(layout));
        let again = module(&context, &write::bitcode(&read), "a.bc").unwrap();
        assert!(write::text(&again).contains(layout));
    }

    #[test]
    fn bodies_come_when_asked_for() {
        let context = context();
        let bitcode = write::bitcode(&module(&context, TEXT.as_bytes(), "a.ll").unwrap());
        let lazy = module_lazily(&context, &bitcode, "a.bc").unwrap();
        let f = lazy.get_function("f").unwrap();
        assert_eq!(f.count_basic_blocks(), 0);
        materialize(&lazy, f.as_global_value()).unwrap();
        assert_eq!(f.count_basic_blocks(), 1);
    }

    #[test]
    fn definitions_are_those_that_others_can_use() {
        let text = format!("{TEXT}define internal void @h() {{\n  ret void\n}}\ndeclare void @i()");
        let context = context();
        let bitcode =
            |text: &str| write::bitcode(&module(&context, text.as_bytes(), "a.ll").unwrap());
        let for_target = bitcode(&format!(
            "target triple = \"spir64-unknown-unknown\"\n{text}"
        ));
        assert_eq!(definitions(&for_target).unwrap(), ["f", "g"]);
        assert_eq!(triple(&for_target).unwrap(), "spir64-unknown-unknown");
        assert_eq!(triple(&for_target[..64]), None);
        for without in [&bitcode(&text), &for_target[..64], text.as_bytes()] {
            assert_eq!(definitions(without), None);
        }
        // Whatever stands in the table, names come out of the file or not at all.
        for at in 0..for_target.len() {
            let mut broken = for_target.clone();
            broken[at] ^= 0x80;
            let _ = triple(&broken);
            let names = definitions(&broken).unwrap_or_default();
            assert!(names.iter().all(|name| name.len() < broken.len()));
        }
    }

    #[test]
    fn a_module_that_breaks_a_rule_is_refused_where_it_is_held_to_them() {
        let text = "define i32 @f(i1 %c) {\n  br i1 %c, label %a, label %b\n\
                    a:\n  %x = add i32 1, 2\n  br label %b\nb:\n  ret i32 %x\n}\n";
        let context = context();
        let broken = write::bitcode(&module(&context, text.as_bytes(), "in.ll").unwrap());
        assert!(own_module(&context, &broken, "in.bc").is_ok());
        for bytes in [&broken, text.as_bytes()] {
            let error = verified_module(&context, bytes, "in.bc").unwrap_err();
            let error = error.to_string();
            assert!(error.starts_with("'in.bc': "), "{error}");
            assert!(error.contains("does not dominate"), "{error}");
        }
        let right = write::bitcode(&module(&context, TEXT.as_bytes(), "a.ll").unwrap());
        assert!(verified_module(&context, &right, "a.bc").is_ok());
    }

    #[test]
    fn broken_inputs_are_errors_that_name_the_file() {
        let context = context();
        let bitcode = write::bitcode(&module(&context, TEXT.as_bytes(), "a.ll").unwrap());
        let mut inputs: Vec<Vec<u8>> = vec![
            Vec::new(),
            b"define".to_vec(),
            b"BC\xC0\xDE".to_vec(),
            vec![0xDE, 0xC0, 0x17, 0x0B, 0, 0],
        ];
        inputs.extend(
            (8..bitcode.len())
                .step_by(64)
                .map(|n| bitcode[..n].to_vec()),
        );
        for bytes in inputs {
            let error = module(&context, &bytes, "in.bc").unwrap_err().to_string();
            assert!(error.starts_with("'in.bc': "), "{error}");
        }
    }
}

//! LLVM as the stages need it: `inkwell`'s types, and behind small typed functions what `inkwell`
//! or LLVM's C interface lacks.
//!
//! What depends on the version of LLVM stands in [`shim`] and in `reference/shim/`.

pub mod attributes;
pub mod cache;
pub mod calls;
pub mod constants;
pub mod conversions;
pub mod diagnostics;
pub mod embedded;
pub mod flow;
pub mod graph;
pub mod link;
pub mod location;
pub mod lto;
pub mod metadata;
pub mod nvptx;
pub mod parameters;
pub mod passes;
pub mod read;
mod shim;
pub mod spirv;
pub mod subset;
pub mod thin;
pub mod values;
pub mod weak;
pub mod widths;
pub mod write;

pub use offload_formats::demangle;

use std::ffi::{CStr, CString, c_char};
use std::sync::Once;

use inkwell::context::{AsContextRef, Context};
use inkwell::llvm_sys::core::{
    LLVMContextSetDiscardValueNames, LLVMContextShouldDiscardValueNames, LLVMDisposeMessage,
};
use inkwell::targets::TargetMachine;

/// A failure of LLVM over an input, with the place and LLVM's own reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LlvmError {
    /// The bytes are neither bitcode nor textual IR that LLVM takes.
    #[error("'{origin}': not a valid LLVM module: {reason}")]
    Read {
        /// Where the bytes come from: a path, with the member in brackets for an archive.
        origin: String,
        /// What LLVM says.
        reason: String,
    },
    /// The body of one function could not be read.
    #[error("'{origin}': cannot read the body of '{function}': {reason}")]
    Body {
        /// The module's identifier.
        origin: String,
        /// The function's symbol.
        function: String,
        /// What LLVM says.
        reason: String,
    },
    /// A module that LLVM's verifier refuses.
    #[error("'{origin}': broken module: {reason}")]
    Verify {
        /// The module's identifier.
        origin: String,
        /// What the verifier says.
        reason: String,
    },
    /// A pass pipeline that LLVM refuses.
    #[error("'{origin}': cannot run the passes '{pipeline}': {reason}")]
    Passes {
        /// The module's identifier.
        origin: String,
        /// The pipeline's text.
        pipeline: String,
        /// What LLVM says.
        reason: String,
    },
    /// What a stage cannot put into plain instructions.
    #[error("'{origin}': cannot be put into plain instructions: {reason}")]
    Build {
        /// The module's identifier.
        origin: String,
        /// Why: what it is about, or what LLVM says of an instruction.
        reason: String,
    },
    /// Functions that a module imports cannot be read, or not be joined with it.
    #[error("'{origin}': cannot import functions: {reason}")]
    Import {
        /// The identifier of the module that imports.
        origin: String,
        /// What LLVM says.
        reason: String,
    },
    /// An integer of a width that OpenCL lacks, in a place where nothing is known for it.
    #[error(
        "'{origin}': in '{function}': an integer of a width that OpenCL lacks is used in a way that has \
         no SPIR-V: {instruction}"
    )]
    Width {
        /// The module's identifier.
        origin: String,
        /// The function's symbol.
        function: String,
        /// The instruction, as IR spells it.
        instruction: String,
    },
    /// Two modules that LLVM's linker cannot join.
    #[error("cannot link '{origin}': {reason}")]
    Link {
        /// The identifier of the module that was to be linked in.
        origin: String,
        /// What the linker says.
        reason: String,
    },
}

/// A context whose diagnostics are collected ([`diagnostics`]) rather than printed, and that never
/// ends the process. Modules for these stages live in contexts made here.
#[must_use]
pub fn context() -> Context {
    // Modules come and go; to get the memory of each anew from the system takes its time.
    static KEEP_MEMORY: Once = Once::new();
    // SAFETY: the function only sets numbers of the C library's.
    KEEP_MEMORY.call_once(|| unsafe { shim::plumbline_keep_memory() });
    let context = Context::create();
    diagnostics::install(&context);
    context
}

/// A context like that of [`context`] whose modules lose the names of values within functions, as
/// release builds of clang leave them out: for programs, not for readers.
#[must_use]
pub fn context_without_names() -> Context {
    let context = context();
    // SAFETY: the context is valid.
    unsafe { LLVMContextSetDiscardValueNames(context.raw(), 1) };
    context
}

/// Does `work` while a context keeps the names of values within functions, which LLVM wants when it
/// reads textual IR.
pub(crate) fn keeping_names<'ctx, T>(
    context: impl AsContextRef<'ctx>,
    work: impl FnOnce() -> T,
) -> T {
    let context = context.as_ctx_ref();
    // SAFETY: the context is valid.
    unsafe {
        let discards = LLVMContextShouldDiscardValueNames(context);
        LLVMContextSetDiscardValueNames(context, 0);
        let done = work();
        LLVMContextSetDiscardValueNames(context, discards);
        done
    }
}

/// Gives memory that a large module has left behind back to the system. Worth a call before other
/// threads begin to make modules: what one thread freed, the C library keeps for that thread.
pub fn return_memory() {
    // SAFETY: the function only looks for free pages.
    unsafe { shim::plumbline_return_memory() };
}

/// Whether the back end of `machine` knows a processor by that name.
#[must_use]
pub fn knows_processor(machine: &TargetMachine, name: &str) -> bool {
    // SAFETY: the machine is valid, and the name as long as said.
    unsafe {
        let machine = machine.as_mut_ptr();
        shim::plumbline_knows_processor(machine, name.as_ptr().cast(), name.len()) != 0
    }
}

/// Takes a message that LLVM made, and frees it.
///
/// # Safety
/// `message` is null or a string that `LLVMDisposeMessage` frees, and is not used afterwards.
unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return "no reason given".to_owned();
    }
    // SAFETY: by contract, a NUL-terminated string that is ours until it is disposed of here.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

/// A C string of `text`, cut at a NUL if it has one.
pub(crate) fn c_string(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text.as_bytes()[..end]).unwrap_or_default()
}

/// The identifier of a module, as errors name it.
#[must_use]
pub fn identifier(module: &inkwell::module::Module<'_>) -> String {
    module.get_name().to_string_lossy().into_owned()
}

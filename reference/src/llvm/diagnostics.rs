//! What LLVM reports through a context's diagnostic handler, collected per thread, so that no
//! diagnostic ends the process or is printed behind a tool's back.

use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr;

use inkwell::context::Context;
use inkwell::llvm_sys::LLVMDiagnosticSeverity;
use inkwell::llvm_sys::core::{
    LLVMContextSetDiagnosticHandler, LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity,
};
use inkwell::llvm_sys::prelude::LLVMDiagnosticInfoRef;

/// How grave a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The operation failed.
    Error,
    /// Worth telling the user.
    Warning,
    /// Remarks and notes.
    Note,
}

/// One thing that LLVM reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How grave it is.
    pub severity: Severity,
    /// LLVM's text.
    pub text: String,
}

thread_local! {
    static REPORTED: RefCell<Vec<Diagnostic>> = const { RefCell::new(Vec::new()) };
}

/// Everything reported on this thread since the last call.
#[must_use]
pub fn take() -> Vec<Diagnostic> {
    REPORTED.with_borrow_mut(std::mem::take)
}

/// The errors reported on this thread, joined into one reason; the other diagnostics stay for
/// [`take`].
pub(super) fn take_errors() -> Option<String> {
    REPORTED.with_borrow_mut(|reported| {
        let (errors, rest) = std::mem::take(reported)
            .into_iter()
            .partition::<Vec<_>, _>(|d| d.severity == Severity::Error);
        *reported = rest;
        let texts: Vec<_> = errors.into_iter().map(|d| d.text).collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    })
}

/// Makes a context report here.
pub(super) fn install(context: &Context) {
    // SAFETY: the handler is a plain function and needs no state of its own.
    unsafe { LLVMContextSetDiagnosticHandler(context.raw(), Some(handle), ptr::null_mut()) };
}

extern "C" fn handle(info: LLVMDiagnosticInfoRef, _: *mut c_void) {
    // SAFETY: LLVM passes a diagnostic that lives during this call; the description is a message
    // that we own.
    let (severity, text) = unsafe {
        let text = super::take_message(LLVMGetDiagInfoDescription(info));
        (LLVMGetDiagInfoSeverity(info), text)
    };
    let severity = match severity {
        LLVMDiagnosticSeverity::LLVMDSError => Severity::Error,
        LLVMDiagnosticSeverity::LLVMDSWarning => Severity::Warning,
        _ => Severity::Note,
    };
    REPORTED.with_borrow_mut(|reported| reported.push(Diagnostic { severity, text }));
}

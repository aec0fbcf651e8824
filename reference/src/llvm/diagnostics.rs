//! What LLVM reports through a context's diagnostic handler, collected per thread, so that no
//! diagnostic ends the process or is printed behind a tool's back.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::ptr;
use std::sync::Once;

use inkwell::context::Context;
use inkwell::llvm_sys::LLVMDiagnosticSeverity;
use inkwell::llvm_sys::core::{
    LLVMContextSetDiagnosticHandler, LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity,
};
use inkwell::llvm_sys::error_handling::LLVMInstallFatalErrorHandler;
use inkwell::llvm_sys::prelude::LLVMDiagnosticInfoRef;

use super::shim;
use crate::temporary;
use crate::tool::say;

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
    /// The beginning of what is said where LLVM cannot go on.
    static WORKING_AT: RefCell<String> = const { RefCell::new(String::new()) };
    static REPORTED: RefCell<Vec<Diagnostic>> = const { RefCell::new(Vec::new()) };
}

/// Everything reported on this thread since the last call.
#[must_use]
pub fn take() -> Vec<Diagnostic> {
    REPORTED.with_borrow_mut(std::mem::take)
}

/// The errors reported on this thread, joined into one reason; the other diagnostics stay for
/// [`take`].
pub(crate) fn take_errors() -> Option<String> {
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
    static FATAL: Once = Once::new();
    // SAFETY: the handler is a plain function that never returns.
    FATAL.call_once(|| unsafe {
        LLVMInstallFatalErrorHandler(Some(give_up));
        shim::plumbline_watch_memory(give_up);
    });
    // SAFETY: the handler is a plain function and needs no state of its own.
    unsafe { LLVMContextSetDiagnosticHandler(context.raw(), Some(handle), ptr::null_mut()) };
}

/// Names what LLVM is reading on this thread, for the errors that it gives no chance to return
/// from; answers what `work` does.
pub(super) fn reading<T>(origin: &str, work: impl FnOnce() -> T) -> T {
    working_at(format!("'{origin}': not a valid LLVM module"), work)
}

/// The same while LLVM changes what was read, or looks into it.
pub(crate) fn working_on<T>(origin: &str, work: impl FnOnce() -> T) -> T {
    working_at(format!("'{origin}': LLVM cannot go on with it"), work)
}

/// The same while LLVM generates code of a `form`.
pub(crate) fn generating<T>(form: &str, origin: &str, work: impl FnOnce() -> T) -> T {
    working_at(format!("cannot generate {form} for '{origin}'"), work)
}

/// The same while LLVM writes a file, as onto a disk that is full.
pub(crate) fn writing<T>(path: &Path, work: impl FnOnce() -> T) -> T {
    working_at(format!("cannot write '{}'", path.display()), work)
}

fn working_at<T>(what: String, work: impl FnOnce() -> T) -> T {
    let around = WORKING_AT.replace(what);
    let answer = work();
    WORKING_AT.set(around);
    answer
}

/// Where LLVM can't go on, as with a module that breaks its rules and carries debug information: a
/// message and exit status 1 instead of a crash.
extern "C" fn give_up(reason: *const c_char) {
    // SAFETY: LLVM passes a string that lives during this call.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    // SAFETY: the shim's text lives as long as this thread does.
    let unit = unsafe { CStr::from_ptr(shim::plumbline_lto_working()) }.to_string_lossy();
    // Modules have numbers in front there, by which they are in order.
    let unit = unit.split_once(": ").map_or(&*unit, |(_, origin)| origin);
    let doing = WORKING_AT.with_borrow(String::clone);
    say(&match (doing.as_str(), unit) {
        ("", "") => format!("error: LLVM cannot go on: {reason}\n"),
        ("", unit) => format!("error: '{unit}': LLVM cannot go on with it: {reason}\n"),
        (what, _) => format!("error: {what}: {reason}\n"),
    });
    end();
}

/// Whether LLVM crashed in this thread because there was no memory left for it.
pub(super) fn ran_out() -> bool {
    // SAFETY: the function reads a variable of this thread.
    unsafe { shim::plumbline_ran_out() != 0 }
}

/// Ends the process after a crash of LLVM's reader.
pub(super) fn end_reading(origin: &str) -> ! {
    say(&match ran_out() {
        true => format!(
            "error: '{origin}': out of memory as it is read: there is too little, or it asks for too much\n"
        ),
        false => {
            format!("error: '{origin}': not a valid LLVM module: LLVM's reader crashes on it\n")
        }
    });
    end();
}

/// Ends the process after a crash of LLVM's SPIR-V back end.
pub(super) fn end_generating(origin: &str) -> ! {
    let reason = match ran_out() {
        true => "out of memory",
        false => "LLVM's back end crashes on it",
    };
    say(&format!(
        "error: cannot generate SPIR-V for '{origin}': {reason}\n"
    ));
    end();
}

/// Ends the process with status 1, and no destructor of LLVM's under threads that are inside it.
fn end() -> ! {
    temporary::remove_all();
    // SAFETY: the function ends the process at once.
    unsafe { shim::plumbline_end(1) }
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

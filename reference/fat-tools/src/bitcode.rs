//! What only LLVM can tell of bitcode. The package `bitcode-reader` answers; its library is loaded
//! with the first question, so that a tool that meets no bitcode never waits for LLVM.

use std::error::Error as _;
use std::ffi::c_void;
use std::sync::OnceLock;

use libloading::Library;
use offload_formats::Bytes;
use offload_formats::kernel::Kernel;

use crate::layout::Layout;

/// Takes one answer, which is valid during the call: `context` as it was given with the question,
/// the bytes and their count.
pub type Sink = unsafe extern "C" fn(context: *mut c_void, bytes: *const u8, size: usize);

/// A question to the library about bitcode of `size` bytes. It calls `sink` for each answer and
/// says true; or once, with the reason as UTF-8, and says false.
pub type Question =
    unsafe extern "C" fn(bitcode: *const u8, size: usize, context: *mut c_void, sink: Sink) -> bool;

/// The question what a module embeds for the section of OffloadBinaries: an answer each.
pub const EMBEDDED: &str = "plumbline_bitcode_embedded";
/// The question for a module's kernels: one answer, a JSON list of [`Kernel`]s.
pub const KERNELS: &str = "plumbline_bitcode_kernels";
/// The question for a module's triple: one answer.
pub const TRIPLE: &str = "plumbline_bitcode_triple";
/// The question what a module defines for others: an answer each.
pub const DEFINITIONS: &str = "plumbline_bitcode_definitions";

/// The OffloadBinaries that a bitcode file embeds, in order.
///
/// # Errors
/// When the bytes are no bitcode, or the library cannot be loaded.
pub fn offload_binaries(bitcode: &Bytes) -> Result<Vec<Bytes>, String> {
    let answers = ask(EMBEDDED, bitcode)?;
    Ok(answers.into_iter().map(Bytes::from).collect())
}

/// The kernels that bitcode defines.
///
/// # Errors
/// As [`offload_binaries`].
pub fn kernels(bitcode: &[u8]) -> Result<Vec<Kernel>, String> {
    let answer = ask(KERNELS, bitcode)?.concat();
    serde_json::from_slice(&answer).map_err(|error| format!("no list of kernels: {error}"))
}

/// The triple that bitcode says it is for.
///
/// # Errors
/// As [`offload_binaries`].
pub fn triple(bitcode: &[u8]) -> Result<String, String> {
    let answer = ask(TRIPLE, bitcode)?.concat();
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// The names of what bitcode defines for others.
///
/// # Errors
/// As [`offload_binaries`].
pub fn definitions(bitcode: &[u8]) -> Result<Vec<String>, String> {
    let answers = ask(DEFINITIONS, bitcode)?.into_iter();
    let names = answers.map(|name| String::from_utf8_lossy(&name).into_owned());
    Ok(names.collect())
}

fn library() -> Result<&'static Library, String> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    let loaded = LIBRARY.get_or_init(|| {
        let layout = Layout::here().map_err(|e| format!("cannot find this tool's folder: {e}"))?;
        let path = layout.bitcode_reader();
        // SAFETY: the library is this toolchain's own; loading it runs LLVM's initializers only.
        unsafe { Library::new(&path) }.map_err(|e| {
            // The error itself says no more than which call failed.
            let reason = e
                .source()
                .map_or_else(|| e.to_string(), ToString::to_string);
            let path = path.display();
            format!("bitcode needs '{path}', which does not load: {reason}")
        })
    });
    loaded.as_ref().map_err(Clone::clone)
}

fn ask(question: &str, bitcode: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let mut answers: Vec<Vec<u8>> = Vec::new();
    // SAFETY: the library gives this name to a function of this type (package `bitcode-reader`); it
    // reads the bytes during the call only, and calls `push` with this context.
    let answered = unsafe {
        let function = library()?
            .get::<Question>(question.as_bytes())
            .map_err(|e| e.to_string())?;
        let context = (&raw mut answers).cast();
        function(bitcode.as_ptr(), bitcode.len(), context, push)
    };
    match answered {
        true => Ok(answers),
        false => Err(String::from_utf8_lossy(&answers.concat()).into_owned()),
    }
}

/// The sink that keeps a copy of each answer.
///
/// # Safety
/// `context` is the list of answers, and `bytes` has `size` bytes.
unsafe extern "C" fn push(context: *mut c_void, bytes: *const u8, size: usize) {
    // SAFETY: by contract; nothing else uses the list during the call.
    unsafe {
        let answers = &mut *context.cast::<Vec<Vec<u8>>>();
        answers.push(std::slice::from_raw_parts(bytes, size).to_vec());
    }
}

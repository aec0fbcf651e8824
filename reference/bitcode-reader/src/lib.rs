//! The library that the tools of fat files load when they meet bitcode: a C interface to the
//! readers of `reference`. What each function answers stands in [`fat_tools::bitcode`].

use std::ffi::c_void;

use fat_tools::bitcode::{Question, Sink};
use offload_formats::Bytes;
use reference::{llvm, post_link};

// The functions have the type that the tools expect.
const _: [Question; 4] = [
    plumbline_bitcode_embedded,
    plumbline_bitcode_kernels,
    plumbline_bitcode_triple,
    plumbline_bitcode_definitions,
];

/// Exports a function that answers one question by what `$find` makes of the bitcode.
macro_rules! question {
    ($(#[$says:meta])* $name:ident, $find:expr) => {
        $(#[$says])*
        ///
        /// # Safety
        /// `bitcode` has `size` bytes; `sink` takes `context` and bytes.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            bitcode: *const u8,
            size: usize,
            context: *mut c_void,
            sink: Sink,
        ) -> bool {
            // SAFETY: by contract.
            unsafe { answer(bitcode, size, context, sink, $find) }
        }
    };
}

question!(
    /// Answers with each OffloadBinary that the module embeds.
    plumbline_bitcode_embedded,
    |bitcode| {
        let found = llvm::embedded::offload_binaries(bitcode, "bitcode")?;
        Ok(found.into_iter().map(Into::into).collect())
    }
);
question!(
    /// Answers with the module's kernels in JSON.
    plumbline_bitcode_kernels,
    |bitcode| {
        let kernels = post_link::kernels(bitcode)?;
        let json = serde_json::to_vec(&kernels).map_err(|e| e.to_string())?;
        Ok(vec![json])
    }
);
question!(
    /// Answers with the module's triple.
    plumbline_bitcode_triple,
    |bitcode| {
        let context = llvm::context();
        let module =
            llvm::read::module_lazily(&context, bitcode, "image").map_err(|e| e.to_string())?;
        Ok(vec![module.get_triple().as_str().to_bytes().to_vec()])
    }
);
question!(
    /// Answers with the name of each symbol that the module defines for others.
    plumbline_bitcode_definitions,
    |bitcode| {
        let names = llvm::read::defined_for_others(bitcode)?;
        Ok(names.into_iter().map(String::into_bytes).collect())
    }
);

/// # Safety
/// As [`plumbline_bitcode_embedded`].
unsafe fn answer(
    bitcode: *const u8,
    size: usize,
    context: *mut c_void,
    sink: Sink,
    find: impl FnOnce(&Bytes) -> Result<Vec<Vec<u8>>, String>,
) -> bool {
    // SAFETY: by contract.
    let bitcode = unsafe { std::slice::from_raw_parts(bitcode, size) };
    let found = find(&Bytes::copy_from_slice(bitcode));
    let (answers, answered) = match found {
        Ok(answers) => (answers, true),
        Err(reason) => (vec![reason.into_bytes()], false),
    };
    for answer in answers {
        // SAFETY: by contract.
        unsafe { sink(context, answer.as_ptr(), answer.len()) };
    }
    answered
}

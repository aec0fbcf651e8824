//! Modules to bytes, and the verifier.

use inkwell::module::Module;

use super::{LlvmError, identifier};

/// The module as bitcode.
#[must_use]
pub fn bitcode(module: &Module<'_>) -> Vec<u8> {
    module.write_bitcode_to_memory().as_slice().to_vec()
}

/// The module as textual IR.
#[must_use]
pub fn text(module: &Module<'_>) -> String {
    module.print_to_string().to_string()
}

/// Holds a module to LLVM's rules.
///
/// # Errors
/// [`LlvmError::Verify`] with the verifier's reason.
pub fn verify(module: &Module<'_>) -> Result<(), LlvmError> {
    module.verify().map_err(|reason| LlvmError::Verify {
        origin: identifier(module),
        reason: reason.to_string().trim_end().to_owned(),
    })
}

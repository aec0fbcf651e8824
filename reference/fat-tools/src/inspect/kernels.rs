//! The kernels of an image, whatever its code is.

use offload_formats::kernel::Kernel;
use offload_formats::offload_binary::ImageKind;
use offload_formats::{Bytes, cubin, ptx, spirv};

use crate::bitcode;

/// The kernels of device code; `None` for code that cannot be looked into.
///
/// # Errors
/// Says why code of a known kind cannot be read.
pub fn of(kind: ImageKind, code: &Bytes) -> Option<Result<Vec<Kernel>, String>> {
    match kind {
        ImageKind::Bitcode => Some(bitcode::kernels(code)),
        ImageKind::SpirV => Some(spirv::kernels(code).map_err(|e| e.to_string())),
        ImageKind::Ptx => Some(ptx::kernels(code).map_err(|e| e.to_string())),
        ImageKind::Cubin => Some(cubin::kernels(code).map_err(|e| e.to_string())),
        _ => None,
    }
}

/// The triple that bitcode says it is for; empty for other code.
pub fn triple(kind: ImageKind, code: &Bytes) -> String {
    match kind {
        ImageKind::Bitcode => bitcode::triple(code).unwrap_or_default(),
        _ => String::new(),
    }
}

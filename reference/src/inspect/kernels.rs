//! The kernels of an image, whatever its code is.

use offload_formats::kernel::Kernel;
use offload_formats::offload_binary::ImageKind;
use offload_formats::{Bytes, ptx, spirv};

use crate::llvm::{context, read};
use crate::post_link::facts_read;

/// The kernels of device code; `None` for code that cannot be looked into.
///
/// # Errors
/// Says why code of a known kind cannot be read.
pub fn of(kind: ImageKind, code: &Bytes) -> Option<Result<Vec<Kernel>, String>> {
    match kind {
        ImageKind::Bitcode => Some(of_bitcode(code)),
        ImageKind::SpirV => Some(spirv::kernels(code).map_err(|e| e.to_string())),
        ImageKind::Ptx => Some(ptx::kernels(code).map_err(|e| e.to_string())),
        _ => None,
    }
}

fn of_bitcode(code: &Bytes) -> Result<Vec<Kernel>, String> {
    let context = context();
    let module = read::module(&context, code, "image").map_err(|e| e.to_string())?;
    let facts = facts_read::read(&module).map_err(|e| e.to_string())?;
    let kernels = facts
        .functions()
        .filter(|(_, global, function)| function.kernel && !global.declaration);
    Ok(kernels
        .map(|(_, global, function)| {
            let size = function.work_group_size.as_ref();
            Kernel {
                name: global.name.clone(),
                work_group_size: size.map(|s| s.metadata.clone()).unwrap_or_default(),
                sub_group_size: function.sub_group_size,
                aspects: function.all_aspects().into_iter().collect(),
            }
        })
        .collect())
}

/// The triple that bitcode says it is for; empty for other code.
pub fn triple(kind: ImageKind, code: &Bytes) -> String {
    if kind != ImageKind::Bitcode {
        return String::new();
    }
    let context = context();
    let module = read::module_lazily(&context, code, "image");
    module.map_or(String::new(), |module| {
        module.get_triple().as_str().to_string_lossy().into_owned()
    })
}

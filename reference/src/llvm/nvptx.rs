//! LLVM's machine for NVIDIA's GPUs.

use inkwell::OptimizationLevel;
use inkwell::module::Module;
use inkwell::targets::{
    CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple,
};

use super::{knows_processor, shim};

/// The triple of PTX images.
pub const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// The architecture when the user names none: the oldest that CUDA 13 compiles for, as DPC++ and LLVM have it since 2026.
pub const DEFAULT_ARCH: &str = "sm_75";

/// The function by which code asks of the architecture that it is compiled for.
pub const REFLECT: &str = "__nvvm_reflect";

/// Whether a module is for NVIDIA GPUs.
#[must_use]
pub fn is_for(module: &Module<'_>) -> bool {
    let triple = module.get_triple();
    triple.as_str().to_bytes().starts_with(b"nvptx")
}

/// The machine of an architecture (`sm_52`…).
///
/// # Errors
/// When LLVM knows no such architecture.
pub fn machine(arch: &str, level: OptimizationLevel) -> Result<TargetMachine, String> {
    Target::initialize_nvptx(&InitializationConfig::default());
    let triple = TargetTriple::create(TRIPLE);
    let target = Target::from_triple(&triple).map_err(|e| e.to_string())?;
    let machine = |arch, version| {
        let (relocations, code) = (RelocMode::Default, CodeModel::Default);
        target
            .create_target_machine(&triple, arch, version, level, relocations, code)
            .ok_or_else(|| "LLVM has no such target machine".to_owned())
    };
    // A machine for one that it does not know would be one for the oldest.
    match knows_processor(&machine("", "")?, arch) {
        true => machine(arch, version(arch)),
        false => Err("the back end knows no such architecture".to_owned()),
    }
}

/// Has copies and fills of a known number of bytes be loads and stores of words, as wide as their alignment
/// allows, for the back end writes loops over bytes.
pub fn copy_by_words(module: &Module<'_>) {
    // SAFETY: the module is valid.
    unsafe { shim::plumbline_copy_by_words(module.as_mut_ptr()) }
}

/// Gives each kernel that reads how long the rows of a local accessor are, in the range that a parameter
/// with the string attribute is, a second body for rows of whole vectors, which are read at once.
pub fn double_rows(module: &Module<'_>, attribute: &str) {
    // SAFETY: the module is valid, and the text outlives the call.
    unsafe {
        let (text, length) = (attribute.as_ptr().cast(), attribute.len());
        shim::plumbline_double_rows(module.as_mut_ptr(), text, length);
    }
}

/// The PTX version that shuffles and votes of warps came with, for the architectures that LLVM
/// writes an older one for; any driver that still runs has it.
fn version(arch: &str) -> &'static str {
    let number = arch.trim_start_matches("sm_").trim_end_matches('a').parse();
    match number {
        Ok(0..70_u32) => "+ptx60",
        _ => "",
    }
}

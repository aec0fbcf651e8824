//! The host side of wrapping: which machine the object is for, and its emission.

use std::path::Path;

use inkwell::OptimizationLevel;
use inkwell::module::Module;
use inkwell::targets::{
    CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple,
};

use crate::llvm::diagnostics;

/// Images could not be wrapped.
#[derive(Debug, thiserror::Error)]
pub enum WrapError {
    /// LLVM has no code generation for the host triple.
    #[error("cannot wrap device images for host '{triple}': {reason}")]
    Host {
        /// The triple.
        triple: String,
        /// LLVM's message.
        reason: String,
    },
    /// A name or option text that the descriptor cannot carry.
    #[error("{what} {text:?} holds a NUL and cannot be registered")]
    Nul {
        /// What it is.
        what: &'static str,
        /// The text.
        text: String,
    },
    /// More images, or a larger array, than the descriptor can count.
    #[error("{0} device images are more than a descriptor can hold")]
    TooMany(usize),
    /// LLVM could not write the object.
    #[error("cannot write the wrapper object: {0}")]
    Emit(String),
}

/// The machine that the wrapper object is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostTarget {
    /// Its triple.
    pub triple: String,
}

impl Default for HostTarget {
    /// The machine this runs on.
    fn default() -> Self {
        let triple = TargetMachine::get_default_triple();
        HostTarget {
            triple: triple.as_str().to_string_lossy().into_owned(),
        }
    }
}

impl HostTarget {
    /// Whether objects for it are ELF; the other form is COFF.
    pub(super) fn is_elf(&self) -> bool {
        !self.triple.contains("windows")
    }

    pub(super) fn machine(&self) -> Result<TargetMachine, WrapError> {
        let fail = |reason: String| WrapError::Host {
            triple: self.triple.clone(),
            reason,
        };
        let architecture = self.triple.split('-').next().unwrap_or_default();
        let is_arm = ["aarch64", "arm64"].map(|arm| architecture.starts_with(arm));
        match is_arm.contains(&true) {
            true => Target::initialize_aarch64(&InitializationConfig::default()),
            false => Target::initialize_x86(&InitializationConfig::default()),
        }
        let triple = TargetTriple::create(&self.triple);
        let target = Target::from_triple(&triple).map_err(|e| fail(e.to_string()))?;
        target
            .create_target_machine(
                &triple,
                "",
                "",
                OptimizationLevel::None,
                RelocMode::PIC,
                CodeModel::Default,
            )
            .ok_or_else(|| fail("LLVM has no such target machine".to_owned()))
    }
}

/// The module as a relocatable object in a file.
pub(super) fn emit_to(
    module: &Module<'_>,
    machine: &TargetMachine,
    path: &Path,
) -> Result<(), WrapError> {
    let fail = |reason: String| WrapError::Emit(format!("'{}': {reason}", path.display()));
    match path.to_str() {
        Some(_) => diagnostics::writing(path, || {
            machine.write_to_file(module, FileType::Object, path)
        })
        .map_err(|e| fail(e.to_string())),
        // LLVM takes names that are texts.
        None => std::fs::write(path, emit(module, machine)?).map_err(|e| fail(e.to_string())),
    }
}

/// The module as a relocatable object.
pub(super) fn emit(module: &Module<'_>, machine: &TargetMachine) -> Result<Vec<u8>, WrapError> {
    let buffer = machine
        .write_to_memory_buffer(module, FileType::Object)
        .map_err(|e| WrapError::Emit(e.to_string()))?;
    Ok(buffer.as_slice().to_vec())
}

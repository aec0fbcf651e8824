//! The front end: what stands between clang's raw device module and the device module of a
//! translation unit.
//!
//! clang, with the plugin of `reference/clang-plugin`, writes a raw module that holds the kernel
//! wrappers, the `SYCL_EXTERNAL` functions and what they reach; [`cc1`] says how it is started.
//! [`lower`] turns that module into the device module (entry points, metadata, aspects,
//! optimization) and the integration header for the host compilation.

mod aliases;
pub mod annotations;
pub mod aspects;
mod builtins;
pub mod cc1;
mod convergence;
pub mod dead_parameters;
pub mod device_globals;
mod device_rules;
pub mod diagnostics;
pub mod features;
pub mod header;
pub mod kernels;
mod local_memory;
mod outline;
pub mod parts;
mod raw_text;
mod scratch;
#[cfg(test)]
mod tests;
mod traps;
pub mod units;
mod vtables;
pub mod work_group_static;

use std::path::{Path, PathBuf};

use inkwell::module::Module;
use inkwell::values::FunctionValue;
use offload_formats::device_config::DeviceConfig;
use offload_formats::targets::Target;
use offload_formats::unit_name;

use self::device_rules::Marks;
use self::diagnostics::Diagnostic;
use self::kernels::is_nvptx;
use crate::layout::Layout;
use crate::llvm;

/// Optimization levels of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OptLevel {
    /// `-O0`
    O0,
    /// `-O1`
    O1,
    /// `-O2`
    O2,
    /// `-O3`
    O3,
}

impl OptLevel {
    /// The number after `-O`.
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32
    }
}

/// How the warnings of the front end are treated; the words of the command line that concern it.
#[derive(Debug, Clone, Default)]
pub struct WarningOptions {
    /// `-W…` words (and `-w`) in command-line order: `-Wno-sycl-aspects`, `-Werror`,
    /// `-Werror=sycl-aspects`…; and those about how diagnostics look: `-fcolor-diagnostics`,
    /// `-fdiagnostics-show-option` and their opposites.
    pub words: Vec<String>,
}

/// The form of the device module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Emit {
    /// LLVM bitcode.
    #[default]
    Bitcode,
    /// Textual IR.
    Text,
}

/// What the command line says about one device compilation.
#[derive(Debug, Clone)]
pub struct LowerOptions {
    /// The source file, for messages.
    pub source: PathBuf,
    /// The value of `sycl-module-id`: the same for every target of one translation unit, different
    /// for different units.
    pub module_id: String,
    /// The last `-O` of the command line; `None` when there is none (no `sycl-optlevel` then, and
    /// the device code is optimized as with `-O2`).
    pub opt_level: Option<OptLevel>,
    /// Entry points keep the parameters that optimization leaves no use of
    /// (`-fno-sycl-dead-args-optimization`).
    pub all_parameters: bool,
    /// The sub-group size that kernels require which say none (`-fsycl-default-sub-group-size=`), as metadata
    /// has it ([`features::SUB_GROUP_SIZE`]).
    pub sub_group_size: Option<u32>,
    /// Debug information was asked for with `-g`: it stays in the module, and messages carry
    /// source locations.
    pub debug: bool,
    /// The targets of `-fsycl-fixed-targets`, empty without the switch.
    pub fixed_targets: Vec<&'static Target>,
    /// The file of `-fsycl-device-config-file`; the default one when `None`.
    pub device_config: Option<PathBuf>,
    /// The warning options.
    pub warnings: WarningOptions,
    /// The form of the device module.
    pub emit: Emit,
}

/// A finished front end run.
#[derive(Debug, Clone)]
pub struct Lowered {
    /// The device module, as [`LowerOptions::emit`] says.
    pub module: Vec<u8>,
    /// The text of the integration header.
    pub integration_header: String,
    /// What to print on standard error, in order; errors among them made the run fail instead.
    pub warnings: Vec<String>,
}

/// Why a raw module did not become a device module.
#[derive(Debug, thiserror::Error)]
pub enum LowerError {
    /// The raw module cannot be read or does not follow the contract with the headers.
    #[error("{}: {reason}", source_file.display())]
    Module {
        /// The source file.
        source_file: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The device code is at fault. The texts are whole diagnostics (`file:line:column: error: …`),
    /// warnings among them, in order.
    #[error("{}", diagnostics.join("\n"))]
    Diagnosed {
        /// Every diagnostic.
        diagnostics: Vec<String>,
    },
}

/// Lowers a raw module of one translation unit. `of_all_targets` are those of all targets that the
/// unit is compiled for; without any, it is for one.
///
/// # Errors
/// When the module cannot be read, or the device code breaks a rule.
pub fn lower(
    raw: &[u8],
    of_all_targets: &[&[u8]],
    options: &LowerOptions,
) -> Result<Lowered, LowerError> {
    let failed = |reason: String| LowerError::Module {
        source_file: options.source.clone(),
        reason,
    };
    let context = llvm::context();
    let text = work_group_static::place(raw_text::readable(raw));
    let module = llvm::read::module(&context, &text, &options.source.to_string_lossy())
        .map_err(|error| failed(error.to_string()))?;
    let forwarders =
        aliases::become_functions(&module).map_err(|error| failed(error.to_string()))?;
    let annotations = annotations::take(&module);
    let externals = outline::externals(&annotations, &forwarders);
    let marks = Marks::read(&module, &annotations, &externals);
    let features = features::read(&annotations);
    diagnostics::report(&kernels::duplicates(&annotations), options)?;
    let tag = unit_name::tag(match of_all_targets {
        [] => units::number(&[raw], options),
        all => units::number(all, options),
    });
    let named = units::Wrappers::read(&annotations);
    let local_constants = units::name_constants(&module, &tag).map_err(failed)?;
    let globals = device_globals::name(&module, &annotations, &tag);
    let mut kernels: Vec<_> = kernels::wrappers(&annotations)
        .map(|wrapper| {
            kernels::lower(&module, wrapper, &named, &tag).map_err(|error| {
                let error = Diagnostic::error(wrapper.location.clone(), error.to_string());
                diagnostics::failure(error, options)
            })
        })
        .collect::<Result<_, _>>()?;
    scratch::find(&module, &mut kernels).map_err(|error| failed(error.to_string()))?;
    features.write(&module, &kernels);
    if let Some(size) = options.sub_group_size {
        features::require_sub_groups(&module, &kernels, size);
    }
    vtables::empty(&module);
    llvm::flow::call_members(&module);
    local_memory::place(&module, &annotations).map_err(failed)?;
    work_group_static::make_static(&module).map_err(failed)?;
    outline::keep_only_device_code(&module, &kernels, &externals)
        .map_err(|error| failed(error.to_string()))?;
    traps::lower(&module).map_err(|error| failed(error.to_string()))?;
    outline::mark_functions(&module, options);
    outline::mark_entries(&module, &kernels, &externals, &options.fixed_targets);
    let found = check_features(&module, &externals, &marks, options).map_err(failed)?;
    let warnings = diagnostics::report(&found, options)?;
    if !options.debug {
        module.strip_debug_info();
    }
    llvm::write::verify(&module).map_err(|error| failed(error.to_string()))?;
    convergence::free_functions_of_one(&module);
    outline::optimize(&module, options).map_err(|error| failed(error.to_string()))?;
    if outline::level(options) != OptLevel::O0 && !options.all_parameters {
        dead_parameters::omit(&module, &mut kernels);
    }
    let has_local_names = local_constants || kernels.iter().any(|kernel| kernel.is_local);
    Ok(Lowered {
        module: match options.emit {
            Emit::Bitcode => llvm::write::bitcode(&module),
            Emit::Text => llvm::write::text(&module).into_bytes(),
        },
        integration_header: header::text(
            &kernels,
            &globals,
            has_local_names.then_some(tag.as_str()),
        ),
        warnings,
    })
}

/// Propagates aspects, and says where that breaks what attributes and switches promise.
fn check_features<'ctx>(
    module: &Module<'ctx>,
    externals: &[FunctionValue<'ctx>],
    marks: &Marks,
    options: &LowerOptions,
) -> Result<Vec<Diagnostic>, String> {
    let propagated = aspects::propagate(module).map_err(|error| error.to_string())?;
    let mut found = device_rules::check(&propagated, externals, marks, is_nvptx(module));
    propagated.record_origins(module, options.debug);
    propagated.record_sub_group_sizes(module);
    found.extend(propagated.check_declared());
    if !options.fixed_targets.is_empty() {
        let config = device_config(options.device_config.as_deref())?;
        found.extend(propagated.check_targets(&options.fixed_targets, &config));
    }
    Ok(found)
}

/// The device configuration: the file that was asked for, the installed one, or, for a tool that
/// was not installed, the one that came with its sources.
///
/// # Errors
/// When the file cannot be read or is none.
pub fn device_config(asked: Option<&Path>) -> Result<DeviceConfig, String> {
    let installed = || {
        let file = Layout::here().ok()?.device_config();
        file.is_file().then_some(file)
    };
    match asked.map(Path::to_owned).or_else(installed) {
        Some(file) => DeviceConfig::read(&file),
        None => DeviceConfig::shipped(),
    }
    .map_err(|error| error.to_string())
}

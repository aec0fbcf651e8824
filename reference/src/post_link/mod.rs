//! The post-link stage: a linked device module becomes images, each self-contained, with the
//! properties that say which device can run it.
//!
//! The module is read once into plain [`facts`]; grouping ([`split`]), requirements and origins of
//! aspects are pure functions over them, and the images are then cloned, lowered and written by
//! workers, each with a reading of its own when there are several ([`emit`]). Documents: FEAT "Changes to the post-link tool", OPT "Changes to
//! the sycl-post-link tool", OFF "Linking of device objects".

pub mod command_line;
mod device_globals;
pub mod device_libraries;
mod emit;
mod entry_points;
mod error;
pub mod facts;
pub mod facts_read;
pub mod inlined;
pub mod options;
pub mod origins;
pub mod outputs;
mod program_metadata;
pub mod properties;
pub mod reach;
pub mod requirements;
pub mod spec_constants;
pub mod split;
mod symbols;
pub mod unit_facts;
pub mod unit_reach;

use inkwell::module::Module;
use offload_formats::kernel::Kernel;
use offload_formats::property_set::PropertySets;

use facts::ModuleFacts;

pub use error::{PostLinkError, Warning};
pub use options::{Dialect, Options, SplitMode};

use crate::llvm::{self, context, diagnostics, read, write};

/// One image to be: a module with its entry points and properties.
#[derive(Debug, Clone)]
pub struct SplitModule {
    /// Its place among the images of one input: the same in every run.
    pub index: usize,
    /// The module as bitcode, or as textual IR when the options ask for that.
    pub code: Vec<u8>,
    /// The symbols of its entry points, in module order.
    pub entries: Vec<String>,
    /// What a runtime must know of it.
    pub properties: PropertySets,
}

/// What a finished run has to say.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// How many images there are.
    pub images: usize,
    /// What the user should know, in the order of the images.
    pub warnings: Vec<Warning>,
}

/// The kernels that device code in bitcode defines, with what each asks for.
///
/// # Errors
/// When the bytes are no bitcode, or metadata has a wrong shape.
pub fn kernels(bitcode: &[u8]) -> Result<Vec<Kernel>, String> {
    let context = context();
    let module = read::module(&context, bitcode, "image").map_err(|e| e.to_string())?;
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

/// Splits a linked device module and hands each image to `sink` as soon as it is made, from
/// several threads and in any order; [`SplitModule::index`] is its place.
///
/// # Errors
/// A module that LLVM's verifier refuses, metadata of a wrong shape, a specialization constant that can't be lowered, a device global
/// that two images need although it may be in one only, and what `sink` answers.
pub fn run<E: From<PostLinkError> + Send>(
    module: Module<'_>,
    options: &Options,
    sink: impl Fn(SplitModule) -> Result<(), E> + Sync,
) -> Result<Outcome, E> {
    run_with(module, options, |_| (), sink)
}

/// The same for a module of which more is known than it shows: `complete` adds to its facts.
///
/// # Errors
/// Those of [`run`].
pub fn run_with<E: From<PostLinkError> + Send>(
    module: Module<'_>,
    options: &Options,
    complete: impl FnOnce(&mut ModuleFacts),
    sink: impl Fn(SplitModule) -> Result<(), E> + Sync,
) -> Result<Outcome, E> {
    diagnostics::working_on(&llvm::identifier(&module), || {
        write::verify(&module).map_err(PostLinkError::Llvm)?;
        let mut facts = facts_read::read(&module)?;
        if options.spec_constants.is_some() {
            facts_read::add_spec_constants(&module, &mut facts)?;
        }
        complete(&mut facts);
        let groups = split::groups(&facts, options);
        emit::images(&facts, &groups, module, options, sink)
    })
}

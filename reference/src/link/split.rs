//! The post-link stage of a target, each of whose modules becomes images at once, in the worker
//! that made it: no more modules are in memory than there are workers.

use std::sync::{Mutex, PoisonError};

use inkwell::module::Module;
use offload_formats::targets::Kind;

use super::LinkError;
use super::images::{Code, ImageMaker, ImageSource};
use super::options::Words;
use crate::post_link::command_line::CommandLine;
use crate::post_link::options::SpecConstants;
use crate::post_link::{self, Options, SplitMode, SplitModule, Warning};
use crate::tool::say;
use crate::wrap::DeviceImage;

/// The images of a linked module, in the order of its split.
///
/// # Errors
/// When the post-link stage refuses the module, or an image cannot be made.
pub fn images(
    linked: Module<'_>,
    maker: &ImageMaker<'_>,
    words: &[Words],
) -> Result<Vec<DeviceImage>, LinkError> {
    let options = options(maker.target.kind(), words)?;
    let made = Mutex::new(Vec::new());
    let sink = |module: SplitModule| -> Result<(), LinkError> {
        let name = format!("{}_{}", maker.target.file_name(), module.index);
        let images = images_of(&module, name, maker)?;
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        made.push((module.index, images));
        Ok(())
    };
    let outcome = post_link::run(linked, &options, sink)?;
    warn(&outcome.warnings);
    let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    made.sort_by_key(|(index, _)| *index);
    Ok(made.into_iter().flat_map(|(_, images)| images).collect())
}

/// Says what the user should know.
pub(super) fn warn(warnings: &[Warning]) {
    for (number, warning) in warnings.iter().enumerate() {
        if !warnings.iter().take(number).any(|before| before == warning) {
            say(&format!("clang-linker-wrapper: warning: {warning}\n"));
        }
    }
}

/// The images of one module, which messages and kept files call `name`.
pub(super) fn images_of(
    module: &SplitModule,
    name: String,
    maker: &ImageMaker<'_>,
) -> Result<Vec<DeviceImage>, LinkError> {
    maker.trace.keep(&format!("{name}.bc"), &module.code)?;
    maker.images(&ImageSource {
        name,
        code: Code::Bitcode(&module.code),
        entries: &module.entries,
        properties: &module.properties,
    })
}

/// The stage's options: the words of `--sycl-post-link-options=`, over what the kind of target asks
/// for. Only SPIR-V that is compiled when the program runs has specialization constants of its own.
pub(super) fn options(kind: Option<Kind>, words: &[Words]) -> Result<Options, LinkError> {
    let words = words.iter().flat_map(|words| &words.0);
    let line = CommandLine::parse_words(words)
        .map_err(|e| LinkError::Usage(format!("in the post-link options: {e}")))?;
    let mut options = line.options();
    if line.split.is_none() {
        options.split = SplitMode::Auto;
    }
    options.spec_constants.get_or_insert(match kind {
        Some(Kind::Jit) => SpecConstants::Native,
        _ => SpecConstants::Emulation,
    });
    Ok(options)
}

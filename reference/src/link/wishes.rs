//! What a command line asks for of one target's images: all that the stages after the grouping get of
//! its options.

use std::path::PathBuf;

use crate::link::images::variant::{self, Variant};
use crate::link::inputs::group::LinkGroup;
use crate::link::{LinkError, Words, WrapperOptions};
use crate::translate::SpirvOptions;

/// Wishes for the images of one target.
#[derive(Debug)]
pub struct Wishes {
    /// Every module becomes images of its own, and imports what it lacks.
    pub thin: bool,
    /// Where other processes left the images of these modules.
    pub gathered: Option<PathBuf>,
    /// The line's words on which images depend.
    pub image_words: Vec<String>,
    /// The words of the post-link stage.
    pub post_link: Vec<Words>,
    /// What each module of it becomes.
    pub variants: Vec<Variant>,
    /// The options of the SPIR-V writer.
    pub spirv: SpirvOptions,
    /// What the images are compiled with when the program runs.
    pub compile_options: String,
    /// What the images are linked with when the program runs.
    pub link_options: String,
    /// The level of compression, where images are compressed.
    pub compression: Option<i32>,
}

impl Wishes {
    /// What the options say of the group's target.
    ///
    /// # Errors
    /// When a target for Intel GPUs comes with no device, or an option is none of a writer's.
    pub fn of(group: &LinkGroup, options: &WrapperOptions) -> Result<Self, LinkError> {
        let target = &group.target;
        Ok(Wishes {
            thin: options.sycl_thin_lto,
            gathered: options.thinlto.from.clone(),
            image_words: options.thinlto.image_words.clone(),
            post_link: options.post_link_words(target),
            variants: variant::variants(group, options)?,
            spirv: options.spirv_options(target)?,
            compile_options: options.run_time_compile_words(target),
            link_options: options.run_time_link_words(target),
            compression: options.compress.then_some(options.compression_level),
        })
    }
}

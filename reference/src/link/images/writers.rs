//! SPIR-V writers that are started ahead: they load while the device code is linked.

use std::sync::{Mutex, PoisonError};

use components::ahead::Ahead;
use offload_formats::container::{Format, identify};
use offload_formats::device_input::DeviceInput;

use crate::link::images::split;
use crate::link::images::variant::Step;
use crate::link::inputs::group::LinkGroup;
use crate::link::tools::Tools;
use crate::link::wishes::Wishes;
use crate::link::{DeviceTarget, WrapperOptions};
use crate::post_link::SplitMode;

/// How many images of bitcode there are for each writer that is started ahead. Not every object has
/// kernels, and a writer that nobody uses has cost its start.
const IMAGES_A_WRITER: usize = 8;

/// Writers in wait for the modules of a link. What is left of them is ended with this.
pub struct Writers<'a> {
    options: &'a WrapperOptions,
    tools: &'a Tools<'a>,
    /// No more are started than this.
    most: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Images of bitcode that the link has.
    images: usize,
    waiting: Vec<Ahead>,
}

impl<'a> Writers<'a> {
    /// Has started none yet.
    pub fn new(options: &'a WrapperOptions, tools: &'a Tools<'a>) -> Self {
        let split = split::options(None, &options.stages.sycl_post_link_options);
        let most = match split {
            _ if options.stages.dry_run => 0,
            // Most images are there already, or made elsewhere.
            _ if options.thinlto.cache_dir.is_some() || options.thinlto.from.is_some() => 0,
            _ if options.thinlto.index_only => 0,
            Ok(split) if split.split == SplitMode::Off => 1,
            _ => 2 * options.jobs(),
        };
        Writers {
            options,
            tools,
            most,
            state: Mutex::default(),
        }
    }

    /// Starts a writer, if the link gets images enough for one more with `image`, and a writer is
    /// what this one needs.
    pub fn seen(&self, image: &DeviceInput) {
        if identify(&image.bytes) != Format::Bitcode {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.images % IMAGES_A_WRITER == 0 && state.waiting.len() < self.most {
            state.waiting.extend(self.start(image));
        }
        state.images += 1;
    }

    fn start(&self, image: &DeviceInput) -> Option<Ahead> {
        let target = DeviceTarget::new(&image.triple, &image.arch);
        let mut group = LinkGroup::new(target);
        group.takes_other_calls = true;
        let wishes = Wishes::of(&group, self.options).ok()?;
        let mut variants = wishes.variants.iter();
        let variant = variants.find(|v| !matches!(v.step, Step::Ptx(..)))?;
        let writer = self.tools.spirv_writer(&group.target).ok()?;
        writer.program()?;
        let job = writer.job(&variant.spirv_options(&wishes.spirv));
        Some(job.start_ahead())
    }
}

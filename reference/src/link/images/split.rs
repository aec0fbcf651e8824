//! The post-link stage of a target, each of whose modules becomes images as soon as it is made.
//!
//! One thread splits, which takes far less time than the outside tools take for its modules; the
//! others make images of them. No more modules wait than threads can take up at once.

use std::fmt::Display;
use std::sync::{Condvar, Mutex, PoisonError};

use inkwell::module::Module;
use offload_formats::targets::Kind;
use rayon::{Scope, Yield};

use crate::link::LinkError;
use crate::link::images::maker::{Code, ImageMaker, ImageSource};
use crate::link::line::options::Words;
use crate::llvm::demangle::demangled;
use crate::post_link::command_line::CommandLine;
use crate::post_link::options::SpecConstants;
use crate::post_link::{self, Options, PostLinkError, SplitMode, SplitModule};
use crate::tool::say;
use crate::wrap::DeviceImage;

/// The images of a linked module, in the order of its split.
///
/// # Errors
/// When the post-link stage refuses the module, or an image cannot be made: the first of those that
/// cannot.
pub fn images(linked: Module<'_>, maker: &ImageMaker<'_>) -> Result<Vec<DeviceImage>, LinkError> {
    let options = Options {
        max_workers: Some(1),
        ..options_of(maker)?
    };
    let line = ProductionLine::default();
    let outcome = rayon::in_place_scope(|scope| {
        post_link::run(linked, &options, |module| line.add(scope, module, maker))
    });
    // Of several failures the first is told: modules are split in their order.
    let images = line.finished()?;
    match outcome {
        Ok(outcome) => {
            warn(&outcome.warnings);
            Ok(images)
        }
        Err(Stop::PostLink(error)) => Err(error.into()),
        Err(Stop::Failed) => Err(LinkError::Option("an image could not be made".to_owned())),
    }
}

/// Why no more modules are split.
enum Stop {
    PostLink(PostLinkError),
    /// An image could not be made.
    Failed,
}

impl From<PostLinkError> for Stop {
    fn from(error: PostLinkError) -> Self {
        Stop::PostLink(error)
    }
}

/// Images in the making.
#[derive(Default)]
struct ProductionLine {
    state: Mutex<State>,
    /// Told of every module that is done with.
    done: Condvar,
}

#[derive(Default)]
struct State {
    /// Modules that wait, or that images are made of.
    open: usize,
    /// What became of the others, by their places.
    made: Vec<(usize, Result<Vec<DeviceImage>, LinkError>)>,
    failed: bool,
}

impl ProductionLine {
    /// Has images made of a module by whichever thread is free. Returns when not too many modules
    /// wait; until then, this thread makes images as well.
    fn add<'s>(
        &'s self,
        scope: &Scope<'s>,
        module: SplitModule,
        maker: &'s ImageMaker<'_>,
    ) -> Result<(), Stop> {
        self.state().open += 1;
        scope.spawn(move |_| {
            let _open = Open(self);
            let name = format!("{}_{}", maker.target.file_name(), module.index);
            let images = images_of(&module, name, maker);
            let mut state = self.state();
            state.failed |= images.is_err();
            state.made.push((module.index, images));
        });
        let most = 2 * rayon::current_num_threads();
        while self.state().open >= most {
            if rayon::yield_now() == Some(Yield::Executed) {
                continue;
            }
            let state = self
                .done
                .wait_while(self.state(), |state| state.open >= most);
            drop(state.unwrap_or_else(PoisonError::into_inner));
        }
        match self.state().failed {
            true => Err(Stop::Failed),
            false => Ok(()),
        }
    }

    /// The images, in the order of the split.
    fn finished(self) -> Result<Vec<DeviceImage>, LinkError> {
        let state = self.state.into_inner();
        let mut made = state.unwrap_or_else(PoisonError::into_inner).made;
        made.sort_by_key(|(index, _)| *index);
        let images: Result<Vec<_>, _> = made.into_iter().map(|(_, images)| images).collect();
        Ok(images?.concat())
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A module that is not done with as long as this lives, however the work on it ends.
struct Open<'a>(&'a ProductionLine);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.open -= 1;
        state.failed |= std::thread::panicking();
        self.0.done.notify_all();
    }
}

/// Says what the user should know.
pub(in crate::link) fn warn(warnings: &[impl Display + PartialEq]) {
    for (number, warning) in warnings.iter().enumerate() {
        if !warnings.iter().take(number).any(|before| before == warning) {
            say(&format!("clang-linker-wrapper: warning: {warning}\n"));
        }
    }
}

/// The images of one module, which messages and kept files call `name`.
pub(in crate::link) fn images_of(
    module: &SplitModule,
    name: String,
    maker: &ImageMaker<'_>,
) -> Result<Vec<DeviceImage>, LinkError> {
    maker.trace.stage(|| {
        let entries = module.entries.iter();
        let entries: Vec<String> = entries.map(|entry| demangled(entry)).collect();
        format!("module {name}: {}", entries.join(", "))
    });
    maker.trace.keep(&format!("{name}.bc"), &module.code)?;
    maker.images(&ImageSource {
        name,
        code: Code::Bitcode(&module.code),
        entries: &module.entries,
        properties: &module.properties,
    })
}

/// The stage's options for what becomes images: a writer that is a program gets modules that it can take.
pub(in crate::link) fn options_of(maker: &ImageMaker<'_>) -> Result<Options, LinkError> {
    let mut options = options(maker.target.kind(), &maker.wishes.post_link)?;
    if options.for_spirv_writer {
        options.for_spirv_writer = !maker.tools.writer_finishes(maker.target);
    }
    Ok(options)
}

/// The stage's options: the words of `--sycl-post-link-options=`, over what the kind of target asks
/// for. Only SPIR-V that is compiled when the program runs has specialization constants of its own.
pub(in crate::link) fn options(kind: Option<Kind>, words: &[Words]) -> Result<Options, LinkError> {
    let words = words.iter().flat_map(|words| &words.0);
    let line = CommandLine::parse_words(words)
        .map_err(|e| LinkError::Usage(format!("in the post-link options: {e}")))?;
    let mut options = line.options();
    if line.split.is_none() {
        options.split = SplitMode::Auto;
    }
    options.for_spirv_writer = kind != Some(Kind::Nvidia);
    options.device_globals = true;
    // Code that was compiled ahead of time is linked with no other.
    options.exported_symbols |= matches!(kind, Some(Kind::Jit | Kind::Nvidia));
    // What an FPGA image lacks, a library of its compiler has.
    options.imported_symbols |= kind != Some(Kind::Fpga);
    options.spec_constants.get_or_insert(match kind {
        Some(Kind::Jit) => SpecConstants::Native,
        _ => SpecConstants::Emulation,
    });
    Ok(options)
}

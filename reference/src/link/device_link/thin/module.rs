//! What a ThinLTO link does for one module: it is completed, described and becomes images.

use std::cell::RefCell;
use std::collections::HashSet;
use std::iter::once;
use std::sync::{Mutex, PoisonError};

use components::Missing;
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetTriple;
use offload_formats::device_input::DeviceInput;
use offload_formats::property_set::DEVICE_GLOBALS;

use crate::link::LinkError;
use crate::link::device_link::same_kernels::SameKernels;
use crate::link::device_link::thin::made::{Made, Scoped, scoped_variables};
use crate::link::device_link::thin::summarized::{Summarized, name};
use crate::link::device_link::thin::units::Units;
use crate::link::device_link::undefined;
use crate::link::device_link::whole::{DeviceLink, WholeLink, close, defined_beside};
use crate::link::images::maker::ImageMaker;
use crate::link::images::split;
use crate::link::inputs::group::LinkGroup;
use crate::link::tools::DeviceLibraries;
use crate::llvm::link::{Linker, Take};
use crate::llvm::thin::{Index, Summaries};
use crate::llvm::{self, demangle, read, subset, values, weak, write};
use crate::post_link::facts::ModuleFacts;
use crate::post_link::{self, Options, SplitMode, SplitModule};
use crate::wrap::DeviceImage;

/// A link whose units are optimized.
pub(super) struct ThinLink<'a> {
    maker: &'a ImageMaker<'a>,
    summarized: &'a Summarized<'a>,
    /// The units as they were compiled.
    units: &'a Units,
    /// What became of them, each optimized once.
    optimized: Vec<&'a [u8]>,
    /// All of these.
    index: Index<'a>,
    /// The kernels of all units.
    kernels: &'a SameKernels,
    /// What modules define that images are made of: those with summaries, and those without.
    given_by_thin: HashSet<String>,
    given_by_plain: HashSet<String>,
    /// Libraries that are linked whole into every module.
    whole: &'a [DeviceInput],
    /// Where the definition of a symbol is that counts, if that is not the first.
    contested: Vec<(String, &'a DeviceInput)>,
    libdevice: Option<&'a Missing>,
    spirv: &'a [DeviceInput],
    options: Options,
}

impl<'a> ThinLink<'a> {
    pub(super) fn new(
        (group, libraries): (&'a LinkGroup, &'a DeviceLibraries),
        summarized: &'a Summarized<'a>,
        (units, kernels): (&'a Units, &'a SameKernels),
        optimized: Vec<&'a [u8]>,
        maker: &'a ImageMaker<'a>,
    ) -> Result<Self, LinkError> {
        let mut summaries = Summaries::new();
        let modules = summarized.indexed.iter().zip(&optimized).enumerate();
        for (number, (input, bytes)) in modules {
            summaries.add(&name(number, input), bytes, &input.origin.to_string())?;
        }
        let contested = units.counting.contested.iter();
        let contested = contested.filter_map(|(symbol, place)| {
            Some((symbol.clone(), summarized.order.get(*place)?.input))
        });
        let given = units.counting.prevailing.iter();
        let given = given.filter(|(_, number)| **number < summarized.modules);
        let plain = summarized.plain.iter();
        let plain = plain.filter_map(|input| read::definitions(&input.bytes));
        Ok(ThinLink {
            given_by_thin: given.map(|(symbol, _)| symbol.clone()).collect(),
            given_by_plain: plain.flatten().collect(),
            contested: contested.collect(),
            maker,
            summarized,
            units,
            kernels,
            optimized,
            index: summaries.link(),
            whole: &libraries.whole,
            libdevice: libraries.libdevice.as_ref(),
            spirv: &group.spirv,
            // What was split as it was compiled parts once more where the link shows that kernels need other
            // features than their units knew of.
            options: Options {
                split: SplitMode::Off,
                ..split::options_of(maker)?
            },
        })
    }

    /// The images of the modules without a summary, and the variables in them that one image alone may have. What
    /// they lack comes out of the others; a kernel that one of these has is left to it.
    pub(super) fn plain_images(
        &self,
        group: &LinkGroup,
    ) -> Result<(Vec<DeviceImage>, Vec<Scoped>), LinkError> {
        let Summarized { plain, lazy, .. } = self.summarized;
        let is_plain = |input: &DeviceInput| plain.iter().any(|own| std::ptr::eq(*own, input));
        let lazy = lazy.iter().copied();
        let scoped = RefCell::new(Vec::new());
        let finish = |module: &Module<'_>| {
            self.drop_kernels(module)?;
            *scoped.borrow_mut() = scoped_variables(module);
            Ok(())
        };
        let link = WholeLink {
            whole: plain.iter().copied().chain(self.whole).collect(),
            lazy: lazy.filter(|input| !is_plain(input)).collect(),
            contested: &self.contested,
            kernels: self.kernels,
            given_elsewhere: &self.given_by_thin,
            libdevice: self.libdevice,
            finish: &finish,
        };
        let images = link.images(group, self.maker)?;
        let mut scoped = scoped.into_inner();
        // The split leaves out what no entry point reaches, and nobody runs an image without one.
        scoped.retain(|scoped| {
            let mut used = images.iter().filter(|image| !image.entries.is_empty());
            used.any(|image| image.properties.get(DEVICE_GLOBALS, &scoped.id).is_some())
        });
        Ok((images, scoped))
    }

    /// All that is done for one module, which kept files call `label`.
    ///
    /// # Errors
    /// When the module lacks what no other one gives, and what making an image fails with.
    pub(super) fn module(
        &self,
        number: usize,
        input: &'a DeviceInput,
        label: &str,
    ) -> Result<Made, LinkError> {
        let context = llvm::context_without_names();
        let link = DeviceLink {
            target: self.maker.target,
            whole: once(input).chain(self.whole).collect(),
            lazy: self.summarized.lazy.clone(),
            left_out: self.summarized.left_out,
            contested: &self.contested,
            kernels: self.kernels,
            given_elsewhere: &self.given_by_plain,
            spirv: self.spirv,
            shared: self.maker.shared,
            imported: &self.summarized.indexed,
            brings_assert: self.maker.tools.compiler_brings_assert(self.maker.target),
            aoco: self.maker.aoco(),
            libdevice: self.libdevice,
        };
        let name = name(number, input);
        let bytes = self.optimized.get(number).copied().unwrap_or_default();
        let module = read::own_module(&context, bytes, &input.origin.to_string())?;
        module.set_triple(&TargetTriple::create(&self.maker.target.triple));
        let weak = weak::undefined(&module).into_iter();
        let weak: Vec<String> = weak.map(values::name).collect();
        let counting = &self.units.counting;
        let (weak_ones, elsewhere) = (
            &counting.weak,
            self.units.not_imported(number, self.summarized),
        );
        // A unit without a summary may have a definition or a reference of its own, which these are to serve.
        let contested = self.contested.iter().map(|(symbol, _)| &**symbol);
        let open = contested
            .chain(weak.iter().map(|symbol| &**symbol))
            .collect();
        let opened = self
            .index
            .import(&name, &module, weak_ones, &elsewhere, &open)?;
        let mut linker = Linker::new(&module);
        for library in self.whole {
            linker.add(link.read(&context, library)?, Take::All)?;
        }
        let own = defined_beside(&self.given_by_plain, &module);
        link.link_needed(&context, &mut linker)?;
        drop(linker);
        close(&module, &self.given_by_plain, &own);
        Index::close(&module, &opened);
        link.resolve_questions(&module);
        undefined::refuse(&link, &module)?;
        let open = !weak.is_empty() || undefined::is_open(&link, &module);
        undefined::resolve_weak(&link, &module, &weak);
        let scoped = scoped_variables(&module);
        if self.maker.trace.temps.is_some() {
            let linked = write::bitcode(&module);
            self.maker
                .trace
                .keep(&format!("{label}.linked.bc"), &linked)?;
        }
        let made = self.finish(module, number, label)?;
        Ok(match made.images.is_empty() {
            true => made,
            false => Made {
                scoped,
                open,
                ..made
            },
        })
    }

    /// The post-link stage, and the images.
    fn finish(&self, module: Module<'_>, number: usize, name: &str) -> Result<Made, LinkError> {
        let made = Mutex::new(Vec::new());
        let sink = |split: SplitModule| -> Result<(), LinkError> {
            if split.entries.is_empty() {
                return Ok(());
            }
            let name = match split.index {
                0 => name.to_owned(),
                version => format!("{name}.{version}"),
            };
            let images = split::images_of(&split, name, self.maker)?;
            let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
            made.push((split.index, images));
            Ok(())
        };
        let complete = |facts: &mut ModuleFacts| self.units.compiled.complete(number, facts);
        let outcome = post_link::run_with(module, &self.options, complete, sink)?;
        let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        made.sort_by_key(|(version, _)| *version);
        Ok(Made {
            images: made.into_iter().flat_map(|(_, images)| images).collect(),
            warnings: outcome.warnings.iter().map(ToString::to_string).collect(),
            ..Made::default()
        })
    }

    /// Leaves kernels of the modules without a summary to the modules that have them too, as C++ lets
    /// several units define some, which are all the same; of others there is one.
    fn drop_kernels(&self, module: &Module<'_>) -> Result<(), LinkError> {
        for function in values::defined_functions(module) {
            let symbol = values::function_name(function);
            let first = self.units.counting.prevailing.get(&symbol).copied();
            let first = first.filter(|first| *first < self.summarized.modules);
            let (true, Some(first)) = (values::is_kernel(function), first) else {
                continue;
            };
            if function.get_linkage() == Linkage::External {
                return Err(LinkError::Duplicate {
                    symbol: demangle::named(&symbol),
                    target: self.maker.target.to_string(),
                    first: self.summarized.origin(first),
                    second: self.plain_definer(&symbol),
                });
            }
            subset::leave_out([function.as_global_value()]);
        }
        Ok(())
    }

    /// Which module without a summary defines a symbol.
    pub(super) fn plain_definer(&self, symbol: &str) -> String {
        let defines = |input: &&&DeviceInput| {
            let symbols = read::definitions(&input.bytes).unwrap_or_default();
            symbols.iter().any(|known| known == symbol)
        };
        let definer = self.summarized.plain.iter().find(defines);
        definer.map_or_else(String::new, |input| input.origin.to_string())
    }
}

//! The ThinLTO link of one target (`THIN`, "Device code link time changes"): an index over the
//! summaries of all modules, then, for several modules at a time, all that makes images of one.
//!
//! What LLVM's ThinLTO does to several modules at a time comes first, once for each: it imports what is
//! worth inlining, inlines it, and drops what nothing reaches ([`lto`]). A call that stays a call
//! would then be the linker's. SPIR-V has none that could resolve what is open, so every module that
//! becomes images is completed with the optimized functions that it lacks, the device libraries among
//! them where they have summaries; that optimizes nothing again. Then comes the post-link stage, of
//! which each module is one image, and the image's writer.
//!
//! Each worker has one module in memory, with what that imports.

mod units;

use std::collections::HashMap;
use std::iter::once;
use std::sync::{Mutex, PoisonError};

use components::Missing;
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetTriple;
use offload_formats::device_input::DeviceInput;
use offload_formats::targets::Kind;
use rayon::prelude::*;

use crate::link::device_link::same_kernels::SameKernels;
use crate::link::device_link::undefined;
use crate::link::device_link::whole::DeviceLink;
use crate::link::device_link::whole::WholeLink;
use crate::link::images::maker::ImageMaker;
use crate::link::images::split;
use crate::link::inputs::group::LinkGroup;
use crate::link::tools::DeviceLibraries;
use crate::link::{DeviceTarget, LinkError};
use crate::llvm::link::{Linker, Take};
use crate::llvm::lto::{self, Optimized, Resolution};
use crate::llvm::thin::{Index, Summaries};
use crate::llvm::{self, attributes, demangle, nvptx, read, subset, values, weak, write};
use crate::post_link::facts::ModuleFacts;
use crate::post_link::{self, Options, PostLinkError, SplitModule, Warning};
use crate::wrap::DeviceImage;
use units::Units;

/// The images of a group's bitcode, in the order of the modules. A module that has no entry points
/// becomes none.
///
/// # Errors
/// When a module comes without a summary, lacks what no other one gives, or defines a kernel that
/// another one defines; and what making an image fails with.
pub(in crate::link) fn images(
    group: &LinkGroup,
    maker: &ImageMaker<'_>,
) -> Result<Vec<DeviceImage>, LinkError> {
    let libraries = maker.tools.device_libraries(&group.target)?;
    maker.trace.stage(|| {
        let (target, modules) = (&group.target, group.bitcode.len());
        format!("ThinLTO for {target}: an index of {modules} modules and what they may import")
    });
    let summarized = Summarized::of(group, &libraries)?;
    let kernels = SameKernels::default();
    let around = (&group.target, &kernels);
    let units = Units::read(&summarized.indexed, summarized.modules, around)?;
    let optimized = summarized.optimize(&units, &group.target)?;
    let inputs = (group, &libraries);
    let link = ThinLink::new(inputs, &summarized, &units, &optimized, maker)?;
    let made: Vec<Result<Made, LinkError>> = summarized
        .modules()
        .par_iter()
        .enumerate()
        .map(|(number, input)| link.module(number, input))
        .collect();
    let (mut images, mut warnings) = (Vec::new(), Vec::new());
    for made in made {
        // Of several failures the first module's is told, whichever came first.
        let made = made?;
        images.extend(made.images);
        warnings.extend(made.warnings);
    }
    split::warn(&warnings);
    if !summarized.plain.is_empty() {
        images.extend(link.plain_images(group)?);
    }
    Ok(images)
}

/// Refuses modules that were compiled for ThinLTO: they are open, and split already.
///
/// # Errors
/// Names the first.
pub(in crate::link) fn refuse(group: &LinkGroup) -> Result<(), LinkError> {
    let refused: Vec<Result<(), LinkError>> = group
        .bitcode
        .par_iter()
        .map(
            |input| match llvm::thin::has_summary(&input.bytes, &input.origin.to_string())? {
                true => Err(LinkError::Thin {
                    origin: Box::new(input.origin.clone()),
                }),
                false => Ok(()),
            },
        )
        .collect();
    refused.into_iter().collect()
}

/// The triple under which LLVM links what becomes SPIR-V, whatever device it is for.
const SPIRV_TRIPLE: &str = "spir64-unknown-unknown";

/// What became of one module.
struct Made {
    images: Vec<DeviceImage>,
    warnings: Vec<Warning>,
}

struct ThinLink<'a> {
    maker: &'a ImageMaker<'a>,
    summarized: &'a Summarized<'a>,
    /// The units as they were compiled.
    units: &'a Units,
    /// What became of them, each optimized once.
    optimized: &'a Optimized,
    /// All of these.
    index: Index<'a>,
    /// Libraries that are linked whole into every module.
    whole: &'a [DeviceInput],
    libdevice: Option<&'a Missing>,
    spirv: &'a [DeviceInput],
    options: Options,
    /// Variables that one image alone may have, by their ids, with the module's number.
    claimed: Mutex<HashMap<String, usize>>,
}

/// The inputs of a link, those with summaries apart.
struct Summarized<'a> {
    /// What comes with a summary, the modules to make images of first.
    indexed: Vec<&'a DeviceInput>,
    /// How many these are.
    modules: usize,
    /// Modules to make images of without a summary, as compilations without optimization give: they are
    /// linked into one.
    plain: Vec<&'a DeviceInput>,
    /// What has no summary, and what that may need in turn.
    lazy: Vec<&'a DeviceInput>,
}

impl<'a> Summarized<'a> {
    fn of(group: &'a LinkGroup, libraries: &'a DeviceLibraries) -> Result<Self, LinkError> {
        let has_summary =
            |input: &DeviceInput| llvm::thin::has_summary(&input.bytes, &input.origin.to_string());
        let (mut indexed, mut plain) = (Vec::new(), Vec::new());
        for input in &group.bitcode {
            match has_summary(input)? {
                true => indexed.push(input),
                false => plain.push(input),
            }
        }
        let modules = indexed.len();
        let (mut lazy, mut imported) = (plain.clone(), Vec::new());
        for input in group.lazy.iter().chain(&libraries.lazy) {
            match has_summary(input)? {
                true => imported.push(input),
                false => lazy.push(input),
            }
        }
        if !plain.is_empty() {
            lazy.extend(&indexed);
        }
        indexed.extend(&imported);
        if !lazy.is_empty() {
            lazy.extend(imported);
        }
        Ok(Summarized {
            indexed,
            modules,
            plain,
            lazy,
        })
    }

    /// The modules with a summary to make images of.
    fn modules(&self) -> &[&'a DeviceInput] {
        self.indexed.get(..self.modules).unwrap_or_default()
    }

    /// Optimizes each module, once.
    fn optimize(&self, units: &Units, target: &DeviceTarget) -> Result<Optimized, LinkError> {
        let triple = match target.kind() {
            Some(Kind::Nvidia) => nvptx::TRIPLE,
            _ => SPIRV_TRIPLE,
        };
        if target.kind() == Some(Kind::Nvidia) {
            // LLVM is to know the machine.
            let level = inkwell::OptimizationLevel::Default;
            nvptx::machine(nvptx::DEFAULT_ARCH, level).map_err(LinkError::Option)?;
        }
        let mut link = lto::Link::new(triple, rayon::current_num_threads());
        for (number, (input, bitcode)) in self.indexed.iter().zip(&units.bitcode).enumerate() {
            // A module's own symbols are its entry points; those of a library are there to be called.
            let visible = number < self.modules || !self.lazy.is_empty();
            link.add(&name(number, input), bitcode, |symbol| Resolution {
                prevailing: units.prevailing.get(symbol) == Some(&number),
                visible,
            })?;
        }
        Ok(link.run()?)
    }
}

impl<'a> ThinLink<'a> {
    fn new(
        (group, libraries): (&'a LinkGroup, &'a DeviceLibraries),
        summarized: &'a Summarized<'a>,
        units: &'a Units,
        optimized: &'a Optimized,
        maker: &'a ImageMaker<'a>,
    ) -> Result<Self, LinkError> {
        let mut summaries = Summaries::new();
        for (number, input) in summarized.indexed.iter().enumerate() {
            let name = name(number, input);
            summaries.add(&name, optimized.module(&name)?, &input.origin.to_string())?;
        }
        Ok(ThinLink {
            maker,
            summarized,
            units,
            optimized,
            index: summaries.link(),
            whole: &libraries.whole,
            libdevice: libraries.libdevice.as_ref(),
            spirv: &group.spirv,
            options: Options {
                whole: true,
                ..split::options(group.target.kind(), &maker.wishes.post_link)?
            },
            claimed: Mutex::default(),
        })
    }

    /// The images of the modules without a summary. What they lack comes out of the others; a kernel
    /// that one of these has is left to it.
    fn plain_images(&self, group: &LinkGroup) -> Result<Vec<DeviceImage>, LinkError> {
        let Summarized { plain, lazy, .. } = self.summarized;
        let is_plain = |input: &DeviceInput| plain.iter().any(|own| std::ptr::eq(*own, input));
        let lazy = lazy.iter().copied();
        let link = WholeLink {
            whole: plain.iter().copied().chain(self.whole).collect(),
            lazy: lazy.filter(|input| !is_plain(input)).collect(),
            libdevice: self.libdevice,
            finish: &|module| self.drop_kernels(module),
        };
        link.images(group, self.maker)
    }

    /// All that is done for one module.
    fn module(&self, number: usize, input: &'a DeviceInput) -> Result<Made, LinkError> {
        let context = llvm::context_without_names();
        let link = DeviceLink {
            target: self.maker.target,
            whole: once(input).chain(self.whole).collect(),
            lazy: self.summarized.lazy.clone(),
            spirv: self.spirv,
            shared: self.maker.shared,
            imported: &self.summarized.indexed,
            brings_assert: self.maker.tools.compiler_brings_assert(self.maker.target),
            aoco: self.maker.aoco(),
            libdevice: self.libdevice,
        };
        let name = name(number, input);
        let bytes = self.optimized.module(&name)?;
        let module = read::module(&context, bytes, &input.origin.to_string())?;
        module.set_triple(&TargetTriple::create(&self.maker.target.triple));
        let weak = weak::undefined(&module).into_iter();
        let weak: Vec<String> = weak.map(values::name).collect();
        // What the unit had a weak definition of, which is not the one that counts.
        let replaced: Vec<String> = values::globals(&module)
            .into_iter()
            .filter(|&global| values::is_declaration(global))
            .map(values::name)
            .filter(|symbol| self.units.is_replaced(symbol, number))
            .collect();
        self.index.import(&name, &module, &replaced)?;
        let mut linker = Linker::new(&module);
        for library in self.whole {
            linker.add(link.read(&context, library)?, Take::All)?;
        }
        link.link_needed(&context, &mut linker)?;
        drop(linker);
        link.resolve_questions(&module);
        undefined::refuse(&link, &module, &|symbol| self.left_out(symbol))?;
        undefined::resolve_weak(&link, &module, &weak);
        let scoped = scoped_variables(&module);
        let name = format!("{}_{number}", self.maker.target.file_name());
        if self.maker.trace.temps.is_some() {
            let linked = write::bitcode(&module);
            self.maker
                .trace
                .keep(&format!("{name}.linked.bc"), &linked)?;
        }
        let made = self.finish(module, number, &name)?;
        if !made.images.is_empty() {
            self.claim(scoped, number)?;
        }
        Ok(made)
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
            warnings: outcome.warnings,
        })
    }

    /// Why a definition was not imported although there is one.
    fn left_out(&self, symbol: &str) -> Option<String> {
        let number = self.units.replaceable(symbol)?;
        Some(format!(
            "; the definition in {} is weak, and ThinLTO imports no weak definitions",
            self.origin(number)
        ))
    }

    /// Leaves kernels of the modules without a summary to the modules that have them too, as C++ lets
    /// several units define some, which are all the same; of others there is one.
    fn drop_kernels(&self, module: &Module<'_>) -> Result<(), LinkError> {
        for function in values::defined_functions(module) {
            let symbol = values::function_name(function);
            let first = self.units.prevailing.get(&symbol).copied();
            let first = first.filter(|first| *first < self.summarized.modules);
            let (true, Some(first)) = (values::is_kernel(function), first) else {
                continue;
            };
            if function.get_linkage() == Linkage::External {
                return Err(LinkError::Duplicate {
                    symbol: demangle::named(&symbol),
                    target: self.maker.target.to_string(),
                    first: self.origin(first),
                    second: self.plain_definer(&symbol),
                });
            }
            subset::leave_out([function.as_global_value()]);
        }
        Ok(())
    }

    /// Sees to it that no other image has the variables of this one that belong to one image alone.
    fn claim(&self, scoped: Vec<Scoped>, number: usize) -> Result<(), LinkError> {
        for Scoped { id, symbol } in scoped {
            let mut claimed = self.claimed.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(other) = claimed.insert(id, number) {
                let holder = |number: usize| (number, self.origin(number));
                return Err(PostLinkError::ScopedGlobalTwice {
                    origin: self.maker.target.triple.clone(),
                    variable: symbol,
                    first: holder(other.min(number)),
                    second: holder(other.max(number)),
                }
                .into());
            }
        }
        Ok(())
    }

    /// Which module without a summary defines a symbol.
    fn plain_definer(&self, symbol: &str) -> String {
        let defines = |input: &&&DeviceInput| {
            let symbols = read::definitions(&input.bytes).unwrap_or_default();
            symbols.iter().any(|known| known == symbol)
        };
        let definer = self.summarized.plain.iter().find(defines);
        definer.map_or_else(String::new, |input| input.origin.to_string())
    }

    /// Where a module of the index comes from.
    fn origin(&self, number: usize) -> String {
        let input = self.summarized.indexed.get(number);
        input.map_or_else(String::new, |input| input.origin.to_string())
    }
}

/// The name of a module in the index: LLVM's messages name it.
fn name(number: usize, input: &DeviceInput) -> String {
    format!("{number}: {}", input.origin)
}

/// A variable that one image alone may have.
struct Scoped {
    /// What the host knows it by: units may keep several to themselves under one symbol.
    id: String,
    symbol: String,
}

fn scoped_variables(module: &Module<'_>) -> Vec<Scoped> {
    let of = |global| {
        let text = |key| attributes::of_variable(global, key);
        let scope = text("sycl-device-image-scope");
        if values::is_declaration(global) || scope.is_none_or(|scope| scope == "false") {
            return None;
        }
        let symbol = values::name(global);
        let id = text("sycl-unique-id").unwrap_or_else(|| symbol.clone());
        Some(Scoped { id, symbol })
    };
    values::globals(module).into_iter().filter_map(of).collect()
}

//! The ThinLTO link of one target (`THIN`, "Device code link time changes"): an index over the
//! summaries of all modules, then, for several modules at a time, all that makes images of one.
//!
//! Each worker has one module in memory, with what that imports. The device libraries come in by
//! import too where they have summaries. SPIR-V has no linker that could resolve what is open, so
//! every module must be whole when its imports are done. Then comes the post-link stage, of which each
//! module is one image, and the image's writer: what LLVM's own ThinLTO does in its hook before code
//! generation, for want of a code generator.

use std::collections::HashMap;
use std::iter::once;
use std::sync::{Mutex, PoisonError};

use components::Missing;
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetTriple;
use offload_formats::device_input::DeviceInput;
use rayon::prelude::*;

use super::device::DeviceLink;
use super::group::LinkGroup;
use super::images::ImageMaker;
use super::same_kernels::SameKernels;
use super::tools::DeviceLibraries;
use super::{LinkError, WholeLink, WrapperOptions, split, undefined, widths};
use crate::llvm::link::{Linker, Take};
use crate::llvm::thin::{Index, Summaries};
use crate::llvm::{self, attributes, demangle, read, subset, values, weak, write};
use crate::post_link::{self, Options, PostLinkError, SplitModule, Warning};
use crate::wrap::DeviceImage;

/// The images of a group's bitcode, in the order of the modules. A module that has no entry points
/// becomes none.
///
/// # Errors
/// When a module comes without a summary, lacks what no other one gives, or defines a kernel that
/// another one defines; and what making an image fails with.
pub(super) fn images(
    group: &LinkGroup,
    options: &WrapperOptions,
    maker: &ImageMaker<'_>,
) -> Result<Vec<DeviceImage>, LinkError> {
    let libraries = maker.tools.device_libraries(&group.target)?;
    maker.trace.stage(|| {
        let (target, modules) = (&group.target, group.bitcode.len());
        format!("ThinLTO for {target}: an index of {modules} modules and what they may import")
    });
    let link = ThinLink::new(group, &libraries, options, maker)?;
    let made: Vec<Result<Made, LinkError>> = link
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
    if !link.plain.is_empty() {
        images.extend(link.plain_images(group, options)?);
    }
    Ok(images)
}

/// Refuses modules that were compiled for ThinLTO: they are open, and split already.
///
/// # Errors
/// Names the first.
pub(super) fn refuse(group: &LinkGroup) -> Result<(), LinkError> {
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

/// What became of one module.
struct Made {
    images: Vec<DeviceImage>,
    warnings: Vec<Warning>,
}

struct ThinLink<'a> {
    maker: &'a ImageMaker<'a>,
    index: Index<'a>,
    /// What is in the index, the modules to make images of first.
    indexed: Vec<&'a DeviceInput>,
    /// How many these are.
    modules: usize,
    /// Modules to make images of without a summary, as compilations without optimization give: they are
    /// linked into one.
    plain: Vec<&'a DeviceInput>,
    /// Libraries that are linked whole into every module.
    whole: &'a [DeviceInput],
    /// What has no summary, and what that may need in turn.
    lazy: Vec<&'a DeviceInput>,
    libdevice: Option<&'a Missing>,
    spirv: &'a [DeviceInput],
    options: Options,
    /// Variables that one image alone may have, by their ids, with the module's number.
    claimed: Mutex<HashMap<String, usize>>,
    /// What the kernels were made of.
    kernels: SameKernels,
}

impl<'a> ThinLink<'a> {
    fn new(
        group: &'a LinkGroup,
        libraries: &'a DeviceLibraries,
        options: &WrapperOptions,
        maker: &'a ImageMaker<'a>,
    ) -> Result<Self, LinkError> {
        let mut summaries = Summaries::new();
        let mut indexed = Vec::new();
        let mut add = |input: &'a DeviceInput| -> Result<bool, LinkError> {
            let name = name(indexed.len(), input);
            let added = summaries.add(&name, &input.bytes, &input.origin.to_string())?;
            indexed.extend(added.then_some(input));
            Ok(added)
        };
        let (mut plain, mut modules) = (Vec::new(), 0);
        for input in &group.bitcode {
            match add(input)? {
                true => modules += 1,
                false => plain.push(input),
            }
        }
        let (mut lazy, mut imported) = (plain.clone(), Vec::new());
        for input in group.lazy.iter().chain(&libraries.lazy) {
            match add(input)? {
                true => imported.push(input),
                false => lazy.push(input),
            }
        }
        if !plain.is_empty() {
            lazy.extend(&indexed[..modules]);
        }
        if !lazy.is_empty() {
            lazy.extend(imported);
        }
        Ok(ThinLink {
            maker,
            index: summaries.link(),
            indexed,
            modules,
            plain,
            whole: &libraries.whole,
            lazy,
            libdevice: libraries.libdevice.as_ref(),
            spirv: &group.spirv,
            options: Options {
                whole: true,
                thin_lto_optimize: true,
                ..split::options(group.target.kind(), &options.post_link_words(&group.target))?
            },
            claimed: Mutex::default(),
            kernels: SameKernels::default(),
        })
    }

    /// The modules with a summary to make images of.
    fn modules(&self) -> &[&'a DeviceInput] {
        self.indexed.get(..self.modules).unwrap_or_default()
    }

    /// The images of the modules without a summary. What they lack comes out of the others; a kernel
    /// that one of these has is left to it.
    fn plain_images(
        &self,
        group: &LinkGroup,
        options: &WrapperOptions,
    ) -> Result<Vec<DeviceImage>, LinkError> {
        let is_plain = |input: &DeviceInput| self.plain.iter().any(|own| std::ptr::eq(*own, input));
        let lazy = self.lazy.iter().copied();
        let link = WholeLink {
            whole: self.plain.iter().copied().chain(self.whole).collect(),
            lazy: lazy.filter(|input| !is_plain(input)).collect(),
            libdevice: self.libdevice,
            finish: &|module| self.drop_kernels(module, None),
        };
        link.images(group, options, self.maker)
    }

    /// All that is done for one module.
    fn module(&self, number: usize, input: &'a DeviceInput) -> Result<Made, LinkError> {
        let context = llvm::context_without_names();
        let link = DeviceLink {
            target: self.maker.target,
            whole: once(input).chain(self.whole).collect(),
            lazy: self.lazy.clone(),
            spirv: self.spirv,
            shared: self.maker.shared,
            imported: &self.indexed,
            brings_assert: self.maker.tools.compiler_brings_assert(self.maker.target),
            aoco: self.maker.aoco(),
            libdevice: self.libdevice,
        };
        let module = read::module(&context, &input.bytes, &input.origin.to_string())?;
        let others = self.indexed.iter().copied();
        widths::check(&module, input, self.maker.target, others)?;
        module.set_triple(&TargetTriple::create(&self.maker.target.triple));
        let own = (number, input.origin.to_string());
        self.kernels.check(self.maker.target, &module, own)?;
        self.drop_kernels(&module, Some(number))?;
        let weak = weak::undefined(&module).into_iter();
        let weak: Vec<String> = weak.map(values::name).collect();
        self.index.import(&name(number, input), &module)?;
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
        let made = self.finish(module, &name)?;
        if !made.images.is_empty() {
            self.claim(scoped, number)?;
        }
        Ok(made)
    }

    /// The post-link stage, which optimizes too, and the images.
    fn finish(&self, module: Module<'_>, name: &str) -> Result<Made, LinkError> {
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
        let outcome = post_link::run(module, &self.options, sink)?;
        let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        made.sort_by_key(|(version, _)| *version);
        Ok(Made {
            images: made.into_iter().flat_map(|(_, images)| images).collect(),
            warnings: outcome.warnings,
        })
    }

    /// Why a definition was not imported although there is one.
    fn left_out(&self, symbol: &str) -> Option<String> {
        let number = number(&self.index.replaceable(symbol)?)?;
        Some(format!(
            "; the definition in {} is weak, and ThinLTO imports no weak definitions",
            self.origin(number)
        ))
    }

    /// Leaves each kernel to the first module that has it; `own` is the number of this one, where it has
    /// one. Those that C++ lets several units define are all the same; of others there is one.
    fn drop_kernels(&self, module: &Module<'_>, own: Option<usize>) -> Result<(), LinkError> {
        for function in values::defined_functions(module) {
            let symbol = values::function_name(function);
            let first = self.index.definer(&symbol).and_then(|name| number(&name));
            let first = first.filter(|first| *first < self.modules && Some(*first) != own);
            let (true, Some(first)) = (values::is_kernel(function), first) else {
                continue;
            };
            if function.get_linkage() == Linkage::External {
                return Err(LinkError::Duplicate {
                    symbol: demangle::named(&symbol),
                    target: self.maker.target.to_string(),
                    first: self.origin(first),
                    second: match own {
                        Some(number) => self.origin(number),
                        None => self.plain_definer(&symbol),
                    },
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
        let definer = self.plain.iter().find(defines);
        definer.map_or_else(String::new, |input| input.origin.to_string())
    }

    /// Where a module of the index comes from.
    fn origin(&self, number: usize) -> String {
        let input = self.indexed.get(number);
        input.map_or_else(String::new, |input| input.origin.to_string())
    }
}

/// The name of a module in the index: LLVM's messages name it.
fn name(number: usize, input: &DeviceInput) -> String {
    format!("{number}: {}", input.origin)
}

/// The number of a module of this name.
fn number(name: &str) -> Option<usize> {
    name.split(':').next()?.parse().ok()
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

//! The device link of one target, in two steps: first all objects and the libraries that are
//! linked whole, then members of archives and optional libraries as far as they are needed
//! (`MODEL`, "Device Linking").

use std::collections::{HashMap, HashSet};

use components::Missing;
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use offload_formats::device_input::DeviceInput;
use offload_formats::targets::Kind;

use crate::link::device_link::libdevice;
use crate::link::device_link::mathematics;
use crate::link::device_link::same_kernels::SameKernels;
use crate::link::device_link::undefined;
use crate::link::device_link::widths;
use crate::link::fpga::Libraries;
use crate::link::images::maker::ImageMaker;
use crate::link::images::split;
use crate::link::images::variant;
use crate::link::inputs::group::LinkGroup;
use crate::link::inputs::shared_libraries::SharedLibraries;
use crate::link::{DeviceTarget, LinkError};
use crate::llvm::link::{Linker, Take};
use crate::llvm::{self, attributes, demangle, metadata, read, values, weak, write};
use crate::wrap::DeviceImage;

/// What one target's device link works on.
pub struct DeviceLink<'a> {
    /// The target.
    pub target: &'a DeviceTarget,
    /// Bitcode that is linked whole.
    pub whole: Vec<&'a DeviceInput>,
    /// Bitcode that is linked as far as it is needed; what comes first is preferred.
    pub lazy: Vec<&'a DeviceInput>,
    /// Those of them that the host's linker left out, members of archives and objects between
    /// `--start-lib` and `--end-lib`: what needs no definition takes none of these.
    pub left_out: &'a [DeviceInput],
    /// Where the definition of a symbol is that counts, if that is not the first.
    pub contested: &'a [(String, &'a DeviceInput)],
    /// SPIR-V of the target, which has a link of its own.
    pub spirv: &'a [DeviceInput],
    /// Libraries whose images may be left to define a function.
    pub shared: &'a SharedLibraries,
    /// What code of the module came from beside these.
    pub imported: &'a [&'a DeviceInput],
    /// The kernels of all links of the target.
    pub kernels: &'a SameKernels,
    /// What units define that have images of their own, which give it to others: what comes of it by need is no
    /// export of this module.
    pub given_elsewhere: &'a HashSet<String>,
    /// The function that reports failed assertions is the device compiler's to bring.
    pub brings_assert: bool,
    /// What becomes of FPGA libraries that define functions too.
    pub aoco: Libraries,
    /// What would bring a library of mathematics that is not there.
    pub libdevice: Option<&'a Missing>,
}

impl DeviceLink<'_> {
    /// Links; the result is a module for the target's triple.
    ///
    /// # Errors
    /// When an input is no bitcode, defines a symbol that another one defines, or refers to one
    /// that none defines and no shared library exports.
    pub fn run<'ctx>(&self, context: &'ctx Context) -> Result<Module<'ctx>, LinkError> {
        let linked = context.create_module(&self.target.file_name());
        let mut linker = Linker::new(&linked);
        let weak = self.link_whole(context, &mut linker)?;
        self.give_way(&linked, &self.whole, &mut HashSet::new());
        let own = defined_beside(self.given_elsewhere, &linked);
        self.link_needed(context, &mut linker)?;
        drop(linker);
        close(&linked, self.given_elsewhere, &own);
        self.resolve_questions(&linked);
        metadata::unite_lists(&linked);
        undefined::refuse(self, &linked)?;
        undefined::resolve_weak(self, &linked, &weak);
        Ok(linked)
    }

    /// Links what is linked whole; the names of what it refers to and may lack.
    fn link_whole<'ctx>(
        &self,
        context: &'ctx Context,
        linker: &mut Linker<'_, 'ctx>,
    ) -> Result<Vec<String>, LinkError> {
        let mut weak = Vec::new();
        let mut definers: HashMap<String, &DeviceInput> = HashMap::new();
        for (index, input) in self.whole.iter().enumerate() {
            let module = self.read(context, input)?;
            if index == 0 {
                let linked = linker.module();
                linked.set_triple(&module.get_triple());
                linked.set_data_layout(&module.get_data_layout());
            }
            for symbol in strong_definitions(&module) {
                if let Some(first) = definers.insert(symbol.clone(), input) {
                    return Err(self.duplicate(&symbol, first, input));
                }
            }
            self.kernels
                .check(self.target, &module, (index, input.origin.to_string()))?;
            weak.extend(weak::undefined(&module).into_iter().map(values::name));
            linker.add(module, Take::All)?;
        }
        Ok(weak)
    }

    /// Leaves weak functions that `came` brought to the inputs whose definitions count; `settled` are the
    /// symbols that have the right one.
    fn give_way<'s>(
        &'s self,
        linked: &Module<'_>,
        came: &[&DeviceInput],
        settled: &mut HashSet<&'s str>,
    ) {
        let brought = |input: &DeviceInput| came.iter().any(|own| std::ptr::eq(*own, input));
        for (symbol, input) in self.contested {
            let function = linked.get_function(symbol);
            let function = function.filter(|f| !values::is_declaration(f.as_global_value()));
            let Some(function) = function.filter(|_| !settled.contains(symbol.as_str())) else {
                continue;
            };
            match !brought(input) && gives_way(function.get_linkage()) {
                true => weak::give_way(linked, function),
                false => {
                    settled.insert(symbol);
                }
            }
        }
    }

    /// Links what a module refers to and lacks out of the lazy inputs.
    ///
    /// # Errors
    /// When an input is no bitcode.
    pub(in crate::link) fn link_needed<'ctx>(
        &self,
        context: &'ctx Context,
        linker: &mut Linker<'_, 'ctx>,
    ) -> Result<(), LinkError> {
        self.call_mathematics(linker.module());
        if self.lazy.is_empty() {
            return Ok(());
        }
        let definers = self.lazy_definers(context)?;
        let defined = |symbol: &str| {
            let function = linker.module().get_function(symbol);
            function.is_some_and(|f| !values::is_declaration(f.as_global_value()))
        };
        let contested = self.contested.iter().map(|(symbol, _)| &**symbol);
        let mut settled: HashSet<&str> = contested.filter(|symbol| defined(symbol)).collect();
        let mut tried = HashSet::new();
        loop {
            let wanted = declared(linker.module());
            let mut untried = wanted
                .into_iter()
                .filter(|(symbol, _)| !tried.contains(symbol));
            let next = untried.find_map(|(symbol, linkage)| {
                let input = self.lazy.get(*definers.get(&symbol)?)?;
                // What needs no definition has that of a device library: those of DPC++ refer to one another
                // in this way.
                let is_weak = linkage == Linkage::ExternalWeak;
                (!is_weak || !is_one_of(self.left_out, input)).then_some((symbol, input))
            });
            let Some((symbol, input)) = next else {
                return Ok(());
            };
            tried.insert(symbol);
            linker.add(self.read(context, input)?, Take::OnlyNeeded)?;
            self.call_mathematics(linker.module());
            self.give_way(linker.module(), &[input], &mut settled);
        }
    }

    /// Has the target's code call what it has no instructions for.
    fn call_mathematics(&self, linked: &Module<'_>) {
        if self.target.kind() == Some(Kind::Nvidia) {
            mathematics::call_functions(linked, self.libdevice.is_none());
        }
    }

    /// Answers what libraries ask of the target.
    pub(in crate::link) fn resolve_questions(&self, linked: &Module<'_>) {
        if self.target.kind() == Some(Kind::Nvidia) {
            libdevice::resolve(linked, variant::ptx_architecture(self.target));
        }
    }

    /// Which of the lazy inputs defines a symbol first.
    fn lazy_definers(&self, context: &Context) -> Result<HashMap<String, usize>, LinkError> {
        let mut definers = HashMap::new();
        for (index, input) in self.lazy.iter().enumerate() {
            for symbol in self.definitions(context, input)? {
                definers.entry(symbol).or_insert(index);
            }
        }
        for (symbol, input) in self.contested {
            let place = self.lazy.iter().position(|own| std::ptr::eq(*own, *input));
            if let Some(place) = place {
                definers.insert(symbol.clone(), place);
            }
        }
        Ok(definers)
    }

    /// The symbols that an input defines for others.
    fn definitions(
        &self,
        context: &Context,
        input: &DeviceInput,
    ) -> Result<Vec<String>, LinkError> {
        if let Some(symbols) = read::definitions(&input.bytes) {
            return Ok(symbols);
        }
        let origin = input.origin.to_string();
        let module = read::module_lazily(context, &input.bytes, &origin)?;
        let globals = values::globals(&module).into_iter();
        let defined = globals.filter(|&global| !values::is_declaration(global));
        Ok(defined.map(values::name).collect())
    }

    /// Reads an input as a module for this link's target. The linker reads the bodies that it takes:
    /// what many inputs define alike is read once.
    ///
    /// # Errors
    /// When it is no bitcode.
    pub(in crate::link) fn read<'ctx>(
        &self,
        context: &'ctx Context,
        input: &DeviceInput,
    ) -> Result<Module<'ctx>, LinkError> {
        let module = read::module_lazily(context, &input.bytes, &input.origin.to_string())?;
        widths::check(&module, input, self.target, self.whole.iter().copied())?;
        let triple = inkwell::targets::TargetTriple::create(&self.target.triple);
        module.set_triple(&triple);
        Ok(module)
    }

    fn duplicate(&self, symbol: &str, first: &DeviceInput, second: &DeviceInput) -> LinkError {
        LinkError::Duplicate {
            symbol: demangle::named(symbol),
            target: self.target.to_string(),
            first: first.origin.to_string(),
            second: second.origin.to_string(),
        }
    }
}

/// Whether the input is one of these, not one that is equal.
pub(super) fn is_one_of(inputs: &[DeviceInput], input: &DeviceInput) -> bool {
    inputs.as_ptr_range().contains(&std::ptr::from_ref(input))
}

/// What becomes one module.
pub(super) struct WholeLink<'a> {
    /// Bitcode that is linked whole.
    pub(super) whole: Vec<&'a DeviceInput>,
    /// Bitcode that is linked as far as it is needed.
    pub(super) lazy: Vec<&'a DeviceInput>,
    /// Where the definition of a symbol is that counts, if that is not the first.
    pub(super) contested: &'a [(String, &'a DeviceInput)],
    /// As in [`DeviceLink`].
    pub(super) kernels: &'a SameKernels,
    pub(super) given_elsewhere: &'a HashSet<String>,
    /// What would bring a library of mathematics that is not there.
    pub(super) libdevice: Option<&'a Missing>,
    /// What is left to do with the module.
    pub(super) finish: &'a dyn Fn(&inkwell::module::Module<'_>) -> Result<(), LinkError>,
}

impl WholeLink<'_> {
    /// The images of the module.
    pub(super) fn images(
        self,
        group: &LinkGroup,
        maker: &ImageMaker<'_>,
    ) -> Result<Vec<DeviceImage>, LinkError> {
        let link = DeviceLink {
            target: &group.target,
            whole: self.whole,
            lazy: self.lazy,
            left_out: &group.lazy,
            contested: self.contested,
            kernels: self.kernels,
            given_elsewhere: self.given_elsewhere,
            imported: &[],
            spirv: &group.spirv,
            shared: maker.shared,
            brings_assert: maker.tools.compiler_brings_assert(&group.target),
            aoco: maker.aoco(),
            libdevice: self.libdevice,
        };
        maker.trace.stage(|| {
            let (target, whole, lazy) = (&group.target, link.whole.len(), link.lazy.len());
            format!(
                "device link for {target}: {whole} modules, {lazy} more as far as they are needed"
            )
        });
        let context = llvm::context_without_names();
        let linked = link.run(&context)?;
        (self.finish)(&linked)?;
        let post_link = || format!("post-link of the module for {}", group.target);
        maker.trace.stage(post_link);
        if maker.trace.temps.is_some() {
            let name = format!("{}.linked.bc", group.target.file_name());
            maker.trace.keep(&name, &write::bitcode(&linked))?;
        }
        split::images(linked, maker)
    }
}

/// Whether another unit's definition may be in the place of one, to a linker of the host.
fn gives_way(linkage: Linkage) -> bool {
    values::is_replaceable(linkage) || matches!(linkage, Linkage::WeakODR | Linkage::LinkOnceODR)
}

/// Which of the symbols that others give a module defines itself.
pub(super) fn defined_beside(given: &HashSet<String>, module: &Module<'_>) -> HashSet<String> {
    if given.is_empty() {
        return HashSet::new();
    }
    let globals = values::globals(module).into_iter();
    let defined = globals.filter(|&global| !values::is_declaration(global));
    let defined = defined.map(values::name);
    defined.filter(|symbol| given.contains(symbol)).collect()
}

/// Makes what others give the module's own, but for its `own` definitions of that and for device globals, which the
/// host finds by name.
pub(super) fn close(module: &Module<'_>, given: &HashSet<String>, own: &HashSet<String>) {
    if given.is_empty() {
        return;
    }
    for global in values::globals(module) {
        let name = values::name(global);
        let is_shared = attributes::of_variable(global, "sycl-unique-id").is_some();
        let came = !values::is_declaration(global) && !own.contains(&name);
        if came && given.contains(&name) && !is_shared {
            global.set_linkage(Linkage::Internal);
        }
    }
}

/// Symbols that may be defined once only.
fn strong_definitions(module: &Module<'_>) -> Vec<String> {
    let strong = |linkage| linkage == Linkage::External;
    values::globals(module)
        .into_iter()
        .filter(|global| !values::is_declaration(*global) && strong(global.get_linkage()))
        .map(values::name)
        .collect()
}

/// Symbols that a module refers to and does not define, and how it refers to them.
fn declared(module: &Module<'_>) -> Vec<(String, Linkage)> {
    values::globals(module)
        .into_iter()
        .filter(|global| values::is_declaration(*global))
        .map(|global| (values::name(global), global.get_linkage()))
        .filter(|(name, _)| !name.starts_with("llvm."))
        .collect()
}

//! The device link of one target, in two steps: first all objects and the libraries that are
//! linked whole, then members of archives and optional libraries as far as they are needed
//! (`MODEL`, "Device Linking").
//!
//! Many objects are linked in parts, each by a thread of its own, and the parts into one: what they
//! define alike, as templates are, is in a part once. How many parts there are depends on the number
//! of inputs alone, so that the result does not depend on the machine.

use std::collections::{HashMap, HashSet};

use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use offload_formats::device_input::DeviceInput;

use super::undefined;
use super::{DeviceTarget, LinkError};
use crate::llvm::link::{Linker, Take};
use crate::llvm::{self, metadata, read, values, write};

/// So many inputs are linked in parts: to join parts takes its time as well.
const MANY: usize = 128;

/// Into so many. More would leave more to do for the thread that joins them.
const PARTS: usize = 2;

/// What one target's device link works on.
pub struct DeviceLink<'a> {
    /// The target.
    pub target: &'a DeviceTarget,
    /// Bitcode that is linked whole.
    pub whole: Vec<&'a DeviceInput>,
    /// Bitcode that is linked as far as it is needed; what comes first is preferred.
    pub lazy: Vec<&'a DeviceInput>,
    /// The function that reports failed assertions is the device compiler's to bring.
    pub brings_assert: bool,
}

impl DeviceLink<'_> {
    /// Links; the result is a module for the target's triple.
    ///
    /// # Errors
    /// When an input is no bitcode, defines a symbol that another one defines, or refers to one
    /// that none defines.
    pub fn run<'ctx>(&self, context: &'ctx Context) -> Result<Module<'ctx>, LinkError> {
        let linked = match self.link_parts(context) {
            Some(linked) => linked,
            None => self.link_whole(context, &self.whole)?,
        };
        let mut linker = Linker::new(&linked);
        self.link_needed(context, &mut linker)?;
        drop(linker);
        metadata::unite_lists(&linked);
        undefined::refuse(self, &linked, &|_| None)?;
        Ok(linked)
    }

    /// Links what is linked whole in parts. `None` when that is little, or when something is wrong
    /// with it: to link it in one go says what.
    fn link_parts<'ctx>(&self, context: &'ctx Context) -> Option<Module<'ctx>> {
        if self.whole.len() < MANY {
            return None;
        }
        let mut parts = self.whole.chunks(self.whole.len().div_ceil(PARTS));
        let first = parts.next()?;
        let mut others = vec![None; parts.len()];
        let linked = rayon::in_place_scope(|scope| {
            for (other, inputs) in others.iter_mut().zip(parts) {
                scope.spawn(move |_| *other = self.part(inputs).ok());
            }
            self.link_whole(context, first).ok()
        })?;
        let name = self.target.file_name();
        let mut linker = Linker::new(&linked);
        for other in others {
            let part = read::module_lazily(context, &other?, &name).ok()?;
            linker.add(part, Take::All).ok()?;
        }
        drop(linker);
        Some(linked)
    }

    /// Some of what is linked whole, as bitcode.
    fn part(&self, inputs: &[&DeviceInput]) -> Result<Vec<u8>, LinkError> {
        let context = llvm::context_without_names();
        let linked = self.link_whole(&context, inputs)?;
        metadata::unite_lists(&linked);
        Ok(write::bitcode(&linked))
    }

    fn link_whole<'ctx>(
        &self,
        context: &'ctx Context,
        inputs: &[&DeviceInput],
    ) -> Result<Module<'ctx>, LinkError> {
        let linked = context.create_module(&self.target.file_name());
        let mut linker = Linker::new(&linked);
        let mut definers: HashMap<String, &DeviceInput> = HashMap::new();
        for (index, input) in inputs.iter().enumerate() {
            let module = self.read(context, input)?;
            if index == 0 {
                linked.set_triple(&module.get_triple());
                linked.set_data_layout(&module.get_data_layout());
            }
            for symbol in strong_definitions(&module) {
                if let Some(first) = definers.insert(symbol.clone(), input) {
                    return Err(self.duplicate(&symbol, first, input));
                }
            }
            linker.add(module, Take::All)?;
        }
        drop(linker);
        Ok(linked)
    }

    /// Links what a module refers to and lacks out of the lazy inputs.
    ///
    /// # Errors
    /// When an input is no bitcode.
    pub(super) fn link_needed<'ctx>(
        &self,
        context: &'ctx Context,
        linker: &mut Linker<'_, 'ctx>,
    ) -> Result<(), LinkError> {
        if self.lazy.is_empty() {
            return Ok(());
        }
        let definers = self.lazy_definers(context)?;
        let mut tried = HashSet::new();
        loop {
            let wanted = declared(linker.module());
            let next = wanted
                .into_iter()
                .filter(|symbol| !tried.contains(symbol))
                .find_map(|symbol| definers.get(&symbol).map(|index| (symbol, *index)));
            let Some((symbol, index)) = next else {
                return Ok(());
            };
            tried.insert(symbol);
            if let Some(input) = self.lazy.get(index) {
                linker.add(self.read(context, input)?, Take::OnlyNeeded)?;
            }
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
    pub(super) fn read<'ctx>(
        &self,
        context: &'ctx Context,
        input: &DeviceInput,
    ) -> Result<Module<'ctx>, LinkError> {
        let module = read::module_lazily(context, &input.bytes, &input.origin.to_string())?;
        let triple = inkwell::targets::TargetTriple::create(&self.target.triple);
        module.set_triple(&triple);
        Ok(module)
    }

    fn duplicate(&self, symbol: &str, first: &DeviceInput, second: &DeviceInput) -> LinkError {
        LinkError::Duplicate {
            symbol: undefined::named(symbol),
            target: self.target.to_string(),
            first: first.origin.to_string(),
            second: second.origin.to_string(),
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

/// Symbols that a module refers to and does not define.
pub(super) fn declared(module: &Module<'_>) -> Vec<String> {
    values::globals(module)
        .into_iter()
        .filter(|global| values::is_declaration(*global))
        .map(values::name)
        .filter(|name| !name.starts_with("llvm."))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use offload_formats::device_input::Origin;
    use offload_formats::offload_binary::ImageKind;

    use super::*;

    /// Inputs that each define a kernel, and alike a template's function and an internal one.
    fn inputs(target: &DeviceTarget, kernel: impl Fn(usize) -> String) -> Vec<DeviceInput> {
        let input = |number| {
            let kernel = kernel(number);
            let text = format!(
                "target triple = \"spir64-unknown-unknown\"\n\
                 define spir_kernel void @{kernel}() {{\n\
                 \x20 call void @shared()\n  call void @own()\n  ret void\n}}\n\
                 define linkonce_odr void @shared() {{\n  ret void\n}}\n\
                 define internal void @own() {{\n  ret void\n}}\n"
            );
            let context = llvm::context();
            let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
            let origin = Origin::file(Path::new(&format!("{number}.bc")));
            target.input(write::bitcode(&module).into(), ImageKind::Bitcode, origin)
        };
        (0..MANY + 1).map(input).collect()
    }

    fn link<'a>(target: &'a DeviceTarget, inputs: &'a [DeviceInput]) -> DeviceLink<'a> {
        DeviceLink {
            target,
            whole: inputs.iter().collect(),
            lazy: Vec::new(),
            brings_assert: true,
        }
    }

    #[test]
    fn parts_hold_what_the_whole_holds() {
        let target = DeviceTarget::new("spir64-unknown-unknown", "");
        let inputs = inputs(&target, |number| format!("kernel_{number}"));
        let link = link(&target, &inputs);
        let context = llvm::context();
        let parts = link.link_parts(&context).unwrap();
        let whole = link.link_whole(&context, &link.whole).unwrap();
        let names = |module: &Module<'_>, linkage| -> Vec<String> {
            let all = values::globals(module).into_iter();
            let those = all.filter(|global| global.get_linkage() == linkage);
            those.map(values::name).collect()
        };
        let kernels = names(&parts, Linkage::External);
        assert_eq!(kernels.len(), inputs.len());
        assert_eq!(kernels, names(&whole, Linkage::External));
        assert_eq!(names(&parts, Linkage::LinkOnceODR), ["shared"]);
        assert_eq!(names(&parts, Linkage::Internal).len(), inputs.len());
        write::verify(&parts).unwrap();
        let bytes = |link: &DeviceLink<'_>| write::bitcode(&link.run(&llvm::context()).unwrap());
        assert_eq!(bytes(&link), bytes(&link), "the same every time");
    }

    #[test]
    fn what_parts_define_twice_is_named_with_both_places() {
        let target = DeviceTarget::new("spir64-unknown-unknown", "");
        let inputs = inputs(&target, |number| format!("kernel_{}", number % MANY));
        let error = link(&target, &inputs).run(&llvm::context()).unwrap_err();
        let text = error.to_string();
        for part in ["kernel_0", "0.bc", &format!("{MANY}.bc")] {
            assert!(text.contains(part), "{text}");
        }
    }
}

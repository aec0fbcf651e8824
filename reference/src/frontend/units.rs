//! What belongs to one translation unit alone (a kernel or a specialization constant in an unnamed
//! namespace, in a `static` function) is told apart from what other units call the same: its name
//! gets the unit's tag ([`offload_formats::unit_name`]), and the integration header tells the host.
//!
//! The tag is made of what the unit's device code is, not of how it was compiled: one source may
//! become several units by what it includes, and compiling it again makes the same object. Units
//! with equal device code have equal kernels, of which the link keeps one.

use std::collections::{BTreeMap, HashMap, HashSet};

use inkwell::llvm_sys::core::LLVMReplaceAllUsesWith;
use inkwell::module::{Linkage, Module};
use inkwell::values::AsValueRef as _;
use sha2::{Digest as _, Sha256};

use super::LowerOptions;
use super::annotations::{Annotation, FUNCTOR_AT, NAME_OF_ONE_UNIT};
use crate::llvm::values;
use crate::post_link::spec_constants::calls;

/// The number of a unit with these raw modules: the same for the same device code, another for code
/// that differs or that the options make something else of.
#[must_use]
pub fn number(modules: &[&[u8]], options: &LowerOptions) -> u64 {
    let level = options.opt_level.map(|level| level.number().to_string());
    let targets = options.fixed_targets.iter().map(|target| target.name);
    let words = targets.chain([level.as_deref().unwrap_or_default()]);
    let mut hash = Sha256::new();
    for part in words.map(str::as_bytes).chain(modules.iter().copied()) {
        // With their lengths, so that no two lists of parts run together alike.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let digest = hash.finalize();
    let first = digest.iter().take(size_of::<u64>());
    first.fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// What the plugin says of the kernel wrappers of a module.
#[derive(Debug, Default)]
pub struct Wrappers {
    local: HashSet<String>,
    places: HashMap<String, String>,
}

impl Wrappers {
    /// Reads the annotations.
    #[must_use]
    pub fn read(annotations: &[Annotation<'_>]) -> Self {
        let mut wrappers = Wrappers::default();
        for annotation in annotations {
            if annotation.name == NAME_OF_ONE_UNIT {
                wrappers.local.insert(values::name(annotation.entity));
            } else if let Some(place) = annotation.name.strip_prefix(FUNCTOR_AT) {
                let wrapper = values::name(annotation.entity);
                wrappers.places.insert(wrapper, place.to_owned());
            }
        }
        wrappers
    }

    /// Whether other units may give the name of the wrapper's kernel to kernels of theirs.
    #[must_use]
    pub fn has_local_name(&self, wrapper: &str) -> bool {
        self.local.contains(wrapper)
    }

    /// Where the functor of the wrapper's kernel is written.
    #[must_use]
    pub fn place(&self, wrapper: &str) -> Option<&str> {
        self.places.get(wrapper).map(String::as_str)
    }
}

/// Gives the specialization constants of a raw module that are its own their unit's tag; whether
/// there are any.
///
/// # Errors
/// When a call for a constant has not the arguments that it must have.
pub fn name_constants(module: &Module<'_>, tag: &str) -> Result<bool, String> {
    if calls::getters(module).next().is_none() {
        return Ok(false);
    }
    // In one order: the same code comes out as the same bytes.
    let mut texts = BTreeMap::new();
    for function in values::defined_functions(module) {
        for call in calls::of_function(function)? {
            let id = call.default_variable();
            if id.is_some_and(|id| id.get_linkage() == Linkage::Internal)
                && let Some(text) = call.name_variable()
            {
                texts.insert(call.name()?, text);
            }
        }
    }
    for (name, text) in &texts {
        let bytes = module
            .get_context()
            .const_string(format!("{name}{tag}").as_bytes(), true);
        let space = text.as_pointer_value().get_type().get_address_space();
        let tagged = module.add_global(bytes.get_type(), Some(space), "");
        tagged.set_initializer(&bytes);
        tagged.set_constant(true);
        tagged.set_linkage(Linkage::Internal);
        // SAFETY: both are variables of the module, in one address space.
        unsafe { LLVMReplaceAllUsesWith(text.as_value_ref(), tagged.as_value_ref()) };
    }
    Ok(!texts.is_empty())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use offload_formats::targets::find;

    use super::super::OptLevel;
    use super::*;
    use crate::llvm;

    const GETTER: &str = "@_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_";

    #[test]
    fn other_code_and_other_options_make_another_number() {
        let options = |opt_level, targets: &[&str]| LowerOptions {
            opt_level,
            fixed_targets: targets.iter().filter_map(|name| find(name)).collect(),
            ..super::super::tests::options()
        };
        let of = |modules: &[&str], options: &LowerOptions| {
            let modules: Vec<&[u8]> = modules.iter().map(|module| module.as_bytes()).collect();
            number(&modules, options)
        };
        let plain = options(None, &[]);
        assert_eq!(of(&["a", "bc"], &plain), of(&["a", "bc"], &plain));
        assert_ne!(of(&["a", "bc"], &plain), of(&["ab", "c"], &plain));
        for other in [
            options(Some(OptLevel::O2), &[]),
            options(None, &["intel_gpu_pvc"]),
        ] {
            assert_ne!(of(&["a"], &plain), of(&["a"], &other));
        }
        let elsewhere = LowerOptions {
            source: "other/a.cpp".into(),
            module_id: "other/a.cpp".to_owned(),
            ..options(None, &[])
        };
        assert_eq!(of(&["a"], &plain), of(&["a"], &elsewhere));
    }

    #[test]
    fn the_same_constants_come_out_in_the_same_order() {
        let (mut variables, mut calls) = (String::new(), String::new());
        for i in 0..8 {
            let _ = writeln!(variables, "@n{i} = private constant [2 x i8] c\"{i}\\00\"");
            let _ = writeln!(variables, "@d{i} = internal constant i32 {i}");
            let _ = writeln!(
                calls,
                "  %v{i} = call i32 {GETTER}(ptr @n{i}, ptr @d{i}, ptr null)"
            );
        }
        let text = format!(
            "{variables}declare i32 {GETTER}(ptr, ptr, ptr)\n\
             define void @f() {{\n{calls}  ret void\n}}\n"
        );
        let named = || {
            let context = llvm::context();
            let module = llvm::read::module(&context, text.as_bytes(), "a.ll").unwrap();
            assert!(name_constants(&module, "__unit_1").unwrap());
            module.print_to_string().to_string()
        };
        let first = named();
        assert!(first.contains("c\"0__unit_1\\00\""), "{first}");
        assert_eq!(first, named());
    }
}

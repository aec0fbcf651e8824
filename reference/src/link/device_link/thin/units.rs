//! The modules of a ThinLTO link as they were compiled: which of several definitions of a symbol
//! counts, and the facts that are worked out before any of their functions is inlined elsewhere.

use std::collections::{BTreeMap, HashMap};

use inkwell::module::{Linkage, Module};
use offload_formats::device_input::DeviceInput;
use rayon::prelude::*;

use crate::link::device_link::same_kernels::SameKernels;
use crate::link::device_link::widths;
use crate::link::{DeviceTarget, LinkError};
use crate::llvm::thin::{self, Summaries};
use crate::llvm::{self, demangle, read, values};
use crate::post_link::facts::ModuleFacts;
use crate::post_link::facts_read;
use crate::post_link::inlined::Compiled;

/// What the units define.
pub(super) struct Units {
    /// The number of the unit whose definition of a symbol counts.
    pub(super) prevailing: HashMap<String, usize>,
    /// Those that define a symbol so that another definition may replace it, in their order.
    replaceable: BTreeMap<String, Vec<usize>>,
    /// What they were compiled to.
    pub(super) compiled: Compiled,
    /// Each as bitcode, with a summary made here: LLVM's link trusts summaries, and one from outside may
    /// be wrong.
    pub(super) bitcode: Vec<Vec<u8>>,
}

/// One unit, read.
struct Unit {
    definitions: Vec<Definition>,
    facts: ModuleFacts,
    bitcode: Vec<u8>,
}

struct Definition {
    symbol: String,
    linkage: Linkage,
    is_kernel: bool,
}

impl Units {
    /// Reads units, of which the first `images` become images and the others are imported from alone.
    ///
    /// # Errors
    /// When one cannot be read, is not for the target, or defines a kernel that another one defines.
    pub(super) fn read(
        inputs: &[&DeviceInput],
        images: usize,
        (target, kernels): (&DeviceTarget, &SameKernels),
    ) -> Result<Self, LinkError> {
        // Of several failures the first unit's is told, whichever came first.
        let units: Vec<Result<Unit, LinkError>> = inputs
            .par_iter()
            .enumerate()
            .map(|(number, input)| {
                let context = llvm::context_without_names();
                let origin = input.origin.to_string();
                let module = read::module(&context, &input.bytes, &origin)?;
                widths::check(&module, input, target, inputs.iter().copied())?;
                if number < images {
                    kernels.check(target, &module, (number, origin.clone()))?;
                }
                // What cannot be read of its own summary is an error all the same.
                Summaries::new().add(&origin, &input.bytes, &origin)?;
                let facts = facts_read::read(&module)?;
                let bitcode = thin::bitcode(&module)?;
                Ok(Unit {
                    definitions: definitions(&module),
                    facts,
                    bitcode,
                })
            })
            .collect();
        let units: Vec<Unit> = units.into_iter().collect::<Result<_, _>>()?;
        let mut found = Units {
            prevailing: HashMap::new(),
            replaceable: BTreeMap::new(),
            compiled: Compiled::default(),
            bitcode: Vec::new(),
        };
        for (number, unit) in units.iter().enumerate() {
            for definition in &unit.definitions {
                found.add(number, definition, inputs, target)?;
            }
        }
        for (symbol, numbers) in &found.replaceable {
            if let Some(first) = numbers.first() {
                found.prevailing.entry(symbol.clone()).or_insert(*first);
            }
        }
        let (facts, bitcode) = units
            .into_iter()
            .map(|unit| (unit.facts, unit.bitcode))
            .unzip();
        found.bitcode = bitcode;
        found.compiled = Compiled::new(facts, &found.prevailing);
        Ok(found)
    }

    /// The first definition counts that nothing may replace, else the first.
    fn add(
        &mut self,
        number: usize,
        definition: &Definition,
        inputs: &[&DeviceInput],
        target: &DeviceTarget,
    ) -> Result<(), LinkError> {
        let symbol = &definition.symbol;
        if is_replaceable(definition.linkage) {
            let units = self.replaceable.entry(symbol.clone()).or_default();
            units.push(number);
            return Ok(());
        }
        let first = *self.prevailing.entry(symbol.clone()).or_insert(number);
        if first == number || !definition.is_kernel || definition.linkage != Linkage::External {
            return Ok(());
        }
        let origin = |number: usize| {
            inputs
                .get(number)
                .map_or_else(String::new, |i| i.origin.to_string())
        };
        Err(LinkError::Duplicate {
            symbol: demangle::named(symbol),
            target: target.to_string(),
            first: origin(first),
            second: origin(number),
        })
    }

    /// The number of a unit that defines `symbol`, but so that another definition may replace it.
    pub(super) fn replaceable(&self, symbol: &str) -> Option<usize> {
        self.replaceable.get(symbol)?.first().copied()
    }

    /// Whether a unit had a definition of `symbol` that another one may replace.
    pub(super) fn is_replaced(&self, symbol: &str, number: usize) -> bool {
        let units = self.replaceable.get(symbol);
        units.is_some_and(|units| units.contains(&number))
    }
}

fn is_replaceable(linkage: Linkage) -> bool {
    matches!(
        linkage,
        Linkage::WeakAny | Linkage::LinkOnceAny | Linkage::Common
    )
}

fn definitions(module: &Module<'_>) -> Vec<Definition> {
    let of = |global| Definition {
        symbol: values::name(global),
        linkage: global.get_linkage(),
        is_kernel: values::as_function(global).is_some_and(values::is_kernel),
    };
    // A copy for optimizers defines nothing.
    let is_local = |linkage| {
        matches!(
            linkage,
            Linkage::Internal
                | Linkage::Private
                | Linkage::Appending
                | Linkage::AvailableExternally
        )
    };
    let defined = values::globals(module).into_iter();
    let defined = defined
        .filter(|&global| !values::is_declaration(global))
        .map(of);
    defined.filter(|found| !is_local(found.linkage)).collect()
}

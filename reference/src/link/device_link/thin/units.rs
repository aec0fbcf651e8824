//! The modules of a ThinLTO link as they were compiled, with the facts that are worked out before any of
//! their functions is inlined elsewhere.

use std::collections::{BTreeSet, HashMap};

use inkwell::module::Linkage;
use offload_formats::Bytes;
use offload_formats::container::let_go_of;
use offload_formats::device_input::DeviceInput;
use rayon::prelude::*;

use crate::link::device_link::same_kernels::SameKernels;
use crate::link::device_link::thin::counting::{Counting, Definition, Place, definitions};
use crate::link::device_link::thin::summarized::Summarized;
use crate::link::device_link::whole::is_one_of;
use crate::link::device_link::widths;
use crate::link::{DeviceTarget, LinkError};
use crate::llvm::thin::{self, Summaries};
use crate::llvm::{self, demangle, diagnostics, read, values, weak};
use crate::post_link::facts_read;
use crate::post_link::inlined::Compiled;
use crate::post_link::unit_facts::UnitFacts;
use crate::shelf::Shelf;

/// What the units define.
pub(super) struct Units {
    /// Whose definition of a symbol counts.
    pub(super) counting: Counting,
    /// What they were compiled to.
    pub(super) compiled: Compiled,
    /// Each as bitcode, with a summary made here: LLVM's link trusts summaries, and one from outside may
    /// be wrong.
    pub(super) bitcode: Vec<Bytes>,
    /// What each refers to and may lack.
    weak_references: Vec<Vec<String>>,
}

/// One unit, read.
struct Unit {
    definitions: Vec<Definition>,
    facts: UnitFacts,
    bitcode: Bytes,
    /// What it refers to and may lack.
    weak_references: Vec<String>,
}

impl Units {
    /// Reads units, of which the first `images` become images and the others are imported from alone; `order`
    /// has these and what is linked beside them. Their bitcode is put on a shelf.
    ///
    /// # Errors
    /// When one cannot be read, is not for the target, or defines a kernel that another one defines.
    pub(super) fn read(
        inputs: &[&DeviceInput],
        (images, order): (usize, &[Place<'_>]),
        (target, kernels): (&DeviceTarget, &SameKernels),
        shelf: &Shelf,
    ) -> Result<Self, LinkError> {
        // Of several failures the first unit's is told, whichever came first.
        let units: Vec<Result<Unit, LinkError>> = inputs
            .par_iter()
            .enumerate()
            .map(|(number, input)| {
                let origin = input.origin.to_string();
                diagnostics::working_on(&origin, || {
                    let context = llvm::context_without_names();
                    // From here on it is believed: LLVM's link verifies nothing, and works on threads
                    // that nobody can stop at a broken one.
                    let module = read::verified_module(&context, &input.bytes, &origin)?;
                    widths::check(&module, input, target, inputs.iter().copied())?;
                    if number < images {
                        kernels.check(target, &module, (number, origin.clone()))?;
                    }
                    // What cannot be read of its own summary is an error all the same.
                    Summaries::new().add(&origin, &input.bytes, &origin)?;
                    let facts = UnitFacts::of(facts_read::read(&module)?);
                    let bitcode = shelf.put(&thin::bitcode(&module)?);
                    let_go_of(&input.bytes);
                    let weak = weak::undefined(&module).into_iter();
                    Ok(Unit {
                        definitions: definitions(&module),
                        facts,
                        bitcode,
                        weak_references: weak.map(values::name).collect(),
                    })
                })
            })
            .collect();
        let units: Vec<Unit> = units.into_iter().collect::<Result<_, _>>()?;
        let of_images = units.iter().take(images).map(|unit| &*unit.definitions);
        one_of_each_kernel(of_images, inputs, target)?;
        let (mut facts, mut bitcode, mut defined) = (Vec::new(), Vec::new(), Vec::new());
        let mut weak_references = Vec::new();
        for unit in units {
            weak_references.push(unit.weak_references);
            facts.push(unit.facts);
            bitcode.push(unit.bitcode);
            defined.push(unit.definitions);
        }
        let counting = Counting::of(order, &defined)?;
        for (number, (bitcode, definitions)) in bitcode.iter_mut().zip(&defined).enumerate() {
            let symbols = counting.giving_way(number, definitions);
            if let (false, Some(input)) = (symbols.is_empty(), inputs.get(number)) {
                *bitcode = shelf.put(&with_weak(bitcode, &symbols, &input.origin.to_string())?);
            }
        }
        Ok(Units {
            compiled: Compiled::new(facts, &counting.prevailing),
            counting,
            bitcode,
            weak_references,
        })
    }

    /// What a unit does not import: what counts is elsewhere, or its reference takes no member out of an archive,
    /// as on the host.
    pub(super) fn not_imported(
        &self,
        number: usize,
        summarized: &Summarized<'_>,
    ) -> BTreeSet<String> {
        let is_by_need = |symbol: &&String| {
            let unit = self.counting.prevailing.get(*symbol).copied();
            let unit = unit.and_then(|unit| summarized.indexed.get(unit));
            unit.is_some_and(|unit| is_one_of(summarized.left_out, unit))
        };
        let mut all = self.counting.elsewhere.clone();
        let weak = self.weak_references.get(number).into_iter().flatten();
        all.extend(weak.filter(is_by_need).cloned());
        all
    }
}

/// A unit whose definitions of some symbols another may replace.
fn with_weak(bitcode: &[u8], symbols: &[&str], origin: &str) -> Result<Vec<u8>, LinkError> {
    let context = llvm::context_without_names();
    let module = read::own_module(&context, bitcode, origin)?;
    for global in values::globals(&module) {
        if symbols.contains(&&*values::name(global)) && !values::is_declaration(global) {
            global.set_linkage(Linkage::WeakAny);
        }
    }
    Ok(thin::bitcode(&module)?)
}

/// Holds units to one definition of each kernel that is not the same everywhere.
///
/// # Errors
/// Names the two units that have one.
fn one_of_each_kernel<'u>(
    units: impl Iterator<Item = &'u [Definition]>,
    inputs: &[&DeviceInput],
    target: &DeviceTarget,
) -> Result<(), LinkError> {
    let origin = |number: usize| {
        let input = inputs.get(number);
        input.map_or_else(String::new, |input| input.origin.to_string())
    };
    let mut first_of: HashMap<&str, usize> = HashMap::new();
    for (number, definitions) in units.enumerate() {
        // One that another may replace is none too many.
        let kernels = definitions
            .iter()
            .filter(|found| found.is_kernel && !values::is_replaceable(found.linkage));
        for kernel in kernels {
            let first = *first_of.entry(&kernel.symbol).or_insert(number);
            if first != number && kernel.linkage == Linkage::External {
                return Err(LinkError::Duplicate {
                    symbol: demangle::named(&kernel.symbol),
                    target: target.to_string(),
                    first: origin(first),
                    second: origin(number),
                });
            }
        }
    }
    Ok(())
}

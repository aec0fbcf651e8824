//! Which of several definitions of a symbol counts, where units with summaries and without are linked: of
//! objects the first that nothing may replace, else the first; then of archives and libraries the first.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use inkwell::module::{Linkage, Module};
use offload_formats::device_input::DeviceInput;

use crate::link::LinkError;
use crate::llvm::{self, read, values};

/// An input, in its place in the link.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) input: &'a DeviceInput,
    /// Its number among the units with summaries, if it has one.
    pub(super) number: Option<usize>,
    /// Not by need alone.
    pub(super) is_object: bool,
}

/// What a unit defines for others.
#[derive(Debug, Clone)]
pub(super) struct Definition {
    pub(super) symbol: String,
    pub(super) linkage: Linkage,
    pub(super) is_kernel: bool,
}

impl Definition {
    /// Whether other definitions may be in its place, which need not be the same.
    fn is_replaceable(&self) -> bool {
        values::is_replaceable(self.linkage)
    }

    /// Whether C++ promises that others are the same.
    fn is_same_everywhere(&self) -> bool {
        matches!(self.linkage, Linkage::WeakODR | Linkage::LinkOnceODR)
    }
}

/// What counts in a link.
#[derive(Debug, Default)]
pub(super) struct Counting {
    /// The number of the unit with a summary whose definition of a symbol counts.
    pub(super) prevailing: HashMap<String, usize>,
    /// Those symbols of which this definition is a weak one.
    pub(super) weak: BTreeSet<String>,
    /// What units with summaries define although a definition counts that has none.
    pub(super) elsewhere: BTreeSet<String>,
    /// In links of both kinds: symbols that an object defines weakly or, though another definition counts that is
    /// none, as an inline function, and where the definition is that counts, in the order of the link.
    pub(super) contested: Vec<(String, usize)>,
}

/// What is known of a symbol.
struct Known {
    /// The place of the definition that counts.
    place: usize,
    is_replaceable: bool,
    is_same_everywhere: bool,
    /// An object defines it so that another definition may replace that.
    is_contested: bool,
    /// An object defines it as C++ lets several do.
    is_inline: bool,
    /// A unit with a summary defines it.
    is_summarized: bool,
}

impl Counting {
    /// What counts of what `units` and the others in `order` define: all objects come before the rest.
    /// Kernels of objects without summaries are left to the units that have them too.
    ///
    /// # Errors
    /// When an input without a summary cannot be read.
    pub(super) fn of(order: &[Place<'_>], units: &[Vec<Definition>]) -> Result<Self, LinkError> {
        let mut known: BTreeMap<String, Known> = BTreeMap::new();
        let is_mixed = |place: &Place<'_>| place.is_object && place.number.is_none();
        let mixed = order.iter().any(is_mixed);
        for (number, place) in order.iter().enumerate() {
            match place.number.and_then(|number| units.get(number)) {
                Some(definitions) => add(&mut known, (number, place), definitions),
                None => add(&mut known, (number, place), &plain(place)?),
            }
        }
        let mut counting = Counting::default();
        for (symbol, known) in known {
            let is_replaced = known.is_inline && !known.is_same_everywhere;
            if mixed && (known.is_contested || is_replaced) {
                counting.contested.push((symbol.clone(), known.place));
            }
            match order.get(known.place).and_then(|place| place.number) {
                Some(unit) => {
                    if known.is_replaceable {
                        counting.weak.insert(symbol.clone());
                    }
                    counting.prevailing.insert(symbol, unit);
                }
                None if known.is_summarized => {
                    counting.elsewhere.insert(symbol);
                }
                None => {}
            }
        }
        Ok(counting)
    }

    /// Which of a unit's definitions, that nothing could replace by what the unit itself says, give way to a weak
    /// one that counts, or to one of a unit without a summary. Optimizers would take them for what is called.
    pub(super) fn giving_way<'d>(
        &self,
        number: usize,
        definitions: &'d [Definition],
    ) -> Vec<&'d str> {
        let gives_way = |definition: &&Definition| {
            let symbol = &definition.symbol;
            let is_other = self.prevailing.get(symbol) != Some(&number);
            let is_decided = self.weak.contains(symbol) || self.elsewhere.contains(symbol);
            is_decided && is_other && !definition.is_replaceable() && !definition.is_kernel
        };
        let found = definitions.iter().filter(gives_way);
        found.map(|definition| &*definition.symbol).collect()
    }
}

fn add(
    known: &mut BTreeMap<String, Known>,
    (number, place): (usize, &Place<'_>),
    definitions: &[Definition],
) {
    let is_summarized = place.number.is_some();
    for definition in definitions {
        if definition.is_kernel && !is_summarized {
            continue;
        }
        let is_replaceable = definition.is_replaceable();
        let this = Known {
            place: number,
            is_replaceable,
            is_same_everywhere: definition.is_same_everywhere(),
            is_contested: is_replaceable && place.is_object,
            is_inline: definition.is_same_everywhere() && place.is_object,
            is_summarized,
        };
        let mut before = match known.entry(definition.symbol.clone()) {
            Entry::Vacant(vacant) => {
                vacant.insert(this);
                continue;
            }
            Entry::Occupied(before) => before,
        };
        let before = before.get_mut();
        // To a host's linker an inline function is a weak one too.
        let is_strong = place.is_object && definition.linkage == Linkage::External;
        let replaces = (before.is_replaceable || before.is_same_everywhere) && is_strong;
        // Of what is the same everywhere, that is best of which there is a summary.
        let is_better = is_summarized && !before.is_summarized;
        let serves = is_strong || before.is_same_everywhere && this.is_same_everywhere;
        let is_contested = before.is_contested || this.is_contested;
        let is_inline = before.is_inline || this.is_inline;
        let any_summary = before.is_summarized || is_summarized;
        if replaces || is_better && serves {
            *before = this;
        }
        before.is_contested = is_contested;
        before.is_inline = is_inline;
        before.is_summarized = any_summary;
    }
}

/// What an input without a summary defines.
fn plain(place: &Place<'_>) -> Result<Vec<Definition>, LinkError> {
    let (input, origin) = (place.input, place.input.origin.to_string());
    let context = llvm::context_without_names();
    let module = read::module_lazily(&context, &input.bytes, &origin)?;
    Ok(definitions(&module))
}

/// What a module defines for others.
pub(super) fn definitions(module: &Module<'_>) -> Vec<Definition> {
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

#[cfg(test)]
mod tests {
    use offload_formats::Bytes;
    use offload_formats::device_input::Origin;
    use offload_formats::offload_binary::ImageKind;

    use super::*;
    use crate::link::DeviceTarget;
    use crate::llvm::write;

    /// An input that defines `f` with a linkage.
    fn input(linkage: &str) -> DeviceInput {
        let text = format!(
            "target triple = \"spir64-unknown-unknown\"\n\
             define {linkage} spir_func i32 @f() {{ ret i32 1 }}\n"
        );
        let context = llvm::context();
        let module = read::module(&context, text.as_bytes(), "f.ll").unwrap();
        let bytes = Bytes::copy_from_slice(&write::bitcode(&module));
        let target = DeviceTarget::new("spir64-unknown-unknown", "");
        target.input(bytes, ImageKind::Bitcode, Origin::file("f.o"))
    }

    /// What counts of inputs: whether each has a summary, whether it is an object, and its linkage.
    fn counting(inputs: &[(bool, bool, &str)]) -> Counting {
        let read: Vec<DeviceInput> = inputs.iter().map(|(.., linkage)| input(linkage)).collect();
        let (mut order, mut units) = (Vec::new(), Vec::new());
        for ((is_summarized, is_object, _), input) in inputs.iter().zip(&read) {
            order.push(Place {
                input,
                number: is_summarized.then_some(units.len()),
                is_object: *is_object,
            });
            if *is_summarized {
                let context = llvm::context();
                let module = read::module(&context, &input.bytes, "f.o").unwrap();
                units.push(definitions(&module));
            }
        }
        Counting::of(&order, &units).unwrap()
    }

    /// The number of the unit with a summary that counts, and whether its definition is weak.
    fn prevailing(inputs: &[(bool, bool, &str)]) -> (Option<usize>, bool) {
        let found = counting(inputs);
        let unit = found.prevailing.get("f").copied();
        assert_eq!(unit.is_none(), found.elsewhere.contains("f"), "{inputs:?}");
        (unit, found.weak.contains("f"))
    }

    #[test]
    fn of_objects_what_is_not_weak_counts_and_of_the_rest_the_first() {
        const OBJECT: bool = true;
        const MEMBER: bool = false;
        let of = |first: (bool, &str), second: (bool, &str)| {
            prevailing(&[(true, first.0, first.1), (true, second.0, second.1)])
        };
        assert_eq!(of((OBJECT, "weak"), (OBJECT, "")), (Some(1), false));
        assert_eq!(of((OBJECT, ""), (OBJECT, "weak")), (Some(0), false));
        assert_eq!(of((OBJECT, "weak"), (OBJECT, "weak")), (Some(0), true));
        assert_eq!(of((OBJECT, "weak"), (MEMBER, "")), (Some(0), true));
        assert_eq!(of((MEMBER, "weak"), (MEMBER, "")), (Some(0), true));
    }

    #[test]
    fn what_a_weak_definition_counts_before_gives_way_to_it() {
        let giving_way = |inputs: &[(bool, bool, &str)], number| {
            let unit = [Definition {
                symbol: "f".to_owned(),
                linkage: Linkage::External,
                is_kernel: false,
            }];
            !counting(inputs).giving_way(number, &unit).is_empty()
        };
        let (object, member) = ((true, true, "weak"), (true, false, ""));
        assert!(giving_way(&[object, member], 1));
        assert!(giving_way(&[(false, true, "weak"), member], 0));
        assert!(!giving_way(&[(true, true, ""), member], 1));
        assert!(!giving_way(&[object, (true, true, "")], 1));
    }

    #[test]
    fn units_without_summaries_count_too() {
        let of = |first: (bool, &str), second: (bool, &str)| {
            prevailing(&[(first.0, true, first.1), (second.0, true, second.1)])
        };
        assert_eq!(of((true, "weak"), (false, "")), (None, false));
        assert_eq!(of((false, "weak"), (true, "")), (Some(0), false));
        assert_eq!(of((false, "weak"), (true, "weak")), (None, false));
        assert_eq!(of((true, "weak"), (false, "weak")), (Some(0), true));
        // To a host's linker inline functions are weak, too.
        assert_eq!(of((true, "weak"), (true, "linkonce_odr")), (Some(0), true));
        assert_eq!(of((false, ""), (true, "linkonce_odr")), (None, false));
        assert_eq!(of((true, "linkonce_odr"), (false, "")), (None, false));
        assert_eq!(of((false, "linkonce_odr"), (true, "")), (Some(0), false));
        // What C++ promises to be the same is taken from where there is a summary.
        assert_eq!(
            of((false, "linkonce_odr"), (true, "linkonce_odr")),
            (Some(0), false)
        );
        let found = counting(&[
            (false, true, "weak"),
            (true, true, ""),
            (true, true, "weak"),
        ]);
        assert_eq!(found.contested, [("f".to_owned(), 1)]);
        assert!(
            counting(&[(true, true, "weak"), (true, true, "")])
                .contested
                .is_empty()
        );
    }
}

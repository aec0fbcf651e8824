//! The inputs of a ThinLTO link, those with summaries apart, and LLVM's own link of these.

use offload_formats::device_input::DeviceInput;
use offload_formats::targets::Kind;

use crate::link::cache::{Cache, Entry, parts_of_this_tool};
use crate::link::device_link::thin::counting::Place;
use crate::link::device_link::thin::units::Units;
use crate::link::inputs::group::LinkGroup;
use crate::link::tools::DeviceLibraries;
use crate::link::{DeviceTarget, LinkError};
use crate::llvm::lto::{self, Optimized, Resolution};
use crate::llvm::{self, nvptx};
use crate::shelf::Shelf;
use crate::store::Key;

/// The triple under which LLVM links what becomes SPIR-V, whatever device it is for.
const SPIRV_TRIPLE: &str = "spir64-unknown-unknown";

/// The inputs of a link, those with summaries apart.
pub(super) struct Summarized<'a> {
    /// What comes with a summary, the modules to make images of first.
    pub(super) indexed: Vec<&'a DeviceInput>,
    /// How many these are.
    pub(super) modules: usize,
    /// Modules to make images of without a summary, as compilations without ThinLTO give: they are linked
    /// into one.
    pub(super) plain: Vec<&'a DeviceInput>,
    /// What has no summary, and what that may need in turn; what comes first is preferred.
    pub(super) lazy: Vec<&'a DeviceInput>,
    /// As in [`DeviceLink`](crate::link::device_link::whole::DeviceLink).
    pub(super) left_out: &'a [DeviceInput],
    /// All of them, objects first, as the link has them.
    pub(super) order: Vec<Place<'a>>,
}

impl<'a> Summarized<'a> {
    pub(super) fn of(
        group: &'a LinkGroup,
        libraries: &'a DeviceLibraries,
    ) -> Result<Self, LinkError> {
        let has_summary =
            |input: &DeviceInput| llvm::thin::has_summary(&input.bytes, &input.origin.to_string());
        let (mut indexed, mut plain, mut order) = (Vec::new(), Vec::new(), Vec::new());
        let mut place = |input: &'a DeviceInput, is_object| {
            let number = has_summary(input)?.then_some(indexed.len());
            match number {
                Some(_) => indexed.push(input),
                None if is_object => plain.push(input),
                None => {}
            }
            order.push(Place {
                input,
                number,
                is_object,
            });
            Ok::<_, LinkError>(())
        };
        for input in &group.bitcode {
            place(input, true)?;
        }
        for input in group.lazy.iter().chain(&libraries.lazy) {
            place(input, false)?;
        }
        let modules = order
            .iter()
            .filter(|place| place.is_object && place.number.is_some());
        let modules = modules.count();
        let mut lazy = plain.clone();
        if !plain.is_empty() {
            lazy.extend(indexed.iter().copied().take(modules));
        }
        if order.iter().any(|place| place.number.is_none()) {
            let libraries = order.iter().filter(|place| !place.is_object);
            lazy.extend(libraries.map(|place| place.input));
        }
        Ok(Summarized {
            indexed,
            modules,
            plain,
            lazy,
            left_out: &group.lazy,
            order,
        })
    }

    /// The modules with a summary to make images of.
    pub(super) fn modules(&self) -> &[&'a DeviceInput] {
        self.indexed.get(..self.modules).unwrap_or_default()
    }

    /// Where a module of the index comes from.
    pub(super) fn origin(&self, number: usize) -> String {
        let input = self.indexed.get(number);
        input.map_or_else(String::new, |input| input.origin.to_string())
    }

    /// Optimizes each module, once; what the cache has is taken from there.
    pub(super) fn optimize(
        &self,
        units: &Units,
        target: &DeviceTarget,
        (cache, shelf): (Option<&Cache>, &Shelf),
    ) -> Result<Optimized, LinkError> {
        let link = self.link(units, target, name)?;
        let hold = |bytes: &[u8]| shelf.put(bytes);
        let Some(cache) = cache else {
            return Ok(link.run(None, &hold)?);
        };
        let kept = |key: &str| {
            let found = cache.read(&unit_key(key));
            cache.count(Entry::Unit, found.is_some());
            found.map(|bytes| shelf.put(&bytes))
        };
        let optimized = link.run(Some(&kept), &hold)?;
        for (number, input) in self.indexed.iter().enumerate() {
            let name = name(number, input);
            if let Some(key) = optimized.key(&name) {
                cache.write(&unit_key(key), optimized.module(&name)?);
            }
        }
        Ok(optimized)
    }

    /// LLVM's link of all modules, under names.
    pub(super) fn link<'u>(
        &self,
        units: &'u Units,
        target: &DeviceTarget,
        name: impl Fn(usize, &DeviceInput) -> String,
    ) -> Result<lto::Link<'u>, LinkError> {
        let mut link = new_link(target)?;
        for (number, (input, bitcode)) in self.indexed.iter().zip(&units.bitcode).enumerate() {
            // A module's own symbols are its entry points; those of a library are there to be called.
            let visible = number < self.modules || !self.lazy.is_empty();
            let origin = input.origin.to_string();
            link.add(&name(number, input), &origin, bitcode, |symbol| {
                Resolution {
                    prevailing: units.counting.prevailing.get(symbol) == Some(&number),
                    visible,
                }
            })?;
        }
        Ok(link)
    }
}

/// LLVM's link for a target, with nothing in it.
pub(super) fn new_link<'u>(target: &DeviceTarget) -> Result<lto::Link<'u>, LinkError> {
    let triple = match target.kind() {
        Some(Kind::Nvidia) => nvptx::TRIPLE,
        _ => SPIRV_TRIPLE,
    };
    if target.kind() == Some(Kind::Nvidia) {
        // LLVM is to know the machine.
        let level = inkwell::OptimizationLevel::Default;
        nvptx::machine(nvptx::DEFAULT_ARCH, level).map_err(LinkError::Option)?;
    }
    Ok(lto::Link::new(triple, rayon::current_num_threads()))
}

/// The name of a module in an index: LLVM's messages name it. Modules import from one another in the order
/// of their names.
pub(super) fn name(number: usize, input: &DeviceInput) -> String {
    format!("{number:05}: {}", input.origin)
}

/// The key of an optimized unit, out of LLVM's.
fn unit_key(llvm: &str) -> Key {
    parts_of_this_tool().text("unit").text(llvm).key()
}

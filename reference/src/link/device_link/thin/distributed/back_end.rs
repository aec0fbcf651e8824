//! The work of one unit, in a process of its own.

use std::path::Path;

use offload_formats::offload_binary::ImageKind;

use super::plan::{UnitPlan, images_of, index_of, optimized_of, read};
use crate::link::cache::sealed;
use crate::link::device_link::same_kernels::SameKernels;
use crate::link::device_link::thin::module::ThinLink;
use crate::link::device_link::thin::summarized::{Summarized, new_link};
use crate::link::device_link::thin::units::Units;
use crate::link::fpga::FpgaInputs;
use crate::link::images::maker::ImageMaker;
use crate::link::inputs::shared_libraries::SharedLibraries;
use crate::link::tools::{DeviceLibraries, Tools};
use crate::link::trace::{self, Trace};
use crate::link::wishes::Wishes;
use crate::link::{LinkError, WrapperOptions};
use crate::llvm::lto::Resolution;

/// Does LLVM's part of the link for one unit.
///
/// # Errors
/// When a file is not there or not what its step writes, or the result cannot be written.
pub(in crate::link) fn optimize(unit: &Path) -> Result<(), LinkError> {
    let (plan, _) = UnitPlan::read(unit)?;
    let index = read(&index_of(unit))?;
    let files = plan.imports.iter().map(|file| read(Path::new(file)));
    let files: Vec<_> = files.collect::<Result<_, _>>()?;
    let mut link = new_link(&plan.target())?;
    for (name, bytes) in plan.imports.iter().zip(&files) {
        // The index says it all.
        link.add(name, bytes, |_| Resolution::default())?;
    }
    let name = plan.imports.first().map_or("", String::as_str);
    let optimized = link.back_end(name, &index)?;
    trace::write(&optimized_of(unit), optimized.module(name)?)
}

/// Makes the images of one unit.
///
/// # Errors
/// When a file is not there or not what its step writes, the unit lacks what no other one gives, an image
/// cannot be made, or the result cannot be written.
pub(in crate::link) fn images(
    unit: &Path,
    options: &WrapperOptions,
    (tools, shared, trace): (&Tools<'_>, &SharedLibraries, &Trace),
) -> Result<(), LinkError> {
    let (plan, key) = UnitPlan::read(unit)?;
    let group = plan.group()?;
    let inputs = plan.units()?;
    let optimized = plan
        .near
        .iter()
        .map(|near| read(&optimized_of(Path::new(&near.file))));
    let optimized: Vec<_> = optimized.collect::<Result<_, _>>()?;
    let libraries = DeviceLibraries {
        whole: plan.inputs(&plan.whole, ImageKind::Bitcode)?,
        ..DeviceLibraries::default()
    };
    let lazy = plan.inputs(&plan.lazy, ImageKind::Bitcode)?;
    let summarized = Summarized {
        indexed: inputs.iter().collect(),
        modules: plan.near.iter().filter(|near| near.has_images).count(),
        plain: Vec::new(),
        lazy: lazy.iter().collect(),
    };
    let kernels = SameKernels::default();
    // Kernels of one name were looked for when the index was made.
    let units = Units::read(&summarized.indexed, 0, (&group.target, &kernels))?;
    let wishes = Wishes::of(&group, options)?;
    let maker = ImageMaker {
        target: &group.target,
        wishes: &wishes,
        tools,
        shared,
        fpga: &FpgaInputs::default(),
        trace,
        cache: None,
        idle: &|| (),
    };
    let bytes = optimized.iter().map(|bytes| &**bytes).collect();
    let link = ThinLink::new((&group, &libraries), &summarized, &units, bytes, &maker)?;
    let place = plan.near.iter().position(|near| near.number == plan.number);
    let own = place.and_then(|place| Some((place, summarized.indexed.get(place)?)));
    let Some((place, input)) = own else {
        let path = unit.display();
        return Err(LinkError::Option(format!(
            "'{path}': its plan is not its own"
        )));
    };
    let made = link.module(place, input, &plan.label)?;
    let made = made.to_bytes().map_err(LinkError::Option)?;
    trace::write(&images_of(unit), &sealed(&key, &made))
}

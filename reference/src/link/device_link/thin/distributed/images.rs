//! The second command of a unit: its images, completed from optimized units.

use std::path::Path;

use offload_formats::offload_binary::ImageKind;

use super::optimize::not_own;
use super::plan::{
    Unit, UnitPlan, first_change, images_of, optimized_of, read, seal_of, shared_files,
};
use crate::link::device_link::same_kernels::SameKernels;
use crate::link::device_link::thin::counting::Place;
use crate::link::device_link::thin::module::ThinLink;
use crate::link::device_link::thin::summarized::Summarized;
use crate::link::device_link::thin::units::Units;
use crate::link::fpga::FpgaInputs;
use crate::link::images::maker::ImageMaker;
use crate::link::inputs::shared_libraries::SharedLibraries;
use crate::link::tools::{DeviceLibraries, Tools};
use crate::link::trace::{self, Trace};
use crate::link::wishes::Wishes;
use crate::link::{LinkError, WrapperOptions};
use crate::shelf::Shelf;
use crate::store::{sealed, unsealed};

/// A unit as it was optimized, out of the file that its first command wrote.
fn optimized(near: &Unit) -> Result<Vec<u8>, LinkError> {
    let path = optimized_of(Path::new(&near.file.file));
    let bytes = read(&path)?;
    let found = unsealed(&seal_of(&near.made_of), &bytes);
    found.map(<[u8]>::to_vec).ok_or_else(|| {
        LinkError::Option(format!(
            "'{}': not made of what its plan says now; run its command again",
            path.display()
        ))
    })
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
    // What the options name is read where it is needed: here it is held to the plan.
    for file in &plan.named {
        file.read()?;
    }
    let group = plan.group()?;
    let inputs = plan.units()?;
    let optimized = plan.near.iter().map(optimized);
    let optimized: Vec<_> = optimized.collect::<Result<_, _>>()?;
    let files = shared_files(shared)?;
    let now = files.iter().map(|file| (&*file.origin, &*file.digest));
    if let Some(changed) = first_change(&plan.shared, now) {
        return Err(LinkError::Option(format!(
            "'{changed}': not the shared library of the plan of '{}'; run --thinlto-index-only again",
            unit.display()
        )));
    }
    let libraries = DeviceLibraries {
        whole: plan.inputs(&plan.whole, ImageKind::Bitcode)?,
        ..DeviceLibraries::default()
    };
    let lazy = plan.inputs(&plan.lazy, ImageKind::Bitcode)?;
    let left_out = lazy.get(..plan.left_out).ok_or_else(|| {
        LinkError::Option(format!(
            "the plan of '{}': {} inputs by need are left out, of {}",
            unit.display(),
            plan.left_out,
            lazy.len()
        ))
    })?;
    let order = inputs.iter().zip(&plan.near).enumerate();
    let order = order.map(|(number, (input, near))| Place {
        input,
        number: Some(number),
        is_object: near.has_images,
    });
    let summarized = Summarized {
        order: order.collect(),
        indexed: inputs.iter().collect(),
        modules: plan.near.iter().filter(|near| near.has_images).count(),
        plain: Vec::new(),
        lazy: lazy.iter().collect(),
        left_out,
    };
    let kernels = SameKernels::default();
    // Kernels of one name were looked for when the index was made.
    let images = (0, &*summarized.order);
    let around = (&group.target, &kernels);
    let mut units = Units::read(&summarized.indexed, images, around, &Shelf::new())?;
    units.counting.elsewhere.clone_from(&plan.not_imported);
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
    let around = (&units, &kernels);
    let link = ThinLink::new((&group, &libraries), &summarized, around, bytes, &maker)?;
    let place = plan.near.iter().position(|near| near.number == plan.number);
    let own = place.and_then(|place| Some((place, summarized.indexed.get(place)?)));
    let Some((place, input)) = own else {
        return Err(not_own(unit));
    };
    let made = link.module(place, input, &plan.label)?;
    let made = made.to_bytes().map_err(LinkError::Option)?;
    trace::write(&images_of(unit), &sealed(&key, &made))
}

//! The device links of a target: inputs in, images out. Both hand finished modules to the post-link stage;
//! [`whole`] makes one module of all inputs, [`thin`] one of each, which imports what it lacks. SPIR-V
//! that comes as such has a link of its own, [`spirv_link`].

pub mod libdevice;
mod mathematics;
pub(super) mod same_kernels;
pub(super) mod spirv_link;
pub(super) mod thin;
mod undefined;
pub mod whole;
pub(super) mod widths;

use std::collections::HashSet;

use crate::link::LinkError;
use crate::link::images::maker::ImageMaker;
use crate::link::inputs::group::LinkGroup;
use crate::wrap::DeviceImage;
use same_kernels::SameKernels;
use whole::WholeLink;

/// The images of a group's bitcode.
///
/// # Errors
/// When the device link refuses its inputs, or an image cannot be made.
pub(super) fn images(
    group: &LinkGroup,
    maker: &ImageMaker<'_>,
) -> Result<Vec<DeviceImage>, LinkError> {
    if group.bitcode.is_empty() {
        return Ok(Vec::new());
    }
    if maker.wishes.thin {
        return thin::images(group, maker);
    }
    thin::refuse(group)?;
    let libraries = maker.tools.device_libraries(&group.target)?;
    let inputs = WholeLink {
        whole: group.bitcode.iter().chain(&libraries.whole).collect(),
        lazy: group.lazy.iter().chain(&libraries.lazy).collect(),
        contested: &[],
        kernels: &SameKernels::default(),
        given_elsewhere: &HashSet::new(),
        libdevice: libraries.libdevice.as_ref(),
        finish: &|_| Ok(()),
    };
    inputs.images(group, maker)
}

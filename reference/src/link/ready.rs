//! Device code that needs no device link: SPIR-V modules, and images that are finished.

use offload_formats::device_input::DeviceInput;
use offload_formats::property_set::PropertySets;
use offload_formats::registration::ImageFormat;

use super::LinkError;
use super::images::{Code, ImageMaker, ImageSource};
use crate::wrap::DeviceImage;

/// The images of a SPIR-V module.
pub(super) fn spirv_images(
    maker: &ImageMaker<'_>,
    index: usize,
    input: &DeviceInput,
) -> Result<Vec<DeviceImage>, LinkError> {
    let entries = crate::translate::entry_points(&input.bytes);
    maker.images(&ImageSource {
        name: format!("{}_spirv{index}", maker.target.file_name()),
        code: Code::SpirV(&input.bytes),
        entries: &entries,
        properties: &PropertySets::new(),
    })
}

/// An image that is registered as it is.
pub(super) fn native_image(maker: &ImageMaker<'_>, input: &DeviceInput) -> DeviceImage {
    let properties = PropertySets::new();
    maker.finished(
        ImageFormat::Native,
        input.bytes.to_vec(),
        Vec::new(),
        properties,
    )
}

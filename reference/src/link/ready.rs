//! Device code that needs no device link: SPIR-V modules, and images that are finished.

use offload_formats::device_input::DeviceInput;
use offload_formats::property_set::{PROPERTY_SETS, PropertySets};
use offload_formats::registration::ImageFormat;

use super::images::{Code, ImageMaker, ImageSource};
use super::spirv_link::Part;
use super::{LinkError, spirv_link, united};
use crate::wrap::DeviceImage;

/// The images of a SPIR-V module, or of several that are linked into one.
pub(super) fn spirv_images(
    maker: &ImageMaker<'_>,
    part: &Part<'_>,
) -> Result<Vec<DeviceImage>, LinkError> {
    let name = format!("{}_{}", maker.target.file_name(), part.name());
    let linked = part.link(maker.tools, maker.target, maker.trace, &name)?;
    let mut all = Vec::new();
    for input in part.inputs() {
        let listed = match entries(input) {
            entries if entries.is_empty() => spirv_link::kernels(input)?,
            entries => entries,
        };
        all.extend(listed);
    }
    maker.images(&ImageSource {
        name,
        code: Code::SpirV(&linked),
        entries: &all,
        properties: &united::properties(part.inputs(), maker.target)?,
    })
}

/// An image that is registered as it is.
pub(super) fn native_image(
    maker: &ImageMaker<'_>,
    input: &DeviceInput,
) -> Result<DeviceImage, LinkError> {
    let properties = properties(input)?;
    maker.finished(
        ImageFormat::Native,
        input.bytes.to_vec(),
        entries(input),
        properties,
    )
}

/// The symbols that `clang-sycl-linker` writes beside an image.
pub(super) fn entries(input: &DeviceInput) -> Vec<String> {
    let text = input.properties.get("symbols").map_or("", String::as_str);
    text.lines().map(str::to_owned).collect()
}

/// The property sets that `clang-sycl-linker` writes beside an image.
pub(super) fn properties(input: &DeviceInput) -> Result<PropertySets, LinkError> {
    let text = input
        .properties
        .get(PROPERTY_SETS)
        .map_or("", String::as_str);
    PropertySets::parse(text)
        .map_err(|e| LinkError::Option(format!("{}: in its properties: {e}", input.origin)))
}

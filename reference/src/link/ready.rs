//! Device code that needs no device link: SPIR-V modules, and images that are finished.

use offload_formats::device_input::DeviceInput;
use offload_formats::property_set::{PROPERTY_SETS, PropertySets};
use offload_formats::registration::ImageFormat;
use offload_formats::spirv;

use super::LinkError;
use super::images::{Code, ImageMaker, ImageSource};
use crate::wrap::DeviceImage;

/// The images of a SPIR-V module.
pub(super) fn spirv_images(
    maker: &ImageMaker<'_>,
    index: usize,
    input: &DeviceInput,
) -> Result<Vec<DeviceImage>, LinkError> {
    let entries = match entries(input) {
        entries if entries.is_empty() => spirv_kernels(input)?,
        entries => entries,
    };
    maker.images(&ImageSource {
        name: format!("{}_spirv{index}", maker.target.file_name()),
        code: Code::SpirV(&input.bytes),
        entries: &entries,
        properties: &properties(input)?,
    })
}

fn spirv_kernels(input: &DeviceInput) -> Result<Vec<String>, LinkError> {
    let kernels = spirv::kernels(&input.bytes)
        .map_err(|e| LinkError::Option(format!("{}: {e}", input.origin)))?;
    Ok(kernels.into_iter().map(|kernel| kernel.name).collect())
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
fn properties(input: &DeviceInput) -> Result<PropertySets, LinkError> {
    let text = input
        .properties
        .get(PROPERTY_SETS)
        .map_or("", String::as_str);
    PropertySets::parse(text)
        .map_err(|e| LinkError::Option(format!("{}: in its properties: {e}", input.origin)))
}

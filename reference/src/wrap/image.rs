//! One device image as the runtime will see it.

use offload_formats::Bytes;
use offload_formats::property_set::PropertySets;
use offload_formats::registration::ImageFormat;

/// A device image and all that is registered with it.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceImage {
    /// The target as the runtime names it: `spir64`, `spir64_gen`, `spir64_x86_64`,
    /// `spir64_fpga`, `nvptx64`.
    pub target: String,
    /// What the bytes are.
    pub format: ImageFormat,
    /// The image.
    pub bytes: Bytes,
    /// Names of the kernels and exported functions in it.
    pub entries: Vec<String>,
    /// Its property sets.
    pub properties: PropertySets,
    /// Options for the device compiler that builds it.
    pub compile_options: String,
    /// Options for the device linker.
    pub link_options: String,
}

//! Device code that needs no device link: SPIR-V modules, and images that are finished.

use offload_formats::container::{Format, identify};
use offload_formats::device_input::DeviceInput;
use offload_formats::property_set::{
    EXPORTED_SYMBOLS, IMPORTED_SYMBOLS, PROPERTY_SETS, PropertySets, PropertyValue,
};
use offload_formats::registration::ImageFormat;
use offload_formats::spirv::linkage::{self, Linkage};
use offload_formats::targets::Kind;

use crate::link::LinkError;
use crate::link::device_link::spirv_link;
use crate::link::device_link::spirv_link::Part;
use crate::link::images::maker::{Code, ImageMaker, ImageSource};
use crate::link::images::united;
use crate::link::inputs::shared_libraries::Undefined;
use crate::llvm::{self, read, values};
use crate::translate::builtins;
use crate::wrap::DeviceImage;

/// The images of a SPIR-V module, or of several that are linked into one.
pub(in crate::link) fn spirv_images(
    maker: &ImageMaker<'_>,
    part: &Part<'_>,
) -> Result<Vec<DeviceImage>, LinkError> {
    let name = format!("{}_{}", maker.target.file_name(), part.name());
    let linked = part.link(maker, &name)?;
    let mut all = Vec::new();
    for input in part.inputs() {
        let listed = match entries(input) {
            entries if entries.is_empty() => spirv_link::kernels(input)?,
            entries => entries,
        };
        all.extend(listed);
    }
    let mut properties = united::properties(part.inputs(), maker.target)?;
    describe_symbols(maker, &linked, &all, &mut properties)?;
    maker.images(&ImageSource {
        name,
        code: Code::SpirV(&linked),
        entries: &all,
        properties: &properties,
    })
}

/// Says of a SPIR-V module what it needs of other images, and what it gives them.
fn describe_symbols(
    maker: &ImageMaker<'_>,
    spirv: &[u8],
    kernels: &[String],
    properties: &mut PropertySets,
) -> Result<(), LinkError> {
    if maker.target.kind() != Some(Kind::Jit) {
        return Ok(());
    }
    let symbols = linkage::symbols(spirv).map_err(|e| LinkError::Option(e.to_string()))?;
    for symbol in symbols {
        let name = symbol.name;
        let set = match symbol.linkage {
            Linkage::Import if maker.shared.undefined(&name, maker.target) == Undefined::Import => {
                IMPORTED_SYMBOLS
            }
            Linkage::Export | Linkage::LinkOnce
                if builtins::may_be_imported(&name, false) && !kernels.contains(&name) =>
            {
                EXPORTED_SYMBOLS
            }
            _ => continue,
        };
        properties.insert(set, &name, PropertyValue::U32(1));
    }
    Ok(())
}

/// Whether device code defines kernels.
pub(in crate::link) fn has_kernels(input: &DeviceInput) -> Result<bool, LinkError> {
    if identify(&input.bytes) == Format::SpirV {
        return Ok(!spirv_link::kernels(input)?.is_empty());
    }
    let context = llvm::context();
    let module = read::module_lazily(&context, &input.bytes, &input.origin.to_string())?;
    let is_kernel = values::defined_functions(&module)
        .into_iter()
        .any(values::is_kernel);
    Ok(is_kernel)
}

/// An image that is registered as it is.
pub(in crate::link) fn native_image(
    maker: &ImageMaker<'_>,
    input: &DeviceInput,
) -> Result<DeviceImage, LinkError> {
    let properties = properties(input)?;
    maker.finished(
        ImageFormat::Native,
        input.bytes.clone(),
        entries(input),
        properties,
    )
}

/// The symbols that `clang-sycl-linker` writes beside an image.
pub(in crate::link) fn entries(input: &DeviceInput) -> Vec<String> {
    let text = input.properties.get("symbols").map_or("", String::as_str);
    text.lines().map(str::to_owned).collect()
}

/// The property sets that `clang-sycl-linker` writes beside an image.
pub(in crate::link) fn properties(input: &DeviceInput) -> Result<PropertySets, LinkError> {
    let text = input
        .properties
        .get(PROPERTY_SETS)
        .map_or("", String::as_str);
    PropertySets::parse(text)
        .map_err(|e| LinkError::Option(format!("{}: in its properties: {e}", input.origin)))
}

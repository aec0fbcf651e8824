//! Device images out of one target's split modules: filter, translate, compile ahead of time.

use inkwell::OptimizationLevel;
use offload_formats::Bytes;
use offload_formats::property_set::{
    ASSERT_USED, DEVICE_REQUIREMENTS, EXPORTED_SYMBOLS, FALLBACK_LIBRARIES, FILTERED_KERNELS,
    IMPORTED_SYMBOLS, MISC_PROPERTIES, PropertySet, PropertySets, PropertyValue,
};
use offload_formats::registration::ImageFormat;
use offload_formats::targets::Kind;
use rayon::prelude::*;

use crate::aot::AotRequest;
use crate::aspect_filter;
use crate::link::cache::Cache;
use crate::link::fpga::{FpgaInputs, Libraries};
use crate::link::images::variant::{AheadOfTime, Step, Variant};
use crate::link::inputs::shared_libraries::SharedLibraries;
use crate::link::tools::Tools;
use crate::link::trace::Trace;
use crate::link::wishes::Wishes;
use crate::link::{DeviceTarget, LinkError};
use crate::llvm::{self, read};
use crate::translate::{ptx, spirv};
use crate::wrap::DeviceImage;

/// A module that becomes one image a variant.
#[derive(Debug, Clone)]
pub struct ImageSource<'a> {
    /// What messages and kept files call it.
    pub name: String,
    /// Its code.
    pub code: Code<'a>,
    /// Names of the kernels and exported functions in it.
    pub entries: &'a [String],
    /// Its property sets.
    pub properties: &'a PropertySets,
}

/// The code of a module.
#[derive(Debug, Clone, Copy)]
pub enum Code<'a> {
    /// LLVM bitcode.
    Bitcode(&'a [u8]),
    /// SPIR-V: it came so.
    SpirV(&'a [u8]),
}

/// What the images of a target are made with.
pub struct ImageMaker<'a> {
    /// The target.
    pub target: &'a DeviceTarget,
    /// What the line asks for of them.
    pub wishes: &'a Wishes,
    /// The outside tools.
    pub tools: &'a Tools<'a>,
    /// The shared libraries of the link.
    pub shared: &'a SharedLibraries,
    /// FPGA binaries that the link found.
    pub fpga: &'a FpgaInputs,
    /// What to print and keep.
    pub trace: &'a Trace,
    /// Where earlier links left what they made, when that is asked for.
    pub cache: Option<&'a Cache>,
    /// Called when an outside tool gets work, and this process has less to do.
    pub idle: &'a (dyn Fn() + Sync),
}

impl ImageMaker<'_> {
    /// What becomes of FPGA libraries in the link of the target.
    pub(in crate::link) fn aoco(&self) -> Libraries {
        match self.target.kind() {
            Some(Kind::Fpga) => self.fpga.libraries(&self.tools.fpga_options()),
            _ => Libraries::None,
        }
    }

    /// The images that a module becomes, one a variant, in their order.
    ///
    /// # Errors
    /// When a tool is missing or fails over the module.
    pub fn images(&self, module: &ImageSource<'_>) -> Result<Vec<DeviceImage>, LinkError> {
        // Of several failures the first variant's is told, whichever came first.
        let variants = &self.wishes.variants;
        let images: Vec<Result<Vec<DeviceImage>, LinkError>> = variants
            .par_iter()
            .enumerate()
            .map(|(number, variant)| {
                let name = match variants.len() {
                    1 => module.name.clone(),
                    _ => format!("{}.{number}", module.name),
                };
                self.images_of(&name, module, variant)
            })
            .collect();
        let images: Vec<_> = images.into_iter().collect::<Result<_, _>>()?;
        Ok(images.concat())
    }

    fn images_of(
        &self,
        name: &str,
        module: &ImageSource<'_>,
        variant: &Variant,
    ) -> Result<Vec<DeviceImage>, LinkError> {
        let mut properties = module.properties.clone();
        if let Some(reason) = self.left_out(&properties, variant)? {
            self.trace
                .stage(|| format!("module {name}: left out, as {reason}"));
            return Ok(vec![self.placeholder(module, &reason)?]);
        }
        (self.idle)();
        let origin = format!("module {name}");
        let (format, bytes) = match &variant.step {
            Step::Spirv => {
                let spirv = self.spirv(name, &origin, module, variant)?;
                self.add_fallbacks(&mut properties)?;
                (ImageFormat::SpirV, spirv)
            }
            Step::Ptx(arch, words) => {
                return self.nvidia_images(name, module, variant, (arch, words.as_deref()));
            }
            Step::Aot(step, options) => {
                let spirv = self.spirv(name, &origin, module, variant)?;
                let tool = self.tools.aot(*step, self.target)?;
                let (more, files) = match step {
                    AheadOfTime::Fpga => self.fpga.side_files(options),
                    _ => Default::default(),
                };
                let level = properties.get(MISC_PROPERTIES, "optLevel");
                let sub_groups = properties.get(DEVICE_REQUIREMENTS, "reqd_sub_group_size");
                let options = match level.and_then(PropertyValue::as_u32) {
                    Some(0) => tool.for_unoptimized(options.clone(), sub_groups.is_some()),
                    _ => options.clone(),
                };
                let options = [options, more].concat();
                let request = AotRequest {
                    tool: &tool,
                    code: &spirv,
                    input: "module.spv",
                    files: &files,
                    options: &options,
                    origin: &origin,
                    kernels: module.entries,
                };
                self.trace.job(&request.job());
                let image = request.compile()?;
                self.trace.keep(&format!("{name}.bin"), &image)?;
                (ImageFormat::Native, image)
            }
        };
        if format == ImageFormat::Native {
            name_architecture(variant, &mut properties);
        }
        let image = self.finished(format, bytes, module.entries.to_vec(), properties)?;
        Ok(vec![image])
    }

    /// PTX, which any later GPU takes too, and before it the machine code of one architecture, where that
    /// is asked for. What other images are linked with is PTX alone: of machine code nothing is left to
    /// link.
    fn nvidia_images(
        &self,
        name: &str,
        module: &ImageSource<'_>,
        variant: &Variant,
        (arch, words): (&str, Option<&[String]>),
    ) -> Result<Vec<DeviceImage>, LinkError> {
        let origin = format!("module {name}");
        let Code::Bitcode(bitcode) = &module.code else {
            return Err(LinkError::Option(format!(
                "{origin} is SPIR-V, which cannot become PTX for {}",
                self.target
            )));
        };
        self.trace.stage(|| format!("{origin}: PTX for {arch}"));
        let mut properties = module.properties.clone();
        let ptx = self.ptx(&origin, bitcode, arch, &properties)?;
        self.trace.keep(&format!("{name}.s"), &ptx)?;
        name_architecture(variant, &mut properties);
        let exported = properties.set(EXPORTED_SYMBOLS);
        let is_exported = |entry: &&String| exported.is_some_and(|set| set.contains_key(*entry));
        let kernels: Vec<String> = module
            .entries
            .iter()
            .filter(|e| !is_exported(e))
            .cloned()
            .collect();
        let imports = properties.set(IMPORTED_SYMBOLS);
        let is_whole = imports.is_none_or(PropertySet::is_empty) && !kernels.is_empty();
        let ptxas = match words.filter(|_| is_whole) {
            Some(words) => self.tools.ptxas(self.target)?.map(|tool| (tool, words)),
            None => None,
        };
        let mut images = Vec::new();
        if let Some((tool, words)) = ptxas {
            let request = AotRequest {
                tool: &tool,
                code: ptx.strip_suffix(&[0]).unwrap_or(&ptx),
                input: "module.ptx",
                files: &[],
                options: words,
                origin: &origin,
                kernels: &kernels,
            };
            self.trace.job(&request.job());
            let cubin = request.compile()?;
            self.trace.keep(&format!("{name}.cubin"), &cubin)?;
            let mut properties = properties.clone();
            properties.remove(EXPORTED_SYMBOLS);
            let mut image = self.finished(ImageFormat::Native, cubin, kernels, properties)?;
            // Nothing is left to compile.
            image.compile_options.clear();
            image.link_options.clear();
            images.push(image);
        }
        let entries = module.entries.to_vec();
        images.push(self.finished(ImageFormat::Native, ptx, entries, properties)?);
        Ok(images)
    }

    /// An image as it is registered: compressed, when that was asked for and makes it smaller.
    pub(in crate::link) fn finished(
        &self,
        format: ImageFormat,
        bytes: impl Into<Bytes>,
        entries: Vec<String>,
        properties: PropertySets,
    ) -> Result<DeviceImage, LinkError> {
        let run_time = |options: &str| match format {
            ImageFormat::SpirV => options.to_owned(),
            ImageFormat::Native if self.target.kind() == Some(Kind::Nvidia) => options.to_owned(),
            _ => String::new(),
        };
        let bytes = bytes.into();
        let compressed = match self.wishes.compression {
            Some(level) => zstd::encode_all(&*bytes, level)
                .map_err(|e| LinkError::Option(format!("cannot compress an image: {e}")))?,
            None => Vec::new(),
        };
        let smaller = !compressed.is_empty() && compressed.len() < bytes.len();
        Ok(DeviceImage {
            target: self.target.registered_name().to_owned(),
            format: if smaller {
                ImageFormat::Compressed
            } else {
                format
            },
            bytes: if smaller { compressed.into() } else { bytes },
            entries,
            properties,
            compile_options: run_time(&self.wishes.compile_options),
            link_options: run_time(&self.wishes.link_options),
        })
    }

    /// Why the variant's device cannot run the module; `None` when it can, or when nothing is
    /// known of the device.
    fn left_out(
        &self,
        properties: &PropertySets,
        variant: &Variant,
    ) -> Result<Option<String>, LinkError> {
        let Some(device) = variant.device else {
            return Ok(None);
        };
        let Some(entry) = self.tools.device_entry(device.name)? else {
            return Ok(None);
        };
        let unsupported = aspect_filter::unsupported(properties, entry)
            .map_err(|reason| LinkError::Option(reason.to_string()))?;
        Ok(unsupported.map(|what| format!("{} does not support {what}", device.name)))
    }

    /// An image without code that keeps the requirements of a module that was left out, so that
    /// the runtime can say why its kernels are not there.
    fn placeholder(
        &self,
        module: &ImageSource<'_>,
        reason: &str,
    ) -> Result<DeviceImage, LinkError> {
        let mut properties = module.properties.clone();
        for kernel in module.entries {
            let reason = PropertyValue::Bytes(reason.as_bytes().to_vec());
            properties.insert(FILTERED_KERNELS, kernel, reason);
        }
        self.finished(ImageFormat::None, Vec::new(), Vec::new(), properties)
    }

    fn spirv(
        &self,
        name: &str,
        origin: &str,
        module: &ImageSource<'_>,
        variant: &Variant,
    ) -> Result<Vec<u8>, LinkError> {
        let bitcode = match &module.code {
            Code::Bitcode(bitcode) => bitcode,
            Code::SpirV(spirv) => return Ok(spirv.to_vec()),
        };
        let writer = self.tools.spirv_writer(self.target)?;
        let options = variant
            .spirv_options(&self.wishes.spirv)
            .for_module(bitcode);
        match writer.program() {
            Some(_) => self.trace.job(&writer.job(&options)),
            None => {
                let name = writer.name();
                self.trace.stage(|| format!("{origin}: SPIR-V by {name}"));
            }
        }
        let spirv = spirv::translate(writer, bitcode, &options, origin, module.entries)?;
        self.trace.keep(&format!("{name}.spv"), &spirv)?;
        self.trace.dump(name, &spirv)?;
        Ok(spirv)
    }

    /// Puts beside the image what it needs on devices whose compilers do not bring it.
    fn add_fallbacks(&self, properties: &mut PropertySets) -> Result<(), LinkError> {
        if properties.set(ASSERT_USED).is_none() {
            return Ok(());
        }
        if let Some(library) = self
            .tools
            .assert_fallback(self.target, &self.wishes.spirv)?
        {
            let library = PropertyValue::Bytes(library);
            properties.insert(FALLBACK_LIBRARIES, "cl_intel_devicelib_assert", library);
        }
        Ok(())
    }

    fn ptx(
        &self,
        origin: &str,
        bitcode: &[u8],
        arch: &str,
        properties: &PropertySets,
    ) -> Result<Vec<u8>, LinkError> {
        let context = llvm::context();
        let module = read::module(&context, bitcode, origin)?;
        let level = properties.get(MISC_PROPERTIES, "optLevel");
        let level = match level.and_then(PropertyValue::as_u32) {
            Some(0) => OptimizationLevel::None,
            _ => OptimizationLevel::Default,
        };
        Ok(ptx::translate(&module, arch, level, origin)?)
    }
}

/// Says what architecture code is for.
fn name_architecture(variant: &Variant, properties: &mut PropertySets) {
    if let Some(device) = variant.device {
        let name = PropertyValue::Bytes(device.name.as_bytes().to_vec());
        properties.insert(DEVICE_REQUIREMENTS, "compile_target", name);
    }
}

//! What a link needs from outside: compilers, writers, device libraries, the device configuration
//! file. Each is looked up when it is first needed, and an error says which target needed it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use components::{Component, Components, Missing};
use offload_formats::container::{Format, identify, map_file};
use offload_formats::device_config::{DeviceConfig, DeviceEntry};
use offload_formats::device_input::{DeviceInput, Origin};
use offload_formats::offload_binary::ImageKind;
use offload_formats::targets::Kind;
use offload_formats::yaml::YamlError;

use crate::aot::{AotTool, FpgaTool, fpga_tool};
use crate::layout::{Layout, own_tool};
use crate::link::cuda::Cuda;
use crate::link::images::variant::{self, AheadOfTime, Step, Variant};
use crate::link::inputs::collect;
use crate::link::{DeviceTarget, LinkError, WrapperOptions};
use crate::llvm;
use crate::store::KeyParts;
use crate::translate::spirv::NoWriter;
use crate::translate::{self, SpirvOptions, SpirvWriter, WriterChoice};

/// The device library that reports failed assertions where the device compiler does not. Compilers
/// for CPUs do. For SPIR-V it is linked when the program runs, if the device then needs it.
pub const ASSERT_FALLBACK: &str = "libsycl-fallback-cassert.bc";

/// The device library of what work-items compute together, which PTX has no instructions for.
const PTX_GROUPS: &str = "libsycl-groups.bc";

/// The beginnings of variables by which ahead-of-time compilers are told what code to make.
const COMPILERS: [&str; 3] = ["CL_CONFIG_", "IGC_", "VISA_"];

/// The function that [`ASSERT_FALLBACK`] defines.
pub const ASSERT_FAIL: &str = "__devicelib_assert_fail";

/// The outside of a link.
pub struct Tools<'a> {
    options: &'a WrapperOptions,
    components: Components,
    wanted_writer: WriterChoice,
    writer: OnceLock<Result<Box<dyn SpirvWriter>, NoWriter>>,
    devices: OnceLock<Result<DeviceConfig, YamlError>>,
}

/// The device libraries of one target.
#[derive(Debug, Default)]
pub struct DeviceLibraries {
    /// Linked whole.
    pub whole: Vec<DeviceInput>,
    /// Linked as far as they are needed.
    pub lazy: Vec<DeviceInput>,
    /// What would bring CUDA's library of mathematics, where the target has a use for it.
    pub libdevice: Option<Missing>,
}

impl<'a> Tools<'a> {
    /// Looks nothing up yet.
    ///
    /// # Errors
    /// When the index of the components cannot be read, or the environment names an unknown writer.
    pub fn new(options: &'a WrapperOptions) -> Result<Self, LinkError> {
        let components = Components::here()
            .map_err(|e| LinkError::Option(format!("cannot read the index of components: {e}")))?;
        let wanted_writer = options.stages.spirv_writer.or_of_environment();
        let wanted_writer = wanted_writer.map_err(LinkError::Option)?;
        // No installation of anything brings it.
        if wanted_writer == WriterChoice::Internal && !llvm::spirv::is_there() {
            return Err(LinkError::Option(NoWriter::NotInside.to_string()));
        }
        Ok(Tools {
            options,
            components,
            wanted_writer,
            writer: OnceLock::new(),
            devices: OnceLock::new(),
        })
    }

    /// The SPIR-V writer.
    ///
    /// # Errors
    /// When there is none of the kind that was asked for.
    pub fn spirv_writer(&self, target: &DeviceTarget) -> Result<&dyn SpirvWriter, LinkError> {
        let writer = self
            .writer
            .get_or_init(|| translate::spirv::find(self.wanted_writer, &self.components));
        match writer {
            Ok(writer) => Ok(writer.as_ref()),
            Err(NoWriter::Missing(missing)) => Err(missing_tool(target, missing)),
            Err(reason) => Err(LinkError::Option(format!(
                "cannot build the image for {target}: {reason}"
            ))),
        }
    }

    /// Whether modules go to a writer that does itself what is left to do for them.
    #[must_use]
    pub fn writer_finishes(&self, target: &DeviceTarget) -> bool {
        let writer = self.spirv_writer(target);
        writer.is_ok_and(|writer| writer.program().is_none())
    }

    /// A helper that is no compiler.
    ///
    /// # Errors
    /// When it is not there.
    pub fn helper(&self, component: Component) -> Result<PathBuf, LinkError> {
        let found = self.components.find(component);
        let found = found.map_err(|missing| LinkError::Option(missing.to_string()))?;
        Ok(found.path)
    }

    /// The linker of SPIR-V modules.
    ///
    /// # Errors
    /// When it is not there.
    pub fn spirv_linker(&self, target: &DeviceTarget) -> Result<PathBuf, LinkError> {
        let found = self.components.find(Component::SpirvLink);
        found
            .map(|found| found.path)
            .map_err(|missing| missing_tool(target, &missing))
    }

    /// The compiler for FPGA hardware and simulation.
    ///
    /// # Errors
    /// When it is not there.
    pub fn aoc(&self, target: &DeviceTarget) -> Result<AotTool, LinkError> {
        self.aot(AheadOfTime::Fpga, target)
    }

    /// The user's options for the FPGA compiler.
    #[must_use]
    pub fn fpga_options(&self) -> Vec<String> {
        let words = self.options.fpga_tool_arg.iter();
        words.flat_map(|words| words.0.clone()).collect()
    }

    /// An ahead-of-time compiler.
    ///
    /// # Errors
    /// When it is not there.
    pub fn aot(&self, step: AheadOfTime, target: &DeviceTarget) -> Result<AotTool, LinkError> {
        let find = |component| {
            let found = self.components.find(component);
            found.map(|f| f.path).map_err(|m| missing_tool(target, &m))
        };
        let program = match step {
            AheadOfTime::Gpu => find(Component::Ocloc)?,
            AheadOfTime::Cpu | AheadOfTime::FpgaEmulator => own_tool("opencl-aot"),
            AheadOfTime::Fpga => find(Component::Aoc)?,
        };
        Ok(variant::tool(step, program))
    }

    /// The device configuration file that the line names.
    #[must_use]
    pub fn device_config_file(&self) -> Option<&Path> {
        self.options.stages.sycl_device_config_file.as_deref()
    }

    /// What of CUDA there is.
    fn cuda(&self) -> Cuda<'_> {
        Cuda::new(self.options.cuda_path.as_deref(), &self.components)
    }

    /// NVIDIA's assembler, where it is there or options are for it.
    ///
    /// # Errors
    /// When options are for it and it is not there.
    pub fn ptxas(&self, target: &DeviceTarget) -> Result<Option<AotTool>, LinkError> {
        match self.cuda().ptxas() {
            Ok(program) => Ok(Some(AotTool::Ptxas(program))),
            Err(_) if self.options.ptxas_arg.is_empty() => Ok(None),
            Err(missing) => Err(missing_tool(target, &missing)),
        }
    }

    /// What the device configuration file says of an architecture; `None` when it has no entry for
    /// it. Without a file of the command line the installed one counts, or else the shipped one.
    ///
    /// # Errors
    /// When the file cannot be read or is malformed.
    pub fn device_entry(&self, architecture: &str) -> Result<Option<&DeviceEntry>, LinkError> {
        let config = self.devices.get_or_init(|| {
            if let Some(file) = self.device_config_file() {
                return DeviceConfig::read(file);
            }
            match Layout::here().map(|layout| layout.device_config()) {
                Ok(file) if file.is_file() => DeviceConfig::read(&file),
                _ => DeviceConfig::shipped(),
            }
        });
        match config {
            Ok(config) => Ok(config.find(architecture)),
            Err(error) => Err(LinkError::Option(error.to_string())),
        }
    }

    /// The device libraries for a target, out of every container that they may come in.
    ///
    /// # Errors
    /// When one is not there or malformed.
    pub fn device_libraries(&self, target: &DeviceTarget) -> Result<DeviceLibraries, LinkError> {
        let mut libraries = DeviceLibraries::default();
        for library in &self.options.bitcode_library {
            if library.target.starts_with(&target.triple) {
                libraries.whole.extend(read_library(&library.file, target)?);
            }
        }
        let brings_assert = self.compiler_brings_assert(target);
        let names = self.options.sycl_device_libraries.iter();
        for name in names.filter(|name| !(brings_assert && name.as_os_str() == ASSERT_FALLBACK)) {
            libraries
                .lazy
                .extend(read_library(&self.library(name, target)?, target)?);
        }
        if target.kind() == Some(Kind::Nvidia) {
            // No choice of libraries leaves it out: for SPIR-V these are instructions. Elsewhere than
            // among this toolchain's own libraries it need not be.
            if let Ok(file) = self.library(&PTX_GROUPS.into(), target) {
                libraries.lazy.extend(read_library(&file, target)?);
            }
            match self.cuda().libdevice()? {
                Ok(file) => libraries.lazy.extend(read_library(&file, target)?),
                Err(missing) => libraries.libdevice = Some(missing),
            }
        }
        Ok(libraries)
    }

    /// Whether the target's device compiler itself defines [`ASSERT_FAIL`], or may do so when the
    /// program runs. The FPGA emulator takes it from the SYCL runtime, in whose process it runs.
    #[must_use]
    pub fn compiler_brings_assert(&self, target: &DeviceTarget) -> bool {
        match target.kind() {
            Some(Kind::Cpu | Kind::Jit) => true,
            Some(Kind::Fpga) => fpga_tool(&self.fpga_options()) == FpgaTool::Emulator,
            _ => false,
        }
    }

    /// The library that reports failed assertions, as SPIR-V, when the link has it.
    ///
    /// # Errors
    /// When it is not there, malformed, or cannot be translated.
    pub fn assert_fallback(
        &self,
        target: &DeviceTarget,
        options: &SpirvOptions,
    ) -> Result<Option<Vec<u8>>, LinkError> {
        let mut names = self.options.sycl_device_libraries.iter();
        let Some(name) = names.find(|name| name.as_os_str() == ASSERT_FALLBACK) else {
            return Ok(None);
        };
        let library = read_library(&self.library(name, target)?, target)?;
        let writer = self.spirv_writer(target)?;
        let spirv = library.first().map(|library| {
            let origin = library.origin.to_string();
            translate::spirv::translate(writer, &library.bytes, options, &origin, &[])
        });
        Ok(spirv.transpose()?)
    }

    /// The files that options name and that images of a target are made with, when they are made in another
    /// process than the link's: what is linked goes there by other ways, and what lies beside this tool
    /// belongs to it.
    ///
    /// # Errors
    /// When a library is not there.
    pub fn files_of_images(&self, target: &DeviceTarget) -> Result<Vec<PathBuf>, LinkError> {
        let mut files: Vec<PathBuf> = self
            .device_config_file()
            .map(Into::into)
            .into_iter()
            .collect();
        let mut names = self.options.sycl_device_libraries.iter();
        let name = names.find(|name| name.as_os_str() == ASSERT_FALLBACK);
        if let (Some(name), Some(_)) = (name, &self.options.sycl_device_library_location) {
            files.push(self.library(name, target)?);
        }
        Ok(files)
    }

    /// Adds to a key what of the outside decides what becomes of a module: the tools, and what they are told
    /// by other ways than their command lines.
    ///
    /// # Errors
    /// When a tool is not there.
    pub fn versions(
        &self,
        target: &DeviceTarget,
        variants: &[Variant],
        mut parts: KeyParts,
    ) -> Result<KeyParts, LinkError> {
        for variant in variants {
            if let Some(device) = variant.device {
                parts = parts.text(&format!("{:?}", self.device_entry(device.name)?));
            }
            if !matches!(variant.step, Step::Ptx(..)) {
                let writer = self.spirv_writer(target)?;
                parts = parts.text(writer.name());
                // One in this program is of its version, which is in every key.
                if let Some(program) = writer.program() {
                    parts = parts.version(program);
                }
            }
            let tool = match &variant.step {
                Step::Spirv => None,
                Step::Ptx(_, words) => words.as_ref().and(self.ptxas(target)?),
                Step::Aot(step, _) => Some(self.aot(*step, target)?),
            };
            if let Some(tool) = tool {
                parts = parts.version(tool.program());
            }
            if matches!(variant.step, Step::Aot(AheadOfTime::Cpu, _)) {
                let library = self.components.find(Component::OpenClCpu);
                parts = library
                    .iter()
                    .fold(parts, |parts, found| parts.version(&found.path));
                // Without an architecture it compiles for the processor at hand.
                parts = parts.text(&processor());
            }
        }
        let mut names = self.options.sycl_device_libraries.iter();
        if let Some(name) = names.find(|name| name.as_os_str() == ASSERT_FALLBACK) {
            parts = parts.version(&self.library(name, target)?);
        }
        let mut variables: Vec<_> = std::env::vars_os().collect();
        variables.sort_unstable();
        let told = variables.iter().filter(|(name, _)| {
            let name = name.to_string_lossy();
            COMPILERS.iter().any(|known| name.starts_with(known))
        });
        for (name, value) in told {
            let (name, value) = (name.as_encoded_bytes(), value.as_encoded_bytes());
            parts = parts.bytes(name).bytes(value);
        }
        Ok(parts)
    }

    /// A library's file: one for the target alone, in a folder named as its triple, or else one for
    /// every target.
    fn library(&self, name: &PathBuf, target: &DeviceTarget) -> Result<PathBuf, LinkError> {
        let folder = match &self.options.sycl_device_library_location {
            Some(folder) => folder.clone(),
            None => Layout::here().map_or_else(|_| ".".into(), |l| l.device_libraries()),
        };
        let places = [folder.join(&target.triple).join(name), folder.join(name)];
        if let Some(path) = places.into_iter().find(|path| path.is_file()) {
            return Ok(path);
        }
        Err(LinkError::MissingLibrary {
            name: name.clone(),
            folder,
        })
    }
}

/// What the system says of the first processor's instructions.
fn processor() -> String {
    let all = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let is_telling = |line: &&str| line.starts_with("model name") || line.starts_with("flags");
    let telling: Vec<&str> = all.lines().filter(is_telling).take(2).collect();
    telling.join("\n")
}

fn missing_tool(target: &DeviceTarget, missing: &Missing) -> LinkError {
    LinkError::MissingTool {
        target: target.to_string(),
        missing: Box::new(missing.clone()),
    }
}

/// The bitcode in a library that fits a target: bare bitcode fits every one; in a container, that
/// for the target's own triple, or else that for plain SPIR-V.
fn read_library(path: &PathBuf, target: &DeviceTarget) -> Result<Vec<DeviceInput>, LinkError> {
    let bytes = map_file(path).map_err(|reason| LinkError::Read {
        path: path.clone(),
        reason,
    })?;
    let origin = Origin::file(path);
    if llvm::read::is_bitcode(&bytes) {
        return Ok(vec![target.input(bytes, ImageKind::Bitcode, origin)]);
    }
    if identify(&bytes) == Format::Other {
        return Err(LinkError::Read {
            path: path.clone(),
            reason: std::io::Error::other("neither bitcode nor a file that holds device code"),
        });
    }
    let images = collect::extract_bytes(&bytes, &origin)?;
    let of = |triple: &str| -> Vec<DeviceInput> {
        let fits = images
            .iter()
            .filter(|image| same_triple(&image.triple, triple));
        fits.filter(|image| llvm::read::is_bitcode(&image.bytes))
            .cloned()
            .collect()
    };
    let own = of(&target.triple);
    Ok(if own.is_empty() { of("spir64") } else { own })
}

/// Whether triples agree in their architecture, which is all that old containers are sure to name.
fn same_triple(a: &str, b: &str) -> bool {
    a.split('-').next() == b.split('-').next()
}

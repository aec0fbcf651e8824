//! The link of device code alone: `clang-sycl-linker` (`OFF`, "Linking of device objects"). Bitcode
//! in, finished device images out, as OffloadBinaries back to back.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;
use offload_formats::container::{Format, identify, map_file, members};
use offload_formats::device_input::{DeviceInput, Origin};
use offload_formats::offload_binary::{self, ImageKind, OffloadImage, OffloadKind};
use offload_formats::property_set::PROPERTY_SETS;
use offload_formats::registration::ImageFormat;
use offload_formats::symbols;
use offload_formats::targets::{self, Kind};
use offload_formats::{Bytes, TextError};

use super::collect::{Collected, extract_bytes};
use super::fpga::FpgaInputs;
use super::options::Words;
use super::shared_libraries::SharedLibraries;
use super::trace::{self, Trace};
use super::{DeviceTarget, LinkError, WrapperOptions, group, images, pool, tools};
use crate::tool::double_dashed;
use crate::translate::WriterChoice;
use crate::wrap::DeviceImage;

/// Links device bitcode for one target and makes device images of it.
#[derive(Debug, Clone, Parser)]
#[command(name = "clang-sycl-linker", version)]
pub struct SyclLinkOptions {
    /// The device triple.
    #[arg(long)]
    pub triple: String,
    /// The architecture within the triple.
    #[arg(long, default_value = "")]
    pub arch: String,
    /// The images, as OffloadBinaries back to back.
    #[arg(short = 'o', long, value_name = "FILE", default_value = "a.out")]
    pub output: PathBuf,
    /// Device libraries, linked as far as they are needed.
    #[arg(
        long,
        value_name = "FILE,…",
        value_delimiter = ',',
        alias = "sycl-device-libraries"
    )]
    pub device_libs: Vec<PathBuf>,
    /// The folder of the device libraries.
    #[arg(
        long,
        short = 'L',
        value_name = "FOLDER",
        alias = "sycl-device-library-location"
    )]
    pub library_path: Option<PathBuf>,
    /// Options of the post-link stage.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub sycl_post_link_options: Vec<Words>,
    /// Options of the SPIR-V writer.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub llvm_spirv_options: Vec<Words>,
    /// Which SPIR-V writer: translator, backend or auto.
    #[arg(long, value_name = "WRITER", default_value = "auto")]
    pub spirv_writer: WriterChoice,
    /// Options of ocloc, for Intel GPUs.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub ocloc_options: Vec<Words>,
    /// Options of opencl-aot, for the CPU.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub opencl_aot_options: Vec<Words>,
    /// The device configuration file by which modules are filtered before AOT compilation.
    #[arg(long, value_name = "FILE")]
    pub sycl_device_config_file: Option<PathBuf>,
    /// Print the stages; run none of them.
    #[arg(long)]
    pub dry_run: bool,
    /// Keep what every stage gives, beside the output.
    #[arg(long)]
    pub save_temps: bool,
    /// Print every command and stage as it starts.
    #[arg(long, short = 'v')]
    pub verbose: bool,
    /// Device bitcode, archives of it, and anything that holds device images.
    #[arg(required = true)]
    pub inputs: Vec<PathBuf>,
}

impl SyclLinkOptions {
    /// Reads a command line, without the program's name.
    ///
    /// # Errors
    /// When an option is unknown or its value is none; the request for help or the version comes
    /// as an error too, as clap has it.
    pub fn parse_words(words: &[OsString]) -> Result<Self, clap::Error> {
        let name = OsString::from("clang-sycl-linker");
        Self::try_parse_from([name].into_iter().chain(double_dashed(words)))
    }

    /// The target that device images are made for: an architecture that is compiled ahead of time has
    /// a triple of its own, also where the triple given is that of SPIR-V, as upstream's linker takes it.
    ///
    /// # Errors
    /// When there are words for a compiler that makes nothing of this target.
    fn target(&self) -> Result<DeviceTarget, LinkError> {
        let asked = DeviceTarget::new(&self.triple, &self.arch);
        let ahead = [Kind::IntelGpu, Kind::Cpu]
            .into_iter()
            .filter(|_| asked.kind() == Some(Kind::Jit))
            .find_map(|kind| targets::architecture(kind, &self.arch));
        let target = match ahead {
            Some(known) => DeviceTarget::new(known.triple(), known.device),
            None => asked,
        };
        let words = [
            (
                &self.ocloc_options,
                "--ocloc-options",
                Kind::IntelGpu,
                "spir64_gen",
            ),
            (
                &self.opencl_aot_options,
                "--opencl-aot-options",
                Kind::Cpu,
                "spir64_x86_64",
            ),
        ];
        for (given, option, kind, triple) in words {
            if !given.is_empty() && target.kind() != Some(kind) {
                return Err(LinkError::Usage(format!(
                    "'{option}' is not for {target}: name an architecture by '-arch=', or \
                     '-triple={triple}'"
                )));
            }
        }
        Ok(target)
    }

    /// Whether device code in a container is for what is linked, by the words of the command line or by
    /// the target that they mean.
    fn is_meant(&self, own: &DeviceTarget, target: &DeviceTarget) -> bool {
        own.is_same(target) || own.is_same(&DeviceTarget::new(&self.triple, &self.arch))
    }

    /// The same wishes in the wrapper's terms.
    fn as_wrapper(&self) -> Result<WrapperOptions, LinkError> {
        let options = WrapperOptions::parse_words(&[]);
        let mut options = options.map_err(|e| LinkError::Usage(e.to_string()))?;
        options.sycl_device_libraries.clone_from(&self.device_libs);
        options
            .sycl_device_library_location
            .clone_from(&self.library_path);
        options
            .sycl_post_link_options
            .clone_from(&self.sycl_post_link_options);
        options
            .llvm_spirv_options
            .clone_from(&self.llvm_spirv_options);
        options.spirv_writer = self.spirv_writer;
        options.gen_tool_arg.clone_from(&self.ocloc_options);
        options.cpu_tool_arg.clone_from(&self.opencl_aot_options);
        options
            .sycl_device_config_file
            .clone_from(&self.sycl_device_config_file);
        Ok(options)
    }
}

/// Links device code as the options say.
///
/// # Errors
/// When an input is bad, a tool is missing or fails, or the output cannot be written. Nothing is
/// left under the output's name then.
pub fn run(options: &SyclLinkOptions) -> Result<(), LinkError> {
    let target = options.target()?;
    let wrapper = options.as_wrapper()?;
    let groups = group::group(collect(options, &target)?)?.groups;
    let (no_fpga, no_libraries) = (FpgaInputs::default(), SharedLibraries::default());
    let tools = tools::Tools::new(&wrapper)?;
    let inputs = (&*groups, &no_fpga, &no_libraries);
    if options.dry_run {
        return super::plan::print(inputs, &wrapper, &tools, &options.output);
    }
    super::trace::check(&options.output)?;
    let trace = Trace {
        verbose: options.verbose,
        temps: options.save_temps.then(|| options.output.clone()),
        dump: None,
    };
    trace.found(&groups);
    let images =
        pool(wrapper.jobs())?.install(|| images(inputs, &wrapper, &tools, &trace, &|| ()))?;
    let images: Result<Vec<OffloadImage>, LinkError> = images
        .into_iter()
        .map(|image| offload_image(image, &target))
        .collect();
    trace::write(&options.output, &offload_binary::write(&images?))
}

/// The device code of the inputs that is of the target, or of no target in particular.
fn collect(options: &SyclLinkOptions, target: &DeviceTarget) -> Result<Collected, LinkError> {
    let mut collected = Collected::default();
    let mut others = BTreeSet::new();
    for path in &options.inputs {
        let bytes = map_file(path).map_err(|reason| LinkError::Read {
            path: path.clone(),
            reason,
        })?;
        let origin = Origin::file(path);
        if identify(&bytes) != Format::Archive {
            let code = device_code(bytes, origin, (options, target), &mut others)?;
            collected.whole.extend(code);
            continue;
        }
        for member in members(&bytes, &origin)? {
            let code = device_code(member.bytes, member.origin, (options, target), &mut others)?;
            collected.lazy.extend(code);
        }
    }
    if !collected.whole.is_empty() {
        return Ok(collected);
    }
    let mut reason = format!("no input holds device code for {target}");
    if !collected.lazy.is_empty() {
        reason.push_str(" but archives, whose members are linked where an object needs them");
    }
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(ToString::to_string).collect();
        reason.push_str(&format!("; there is code for {}", others.join("; ")));
    }
    Err(LinkError::Option(reason))
}

/// The device code of one file for `target`; targets of other code are added to `others`.
fn device_code(
    bytes: Bytes,
    origin: Origin,
    (options, target): (&SyclLinkOptions, &DeviceTarget),
    others: &mut BTreeSet<DeviceTarget>,
) -> Result<Vec<DeviceInput>, LinkError> {
    let kind = match identify(&bytes) {
        Format::Bitcode => ImageKind::Bitcode,
        Format::SpirV => ImageKind::SpirV,
        _ => {
            let mut fitting = Vec::new();
            for image in extract_bytes(&bytes, &origin)? {
                let own = DeviceTarget::new(&image.triple, &image.arch);
                match options.is_meant(&own, target) {
                    true => fitting.push(DeviceInput {
                        triple: target.triple.clone(),
                        arch: target.arch.clone(),
                        ..image
                    }),
                    false => drop(others.insert(own)),
                }
            }
            return Ok(fitting);
        }
    };
    Ok(vec![target.input(bytes, kind, origin)])
}

/// An image with its symbols and properties beside its target.
pub(super) fn offload_image(
    image: DeviceImage,
    target: &DeviceTarget,
) -> Result<OffloadImage, LinkError> {
    let text = |what: &str, text: Result<String, TextError>| {
        text.map_err(|e| LinkError::Option(format!("{what} of the image for {target}: {e}")))
    };
    let strings = [
        ("triple", target.triple.clone()),
        ("arch", target.arch.clone()),
        (
            "symbols",
            text("the symbols", symbols::to_text(&image.entries))?,
        ),
        (
            PROPERTY_SETS,
            text("the properties", image.properties.to_text())?,
        ),
    ];
    Ok(OffloadImage {
        image_kind: match image.format {
            ImageFormat::SpirV => ImageKind::SpirV,
            ImageFormat::Bitcode => ImageKind::Bitcode,
            ImageFormat::Native if target.kind() == Some(Kind::Nvidia) => ImageKind::Ptx,
            ImageFormat::Native => ImageKind::Object,
            ImageFormat::None | ImageFormat::Compressed => ImageKind::None,
        },
        offload_kind: OffloadKind::Sycl,
        flags: 0,
        strings: strings.map(|(key, value)| (key.to_owned(), value)).into(),
        image: Bytes::from(image.bytes),
    })
}

//! The link of device code alone: `clang-sycl-linker` (`OFF`, "Linking of device objects"). Bitcode
//! in, finished device images out, as OffloadBinaries back to back.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{ArgAction, ArgMatches, CommandFactory as _, FromArgMatches as _, Parser};
use offload_formats::container::{Format, identify, map_file, members};
use offload_formats::device_input::{DeviceInput, Origin};
use offload_formats::offload_binary::{self, ImageKind, OffloadImage, OffloadKind};
use offload_formats::property_set::PROPERTY_SETS;
use offload_formats::registration::ImageFormat;
use offload_formats::symbols;
use offload_formats::targets::{self, Kind};
use offload_formats::{Bytes, TextError, cubin};

use crate::link::fpga::FpgaInputs;
use crate::link::images;
use crate::link::inputs::collect::{Collected, extract_bytes};
use crate::link::inputs::group;
use crate::link::inputs::shared_libraries::SharedLibraries;
use crate::link::line::options::Words;
use crate::link::line::stage_options::StageOptions;
use crate::link::trace::{self, Trace};
use crate::link::{DeviceTarget, LinkError, WrapperOptions, plan, pool, tools};
use crate::llvm;
use crate::tool::double_dashed;
use crate::wrap::DeviceImage;

/// Links device bitcode for one target and makes device images of it.
#[derive(Debug, Clone, Parser)]
#[command(name = "clang-sycl-linker", version)]
pub struct SyclLinkOptions {
    /// The device triple; where it is not given, the one that the inputs are for.
    #[arg(long, default_value = "")]
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
    /// Folders in which device libraries and archives of -l lie.
    #[arg(
        long,
        short = 'L',
        value_name = "FOLDER",
        alias = "sycl-device-library-location"
    )]
    pub library_path: Vec<PathBuf>,
    /// Archives `libNAME.a`, or `:FILE`, in these folders.
    #[arg(long, short = 'l', value_name = "NAME")]
    pub library: Vec<String>,
    /// Link the members of the archives behind this, whether or not something needs them.
    #[arg(long, num_args = 0, action = ArgAction::Append, default_missing_value = "true")]
    pub whole_archive: Vec<bool>,
    /// End that.
    #[arg(long, num_args = 0, action = ArgAction::Append, default_missing_value = "true")]
    pub no_whole_archive: Vec<bool>,
    /// Symbols that are taken out of archives though nothing refers to them.
    #[arg(long, short = 'u', value_name = "SYMBOL")]
    pub undefined: Vec<String>,
    /// How modules are split: translation_unit, kernel or link_unit.
    #[arg(long, value_name = "MODE", value_enum)]
    pub module_split_mode: Option<ModuleSplitMode>,
    /// Options of ocloc, for Intel GPUs.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub ocloc_options: Vec<Words>,
    /// Options of opencl-aot, for the CPU.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub opencl_aot_options: Vec<Words>,
    /// What the stages are told.
    #[command(flatten)]
    pub stages: StageOptions,
    /// Print every command and stage as it starts.
    #[arg(long, short = 'v')]
    pub verbose: bool,
    /// Device bitcode, archives of it, and anything that holds device images.
    pub inputs: Vec<PathBuf>,
    /// The inputs with those that -l names, in their order, and whether archives are linked whole.
    #[arg(skip)]
    ordered: Vec<(Named, bool)>,
}

/// How device code is split, by the names that upstream's linker has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum ModuleSplitMode {
    /// An image a translation unit.
    TranslationUnit,
    /// An image a kernel.
    Kernel,
    /// One image of all that is linked, as far as optional features allow.
    LinkUnit,
}

impl ModuleSplitMode {
    /// The word of the post-link stage that says so.
    fn post_link_word(self) -> &'static str {
        match self {
            ModuleSplitMode::TranslationUnit => "-split=source",
            ModuleSplitMode::Kernel => "-split=kernel",
            ModuleSplitMode::LinkUnit => "-split=none",
        }
    }
}

/// An input as the command line names it.
#[derive(Debug, Clone)]
enum Named {
    File(PathBuf),
    Library(String),
}

impl SyclLinkOptions {
    /// Reads a command line, without the program's name.
    ///
    /// # Errors
    /// When an option is unknown or its value is none; the request for help or the version comes
    /// as an error too, as clap has it.
    pub fn parse_words(words: &[OsString]) -> Result<Self, clap::Error> {
        let name = OsString::from("clang-sycl-linker");
        let command = Self::command();
        let words = words.iter().flat_map(|word| separated(&command, word));
        let words = [name].into_iter().chain(double_dashed(words));
        let matches = command.clone().try_get_matches_from(words)?;
        let mut options = Self::from_arg_matches(&matches)?;
        options.ordered = options.in_order(&matches);
        if options.ordered.is_empty() {
            let reason =
                "no inputs: name device bitcode, archives of it, or what holds device images\n";
            return Err(clap::Error::raw(ErrorKind::MissingRequiredArgument, reason));
        }
        Ok(options)
    }

    fn in_order(&self, matches: &ArgMatches) -> Vec<(Named, bool)> {
        let places = |id: &str| matches.indices_of(id).into_iter().flatten();
        let states = places("whole_archive").map(|place| (place, true));
        let states = states.chain(places("no_whole_archive").map(|place| (place, false)));
        let mut states: Vec<(usize, bool)> = states.collect();
        states.sort_unstable();
        let is_whole = |place: usize| {
            let before = states.iter().rev().find(|(at, _)| *at < place);
            before.is_some_and(|(_, whole)| *whole)
        };
        let files = self.inputs.iter().cloned().map(Named::File);
        let libraries = self.library.iter().cloned().map(Named::Library);
        let files = places("inputs").zip(files);
        let mut named: Vec<_> = files.chain(places("library").zip(libraries)).collect();
        named.sort_by_key(|(place, _)| *place);
        let named = named.into_iter();
        named
            .map(|(place, named)| (named, is_whole(place)))
            .collect()
    }

    /// The inputs as files, and whether archives are linked whole.
    fn files(&self) -> Result<Vec<(PathBuf, bool)>, LinkError> {
        let mut files = Vec::with_capacity(self.ordered.len());
        for (named, whole) in &self.ordered {
            let path = match named {
                Named::File(path) => path.clone(),
                Named::Library(name) => self.library(name)?,
            };
            files.push((path, *whole));
        }
        Ok(files)
    }

    fn library(&self, name: &str) -> Result<PathBuf, LinkError> {
        let file = match name.strip_prefix(':') {
            Some(file) => file.to_owned(),
            None => format!("lib{name}.a"),
        };
        let mut places = self.library_path.iter().map(|folder| folder.join(&file));
        places.find(|path| path.is_file()).ok_or_else(|| {
            let folders = self.library_path.iter();
            let folders: Vec<_> = folders.map(|f| format!("'{}'", f.display())).collect();
            let looked = match folders.as_slice() {
                [] => "no folder: '-L' names those to look into".to_owned(),
                folders => folders.join(", "),
            };
            LinkError::Option(format!("'-l{name}': there is no '{file}' in {looked}"))
        })
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

    /// A device library in whichever folder but the first has it; there it is looked for by its target
    /// too.
    fn device_library(&self, name: &Path) -> PathBuf {
        let others = self.library_path.iter().skip(1);
        let is_in_first = || {
            self.library_path
                .iter()
                .take(1)
                .any(|folder| folder.join(name).is_file())
        };
        let found = others
            .map(|folder| folder.join(name))
            .find(|path| path.is_file());
        found
            .filter(|_| !is_in_first())
            .and_then(|path| std::path::absolute(path).ok())
            .unwrap_or_else(|| name.to_owned())
    }

    /// The same wishes in the wrapper's terms.
    fn as_wrapper(&self) -> Result<WrapperOptions, LinkError> {
        let options = WrapperOptions::parse_words(&[]);
        let mut options = options.map_err(|e| LinkError::Usage(e.to_string()))?;
        options.sycl_device_libraries = self
            .device_libs
            .iter()
            .map(|l| self.device_library(l))
            .collect();
        options.sycl_device_library_location = self.library_path.first().cloned();
        options.stages.clone_from(&self.stages);
        if let Some(mode) = self.module_split_mode {
            let word = mode.post_link_word().to_owned();
            options
                .stages
                .sycl_post_link_options
                .push(Words(vec![word]));
        }
        options.gen_tool_arg.clone_from(&self.ocloc_options);
        options.cpu_tool_arg.clone_from(&self.opencl_aot_options);
        Ok(options)
    }
}

/// A word with an option of one letter and its value (`-Lfolder`) as two.
fn separated(command: &clap::Command, word: &OsStr) -> Vec<OsString> {
    let whole = || vec![word.to_owned()];
    let Some((option, value)) = word.to_str().and_then(|text| text.split_at_checked(2)) else {
        return whole();
    };
    if !matches!(option, "-L" | "-l" | "-u") || value.is_empty() || value.starts_with('=') {
        return whole();
    }
    let name = word.to_str().unwrap_or_default().trim_start_matches('-');
    let name = name.split('=').next().unwrap_or(name);
    let is_long = command.get_arguments().any(|known| {
        known.get_long() == Some(name) || known.get_all_aliases().is_some_and(|l| l.contains(&name))
    });
    match is_long {
        true => whole(),
        false => vec![option.into(), value.into()],
    }
}

/// Links device code as the options say.
///
/// # Errors
/// When an input is bad, a tool is missing or fails, or the output cannot be written. Nothing is
/// left under the output's name then.
pub fn run(options: &SyclLinkOptions) -> Result<(), LinkError> {
    let inputs = read(options)?;
    let options = &with_triple(options, &inputs)?;
    let target = options.target()?;
    let wrapper = options.as_wrapper()?;
    let groups = group::group(collect(options, &target, inputs)?)?.groups;
    let (no_fpga, no_libraries) = (FpgaInputs::default(), SharedLibraries::default());
    let tools = tools::Tools::new(&wrapper)?;
    let inputs = (&*groups, &no_fpga, &no_libraries);
    if options.stages.dry_run {
        return plan::print(inputs, &wrapper, &tools, &options.output);
    }
    trace::check(&options.output)?;
    let trace = Trace {
        verbose: options.verbose,
        temps: options.stages.save_temps.then(|| options.output.clone()),
        dump: None,
    };
    trace.found(&groups);
    let around = (&tools, &trace, None);
    let images = pool(wrapper.jobs())?.install(|| images(inputs, &wrapper, around, &|| ()))?;
    let images: Result<Vec<OffloadImage>, LinkError> = images
        .into_iter()
        .map(|image| offload_image(image, &target))
        .collect();
    trace::write(&options.output, &offload_binary::write(&images?))
}

/// An input: a file, or a member of an archive.
struct Input {
    bytes: Bytes,
    origin: Origin,
    /// It is linked only where something needs it.
    lazy: bool,
}

fn read(options: &SyclLinkOptions) -> Result<Vec<Input>, LinkError> {
    let mut inputs = Vec::new();
    for (path, whole) in options.files()? {
        let bytes = map_file(&path).map_err(|reason| LinkError::Read {
            path: path.clone(),
            reason,
        })?;
        let origin = Origin::file(&path);
        if identify(&bytes) != Format::Archive {
            inputs.push(Input {
                bytes,
                origin,
                lazy: false,
            });
            continue;
        }
        inputs.extend(members(&bytes, &origin)?.into_iter().map(|member| Input {
            bytes: member.bytes,
            origin: member.origin,
            lazy: !whole,
        }));
    }
    Ok(inputs)
}

/// The options with the triple that all inputs are for, where they name none.
///
/// # Errors
/// When the inputs are for several, or do not say.
fn with_triple(options: &SyclLinkOptions, inputs: &[Input]) -> Result<SyclLinkOptions, LinkError> {
    let mut options = options.clone();
    if !options.triple.is_empty() {
        return Ok(options);
    }
    // Each with the first input that is for it.
    let mut found: BTreeMap<DeviceTarget, String> = BTreeMap::new();
    for input in inputs {
        let targets = match identify(&input.bytes) {
            Format::Bitcode => {
                let triple = llvm::read::triple(&input.bytes).filter(|triple| !triple.is_empty());
                Vec::from_iter(triple.map(|triple| DeviceTarget::new(&triple, "")))
            }
            Format::SpirV => vec![DeviceTarget::new("spir64", "")],
            _ => {
                let images = extract_bytes(&input.bytes, &input.origin)?;
                let sycl = images.iter().filter(|i| i.kind == OffloadKind::Sycl);
                let targets = sycl.map(|image| DeviceTarget::new(&image.triple, &image.arch));
                targets.collect()
            }
        };
        for target in targets {
            found
                .entry(target)
                .or_insert_with(|| input.origin.to_string());
        }
    }
    let mut targets = found.keys();
    match (targets.next(), targets.next()) {
        (Some(target), None) => {
            options.triple.clone_from(&target.triple);
            if options.arch.is_empty() {
                options.arch.clone_from(&target.arch);
            }
            Ok(options)
        }
        (None, _) => Err(LinkError::Usage(
            "no input says which target it is for: name it by '-triple='".to_owned(),
        )),
        _ => {
            let targets = found
                .iter()
                .map(|(target, place)| format!("{place}: {target}"));
            let targets: Vec<String> = targets.collect();
            Err(LinkError::Usage(format!(
                "the inputs are for several targets ({}): name one by '-triple='",
                targets.join("; ")
            )))
        }
    }
}

/// The device code of the inputs that is of the target, or of no target in particular.
fn collect(
    options: &SyclLinkOptions,
    target: &DeviceTarget,
    inputs: Vec<Input>,
) -> Result<Collected, LinkError> {
    let mut collected = Collected::default();
    let mut others = BTreeSet::new();
    for input in inputs {
        let code = device_code(input.bytes, input.origin, (options, target), &mut others)?;
        let list = match input.lazy {
            true => &mut collected.lazy,
            false => &mut collected.whole,
        };
        list.extend(code);
    }
    for symbol in &options.undefined {
        // As host linkers do, nothing is said of a symbol that no archive has.
        let defines = |input: &DeviceInput| {
            let symbols = llvm::read::definitions(&input.bytes).unwrap_or_default();
            symbols.iter().any(|known| known == symbol)
        };
        if !collected.whole.iter().any(defines)
            && let Some(place) = collected.lazy.iter().position(defines)
        {
            collected.whole.push(collected.lazy.remove(place));
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
            ImageFormat::Native if cubin::is_cubin(&image.bytes) => ImageKind::Cubin,
            ImageFormat::Native if target.kind() == Some(Kind::Nvidia) => ImageKind::Ptx,
            ImageFormat::Native => ImageKind::Object,
            ImageFormat::None | ImageFormat::Compressed => ImageKind::None,
        },
        offload_kind: OffloadKind::Sycl,
        flags: 0,
        strings: strings.map(|(key, value)| (key.to_owned(), value)).into(),
        image: image.bytes,
    })
}

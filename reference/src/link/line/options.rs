//! The wrapper's command line: its own options, then the words of the host linker.

use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser as _};
use clap::{CommandFactory as _, FromArgMatches as _, Parser};

use offload_formats::targets::{self, Kind, Target, UnknownTarget};

use crate::frontend::diagnostics::Treatment;
use crate::link::line::device_words::{DeviceWords, as_tool_words, words_for};
use crate::link::line::stage_options::StageOptions;
use crate::link::line::thin_options::{self, ThinLtoOptions};
use crate::link::{DeviceTarget, LinkError};
use crate::translate::SpirvOptions;

/// More jobs than this are not run at once, whatever the line says: threads that find nothing to do
/// take their time from the others.
pub const MOST_JOBS: usize = 256;

/// How hard images may be compressed, as zstd counts.
pub const COMPRESSION_LEVELS: RangeInclusive<i64> = -131_072..=22;

/// What kind of FPGA archive is made instead of a program (`-fsycl-link=`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum FpgaLinkType {
    /// An archive that holds AOCR, for a later link.
    Early,
    /// An archive that holds AOCX, the finished image.
    Image,
}

/// Wraps the host linker: takes the device code out of its inputs, links it, and links the
/// resulting images into the program.
///
/// Options begin with one dash or two. Words before `--` that are no option of the wrapper go to
/// the host linker when there is no `--`, and are an error when there is one.
#[derive(Debug, Clone, Parser)]
#[command(name = "clang-linker-wrapper", version, next_line_help = false)]
#[command(override_usage = "clang-linker-wrapper [wrapper options] -- <linker options>")]
pub struct WrapperOptions {
    /// The host triple that the wrapped images are emitted for.
    #[arg(long, value_name = "TRIPLE")]
    pub host_triple: Option<String>,
    /// The host linker, or a compiler driver that links.
    #[arg(long, value_name = "PATH", default_value = "ld")]
    pub linker_path: PathBuf,
    /// What the stages are told.
    #[command(flatten)]
    pub stages: StageOptions,
    /// Print the module that registers the images.
    #[arg(long)]
    pub print_wrapped_module: bool,
    /// Print every command and stage as it starts.
    #[arg(long, short = 'v', alias = "wrapper-verbose")]
    pub verbose: bool,
    /// Device libraries, linked as far as they are needed.
    #[arg(long, value_name = "FILE,…", value_delimiter = ',', value_parser = OsStringValueParser::new().map(PathBuf::from))]
    pub sycl_device_libraries: Vec<PathBuf>,
    /// The folder of the device libraries.
    #[arg(long, value_name = "FOLDER")]
    pub sycl_device_library_location: Option<PathBuf>,
    /// A device library that is linked whole: KIND-TRIPLE[-ARCH]=FILE.
    #[arg(long, value_name = "TARGET=FILE")]
    pub bitcode_library: Vec<BitcodeLibrary>,
    /// One ocloc call with these options, or `ARCH OPTIONS` for one architecture.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    #[arg(alias = "gpu-tool-arg")]
    pub gen_tool_arg: Vec<Words>,
    /// Options of opencl-aot for the CPU, or `ARCH OPTIONS` for one architecture.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub cpu_tool_arg: Vec<Words>,
    /// Options of aoc, or of opencl-aot for the emulator.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub fpga_tool_arg: Vec<Words>,
    /// [KIND:][TRIPLE[-ARCH]=]OPTIONS: options of the compiler of the target's device code: ocloc,
    /// opencl-aot or aoc, or the one that compiles when the program runs.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub device_compiler: Vec<DeviceWords>,
    /// The same for the device linker, which for ahead-of-time targets is their compiler.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub device_linker: Vec<DeviceWords>,
    /// The same for the post-link stage.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub device_post_link: Vec<DeviceWords>,
    /// The same for the SPIR-V writer.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub device_spirv_writer: Vec<DeviceWords>,
    /// Take device code that inputs hold for this target as being for the one that is expected.
    #[arg(long, value_name = "TARGET", value_parser = known_target)]
    pub sycl_force_target: Option<&'static Target>,
    /// Write the SPIR-V modules into this folder too.
    #[arg(long, value_name = "FOLDER")]
    pub sycl_dump_device_code: Option<PathBuf>,
    /// Link a shared library, as the host linker is told too.
    #[arg(long)]
    pub shared: bool,
    /// Make an FPGA archive instead of a program.
    #[arg(long, value_name = "TYPE", value_enum, alias = "fpga-link")]
    pub fpga_link_type: Option<FpgaLinkType>,
    /// How many split modules are worked on at once.
    #[arg(long, value_name = "N")]
    pub parallel_link_sycl: Option<NonZeroUsize>,
    /// How many jobs run at once; all cores when not given.
    #[arg(long, value_name = "N")]
    pub wrapper_jobs: Option<NonZeroUsize>,
    /// Options with which the runtime compiles SPIR-V images.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    #[arg(default_value = "")]
    pub sycl_backend_compile_options: String,
    /// Options with which the runtime links SPIR-V images.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    #[arg(default_value = "")]
    pub sycl_target_link_options: String,
    /// The CUDA installation whose libdevice serves PTX, instead of one in its usual places; an
    /// empty name for none.
    #[arg(long, value_name = "FOLDER", value_parser = any_path)]
    pub cuda_path: Option<PathBuf>,
    /// A word for ptxas, which makes machine code for the targets that name an architecture of NVIDIA's.
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    pub ptxas_arg: Vec<String>,
    /// Targets that the link should have device code for: a warning names those that no input has.
    /// Without a word of FPGA, archives are not looked into for its binaries.
    #[arg(long, value_name = "TARGET,…", value_delimiter = ',', value_parser = known_target)]
    pub sycl_expected_targets: Vec<&'static Target>,
    /// What that warning becomes.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub sycl_target_warning: Treatment,
    /// Link device code as ThinLTO: every module becomes images of its own and imports from the
    /// others what it lacks.
    #[arg(long)]
    pub sycl_thin_lto: bool,
    /// What a ThinLTO link keeps, and leaves to other processes.
    #[command(flatten)]
    pub thinlto: ThinLtoOptions,
    /// Leave device functions that no input defines, and no shared library exports, to images of
    /// binaries that are loaded when the program runs.
    #[arg(long)]
    pub sycl_allow_device_image_dependencies: bool,
    /// Compress the images with zstd.
    #[arg(long, alias = "offload-compress")]
    pub compress: bool,
    /// The zstd level, from -131072 to 22.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        value_parser = clap::value_parser!(i32).range(COMPRESSION_LEVELS)
    )]
    pub compression_level: i32,
    /// The host linker's words.
    #[arg(last = true, value_name = "LINKER OPTIONS")]
    pub linker: Vec<OsString>,
}

/// The target of a name.
fn known_target(name: &str) -> Result<&'static Target, UnknownTarget> {
    targets::find(name).ok_or_else(|| UnknownTarget {
        name: name.to_owned(),
    })
}

/// A path that may be empty, which clap's own reader refuses.
fn any_path(text: &str) -> Result<PathBuf, std::convert::Infallible> {
    Ok(text.into())
}

/// Options that arrive as one word and are split as a shell would.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words(pub Vec<String>);

impl std::str::FromStr for Words {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        shlex::split(text)
            .map(Words)
            .ok_or_else(|| format!("a quote does not end in '{text}'"))
    }
}

/// A device library that is linked whole, for one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitcodeLibrary {
    /// The triple, and the architecture after another dash where there is one.
    pub target: String,
    /// The library.
    pub file: PathBuf,
}

impl std::str::FromStr for BitcodeLibrary {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (target, file) = text.split_once('=').ok_or("TARGET=FILE is needed")?;
        let target = target
            .strip_prefix("sycl-")
            .ok_or_else(|| format!("'{target}' is not of kind sycl"))?;
        Ok(BitcodeLibrary {
            target: target.to_owned(),
            file: file.into(),
        })
    }
}

impl WrapperOptions {
    /// Reads a command line, without the program's name.
    ///
    /// # Errors
    /// When an option is unknown or its value is none; the request for help or the version comes
    /// as an error too, as clap has it.
    pub fn parse_words(words: &[OsString]) -> Result<Self, clap::Error> {
        let command = Self::command();
        let mut own = vec![OsString::from("clang-linker-wrapper")];
        let mut image_words = Vec::new();
        let mut linker = Vec::new();
        let separated = words.iter().any(|w| w == "--");
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            match own_option(&command, word) {
                Some((option, takes_next)) => {
                    let value = takes_next.then(|| rest.next().cloned()).flatten();
                    image_words.extend(thin_options::image_word(&option, value.as_deref()));
                    own.push(option);
                    own.extend(value);
                }
                None if word == "--" => linker.extend(rest.by_ref().cloned()),
                None if separated => own.push(word.clone()),
                None if is_mistyped(word) => own.extend(crate::tool::double_dashed([word])),
                None => linker.push(word.clone()),
            }
        }
        let mut options = Self::from_arg_matches(&command.try_get_matches_from(own)?)?;
        if options.shared {
            linker.insert(0, "-shared".into());
        }
        options.linker = linker;
        options.thinlto.image_words = image_words;
        options.hand_out_device_words();
        // An empty list has one empty name.
        let libraries = &mut options.sycl_device_libraries;
        libraries.retain(|name| !name.as_os_str().is_empty());
        Ok(options)
    }

    /// Gives the words for the tools of ahead-of-time targets to the options that these tools have.
    fn hand_out_device_words(&mut self) {
        let given = self.device_compiler.iter().chain(&self.device_linker);
        let tools = [
            (Kind::IntelGpu, &mut self.gen_tool_arg),
            (Kind::Cpu, &mut self.cpu_tool_arg),
            (Kind::Fpga, &mut self.fpga_tool_arg),
        ];
        for (kind, tool) in tools {
            tool.extend(given.clone().filter_map(|words| as_tool_words(words, kind)));
        }
    }

    /// The options of the SPIR-V writer for a target, read.
    ///
    /// # Errors
    /// When one is no option of a writer.
    pub fn spirv_options(&self, target: &DeviceTarget) -> Result<SpirvOptions, LinkError> {
        let mut options = SpirvOptions::default();
        let shared = self
            .stages
            .llvm_spirv_options
            .iter()
            .flat_map(|words| &words.0);
        let words = shared.chain(words_for(&self.device_spirv_writer, target));
        options
            .add(words.map(String::as_str))
            .map_err(|e| LinkError::Usage(e.to_string()))?;
        Ok(options)
    }

    /// The options of the post-link stage for a target.
    #[must_use]
    pub fn post_link_words(&self, target: &DeviceTarget) -> Vec<Words> {
        let own: Vec<String> = words_for(&self.device_post_link, target).cloned().collect();
        let own = Some(Words(own)).filter(|words| !words.0.is_empty());
        self.stages
            .sycl_post_link_options
            .iter()
            .cloned()
            .chain(own)
            .collect()
    }

    /// What the images of a target are compiled with when the program runs. Ahead of time nothing of
    /// it is left to do.
    #[must_use]
    pub fn run_time_compile_words(&self, target: &DeviceTarget) -> String {
        run_time(
            target,
            &self.sycl_backend_compile_options,
            &self.device_compiler,
        )
    }

    /// The words of NVIDIA's assembler for a target: the words for the compiler and the linker of its device
    /// code are such, too.
    #[must_use]
    pub fn ptxas_words(&self, target: &DeviceTarget, arch: &str) -> Vec<String> {
        let given = words_for(&self.device_compiler, target);
        let given = given.chain(words_for(&self.device_linker, target));
        let words = given.chain(&self.ptxas_arg).cloned();
        std::iter::once(format!("-arch={arch}"))
            .chain(words)
            .collect()
    }

    /// What the images of a target are linked with when the program runs.
    #[must_use]
    pub fn run_time_link_words(&self, target: &DeviceTarget) -> String {
        run_time(target, &self.sycl_target_link_options, &self.device_linker)
    }

    /// Whether the line has a word of FPGAs.
    #[must_use]
    pub fn names_fpga(&self) -> bool {
        let mut expected = self.sycl_expected_targets.iter();
        !self.fpga_tool_arg.is_empty()
            || self.fpga_link_type.is_some()
            || expected.any(|target| target.kind == Kind::Fpga)
    }

    /// How many jobs run at once, at most [`MOST_JOBS`].
    #[must_use]
    pub fn jobs(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let jobs = self.parallel_link_sycl.or(self.wrapper_jobs);
        jobs.map_or_else(cores, NonZeroUsize::get).min(MOST_JOBS)
    }
}

/// The options for SPIR-V, or none for PTX, and those for the target's own tool.
fn run_time(target: &DeviceTarget, for_spirv: &str, given: &[DeviceWords]) -> String {
    let shared = match target.kind() {
        Some(Kind::Jit) => for_spirv.trim(),
        Some(Kind::Nvidia) => "",
        _ => return String::new(),
    };
    let shared = Some(shared.to_owned()).filter(|words| !words.is_empty());
    let own = words_for(given, target).cloned();
    shared.into_iter().chain(own).collect::<Vec<_>>().join(" ")
}

/// The wrapper's option that `word` is, with two dashes, and whether its value is the next word.
fn own_option(command: &clap::Command, word: &OsStr) -> Option<(OsString, bool)> {
    let text = word.to_str()?;
    if text == "-v" || text == "-h" {
        return Some((word.to_owned(), false));
    }
    let bare = text.strip_prefix("--").or_else(|| text.strip_prefix('-'))?;
    let name = bare.split('=').next().unwrap_or(bare);
    let option = command.get_arguments().find(|a| {
        a.get_long() == Some(name) || a.get_all_aliases().is_some_and(|l| l.contains(&name))
    });
    if name == "help" || name == "version" {
        return Some((format!("--{bare}").into(), false));
    }
    let takes_value = option?.get_action().takes_values();
    Some((format!("--{bare}").into(), takes_value && name == bare))
}

/// How names of the wrapper's options begin, and of upstream's that this one has not, and of no host
/// linker's.
const OWN_BEGINNINGS: &[&str] = &[
    "clang-backend",
    "cpu-tool",
    "device-compiler",
    "device-linker",
    "device-post-link",
    "device-spirv",
    "fpga-",
    "gen-tool",
    "gpu-tool",
    "host-triple",
    "linker-path",
    "llvm-spirv",
    "offload-opt",
    "override=",
    "parallel-link-",
    "spirv-writer",
    "sycl-",
    "thinlto-",
    "wrapper-",
];

/// Whether a word that is no option can only have been meant as one of the wrapper's.
fn is_mistyped(word: &OsStr) -> bool {
    let text = word.to_str().unwrap_or_default();
    let name = text.strip_prefix("--").or_else(|| text.strip_prefix('-'));
    name.is_some_and(|name| OWN_BEGINNINGS.iter().any(|known| name.starts_with(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<WrapperOptions, clap::Error> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        WrapperOptions::parse_words(&words)
    }

    #[test]
    fn options_of_the_documents_tables_are_read_with_one_dash_or_two() {
        let options = parse(&[
            "-host-triple=x86_64-unknown-linux-gnu",
            "--linker-path",
            "/usr/bin/ld",
            "--sycl-device-libraries=a.bc,b.bc",
            "--sycl-device-library-location=/lib/d",
            "--gen-tool-arg=-device pvc -options '-a -b'",
            "--gen-tool-arg=skl -x",
            "-wrapper-jobs=3",
            "--fpga-link-type=early",
            "--",
            "-o",
            "a.out",
            "--dry-run",
        ])
        .unwrap();
        assert_eq!(
            options.host_triple.as_deref(),
            Some("x86_64-unknown-linux-gnu")
        );
        assert_eq!(options.linker_path, PathBuf::from("/usr/bin/ld"));
        assert_eq!(options.sycl_device_libraries.len(), 2);
        let calls: Vec<_> = options.gen_tool_arg.iter().map(|w| w.0.len()).collect();
        assert_eq!(calls, [4, 2]);
        assert_eq!(options.jobs(), 3);
        assert_eq!(options.fpga_link_type, Some(FpgaLinkType::Early));
        assert!(!options.stages.dry_run, "what follows -- is the linker's");
        assert_eq!(options.linker, ["-o", "a.out", "--dry-run"]);
    }

    #[test]
    fn no_line_asks_for_threads_without_end() {
        let options = parse(&["--parallel-link-sycl=100000", "--", "a.o"]).unwrap();
        assert_eq!(options.jobs(), MOST_JOBS);
    }

    #[test]
    fn without_the_separator_other_words_are_the_linkers() {
        let options = parse(&["a.o", "--dry-run", "-o", "a.out"]).unwrap();
        assert!(options.stages.dry_run);
        assert_eq!(options.linker, ["a.o", "-o", "a.out"]);
    }

    #[test]
    fn a_wrong_option_before_the_separator_is_an_error() {
        for word in [
            "--no-such-option",
            "--fpga-link-type=late",
            "--wrapper-jobs=0",
            "stray.o",
        ] {
            assert!(parse(&[word, "--", "a.o"]).is_err(), "{word}");
        }
    }
}

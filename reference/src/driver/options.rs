//! The typed command line: what the driver acts upon, and the words that go to clang as they are.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::clang_words::CLANG_SEPARATE;
use super::device_libraries::DeviceLibraries;
use super::help::ToolHelp;
use super::implied::Implied;
use super::option_table::{OPTIONS, SHARED, Shape, Spec, refused, without_effect};
pub use super::options_error::{OptionsError, Taken};
use super::phases::PlanForm;
use super::save_temps::SaveTemps;
use super::target_words::TargetWords;

/// Where the compilation stops. Of several that are asked for, the earliest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Phase {
    /// `-E`, `-M`, `-MM`: preprocessed text or dependencies.
    Preprocess,
    /// `-fsyntax-only`: diagnostics.
    Syntax,
    /// `-S`: assembly, or textual IR with `-emit-llvm`.
    Assembly,
    /// `-c`: objects, or bitcode with `-emit-llvm`.
    Object,
    /// An executable or a shared library.
    #[default]
    Link,
}

/// How kernels share device images (`-fsycl-device-code-split=`, FEAT "Must preserve ability to
/// precisely control device images").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeSplit {
    /// An image a kernel.
    PerKernel,
    /// An image a translation unit.
    PerSource,
    /// No more images than correctness needs.
    Off,
    /// The toolchain's choice.
    Auto,
}

impl CodeSplit {
    /// The value that `sycl-post-link -split=` takes for it.
    #[must_use]
    pub fn post_link_value(self) -> &'static str {
        match self {
            CodeSplit::PerKernel => "kernel",
            CodeSplit::PerSource => "source",
            CodeSplit::Off => "none",
            CodeSplit::Auto => "auto",
        }
    }
}

impl FromStr for CodeSplit {
    type Err = OptionsError;

    fn from_str(text: &str) -> Result<Self, OptionsError> {
        match text {
            "per_kernel" => Ok(CodeSplit::PerKernel),
            "per_source" => Ok(CodeSplit::PerSource),
            "off" => Ok(CodeSplit::Off),
            "auto" => Ok(CodeSplit::Auto),
            _ => Err(OptionsError::value(
                "-fsycl-device-code-split=",
                text,
                "per_kernel, per_source, off or auto",
            )),
        }
    }
}

/// Which FPGA archive a link ends with (`-fsycl-link=`, MODEL "spir64_fpga support").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FpgaLink {
    /// An archive with an AOCR image.
    Early,
    /// An archive with an AOCX image.
    Image,
}

impl FpgaLink {
    /// The value of the wrapper's `--fpga-link-type=`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FpgaLink::Early => "early",
            FpgaLink::Image => "image",
        }
    }
}

impl FromStr for FpgaLink {
    type Err = OptionsError;

    fn from_str(text: &str) -> Result<Self, OptionsError> {
        match text {
            "early" => Ok(FpgaLink::Early),
            "image" => Ok(FpgaLink::Image),
            _ => Err(OptionsError::value("-fsycl-link=", text, "early or image")),
        }
    }
}

/// Which halves of a SYCL source are compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    /// Device and host.
    #[default]
    Both,
    /// `-fsycl-device-only`.
    Device,
    /// `-fsycl-host-only`.
    Host,
}

/// What the user should know of a word of the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The word changes nothing.
    WithoutEffect {
        /// The word.
        word: String,
        /// Why.
        because: &'static str,
    },
    /// Something that may surprise.
    Warning(String),
}

/// The whole command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// `-fsycl`.
    pub sycl: bool,
    /// Where to stop.
    pub phase: Phase,
    /// `-o`.
    pub output: Option<PathBuf>,
    /// `-fsycl-targets=`, as written.
    pub targets: Vec<String>,
    /// `--offload-arch=`, as written.
    pub offload_arch: Vec<String>,
    /// `-fsycl-fixed-targets=`, as written.
    pub fixed_targets: Vec<String>,
    /// `-fsycl-device-config-file=`.
    pub device_config: Option<PathBuf>,
    /// `-fsycl-device-code-split`.
    pub split: Option<CodeSplit>,
    /// `-fsycl-max-parallel-link-jobs=`.
    pub link_jobs: Option<usize>,
    /// `-Xsycl-target-backend`, `-Xs`.
    pub backend: Vec<TargetWords>,
    /// `-Xsycl-target-linker`.
    pub linker: Vec<TargetWords>,
    /// `-fno-sycl-dead-args-optimization`.
    pub all_parameters: bool,
    /// `-fsycl-default-sub-group-size=`, as metadata has it.
    pub sub_group_size: Option<u32>,
    /// `-Xsycl-target-frontend`.
    pub frontend: Vec<TargetWords>,
    /// `-Xarch_device`.
    pub device_words: Vec<OsString>,
    /// `-Xdevice-post-link`.
    pub post_link: Vec<TargetWords>,
    /// `-Xspirv-translator`.
    pub spirv: Vec<TargetWords>,
    /// `-Xcuda-ptxas`.
    pub ptxas: Vec<String>,
    /// What device compilers are told without the user's own words for them.
    pub implied: Implied,
    /// `-reuse-exe=`.
    pub reuse_exe: Option<String>,
    /// `-fsycl-force-target=`, as written.
    pub force_target: Option<String>,
    /// `-fsycl-dump-device-code=`.
    pub dump_device_code: Option<PathBuf>,
    /// `-fno-sycl-device-lib=`.
    pub device_libraries: DeviceLibraries,
    /// `-fsycl-link`.
    pub fpga_link: Option<FpgaLink>,
    /// `-fintelfpga`.
    pub fpga: bool,
    /// `--offload-new-driver`.
    pub new_driver: bool,
    /// `--sycl-link`.
    pub sycl_link: bool,
    /// `-fsycl-host-compiler=`.
    pub host_compiler: Option<PathBuf>,
    /// `-fsycl-host-compiler-options=`.
    pub host_compiler_options: Vec<String>,
    /// `-fsycl-device-only`, `-fsycl-host-only`.
    pub side: Side,
    /// `--offload-device-only` and its kin, which count with `-fsycl` alone.
    pub offload_side: Option<Side>,
    /// Whether the SYCL runtime library is linked (not with `-nolibsycl`).
    pub link_runtime: bool,
    /// `-foffload-lto=thin`.
    pub thin_lto: bool,
    /// `-Xsycl-target-linker --thinlto-…`: words of the linker wrapper's.
    pub thin_lto_words: Vec<String>,
    /// `-fsycl-allow-device-image-dependencies`.
    pub image_dependencies: bool,
    /// `--offload-compress`.
    pub compress: bool,
    /// `--offload-compression-level=`.
    pub compression_level: Option<i32>,
    /// `--spirv-writer=`.
    pub spirv_writer: Option<String>,
    /// `--driver-timing`.
    pub timing: bool,
    /// `--compile-cache-dir=`.
    pub compile_cache: Option<PathBuf>,
    /// `--persistent-auto-pch=`.
    pub auto_pch: Option<PathBuf>,
    /// `-###`.
    pub print_only: bool,
    /// `-ccc-print-phases`, `-ccc-print-bindings`.
    pub print_form: Option<PlanForm>,
    /// `-fsycl-help`.
    pub help_of_tools: Option<ToolHelp>,
    /// `-v`.
    pub verbose: bool,
    /// `-save-temps`.
    pub save_temps: Option<SaveTemps>,
    /// Everything that clang gets, inputs among it, in the order written.
    pub clang: Vec<OsString>,
    /// The inputs, in the order written.
    pub inputs: Vec<PathBuf>,
    /// The last value that looks like an input.
    pub taken: Option<Taken>,
    /// What the user should know of all this.
    pub notes: Vec<Note>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            sycl: false,
            phase: Phase::default(),
            output: None,
            targets: Vec::new(),
            offload_arch: Vec::new(),
            fixed_targets: Vec::new(),
            device_config: None,
            split: None,
            link_jobs: None,
            backend: Vec::new(),
            linker: Vec::new(),
            all_parameters: false,
            sub_group_size: None,
            frontend: Vec::new(),
            device_words: Vec::new(),
            post_link: Vec::new(),
            spirv: Vec::new(),
            ptxas: Vec::new(),
            implied: Implied::default(),
            reuse_exe: None,
            force_target: None,
            dump_device_code: None,
            device_libraries: DeviceLibraries::default(),
            fpga_link: None,
            fpga: false,
            new_driver: true,
            sycl_link: false,
            host_compiler: None,
            host_compiler_options: Vec::new(),
            side: Side::default(),
            offload_side: None,
            link_runtime: true,
            thin_lto: false,
            thin_lto_words: Vec::new(),
            image_dependencies: false,
            compress: false,
            compression_level: None,
            spirv_writer: None,
            timing: false,
            auto_pch: None,
            compile_cache: None,
            print_only: false,
            print_form: None,
            help_of_tools: None,
            verbose: false,
            save_temps: None,
            clang: Vec::new(),
            inputs: Vec::new(),
            taken: None,
            notes: Vec::new(),
        }
    }
}

impl Options {
    /// Reads a command line, response files already expanded, the tool's name not in it.
    ///
    /// # Errors
    /// A value missing or out of its range, or options that do not go together.
    pub fn parse(words: &[OsString]) -> Result<Options, OptionsError> {
        let mut options = Options::default();
        let mut rest = words.iter();
        let mut only_inputs = false;
        while let Some(word) = rest.next() {
            let text = word.to_str().unwrap_or_default();
            if text == "-" || !word.as_encoded_bytes().starts_with(b"-") {
                options.take_input(word.clone());
            } else if only_inputs {
                // The driver's own words for clang come behind all of these, so that there is no `--`.
                let mut name = OsString::from("./");
                name.push(word);
                options.take_input(name);
            } else if text == "--" {
                only_inputs = true;
            } else if let Some((spec, target, value)) = find_own(text) {
                if value.is_none() {
                    options.taken = taken(spec, rest.as_slice()).or(options.taken);
                }
                let value = own_value(spec, value, &mut rest)?;
                (spec.apply)(&mut options, target, &value)?;
            } else if let Some(because) = refused::reason(text) {
                let word = text.to_owned();
                return Err(OptionsError::Refused { word, because });
            } else if let Some(note) = without_effect::note(text)? {
                options.notes.push(note);
            } else if let Some(note) = for_front_end(text, rest.as_slice())? {
                rest.next();
                options.notes.push(note);
            } else {
                options.take_clang_word(word, text, &mut rest)?;
            }
        }
        options.settle();
        options.check()?;
        Ok(options)
    }

    /// Adds an input, which clang sees too.
    pub(super) fn take_input(&mut self, input: OsString) {
        self.inputs.push(PathBuf::from(&input));
        self.clang.push(input);
    }

    /// Where a command stops that says nothing of it: device code alone is not linked, and headers
    /// are not.
    fn settle(&mut self) {
        self.settle_sides();
        self.note_thin();
        if !self.sycl || self.sycl_link || self.phase != Phase::Link {
            return;
        }
        if self.side == Side::Device {
            self.phase = Phase::Object;
            self.clang.insert(0, "-c".into());
        } else if self.has_only_headers() {
            self.phase = Phase::Object;
        }
    }

    /// A word that clang gets, with its value, noted on the way when it matters here too.
    fn take_clang_word<'w>(
        &mut self,
        word: &OsStr,
        text: &str,
        rest: &mut impl Iterator<Item = &'w OsString>,
    ) -> Result<(), OptionsError> {
        self.clang.push(word.to_owned());
        let noted = find(SHARED, text);
        let separate = CLANG_SEPARATE.contains(&text)
            || noted
                .as_ref()
                .is_some_and(|(spec, _, value)| spec.shape == Shape::Separate && value.is_none());
        let mut value = noted.as_ref().and_then(|(_, _, value)| *value);
        if separate {
            let Some(next) = rest.next() else {
                return Err(OptionsError::MissingValue(text.to_owned()));
            };
            self.clang.push(next.clone());
            value = next.to_str();
        }
        if let Some((spec, _, _)) = noted {
            (spec.apply)(self, None, value.unwrap_or_default())?;
        }
        Ok(())
    }

    /// Whether the output is preprocessed text, not a list of dependencies.
    #[must_use]
    pub fn preprocesses_text(&self) -> bool {
        let lists = |word: &OsString| word == "-M" || word == "-MM";
        self.phase == Phase::Preprocess && !self.clang.iter().any(lists)
    }
}

/// What is said of `-Xclang WORD` when the word changes nothing here: clang's own front end would not
/// know it.
fn for_front_end(text: &str, rest: &[OsString]) -> Result<Option<Note>, OptionsError> {
    match rest.first().and_then(|next| next.to_str()) {
        Some(next) if text == "-Xclang" => without_effect::note(next),
        _ => Ok(None),
    }
}

/// The option that does not go to clang and that `text` spells, as [`find`] has it.
fn find_own(text: &str) -> Option<(&'static Spec, Option<&str>, Option<&str>)> {
    OPTIONS.iter().find_map(|theme| find(theme, text))
}

/// The option that `text` spells, the target after its `=` (of [`Shape::ForTarget`]), and the value
/// when it stands in the same word.
fn find<'t>(
    table: &'static [Spec],
    text: &'t str,
) -> Option<(&'static Spec, Option<&'t str>, Option<&'t str>)> {
    table.iter().find_map(|spec| {
        let rest = text.strip_prefix(spec.name)?;
        match spec.shape {
            Shape::Flag => rest.is_empty().then_some((spec, None, Some(""))),
            Shape::Joined => Some((spec, None, Some(rest))),
            Shape::Separate if rest.is_empty() => Some((spec, None, None)),
            Shape::Separate => joined_value(spec.name, rest).map(|value| (spec, None, Some(value))),
            Shape::ForTarget if rest.is_empty() => Some((spec, None, None)),
            Shape::ForTarget => rest
                .strip_prefix('=')
                .map(|target| (spec, Some(target), None)),
        }
    })
}

/// `-oFILE` and `-XsWORD`: the values of separate options that may also stand in the same word.
fn joined_value<'t>(name: &str, rest: &'t str) -> Option<&'t str> {
    match name {
        "-o" => Some(rest),
        // The word names an option without its dash.
        "-Xs" if !rest.contains("ycl-target") => Some(rest),
        _ => None,
    }
}

/// The next word, which is the value of `spec`, if it looks like an input all the same.
fn taken(spec: &Spec, rest: &[OsString]) -> Option<Taken> {
    let word = rest.first()?.to_str()?;
    let extension = Path::new(word).extension()?.to_str()?;
    let of_input = ["o", "a", "so", "cpp", "cc", "cxx", "C", "c"].contains(&extension);
    (of_input && !word.starts_with('-')).then(|| Taken {
        option: spec.name,
        word: word.to_owned(),
    })
}

/// The value of one of the driver's own options, taken from the next word where it stands there.
fn own_value<'w>(
    spec: &Spec,
    joined: Option<&str>,
    rest: &mut impl Iterator<Item = &'w OsString>,
) -> Result<String, OptionsError> {
    if let Some(value) = joined {
        let dash = if spec.name == "-Xs" { "-" } else { "" };
        return Ok(format!("{dash}{value}"));
    }
    let Some(next) = rest.next() else {
        return Err(OptionsError::MissingValue(spec.name.to_owned()));
    };
    match next.to_str() {
        Some(text) => Ok(text.to_owned()),
        None => Err(OptionsError::NotText(next.to_string_lossy().into_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, OptionsError> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Options::parse(&words)
    }

    #[test]
    fn clang_words_keep_their_order_and_values_are_no_inputs() {
        let options =
            parse("-fsycl -O2 -I dir a.cpp -Xclang -foo -x c b.c -lm -o out -DX=1").unwrap();
        assert_eq!(
            options.clang,
            "-O2 -I dir a.cpp -Xclang -foo -x c b.c -lm -o out -DX=1"
                .split(' ')
                .collect::<Vec<_>>()
        );
        assert_eq!(
            options.inputs,
            [PathBuf::from("a.cpp"), PathBuf::from("b.c")]
        );
        assert_eq!(options.output, Some("out".into()));
        assert_eq!(options.phase, Phase::Link);
    }

    #[test]
    fn front_end_words_are_options() {
        let words = ["-fsycl", "-Xsycl-target-frontend", "a.cpp", "b.cpp"].map(OsString::from);
        let reason = Options::parse(&words).unwrap_err().to_string();
        assert!(reason.contains("'a.cpp'"), "{reason}");
    }

    #[test]
    fn what_follows_two_dashes_is_an_input() {
        let options = parse("-fsycl -O2 -o x -- a.cpp -c").unwrap();
        assert_eq!(options.clang, ["-O2", "-o", "x", "a.cpp", "./-c"]);
        assert_eq!(options.phase, Phase::Link);
    }

    #[test]
    fn device_code_and_headers_alone_are_not_linked() {
        let options = parse("-fsycl -fsycl-device-only a.cpp").unwrap();
        assert_eq!(options.phase, Phase::Object);
        assert_eq!(options.clang, ["-c", "a.cpp"]);
        assert_eq!(parse("-fsycl h.hpp").unwrap().phase, Phase::Object);
        assert_eq!(parse("h.hpp").unwrap().phase, Phase::Link);
    }

    #[test]
    fn an_option_that_took_an_input_is_named() {
        let options = parse("-fsycl -Xsycl-target-backend main.o").unwrap();
        let reason = OptionsError::NoInputs(options.taken).to_string();
        assert!(
            reason.contains("'-Xsycl-target-backend' has taken 'main.o'"),
            "{reason}"
        );
        assert_eq!(OptionsError::NoInputs(None).to_string(), "no input files");
    }

    #[test]
    fn wrong_values_name_option_and_choices() {
        let reason = |line: &str| parse(line).unwrap_err().to_string();
        assert_eq!(
            reason("-fsycl -fsycl-device-code-split=four a.cpp"),
            "invalid value 'four' in '-fsycl-device-code-split=': expected per_kernel, per_source, off or auto"
        );
        assert!(reason("-fsycl -Xsycl-target-backend").contains("is missing"));
        assert!(reason("-fsycl -o").contains("is missing"));
        assert!(reason("-fsycl -fsycl-max-parallel-link-jobs=0 a.cpp").contains("above 0"));
        assert!(reason("-fsycl --offload-jobs=0 a.cpp").contains("'--offload-jobs='"));
        let level = reason("-fsycl --offload-compression-level=99 a.cpp");
        assert!(level.contains("from -131072 to 22"), "{level}");
        for line in [
            "-fsycl -fsycl-targets= a.cpp",
            "-fsycl -fsycl-targets=spir64,,ptx64 a.cpp",
            "-fsycl -fsycl-fixed-targets=,spir64 a.cpp",
            "-fsycl --offload-arch=pvc, a.cpp",
        ] {
            assert!(reason(line).contains("none of them empty"), "{line}");
        }
    }

    #[test]
    fn the_earliest_phase_counts() {
        for (line, phase) in [
            ("-S -c a.cpp", Phase::Assembly),
            ("-MM -c a.cpp", Phase::Preprocess),
            ("-fsyntax-only -S a.cpp", Phase::Syntax),
        ] {
            assert_eq!(parse(line).unwrap().phase, phase, "{line}");
        }
    }

    #[test]
    fn the_last_of_two_contrary_options_counts() {
        let options = parse("-fsycl -fno-sycl --no-offload-new-driver --offload-new-driver a.cpp");
        let options = options.unwrap();
        assert!(!options.sycl && options.new_driver);
        let options = parse(
            "-fsycl --offload-compress --no-offload-compress --offload-arch=pvc,bmg_g21 --no-offload-arch=bmg_g21 \
             -foffload-fp32-prec-div -foffload-fp32-prec-sqrt -fno-offload-fp32-prec-sqrt a.cpp",
        );
        let options = options.unwrap();
        assert!(!options.compress);
        assert_eq!(options.offload_arch, ["pvc"]);
        assert!(options.implied.correct_quotients && !options.implied.correct_roots);
        let options = parse("-fsycl --offload-arch=pvc --no-offload-arch=all a.cpp").unwrap();
        assert!(options.offload_arch.is_empty());
    }

    #[test]
    fn openmp_s_own_offloading_is_refused_beside_sycl_alone() {
        let line = "-fopenmp -fopenmp-targets=spir64 a.cpp";
        assert!(parse(line).is_ok());
        let refused = parse(&format!("-fsycl {line}")).unwrap_err();
        assert!(matches!(refused, OptionsError::Refused { .. }), "{refused}");
    }
}

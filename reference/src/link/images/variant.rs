//! Into what the split modules of a target are made: one variant for each image that a module
//! becomes. A target for Intel GPUs has one variant an `ocloc` call.

use offload_formats::targets::{self, Kind, Target, architecture};

use crate::aot::{AotTool, FpgaTool, fpga_tool};
use crate::link::inputs::group::LinkGroup;
use crate::link::line::options::Words;
use crate::link::{DeviceTarget, FpgaLinkType, LinkError, WrapperOptions};
use crate::translate::{SpirvOptions, ptx};

/// One way in which a module becomes an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// The device that it is for, where that is known: it decides which modules are left out.
    pub device: Option<&'static Target>,
    /// What makes the image.
    pub step: Step,
}

/// What makes an image of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// SPIR-V, compiled when the program runs.
    Spirv,
    /// PTX for an architecture (`sm_52`), and machine code for it beside where the user names one and
    /// there is an assembler: with these options.
    Ptx(String, Option<Vec<String>>),
    /// SPIR-V, then a compiler with these options.
    Aot(AheadOfTime, Vec<String>),
}

/// The ahead-of-time compilers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AheadOfTime {
    /// `ocloc`.
    Gpu,
    /// `opencl-aot` for the CPU.
    Cpu,
    /// `opencl-aot` for the FPGA emulator.
    FpgaEmulator,
    /// `aoc`.
    Fpga,
}

impl Variant {
    /// The SPIR-V options that suit it: the FPGA emulator reads SPIR-V 1.0 only.
    #[must_use]
    pub fn spirv_options(&self, options: &SpirvOptions) -> SpirvOptions {
        let mut options = options.clone();
        if matches!(self.step, Step::Aot(AheadOfTime::FpgaEmulator, _)) {
            options.max_version = Some((1, 0));
        }
        options
    }
}

/// The variants of a group's target under the wrapper's options.
///
/// # Errors
/// When a target for Intel GPUs comes with no device.
pub fn variants(group: &LinkGroup, options: &WrapperOptions) -> Result<Vec<Variant>, LinkError> {
    let target = &group.target;
    let one = |device, step| Ok(vec![Variant { device, step }]);
    match target.kind() {
        Some(Kind::IntelGpu) => gpu_variants(group, &options.gen_tool_arg),
        Some(Kind::Cpu) => {
            let words = cpu_words(target, &options.cpu_tool_arg);
            let device = cpu_device(target, &words);
            one(device, Step::Aot(AheadOfTime::Cpu, words))
        }
        Some(Kind::Fpga) => {
            let mut words = concat(&options.fpga_tool_arg);
            let tool = match fpga_tool(&words) {
                FpgaTool::Aoc => AheadOfTime::Fpga,
                FpgaTool::Emulator => AheadOfTime::FpgaEmulator,
            };
            // aoc's early stage; the emulator has none.
            if tool == AheadOfTime::Fpga && options.fpga_link_type == Some(FpgaLinkType::Early) {
                words.push("-rtl".to_owned());
            }
            one(targets::find("spir64_fpga"), Step::Aot(tool, words))
        }
        Some(Kind::Nvidia) => {
            let arch = ptx_architecture(target);
            let is_named = !target.arch.is_empty();
            let words = is_named.then(|| options.ptxas_words(target, arch));
            one(
                architecture(Kind::Nvidia, arch),
                Step::Ptx(arch.to_owned(), words),
            )
        }
        Some(Kind::Jit | Kind::Amd) | None => one(None, Step::Spirv),
    }
}

/// The architecture that PTX for a target is for, as LLVM and CUDA call it.
#[must_use]
pub fn ptx_architecture(target: &DeviceTarget) -> &str {
    match target.arch.as_str() {
        "" => ptx::DEFAULT_ARCH,
        arch => architecture(Kind::Nvidia, arch).map_or(arch, |known| known.device),
    }
}

fn concat(words: &[Words]) -> Vec<String> {
    words.iter().flat_map(|words| words.0.clone()).collect()
}

/// The words of `opencl-aot` for a target: those for every CPU, and those whose first word names
/// its own architecture, which is the one to compile for unless they say otherwise.
fn cpu_words(target: &DeviceTarget, calls: &[Words]) -> Vec<String> {
    let own = target
        .architecture()
        .or_else(|| targets::find("spir64_x86_64"));
    let mut words: Vec<String> = calls
        .iter()
        .map(|Words(words)| split_architecture(Kind::Cpu, words))
        .filter(|(named, _)| named.is_none() || *named == own)
        .flat_map(|(_, words)| words.to_vec())
        .collect();
    let device = own.map_or("", |known| known.device);
    if !device.is_empty() && named_cpu(&words).is_none() {
        words.insert(0, format!("--march={device}"));
    }
    words
}

/// What `-march=` names.
fn named_cpu(words: &[String]) -> Option<&str> {
    words
        .iter()
        .find_map(|word| word.trim_start_matches('-').strip_prefix("march="))
}

/// The CPU that `-march=` names, or that the image is for.
fn cpu_device(target: &DeviceTarget, words: &[String]) -> Option<&'static Target> {
    architecture(Kind::Cpu, named_cpu(words).unwrap_or(&target.arch))
        .or_else(|| targets::find("spir64_x86_64"))
}

/// One variant a call: each `--gen-tool-arg=` is one (`MODEL`, "spir64_gen support"), and so is an
/// architecture that the target itself names. A call for an architecture is made over the code for it,
/// or else over code for none, or else over the first there is: no call is left out.
fn gpu_variants(group: &LinkGroup, calls: &[Words]) -> Result<Vec<Variant>, LinkError> {
    let target = &group.target;
    let own = target
        .architecture()
        .filter(|known| !known.device.is_empty());
    let mut variants = Vec::new();
    let mut has_own = false;
    for Words(words) in calls {
        let (named, words) = split_architecture(Kind::IntelGpu, words);
        let names_none = named.is_none() && of_option_is_missing(words);
        let device = named.or(device_option(words));
        let is_own = own.is_some() && (names_none || device == own);
        let is_left = !is_own && (!names_none || own.is_none()) && group.takes_other_calls;
        let elsewhere = device.is_some_and(|device| group.covered.contains(&device));
        if is_own || is_left && !elsewhere {
            has_own |= is_own;
            let device = if names_none { own } else { device };
            if names_none && own.is_none() {
                return Err(needs_device(target));
            }
            variants.push(gpu_variant(device, words, of_option_is_missing(words)));
        }
    }
    if let Some(own) = own.filter(|_| !has_own) {
        variants.insert(0, gpu_variant(Some(own), &[], true));
    }
    // All of them may be for architectures that have code of their own.
    if variants.is_empty() && calls.is_empty() {
        return Err(needs_device(target));
    }
    Ok(variants)
}

fn needs_device(target: &DeviceTarget) -> LinkError {
    LinkError::Option(format!(
        "{target} needs a device; name one with -Xsycl-target-backend=spir64_gen \"-device NAME\" (the \
         driver), --gen-tool-arg=\"-device NAME\" (clang-linker-wrapper) or -arch=NAME \
         (clang-sycl-linker)"
    ))
}

fn gpu_variant(device: Option<&'static Target>, words: &[String], add_device: bool) -> Variant {
    let mut options = Vec::with_capacity(words.len() + 2);
    if let Some(device) = device.filter(|_| add_device) {
        options.extend(["-device".to_owned(), device.device.to_owned()]);
    }
    options.extend_from_slice(words);
    Variant {
        device,
        step: Step::Aot(AheadOfTime::Gpu, options),
    }
}

/// The form `ARCH OPTIONS`: a first word that is no option names the architecture.
fn split_architecture(kind: Kind, words: &[String]) -> (Option<&'static Target>, &[String]) {
    match words.split_first() {
        Some((first, rest)) if !first.starts_with('-') => match architecture(kind, first) {
            Some(target) => (Some(target), rest),
            None => (None, words),
        },
        _ => (None, words),
    }
}

fn of_option_is_missing(words: &[String]) -> bool {
    !words.iter().any(|word| word == "-device")
}

/// The device that `-device NAME` names, when it is one alone.
fn device_option(words: &[String]) -> Option<&'static Target> {
    let at = words.iter().position(|word| word == "-device")?;
    architecture(Kind::IntelGpu, words.get(at + 1)?)
}

/// The compiler of an ahead-of-time step, at the place where it was found.
#[must_use]
pub fn tool(step: AheadOfTime, program: std::path::PathBuf) -> AotTool {
    match step {
        AheadOfTime::Gpu => AotTool::Ocloc(program),
        AheadOfTime::Cpu => AotTool::OpenClAotCpu(program),
        AheadOfTime::FpgaEmulator => AotTool::OpenClAotFpga(program),
        AheadOfTime::Fpga => AotTool::Aoc(program),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(words: &[&str]) -> WrapperOptions {
        let words: Vec<_> = words.iter().map(std::ffi::OsString::from).collect();
        WrapperOptions::parse_words(&words).unwrap()
    }

    fn of(triple: &str, arch: &str, words: &[&str]) -> Vec<(Option<&'static str>, Step)> {
        let mut group = LinkGroup::new(DeviceTarget::new(triple, arch));
        group.takes_other_calls = arch.is_empty();
        variants(&group, &options(words))
            .unwrap()
            .into_iter()
            .map(|v| (v.device.map(|d| d.name), v.step))
            .collect()
    }

    fn gpu(words: &[&str]) -> Step {
        Step::Aot(
            AheadOfTime::Gpu,
            words.iter().map(|w| (*w).to_owned()).collect(),
        )
    }

    #[test]
    fn each_gen_tool_arg_is_a_call_of_its_own() {
        assert_eq!(
            of(
                "spir64_gen-unknown-unknown",
                "",
                &[
                    "--gen-tool-arg=-device pvc -options -a",
                    "--gen-tool-arg=intel_gpu_skl -options -b"
                ]
            ),
            [
                (
                    Some("intel_gpu_pvc"),
                    gpu(&["-device", "pvc", "-options", "-a"])
                ),
                (
                    Some("intel_gpu_skl"),
                    gpu(&["-device", "skl", "-options", "-b"])
                ),
            ]
        );
    }

    #[test]
    fn a_target_with_an_architecture_takes_the_options_for_it() {
        let words = ["--gen-tool-arg=pvc -x", "--gen-tool-arg=skl -y"];
        assert_eq!(
            of("spir64_gen", "skl", &words),
            [(Some("intel_gpu_skl"), gpu(&["-device", "skl", "-y"]))]
        );
        assert_eq!(
            of("spir64_gen", "tgllp", &words),
            [(Some("intel_gpu_tgllp"), gpu(&["-device", "tgllp"]))]
        );
    }

    #[test]
    fn a_gpu_target_without_a_device_is_an_error() {
        let generic = LinkGroup::new(DeviceTarget::new("spir64_gen", ""));
        let error = variants(&generic, &options(&[])).unwrap_err();
        assert!(error.to_string().contains("-device NAME"), "{error}");
    }

    #[test]
    fn generic_code_is_not_compiled_for_an_architecture_that_has_its_own() {
        let words = options(&["--gen-tool-arg=-device pvc", "--gen-tool-arg=-device skl"]);
        let mut generic = LinkGroup::new(DeviceTarget::new("spir64_gen", ""));
        generic.covered.extend(targets::find("intel_gpu_skl"));
        generic.takes_other_calls = true;
        let left = variants(&generic, &words).unwrap();
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].step, gpu(&["-device", "pvc"]));
    }

    #[test]
    fn a_call_for_an_architecture_without_code_of_its_own_is_made_all_the_same() {
        let words = options(&["--gen-tool-arg=-device pvc -x"]);
        let mut skl = LinkGroup::new(DeviceTarget::new("spir64_gen", "skl"));
        let steps = |group: &LinkGroup| -> Vec<Step> {
            let made = variants(group, &words).unwrap();
            made.into_iter().map(|variant| variant.step).collect()
        };
        assert_eq!(steps(&skl), [gpu(&["-device", "skl"])]);
        skl.takes_other_calls = true;
        assert_eq!(
            steps(&skl),
            [gpu(&["-device", "skl"]), gpu(&["-device", "pvc", "-x"])]
        );
    }

    #[test]
    fn each_cpu_gets_its_own_words() {
        let cpu = |words: &[&str]| {
            let words = words.iter().map(|w| (*w).to_owned()).collect();
            Step::Aot(AheadOfTime::Cpu, words)
        };
        let words = [
            "--cpu-tool-arg=--bo=-a",
            "--cpu-tool-arg=x86_64_avx2 --bo=-b",
            "--cpu-tool-arg=spir64_x86_64 --bo=-c",
        ];
        let of = |arch| of("spir64_x86_64-unknown-unknown", arch, &words);
        assert_eq!(
            of("avx2"),
            [(
                Some("x86_64_avx2"),
                cpu(&["--march=avx2", "--bo=-a", "--bo=-b"])
            )]
        );
        assert_eq!(
            of(""),
            [(Some("spir64_x86_64"), cpu(&["--bo=-a", "--bo=-c"]))]
        );
    }

    #[test]
    fn the_fpga_compiler_follows_its_options() {
        for (words, tool) in [
            (&[][..], AheadOfTime::FpgaEmulator),
            (&["--fpga-tool-arg=-hardware -x"], AheadOfTime::Fpga),
            (&["--fpga-tool-arg=-simulation"], AheadOfTime::Fpga),
        ] {
            let [(_, Step::Aot(step, _))] = &of("spir64_fpga", "", words)[..] else {
                panic!("one ahead-of-time step");
            };
            assert_eq!(*step, tool, "{words:?}");
        }
    }
}

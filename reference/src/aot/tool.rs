//! The outside compilers and their command lines.

use std::path::{Path, PathBuf};

use components::process::Job;
use offload_formats::targets::Kind;

/// An ahead-of-time compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AotTool {
    /// Intel's compiler for its GPUs.
    Ocloc(PathBuf),
    /// Our own tool over an OpenCL runtime, for the CPU.
    OpenClAotCpu(PathBuf),
    /// The same, for the emulated FPGA.
    OpenClAotFpga(PathBuf),
    /// Intel's compiler for FPGA hardware and simulation.
    Aoc(PathBuf),
    /// NVIDIA's assembler.
    Ptxas(PathBuf),
}

impl AotTool {
    /// The program.
    #[must_use]
    pub fn program(&self) -> &Path {
        match self {
            AotTool::Ocloc(program)
            | AotTool::OpenClAotCpu(program)
            | AotTool::OpenClAotFpga(program)
            | AotTool::Aoc(program)
            | AotTool::Ptxas(program) => program,
        }
    }

    /// The name by which messages call it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            AotTool::Ocloc(_) => "ocloc",
            AotTool::OpenClAotCpu(_) | AotTool::OpenClAotFpga(_) => "opencl-aot",
            AotTool::Aoc(_) => "aoc",
            AotTool::Ptxas(_) => "ptxas",
        }
    }

    /// `options` for a module that was compiled with `-O0`, where the compiler takes OpenCL's: with what
    /// the runtime says to that back end (`OPT`, "Requirements").
    /// Besides, the FPGA emulator vectorizes such code wrongly: what it computes is right again with
    /// `CL_CONFIG_USE_VECTORIZER=False`. The compiler for processors has to optimize, as it has at run time, where
    /// kernels require sub-groups of a size: it gives them such only then.
    #[must_use]
    pub fn for_unoptimized(&self, options: Vec<String>, requires_sub_groups: bool) -> Vec<String> {
        let kind = match self {
            AotTool::OpenClAotCpu(_) if requires_sub_groups => return options,
            AotTool::Ocloc(_) => Kind::IntelGpu,
            AotTool::OpenClAotCpu(_) | AotTool::OpenClAotFpga(_) => Kind::Cpu,
            AotTool::Aoc(_) => return options,
            AotTool::Ptxas(_) => return with_level_0(options),
        };
        with_build_options(kind, options, &["-cl-opt-disable"])
    }

    /// The start of the compiler over `input`, which is SPIR-V or for `ptxas` PTX, writing `output`.
    #[must_use]
    pub fn job(&self, options: &[String], input: &str, output: &str) -> Job {
        match self {
            AotTool::Ocloc(program) => Job::new(program)
                .args(["compile", "-spirv_input", "-output_no_suffix"])
                .args(["-file", input, "-output", output, "-out_dir", "."])
                .args(options),
            AotTool::OpenClAotCpu(program) => opencl_aot(program, "cpu", options, input, output),
            AotTool::OpenClAotFpga(program) => {
                opencl_aot(program, "fpga_fast_emu", options, input, output)
            }
            AotTool::Aoc(program) => Job::new(program)
                .args(["-o", output, input, "-sycl"])
                .args(options),
            AotTool::Ptxas(program) => Job::new(program).args(options).args([input, "-o", output]),
        }
    }
}

/// The words of the offline compiler of a kind of target with build options added: `ocloc` takes all of
/// them in one word after `-options`, of which the last counts, and `opencl-aot` in any number of
/// `--bo=`. The user's own stand behind.
#[must_use]
pub fn with_build_options(kind: Kind, mut words: Vec<String>, more: &[&str]) -> Vec<String> {
    if more.is_empty() {
        return words;
    }
    let more = more.join(" ");
    match kind {
        Kind::IntelGpu => {
            let at = words.iter().rposition(|word| word == "-options");
            match at.and_then(|at| words.get_mut(at + 1)) {
                Some(given) => *given = format!("{more} {given}"),
                None => words.extend(["-options".to_owned(), more]),
            }
        }
        Kind::Cpu => words.insert(0, format!("--bo={more}")),
        Kind::Jit | Kind::Fpga | Kind::Nvidia | Kind::Amd => {}
    }
    words
}

fn opencl_aot(
    program: &PathBuf,
    device: &str,
    options: &[String],
    input: &str,
    output: &str,
) -> Job {
    Job::new(program)
        .arg(format!("--device={device}"))
        .args([input, "-o", output])
        .args(options)
}

/// Which compiler the options for the FPGA ask for: hardware and simulation are `aoc`'s, the
/// emulator is everything else's (`MODEL`, "spir64_fpga support").
#[must_use]
pub fn fpga_tool(options: &[String]) -> FpgaTool {
    if is_for_hardware(options) || asks(options, "simulation") {
        FpgaTool::Aoc
    } else {
        FpgaTool::Emulator
    }
}

/// Whether the options for the FPGA ask for hardware: only then `aoc` uses lists of dependencies.
#[must_use]
pub fn is_for_hardware(options: &[String]) -> bool {
    asks(options, "hardware")
}

fn asks(options: &[String], name: &str) -> bool {
    let mut options = options.iter();
    options.any(|option| option.trim_start_matches('-') == name)
}

/// The compilers for the FPGA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FpgaTool {
    /// `aoc`.
    Aoc,
    /// `opencl-aot` over the emulator.
    Emulator,
}

/// The words for NVIDIA's assembler over a module of level 0, which takes a level but once.
fn with_level_0(mut words: Vec<String>) -> Vec<String> {
    let says_level = |word: &String| word.starts_with("-O") || word.starts_with("--opt-level");
    if !words.iter().any(says_level) {
        words.insert(0, "-O0".to_owned());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_options_join_those_that_are_there() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let with = |kind, line| with_build_options(kind, words(line), &["-g", "-x"]);
        assert_eq!(
            with(Kind::IntelGpu, "-device pvc -options -a -q"),
            ["-device", "pvc", "-options", "-g -x -a", "-q"]
        );
        assert_eq!(
            with(Kind::IntelGpu, "-device pvc"),
            ["-device", "pvc", "-options", "-g -x"]
        );
        assert_eq!(with(Kind::Cpu, "--bo=-a"), ["--bo=-g -x", "--bo=-a"]);
        assert_eq!(with(Kind::Fpga, "-hardware"), ["-hardware"]);
    }
}

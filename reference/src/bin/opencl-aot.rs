//! `opencl-aot --device=cpu|fpga_fast_emu in.spv -o out.bin [--bo=OPTIONS]`: compiles SPIR-V ahead
//! of time with an OpenCL runtime.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use components::Components;
use reference::aot::opencl::{self, OpenClDevice};
use reference::tool::{self, Failure, double_dashed, write_whole};

/// Compiles SPIR-V ahead of time with an OpenCL runtime.
#[derive(Debug, Parser)]
#[command(name = "opencl-aot", version)]
struct Options {
    /// The device to compile for.
    #[arg(long, value_enum)]
    device: OpenClDevice,
    /// The SPIR-V module.
    #[arg(value_name = "IN.spv")]
    input: PathBuf,
    /// The compiled code.
    #[arg(
        short = 'o',
        long,
        value_name = "OUT.bin",
        default_value = "output.bin"
    )]
    output: PathBuf,
    /// Build options for the OpenCL compiler.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    bo: Vec<String>,
    /// The instruction set: sse42, avx, avx2 or avx512.
    #[arg(long, value_name = "ISA")]
    march: Option<String>,
}

fn main() -> ExitCode {
    let options = Options::try_parse_from(double_dashed(std::env::args_os()));
    tool::main("opencl-aot", options, |options| run(&options))
}

fn run(options: &Options) -> Result<(), Failure> {
    if let Some(isa) = &options.march {
        opencl::select_instruction_set(isa).map_err(Failure::usage)?;
    }
    let spirv = std::fs::read(&options.input)
        .map_err(|e| Failure::Job(format!("cannot read '{}': {e}", options.input.display())))?;
    let components = Components::here().map_err(Failure::job)?;
    let build_options = options.bo.join(" ");
    let code = opencl::compile(options.device, &spirv, &build_options, &components)
        .map_err(|e| Failure::Job(format!("'{}': {e}", options.input.display())))?;
    write_whole(&options.output, &code)
}

//! `opencl-aot --device=cpu|fpga_fast_emu in.spv -o out.bin [--bo=OPTIONS]`: compiles SPIR-V ahead
//! of time with an OpenCL runtime.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use components::Components;
use components::process::{Job, JobError};
use offload_formats::spirv::check;
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
    /// Compile in this process, which ends with the compiler.
    #[arg(long, hide = true)]
    in_this_process: bool,
}

fn main() -> ExitCode {
    let parse = |words| Options::try_parse_from(double_dashed(words));
    tool::main("opencl-aot", parse, |options| run(&options))
}

fn run(options: &Options) -> Result<(), Failure> {
    match options.in_this_process {
        true => compile(options),
        false => compile_apart(options),
    }
}

/// Has another process compile: the device's compiler may end the process that it runs in.
fn compile_apart(options: &Options) -> Result<(), Failure> {
    let isa = options
        .march
        .as_deref()
        .map(opencl::instruction_set)
        .transpose();
    let isa = isa.map_err(Failure::usage)?;
    check::check(&read(options)?).map_err(|e| in_module(options, &e))?;
    let program = std::env::current_exe().map_err(Failure::job)?;
    let job = Job::new(program).arg("--in-this-process");
    let isa = isa.or_else(|| options.device.instruction_set());
    let job = match isa {
        Some(isa) => job.env(opencl::INSTRUCTION_SET_VARIABLE, isa),
        None => job,
    };
    match job.args(std::env::args_os().skip(1)).run() {
        Ok(()) => Ok(()),
        // It has said why on the same standard error.
        Err(JobError::Failed { status, .. }) if status.code() == Some(1) => Err(Failure::Reported),
        Err(JobError::Failed { status, .. }) => Err(in_module(
            options,
            &format!(
                "the compiler for --device={} ended its process over this module ({status})",
                options.device.name()
            ),
        )),
        Err(error) => Err(Failure::job(error)),
    }
}

fn compile(options: &Options) -> Result<(), Failure> {
    let spirv = read(options)?;
    let components = Components::here().map_err(Failure::job)?;
    let build_options = options.bo.join(" ");
    let code = opencl::compile(options.device, &spirv, &build_options, &components)
        .map_err(|e| in_module(options, &e))?;
    write_whole(&options.output, &code)
}

fn read(options: &Options) -> Result<Vec<u8>, Failure> {
    std::fs::read(&options.input)
        .map_err(|e| Failure::Job(format!("cannot read '{}': {e}", options.input.display())))
}

fn in_module(options: &Options, error: &dyn std::fmt::Display) -> Failure {
    Failure::Job(format!("'{}': {error}", options.input.display()))
}

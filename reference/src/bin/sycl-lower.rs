//! `sycl-lower`: clang's raw device module in, the device module and the integration header out.
//! The driver does the same in its own process and prints this tool in its plans.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use offload_formats::targets;
use reference::frontend::{self, Emit, LowerError, LowerOptions, OptLevel, WarningOptions};
use reference::tool::{self, Failure};

/// Lowers clang's raw device module to the device module of a translation unit.
#[derive(Parser)]
#[command(name = "sycl-lower", version)]
struct Arguments {
    /// The raw module, as bitcode or textual IR.
    input: PathBuf,
    /// The device module.
    #[arg(short)]
    output: PathBuf,
    /// Where the integration header goes.
    #[arg(long)]
    integration_header: Option<PathBuf>,
    /// The source file, for messages; the raw module's path when absent.
    #[arg(long)]
    source: Option<PathBuf>,
    /// The value of `sycl-module-id`; the source file's path when absent.
    #[arg(long)]
    module_id: Option<String>,
    /// A raw module of the unit, of any of its targets, if it is compiled for several: names of the
    /// unit's own are told apart by all of them.
    #[arg(long)]
    of_all_targets: Vec<PathBuf>,
    /// The optimization level of the command line.
    #[arg(short = 'O', value_parser = ["0", "1", "2", "3"])]
    opt_level: Option<String>,
    /// Keep the parameters of kernels that optimization leaves no use of.
    #[arg(long)]
    all_parameters: bool,
    /// The sub-group size of kernels that require none, as metadata has it.
    #[arg(long)]
    sub_group_size: Option<u32>,
    /// Keep debug information, and show locations in messages.
    #[arg(short = 'g')]
    debug: bool,
    /// The targets of `-fsycl-fixed-targets`.
    #[arg(long)]
    fixed_targets: Option<String>,
    /// The device configuration file in place of the default one.
    #[arg(long)]
    device_config_file: Option<PathBuf>,
    /// A warning option of the compiler, without its `-W`.
    #[arg(short = 'W')]
    warning: Vec<String>,
    /// No warnings at all.
    #[arg(short = 'w')]
    no_warnings: bool,
    /// A compiler option about how diagnostics look, without its `-f`.
    #[arg(short = 'f')]
    looks: Vec<String>,
    /// Write textual IR.
    #[arg(short = 'S')]
    text: bool,
}

fn main() -> ExitCode {
    tool::main("sycl-lower", Arguments::try_parse_from, lower)
}

fn lower(arguments: Arguments) -> Result<(), Failure> {
    let input = &arguments.input;
    let raw = read(input)?;
    let all = arguments.of_all_targets.iter().map(|path| read(path));
    let all: Vec<Vec<u8>> = all.collect::<Result<_, _>>()?;
    let all: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
    let lowered =
        frontend::lower(&raw, &all, &options(&arguments)?).map_err(|error| match error {
            LowerError::Diagnosed { diagnostics } => {
                print_all(&diagnostics);
                Failure::Reported
            }
            error => Failure::job(error),
        })?;
    print_all(&lowered.warnings);
    tool::write_whole(&arguments.output, &lowered.module)?;
    match &arguments.integration_header {
        Some(header) => tool::write_whole(header, lowered.integration_header.as_bytes()),
        None => Ok(()),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|e| Failure::Job(format!("cannot read '{}': {e}", path.display())))
}

fn print_all(diagnostics: &[String]) {
    for diagnostic in diagnostics {
        tool::say(&format!("{diagnostic}\n"));
    }
}

fn options(arguments: &Arguments) -> Result<LowerOptions, Failure> {
    let source = arguments.source.as_ref().unwrap_or(&arguments.input);
    let module_id = arguments.module_id.clone();
    let module_id = module_id.unwrap_or_else(|| source.to_string_lossy().into_owned());
    let mut words: Vec<_> = arguments.warning.iter().map(|w| format!("-W{w}")).collect();
    words.extend(arguments.looks.iter().map(|w| format!("-f{w}")));
    words.extend(arguments.no_warnings.then(|| "-w".to_owned()));
    Ok(LowerOptions {
        source: source.clone(),
        module_id,
        opt_level: arguments.opt_level.as_deref().map(level),
        all_parameters: arguments.all_parameters,
        sub_group_size: arguments.sub_group_size,
        debug: arguments.debug,
        fixed_targets: match &arguments.fixed_targets {
            Some(list) => targets::parse_list(list).map_err(Failure::usage)?,
            None => Vec::new(),
        },
        device_config: arguments.device_config_file.clone(),
        warnings: WarningOptions { words },
        emit: match arguments.text {
            true => Emit::Text,
            false => Emit::Bitcode,
        },
    })
}

fn level(number: &str) -> OptLevel {
    match number {
        "0" => OptLevel::O0,
        "1" => OptLevel::O1,
        "2" => OptLevel::O2,
        _ => OptLevel::O3,
    }
}

//! `clang-offload-bundler`: the old format of fat files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use fat_tools::bundler::{self, FileType, Input};
use fat_tools::copy;
use fat_tools::tool::{self, Failure};
use offload_formats::Bytes;
use offload_formats::bundle::TargetId;
use offload_formats::offload_binary::Compression;

/// Bundles files of one kind for several targets into one, takes such a bundle apart, or lists it.
#[derive(Parser)]
#[command(name = "clang-offload-bundler", version)]
struct Arguments {
    /// The type of the files: i, ii, cui, hipi, d, ll, bc, s, o, a, gch or ast.
    #[arg(long = "type", value_parser = FileType::parse)]
    kind: FileType,
    /// The targets, each <kind>-<triple>[-<arch>].
    #[arg(long, value_delimiter = ',', required_unless_present = "list")]
    targets: Vec<TargetId>,
    /// An input file.
    #[arg(long)]
    input: Vec<PathBuf>,
    /// Input files, by commas.
    #[arg(long, value_delimiter = ',', conflicts_with = "input")]
    inputs: Vec<PathBuf>,
    /// An output file.
    #[arg(long)]
    output: Vec<PathBuf>,
    /// Output files, by commas.
    #[arg(long, value_delimiter = ',', conflicts_with = "output")]
    outputs: Vec<PathBuf>,
    /// Take a bundle apart.
    #[arg(long)]
    unbundle: bool,
    /// List the targets of a bundle.
    #[arg(long, conflicts_with = "unbundle")]
    list: bool,
    /// Write empty files for targets that the bundle has no part for.
    #[arg(long)]
    allow_missing_bundles: bool,
    /// The parts of binary bundles begin at multiples of this many bytes.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    bundle_align: u64,
    /// Compress the bundle.
    #[arg(long)]
    compress: bool,
    /// How hard to compress.
    #[arg(long, requires = "compress")]
    compression_level: Option<i32>,
    /// Refuse an archive with a member whose targets conflict.
    #[arg(long)]
    check_input_archive: bool,
    /// Say on standard error what is bundled or taken out.
    #[arg(long)]
    verbose: bool,
    /// Print outside commands instead of starting them. This bundler starts none, so that nothing
    /// is printed.
    #[arg(long = "###")]
    print_commands: bool,
    /// HIP parts serve OpenMP targets, and the other way round.
    #[arg(long)]
    hip_openmp_compatible: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::try_parse_from(tool::double_dashed(std::env::args_os()));
    tool::main("clang-offload-bundler", arguments, |mut arguments| {
        arguments.input.append(&mut arguments.inputs);
        arguments.output.append(&mut arguments.outputs);
        if arguments.list {
            return list(&arguments);
        }
        check_targets(&arguments.targets)?;
        if arguments.unbundle {
            unbundle(&arguments)
        } else {
            bundle(&arguments)
        }
    })
}

fn check_targets(targets: &[TargetId]) -> Result<(), Failure> {
    let mut seen = HashSet::new();
    match targets.iter().find(|target| !seen.insert(*target)) {
        Some(target) => Err(Failure::usage(format!(
            "the target '{target}' is given twice"
        ))),
        None => Ok(()),
    }
}

/// Refuses targets that cannot be in one bundle.
fn check_conflicts(targets: &[TargetId]) -> Result<(), Failure> {
    for (index, target) in targets.iter().enumerate() {
        let mut others = targets.iter().skip(index + 1);
        if let Some(other) = others.find(|other| target.conflicts(other)) {
            let reason = format!("the targets '{target}' and '{other}' conflict");
            return Err(Failure::usage(reason));
        }
    }
    Ok(())
}

/// Says what a target has, when that is asked for.
fn tell(arguments: &Arguments, target: &TargetId, path: &Path, bytes: &Bytes) {
    if arguments.verbose {
        let (path, size) = (path.display(), bytes.len());
        tool::say(&format!("{target}: '{path}', {size} bytes\n"));
    }
}

/// The one input of `--unbundle` and `--list`.
fn only_path(arguments: &Arguments) -> Result<&Path, Failure> {
    match &arguments.input[..] {
        [path] => Ok(path),
        _ => Err(Failure::usage("exactly one input file is asked for")),
    }
}

fn input<'a>(arguments: &'a Arguments, bytes: &Bytes) -> Result<Input<'a>, Failure> {
    Ok(Input {
        path: only_path(arguments)?,
        bytes: bytes.clone(),
        kind: arguments.kind,
        hip_is_openmp: arguments.hip_openmp_compatible,
    })
}

fn list(arguments: &Arguments) -> Result<(), Failure> {
    let bytes = tool::read_input(only_path(arguments)?)?;
    let targets = input(arguments, &bytes)?.list()?;
    let lines: String = targets.iter().map(|id| format!("{id}\n")).collect();
    tool::write_whole(Path::new("-"), lines.as_bytes())
}

fn bundle(arguments: &Arguments) -> Result<(), Failure> {
    let [output] = &arguments.output[..] else {
        return Err(Failure::usage("exactly one output file is asked for"));
    };
    let (inputs, targets) = (&arguments.input, &arguments.targets);
    if inputs.len() != targets.len() {
        let (inputs, targets) = (inputs.len(), targets.len());
        let reason = format!("{inputs} input files for {targets} targets");
        return Err(Failure::usage(reason));
    }
    let hosts = targets.iter().filter(|target| target.is_host()).count();
    if hosts != 1 {
        let reason = format!("a bundle has one host target; {hosts} are given");
        return Err(Failure::usage(reason));
    }
    check_conflicts(targets)?;
    let parts = targets.iter().zip(inputs);
    let parts: Result<Vec<(TargetId, Bytes)>, Failure> = parts
        .map(|(target, path)| {
            let bytes = tool::read_input(path)?;
            tell(arguments, target, path, &bytes);
            Ok((target.clone(), bytes))
        })
        .collect();
    let compress = arguments
        .compress
        .then_some((Compression::Zstd, arguments.compression_level));
    let bytes = bundler::bundle(arguments.kind, &parts?, arguments.bundle_align, compress)?;
    tool::write_whole(output, &bytes)
}

fn unbundle(arguments: &Arguments) -> Result<(), Failure> {
    let (outputs, targets) = (&arguments.output, &arguments.targets);
    if outputs.len() != targets.len() {
        let (outputs, targets) = (outputs.len(), targets.len());
        let reason = format!("{outputs} output files for {targets} targets");
        return Err(Failure::usage(reason));
    }
    let opened = [copy::Input::open(only_path(arguments)?)?];
    let input = input(arguments, &opened[0].bytes)?;
    if arguments.check_input_archive && arguments.kind == FileType::Archive {
        input.check_archive()?;
    }
    let parts = input.unbundle(targets, arguments.allow_missing_bundles)?;
    for ((path, bytes), target) in outputs.iter().zip(parts).zip(targets) {
        tell(arguments, target, path, &bytes);
        copy::write_whole(path, &opened, |out| out.write_all(&bytes))?;
    }
    Ok(())
}

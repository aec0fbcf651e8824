//! `clang-offload-bundler`: the old format of fat files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use fat_tools::bundler::{self, BundleOptions, FileType, Input, Taken};
use fat_tools::copy;
use fat_tools::tool::{self, Failure};
use offload_formats::Bytes;
use offload_formats::bundle::TargetId;
use offload_formats::offload_binary::Compression;

/// Bundles files of one kind for several targets into one, takes such a bundle apart, or lists it.
///
/// OFFLOAD_BUNDLER_COMPRESS, OFFLOAD_BUNDLER_COMPRESSION_LEVEL and OFFLOAD_BUNDLER_VERBOSE in the
/// environment stand for the options that are called so, unless OFFLOAD_BUNDLER_IGNORE_ENV_VAR is 1.
#[derive(Parser)]
#[command(name = "clang-offload-bundler", version)]
struct Arguments {
    /// The type of the files: i, ii, cui, hipi, d, ll, bc, s, o, a, gch or ast; and for archives whose
    /// parts become one file (ao), or files that the output lists (aoo, aocr, aocx).
    #[arg(long = "type", value_parser = FileType::parse)]
    kind: FileType,
    /// The targets, each <kind>-<triple>[-<arch>].
    #[arg(long, value_delimiter = ',', required_unless_present = "list")]
    targets: Vec<TargetId>,
    /// Targets: what has a part for one of them is left out.
    #[arg(long, value_delimiter = ',', requires = "unbundle")]
    excluded_targets: Vec<TargetId>,
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
    #[arg(long, conflicts_with_all = ["unbundle", "targets", "output", "outputs"])]
    list: bool,
    /// Say by the exit status whether a bundle has a part for the one target.
    #[arg(long, conflicts_with_all = ["unbundle", "list", "output", "outputs"])]
    check_section: bool,
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
    #[arg(long, allow_negative_numbers = true)]
    compression_level: Option<i32>,
    /// Refuse an archive with a member whose targets conflict.
    #[arg(long)]
    check_input_archive: bool,
    /// Whether an object lists what SYCL's parts define, in a section .tgtsym.
    #[arg(long, num_args = 0..=1, require_equals = true, default_value_t = true,
          default_missing_value = "true", action = clap::ArgAction::Set)]
    add_target_symbols_to_bundled_object: bool,
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
    let parse = |words| Arguments::try_parse_from(tool::double_dashed(words));
    tool::main("clang-offload-bundler", parse, |mut arguments| {
        arguments.input.append(&mut arguments.inputs);
        arguments.output.append(&mut arguments.outputs);
        take_environment(&mut arguments);
        if arguments.list {
            return list(&arguments);
        }
        check_targets(&arguments.targets)?;
        if arguments.check_section {
            check_section(&arguments)
        } else if arguments.unbundle {
            unbundle(&arguments)
        } else {
            bundle(&arguments)
        }
    })
}

/// Takes what the environment says where the line says nothing.
fn take_environment(arguments: &mut Arguments) {
    let variable = |name: &str| std::env::var(format!("OFFLOAD_BUNDLER_{name}")).ok();
    let is_on = |name: &str| variable(name).is_some_and(|value| value == "1");
    if is_on("IGNORE_ENV_VAR") {
        return;
    }
    arguments.compress |= is_on("COMPRESS");
    arguments.verbose |= is_on("VERBOSE");
    if let (None, Some(level)) = (arguments.compression_level, variable("COMPRESSION_LEVEL")) {
        match level.parse() {
            Ok(level) => arguments.compression_level = Some(level),
            Err(_) => tool::say(&format!(
                "clang-offload-bundler: warning: OFFLOAD_BUNDLER_COMPRESSION_LEVEL is no number: \
                 '{level}'\n"
            )),
        }
    }
}

/// Refuses targets that nobody knows, or that are given twice.
fn check_targets(targets: &[TargetId]) -> Result<(), Failure> {
    let mut seen = HashSet::new();
    for target in targets {
        target.check().map_err(Failure::usage)?;
        if !seen.insert(target) {
            let reason = format!("the target '{target}' is given twice");
            return Err(Failure::usage(reason));
        }
    }
    Ok(())
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
        excluded: &arguments.excluded_targets,
    })
}

fn list(arguments: &Arguments) -> Result<(), Failure> {
    let bytes = tool::read_input(only_path(arguments)?)?;
    let targets = input(arguments, &bytes)?.list()?;
    let lines: String = targets.iter().map(|id| format!("{id}\n")).collect();
    tool::write_whole(Path::new("-"), lines.as_bytes())
}

fn check_section(arguments: &Arguments) -> Result<(), Failure> {
    let [target] = &arguments.targets[..] else {
        return Err(Failure::usage("exactly one target is asked for"));
    };
    let bytes = tool::read_input(only_path(arguments)?)?;
    input(arguments, &bytes)?.check_part(target)
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
    // HIP bundles what a compilation for devices alone gives.
    let is_hip = |target: &TargetId| ["hip", "hipv4"].contains(&&*target.kind);
    if hosts != 1 && !targets.iter().all(is_hip) {
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
    let options = BundleOptions {
        alignment: arguments.bundle_align,
        compress: arguments
            .compress
            .then_some((Compression::Zstd, arguments.compression_level)),
        symbols: arguments.add_target_symbols_to_bundled_object,
    };
    let bytes = bundler::bundle(arguments.kind, &parts?, options)?;
    tool::write_whole(output, &bytes)
}

fn unbundle(arguments: &Arguments) -> Result<(), Failure> {
    let (outputs, targets) = (&arguments.output, &arguments.targets);
    if outputs.len() != targets.len() {
        let (outputs, targets) = (outputs.len(), targets.len());
        let reason = format!("{outputs} output files for {targets} targets");
        return Err(Failure::usage(reason));
    }
    if targets.iter().filter(|target| target.is_host()).count() > 1 {
        return Err(Failure::usage(
            "a bundle has one host target; several are asked for",
        ));
    }
    let opened = [copy::Input::open(only_path(arguments)?)?];
    let input = input(arguments, &opened[0].bytes)?;
    if arguments.check_input_archive && matches!(arguments.kind, FileType::Archive(_)) {
        input.check_archive()?;
    }
    let taken = input.unbundle(targets, arguments.allow_missing_bundles)?;
    for ((path, taken), target) in outputs.iter().zip(taken).zip(targets) {
        let bytes = match taken {
            Taken::File(bytes) => bytes,
            Taken::List(extension, files) => write_listed(path, extension, &files, &opened)?,
        };
        tell(arguments, target, path, &bytes);
        copy::write_whole(path, &opened, |out| out.write_all(&bytes))?;
    }
    Ok(())
}

/// Writes files beside the list that is to name them, `<list's stem>-<index>.<extension>`, and gives
/// the list.
fn write_listed(
    list: &Path,
    extension: &str,
    files: &[Bytes],
    opened: &[copy::Input],
) -> Result<Bytes, Failure> {
    let stem = list.file_stem().unwrap_or_default().to_string_lossy();
    let mut lines = String::new();
    for (index, bytes) in files.iter().enumerate() {
        let path = list.with_file_name(format!("{stem}-{index}.{extension}"));
        copy::write_whole(&path, opened, |out| out.write_all(bytes))?;
        lines.push_str(&format!("{}\n", path.display()));
    }
    Ok(Bytes::from(lines))
}

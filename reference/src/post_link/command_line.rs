//! The command line of `sycl-post-link`: DPC++'s option names, with one dash or two.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::Parser;
use offload_formats::targets;

use super::options::{Dialect, Form, Options, SpecConstants, SplitMode};
use crate::tool::double_dashed;

/// Splits a linked device module into device images and describes each.
///
/// Reads LLVM bitcode or textual IR from a file or from standard input, and writes a file table
/// with a row for each image.
#[derive(Debug, Clone, Parser)]
#[command(name = "sycl-post-link", version)]
#[allow(clippy::struct_excessive_bools)] // Each is a switch.
pub struct CommandLine {
    /// The module; `-` is standard input.
    #[arg(default_value = "-", value_name = "INPUT")]
    pub input: PathBuf,
    /// The file table, or with --ir-output-only the module; `-` is standard output. With a target
    /// before it, and as often as one likes: the rows of the modules that the target can run.
    #[arg(short = 'o', value_name = "[TARGET,]FILE", value_parser = output)]
    pub outputs: Vec<Output>,
    /// The device configuration file for the targets of -o; the installed one when not given.
    #[arg(long, value_name = "FILE")]
    pub device_config_file: Option<PathBuf>,
    /// The folder of the files that the table lists; the table's own folder when not given.
    #[arg(long, value_name = "FOLDER")]
    pub out_dir: Option<PathBuf>,
    /// Write binary output to terminals too.
    #[arg(short = 'f')]
    pub force: bool,
    /// Write textual IR.
    #[arg(short = 'S')]
    pub text: bool,
    /// Write one module, and no table.
    #[arg(long, conflicts_with_all = ["symbols", "properties"])]
    pub ir_output_only: bool,
    /// How to split: source, kernel, auto or none.
    #[arg(long, value_name = "MODE", value_parser = split_mode)]
    pub split: Option<SplitMode>,
    /// Write the entry points of each image, and list them in the table.
    #[arg(long)]
    pub symbols: bool,
    /// Write the properties of each image, and list them in the table.
    #[arg(long)]
    pub properties: bool,
    /// Whose property names to write: those of the design `documents`, or those of `dpcpp`.
    #[arg(long, value_name = "DIALECT", value_parser = dialect, default_value = "documents")]
    pub property_dialect: Dialect,
    /// Lower specialization constants: native (to SPIR-V's own) or emulation (to a buffer).
    #[arg(long, value_name = "MODE", value_parser = spec_constants)]
    pub spec_const: Option<SpecConstants>,
    /// For each image with specialization constants, also one with their defaults built in; without
    /// --spec-const the others are lowered as by native.
    #[arg(long)]
    pub generate_device_image_default_spec_consts: bool,
    /// Exported device functions are no entry points.
    #[arg(long)]
    pub emit_only_kernels_as_entry_points: bool,
    /// Images import the functions that others export, and have no copies of them.
    #[arg(long)]
    pub allow_device_image_dependencies: bool,
    /// Write facts of single kernels and device globals.
    #[arg(long)]
    pub emit_program_metadata: bool,
    /// Write the names of the kernels.
    #[arg(long)]
    pub emit_kernel_names: bool,
    /// Write the symbols that other images may import.
    #[arg(long)]
    pub emit_exported_symbols: bool,
    /// Write the symbols that another image must give.
    #[arg(long)]
    pub emit_imported_symbols: bool,
    /// Write and check device globals.
    #[arg(long)]
    pub device_globals: bool,
    /// Split the module of one translation unit for a ThinLTO link: write bitcode with summaries,
    /// and leave to the link what can be known only there.
    #[arg(long, conflicts_with_all = ["text", "ir_output_only", "properties", "spec_const"])]
    pub thin_lto: bool,
}

impl CommandLine {
    /// Reads a command line, without the program's name.
    ///
    /// # Errors
    /// When an option is unknown or its value is none; the request for help or the version comes
    /// as an error too, as clap has it.
    pub fn parse_words<W: Into<OsString>>(
        words: impl IntoIterator<Item = W>,
    ) -> Result<Self, clap::Error> {
        let name = OsString::from("sycl-post-link");
        let words = double_dashed(words).filter(|word| !changes_nothing(word));
        Self::try_parse_from([name].into_iter().chain(words))
    }

    /// What is asked of the stage itself.
    #[must_use]
    pub fn options(&self) -> Options {
        Options {
            max_workers: None,
            split: self.split.unwrap_or_default(),
            dialect: self.property_dialect,
            form: match (self.text, self.thin_lto) {
                (true, _) => Form::Text,
                (false, true) => Form::ThinLto,
                (false, false) => Form::Bitcode,
            },
            // Asked how to split, one module must be what that comes to.
            whole: self.ir_output_only && self.split.is_none(),
            spec_constants: self.spec_const.or_else(|| {
                let defaults = self.generate_device_image_default_spec_consts;
                defaults.then_some(SpecConstants::Native)
            }),
            default_spec_constant_images: self.generate_device_image_default_spec_consts,
            only_kernels_as_entry_points: self.emit_only_kernels_as_entry_points,
            image_dependencies: self.allow_device_image_dependencies,
            program_metadata: self.emit_program_metadata,
            kernel_names: self.emit_kernel_names,
            exported_symbols: self.emit_exported_symbols,
            imported_symbols: self.emit_imported_symbols,
            device_globals: self.device_globals,
            for_spirv_writer: false,
        }
    }
}

/// One `-o`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The target that the modules of the table must fit; every module without.
    pub target: Option<String>,
    /// The file.
    pub file: PathBuf,
}

/// A comma parts a target from a file only where what is before it is a target: files may have
/// commas in their names.
fn output(word: &str) -> Result<Output, &'static str> {
    Ok(match word.split_once(',') {
        Some((target, file)) if targets::find(target).is_some() => Output {
            target: Some(target.to_owned()),
            file: file.into(),
        },
        _ => Output {
            target: None,
            file: word.into(),
        },
    })
}

/// Whether a word is an option of DPC++'s that this stage takes and has no use for.
fn changes_nothing(word: &OsStr) -> bool {
    word.to_str().and_then(without_effect).is_some()
}

/// Why a word that this stage takes changes nothing; none for every other word.
#[must_use]
pub fn without_effect(word: &str) -> Option<&'static str> {
    let name = word.strip_prefix('-')?;
    match name.strip_prefix('-').unwrap_or(name) {
        "O0" | "O1" | "O2" | "O3" | "Os" | "Oz" => {
            Some("how device code is optimized follows from -O where it is compiled")
        }
        "emit-param-info" => Some("which parameters kernels lack is always told"),
        "split-esimd" | "lower-esimd" => Some("there are no ESIMD kernels here"),
        name if name.starts_with("device-lib-dir=") => {
            Some("the device link has brought the libraries by then")
        }
        _ => None,
    }
}

fn split_mode(name: &str) -> Result<SplitMode, &'static str> {
    SplitMode::from_name(name).ok_or("one of source, kernel, auto, none is needed")
}

fn dialect(name: &str) -> Result<Dialect, &'static str> {
    Dialect::from_name(name).ok_or("one of documents, dpcpp is needed")
}

fn spec_constants(name: &str) -> Result<SpecConstants, &'static str> {
    match name {
        "native" => Ok(SpecConstants::Native),
        "emulation" => Ok(SpecConstants::Emulation),
        _ => Err("one of native, emulation is needed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_may_name_targets() {
        let line = CommandLine::parse_words(["-o", "intel_gpu_pvc,a.table", "-o", "b,c.table"]);
        let outputs = line.unwrap().outputs;
        assert_eq!(outputs[0].target.as_deref(), Some("intel_gpu_pvc"));
        assert_eq!(outputs[0].file, PathBuf::from("a.table"));
        assert_eq!(
            (&outputs[1].target, &outputs[1].file),
            (&None, &"b,c.table".into())
        );
    }

    #[test]
    fn one_dash_or_two() {
        let parse = |words: &[&str]| CommandLine::parse_words(words);
        let line = parse(&[
            "-split=kernel",
            "-symbols",
            "--properties",
            "-S",
            "-o",
            "-",
            "in.bc",
        ]);
        let line = line.unwrap();
        assert_eq!(line.options().split, SplitMode::PerKernel);
        assert!(line.symbols && line.properties && line.text);
        assert_eq!(line.outputs, [output("-").unwrap()]);
        assert_eq!(line.input, PathBuf::from("in.bc"));
        assert_eq!(
            parse(&["-split", "source"]).unwrap().split,
            Some(SplitMode::PerSource)
        );
        let taken = ["-O2", "-split-esimd", "--device-lib-dir=x", "in.bc"];
        assert_eq!(parse(&taken).unwrap().input, PathBuf::from("in.bc"));
        for wrong in [
            &["-split=sideways"][..],
            &["-no-such"],
            &["--ir-output-only", "-symbols"],
            &["-thin-lto", "-S"],
        ] {
            assert_eq!(parse(wrong).unwrap_err().exit_code(), 2, "{wrong:?}");
        }
    }
}

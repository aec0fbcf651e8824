//! `sycl-aspect-filter -target=T -device-config-file=F in.table -o out.table`: removes the rows of
//! modules that a target cannot run.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use offload_formats::device_config::{DeviceConfig, DeviceEntry};
use offload_formats::file_table::{Lines, PROPERTIES};
use offload_formats::property_set::PropertySets;
use reference::aspect_filter;
use reference::tool::{self, Failure, double_dashed, write_whole};

/// Removes from a file table the rows of device modules that a target cannot run.
#[derive(Debug, Parser)]
#[command(name = "sycl-aspect-filter", version)]
struct Options {
    /// The target architecture.
    #[arg(long, value_name = "TARGET")]
    target: String,
    /// The device configuration file.
    #[arg(long, value_name = "FILE")]
    device_config_file: PathBuf,
    /// The table.
    #[arg(value_name = "IN.table")]
    input: PathBuf,
    /// The filtered table; `-` is standard output.
    #[arg(short = 'o', value_name = "OUT.table", default_value = "-")]
    output: PathBuf,
}

fn main() -> ExitCode {
    let parse = |words| Options::try_parse_from(double_dashed(words));
    tool::main("sycl-aspect-filter", parse, |options| run(&options))
}

fn run(options: &Options) -> Result<(), Failure> {
    let text = read(&options.input)?;
    let mut table = Lines::parse(&text).map_err(|e| at(&options.input, &e))?;
    if !table.has(PROPERTIES) {
        return write_whole(&options.output, text.as_bytes());
    }
    let config = DeviceConfig::read(&options.device_config_file).map_err(Failure::job)?;
    let entry = config.find(&options.target).ok_or_else(|| {
        Failure::Job(format!(
            "'{}' has no entry for target '{}'",
            options.device_config_file.display(),
            options.target
        ))
    })?;
    let folder = options.input.parent().unwrap_or(Path::new(""));
    let mut rows = Vec::with_capacity(table.rows.len());
    for row in &table.rows {
        let properties = table.cell(*row, PROPERTIES);
        let properties = properties.map_err(|e| at(&options.input, &e))?;
        if supports(entry, properties.unwrap_or_default(), folder)? {
            rows.push(*row);
        }
    }
    table.rows = rows;
    write_whole(&options.output, table.to_text().as_bytes())
}

/// Whether the target can run the module with these properties.
fn supports(entry: &DeviceEntry, properties: &str, folder: &Path) -> Result<bool, Failure> {
    let path = found(properties, folder);
    let sets = PropertySets::parse(&read(&path)?).map_err(|e| at(&path, &e))?;
    let lacking = aspect_filter::unsupported(&sets, entry).map_err(|e| at(&path, &e))?;
    Ok(lacking.is_none())
}

/// A file of a table: as the table names it, or beside the table.
fn found(name: &str, folder: &Path) -> PathBuf {
    let named = PathBuf::from(name);
    match named.is_file() {
        true => named,
        false => folder.join(name),
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|e| Failure::Job(format!("cannot read '{}': {e}", path.display())))
}

fn at(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::Job(format!("'{}': {error}", path.display()))
}

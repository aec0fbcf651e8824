//! `offload-inspect`: which device images a file holds.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use fat_tools::copy::{self, Input};
use fat_tools::inspect::{self, Found};
use fat_tools::tool::{self, Failure};

/// Shows the device images in objects, archives, executables, bitcode, OffloadBinaries, bundles and
/// file tables: targets, kernels, requirements and options.
#[derive(Parser)]
#[command(name = "offload-inspect", version)]
struct Arguments {
    /// The files to look into.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Print JSON: a list of one report a file.
    #[arg(long)]
    json: bool,
    /// Write each image to a file of its own in this folder.
    #[arg(long, value_name = "DIR")]
    extract: Option<PathBuf>,
}

fn main() -> ExitCode {
    tool::main("offload-inspect", Arguments::try_parse_from, |arguments| {
        inspect(&arguments)
    })
}

fn inspect(arguments: &Arguments) -> Result<(), Failure> {
    let mut reports = Vec::new();
    for file in &arguments.files {
        let input = [Input::open(file)?];
        let (format, found) = inspect::images(file, &input[0].bytes).map_err(Failure::job)?;
        if let Some(folder) = &arguments.extract {
            extract(file, &input, &found, folder)?;
        }
        reports.push(inspect::report(file, format, &found));
    }
    let text = if arguments.json {
        serde_json::to_string_pretty(&reports).map_err(Failure::job)? + "\n"
    } else {
        let texts: Vec<_> = reports.iter().map(inspect::to_text).collect();
        texts.join("\n")
    };
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // A reader that has seen enough, as `head` has, is no failure.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Job(format!("cannot write '-': {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes `<file's stem>.<index>-<triple>[-<arch>].<extension>` for each image.
fn extract(file: &Path, whole: &[Input], found: &[Found], folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|e| {
        Failure::Job(format!(
            "cannot make the folder '{}': {e}",
            folder.display()
        ))
    })?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    for (index, image) in found.iter().enumerate() {
        let input = &image.input;
        let mut name = format!("{stem}.{index}-{}", input.triple);
        if !input.arch.is_empty() {
            name = format!("{name}-{}", input.arch);
        }
        let extension = match input.image_kind.extension() {
            "" => "bin",
            extension => extension,
        };
        // A triple comes from outside: it must not lead out of the folder.
        let name = format!("{name}.{extension}").replace(['/', '\\'], "_");
        copy::write_whole(&folder.join(name), whole, |out| out.write_all(&input.bytes))?;
    }
    Ok(())
}

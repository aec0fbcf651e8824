//! `clang-offload-packager`: device images into an OffloadBinary, and out of any fat file.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use fat_tools::copy::{self, Input};
use fat_tools::extractor;
use fat_tools::packager::{self, ImageArgument};
use fat_tools::tool::{self, Failure};
use offload_formats::device_input::Origin;
use offload_formats::offload_binary::{self, Compression, Version, WriteOptions};

/// Packages device images into one binary that host objects can embed, or, with an input file in
/// place of -o, extracts the images that match, or all of them where no --image says which.
#[derive(Parser)]
#[command(name = "clang-offload-packager", version)]
struct Arguments {
    /// The binary to write; standard output when there is none.
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// An image, or what images to extract must match: file, triple, kind, arch and any other key; in an
    /// archive also the member that an image is in.
    #[arg(long, value_name = "KEY=VALUE,…", value_parser = ImageArgument::parse,
          required_unless_present_any = ["output", "input"])]
    image: Vec<ImageArgument>,
    /// Extract to static archives.
    #[arg(long, requires = "input")]
    archive: bool,
    /// The version of the form to write.
    #[arg(long, value_name = "1|2|3", value_parser = version, conflicts_with = "input")]
    format_version: Option<Version>,
    /// Compress the images; needs version 3.
    #[arg(long, value_name = "METHOD", num_args = 0..=1, require_equals = true,
          default_missing_value = "zstd", conflicts_with = "input")]
    compress: Option<Method>,
    /// The file to extract from: an object, executable, archive, bitcode, bundle or OffloadBinary.
    #[arg(conflicts_with = "output")]
    input: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Method {
    Zstd,
    Zlib,
}

fn version(text: &str) -> Result<Version, String> {
    let number = text.parse().ok();
    let version = number.and_then(Version::from_number);
    version.ok_or_else(|| "the versions are 1, 2 and 3".to_owned())
}

fn main() -> ExitCode {
    let parse = |words| Arguments::try_parse_from(tool::double_dashed(words));
    tool::main("clang-offload-packager", parse, |arguments| {
        match (&arguments.input, &arguments.output) {
            (Some(input), _) => extract(&arguments, input),
            (None, Some(output)) => package(&arguments, output),
            (None, None) if std::io::stdout().is_terminal() => Err(Failure::usage(
                "standard output is a terminal: -o names the binary to write",
            )),
            (None, None) => package(&arguments, Path::new("-")),
        }
    })
}

fn package(arguments: &Arguments, output: &Path) -> Result<(), Failure> {
    let compression = arguments.compress.map(|method| match method {
        Method::Zstd => Compression::Zstd,
        Method::Zlib => Compression::Zlib,
    });
    let version = match (arguments.format_version, compression) {
        (None, Some(_)) => Version::V3,
        (Some(version), Some(_)) if version != Version::V3 => {
            return Err(Failure::usage("--compress needs --format-version=3"));
        }
        (version, _) => version.unwrap_or_default(),
    };
    let (images, inputs) = packager::images(&arguments.image)?;
    let options = WriteOptions {
        version,
        compression,
    };
    copy::write_whole(output, &inputs, |out| {
        offload_binary::write_to(out, &images, options)
    })
}

fn extract(arguments: &Arguments, input: &Path) -> Result<(), Failure> {
    let opened = [Input::open(input)?];
    let found = extractor()
        .bytes(&opened[0].bytes, &Origin::file(input))
        .map_err(Failure::job)?;
    let outputs = packager::select(input, &found, &arguments.image, arguments.archive)?;
    for output in outputs {
        if arguments.archive {
            let members = output.images.iter().enumerate().map(|(index, image)| {
                let name = format!("{index}.{}", image.image_kind.extension());
                (name, image.bytes.clone())
            });
            copy::write_archive(&output.path, &opened, &members.collect::<Vec<_>>())?;
        } else if let Some(image) = output.images.first() {
            copy::write_whole(&output.path, &opened, |out| out.write_all(&image.bytes))?;
        }
    }
    Ok(())
}

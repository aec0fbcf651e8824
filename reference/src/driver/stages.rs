//! The toolchain's own stages as steps of a plan: files in, files out.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fat_tools::bundler;
use offload_formats::Bytes;
use offload_formats::bundle::TargetId;
use offload_formats::container;
use offload_formats::file_table::FileTable;
use offload_formats::offload_binary::{self, ImageKind, OffloadImage, OffloadKind};

use super::plan::{Bundle, Embed, Image, Lower, Package, Split};
use crate::frontend::{self, LowerError};
use crate::link::sycl_link::{self, SyclLinkOptions};
use crate::link::{self, WrapperOptions};
use crate::llvm::{self, read::defined_for_others};
use crate::post_link::command_line::CommandLine;
use crate::post_link::outputs;
use crate::tool::{Failure, write_whole};

/// Lowers a raw device module; `show` gets warnings and diagnostics.
pub(super) fn lower(lower: &Lower, show: impl Fn(&str)) -> Result<(), Failure> {
    let raw = read(&lower.raw)?;
    let all = lower.of_all_targets.iter().map(|path| read(path));
    let all: Vec<Bytes> = all.collect::<Result<_, _>>()?;
    let all: Vec<&[u8]> = all.iter().map(|raw| &**raw).collect();
    let lowered = match frontend::lower(&raw, &all, &lower.options) {
        Ok(lowered) => lowered,
        Err(LowerError::Diagnosed { diagnostics }) => {
            show(&lines(&diagnostics));
            return Err(Failure::Reported);
        }
        Err(error) => return Err(Failure::job(error)),
    };
    show(&lines(&lowered.warnings));
    write_whole(&lower.module, &lowered.module)?;
    match &lower.header {
        Some(header) => write_whole(header, lowered.integration_header.as_bytes()),
        None => Ok(()),
    }
}

/// Splits a device module into modules with summaries, and lists them in a table.
pub(super) fn split(step: &Split) -> Result<(), Failure> {
    let line = CommandLine::parse_words(step.words()).map_err(Failure::usage)?;
    let bytes = read(&step.module)?;
    let context = llvm::context();
    let module = llvm::read::module(&context, &bytes, &step.module.to_string_lossy());
    outputs::write(module.map_err(Failure::job)?, &line).map(|_| ())
}

/// Writes an OffloadBinary.
pub(super) fn package(package: &Package) -> Result<(), Failure> {
    let mut images = Vec::new();
    for image in &package.images {
        for file in files(image)? {
            images.push(offload_image(image, &file)?);
        }
    }
    write_whole(&package.output, &offload_binary::write(&images))
}

/// The files of an image: its own, or those that its table lists.
fn files(image: &Image) -> Result<Vec<PathBuf>, Failure> {
    if !image.table {
        return Ok(vec![image.file.clone()]);
    }
    let text = read(&image.file)?;
    let table = FileTable::parse(&String::from_utf8_lossy(&text))
        .map_err(|error| Failure::Job(format!("{}: {error}", image.file.display())))?;
    Ok(table.code().map(Path::to_owned).collect())
}

/// Writes a host object with an OffloadBinary in it.
pub(super) fn embed(embed: &Embed) -> Result<(), Failure> {
    let object = read(&embed.object)?;
    let package = read(&embed.package)?;
    let fat = container::embed(&object, &package)
        .map_err(|error| Failure::Job(format!("{}: {error}", embed.object.display())))?;
    write_whole(&embed.output, &fat)
}

/// Puts device images into a host object in the old format: a section a target, one for the host that
/// only names it, and one that lists what the images define.
pub(super) fn bundle(step: &Bundle) -> Result<(), Failure> {
    let object = read(&step.object)?;
    let target = |kind: &str, triple: &str, arch: &str| TargetId {
        kind: kind.to_owned(),
        triple: triple.to_owned(),
        arch: arch.to_owned(),
    };
    let images = step.images.iter().map(|image| {
        let target = target(image.kind, &image.triple, &image.arch);
        Ok((target, read(&image.file)?))
    });
    let mut parts = images.collect::<Result<Vec<_>, Failure>>()?;
    parts.push((target("host", &step.host_triple, ""), object.clone()));
    let fat = bundler::into_object(&object, &parts, Some(&defined_for_others));
    let fat = fat.map_err(|error| match error {
        Failure::Job(reason) => Failure::Job(format!("{}: {reason}", step.object.display())),
        other => other,
    })?;
    write_whole(&step.output, &fat)
}

/// Runs the linker wrapper's stages.
pub(super) fn linker_wrapper(words: &[OsString]) -> Result<(), Failure> {
    let options = WrapperOptions::parse_words(words).map_err(Failure::usage)?;
    link::run(&options).map_err(Failure::from)
}

/// Runs the device linker's stages.
pub(super) fn sycl_linker(words: &[OsString]) -> Result<(), Failure> {
    let options = SyclLinkOptions::parse_words(words).map_err(Failure::usage)?;
    sycl_link::run(&options).map_err(Failure::from)
}

fn offload_image(image: &Image, file: &Path) -> Result<OffloadImage, Failure> {
    let bytes = read(file)?;
    let strings = [("triple", &image.triple), ("arch", &image.arch)];
    let strings = strings.iter().filter(|(_, value)| !value.is_empty());
    let kind = |extension: &str| ImageKind::from_extension(extension);
    Ok(OffloadImage {
        image_kind: file
            .extension()
            .and_then(|e| e.to_str())
            .map_or(ImageKind::None, kind),
        offload_kind: image.kind.parse::<OffloadKind>().map_err(Failure::Job)?,
        flags: 0,
        strings: strings
            .map(|(key, value)| ((*key).to_owned(), (*value).clone()))
            .collect(),
        image: bytes,
    })
}

pub(super) fn read(path: &Path) -> Result<Bytes, Failure> {
    container::map_file(path)
        .map_err(|error| Failure::Job(format!("cannot read '{}': {error}", path.display())))
}

fn lines(diagnostics: &[String]) -> String {
    diagnostics
        .iter()
        .map(|text| format!("{}\n", text.trim_end()))
        .collect()
}

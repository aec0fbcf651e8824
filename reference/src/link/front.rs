//! The part of the wrapper that needs no LLVM: it links a program without device code by itself, and
//! sees to it that a SPIR-V writer loads while the rest of the wrapper does.
//!
//! LLVM takes longer to load than a host linker needs for a small program, so the wrapper is two
//! programs; the second takes the place of the first.

use std::sync::atomic::{AtomicBool, Ordering};

use components::Components;
use components::ahead::Ahead;
use offload_formats::Bytes;
use offload_formats::container::{Extractor, Format, identify, map_file};
use offload_formats::device_input::{DeviceInput, Origin};

use super::host::HostLink;
use super::linker_line::LinkerLine;
use super::trace::Trace;
use super::variant::{self, Step, Variant};
use super::{DeviceTarget, LinkError, WrapperOptions};
use crate::translate::spirv;

/// What is left to do.
#[derive(Debug)]
pub enum Rest {
    /// Nothing: there was no device code, and the host is linked.
    Nothing,
    /// The link, with the writer that waits for its module.
    Link(Option<Ahead>),
}

/// Links a program without device code.
///
/// # Errors
/// When the output cannot be written, or the host link fails. Inputs that cannot be read are left to what does the link.
pub fn run(options: &WrapperOptions) -> Result<Rest, LinkError> {
    let line = LinkerLine::parse(options.linker.clone());
    if !options.dry_run {
        super::trace::check(&line.output)?;
    }
    let mut first = None;
    if !line.relocatable {
        for input in &line.inputs {
            first = look(input);
            if first.is_some() {
                break;
            }
        }
    }
    match first {
        Some(_) if options.dry_run => Ok(Rest::Link(None)),
        Some(Device::Image(image)) => Ok(Rest::Link(start_writer(&image, options))),
        Some(Device::Unknown) => Ok(Rest::Link(None)),
        None => {
            super::plain(
                &HostLink {
                    program: &options.linker_path,
                    line: &line,
                    before: None,
                },
                options,
                &Trace::of(options, &line),
            )?;
            Ok(Rest::Nothing)
        }
    }
}

/// Device code in an input.
enum Device {
    /// The first image.
    Image(Box<DeviceInput>),
    /// There is some, or only LLVM can tell.
    Unknown,
}

fn look(input: &super::linker_line::HostInput) -> Option<Device> {
    let Ok(bytes) = map_file(&input.path) else {
        return Some(Device::Unknown);
    };
    let bitcode = AtomicBool::new(false);
    let images = Extractor {
        bitcode: &|_: &Bytes| {
            bitcode.store(true, Ordering::Relaxed);
            Ok(Vec::new())
        },
    }
    .bytes(&bytes, &Origin::file(&input.path));
    match images {
        Ok(images) if images.is_empty() && !bitcode.into_inner() => None,
        Ok(images) => Some(
            images
                .into_iter()
                .next()
                .map_or(Device::Unknown, |image| Device::Image(Box::new(image))),
        ),
        Err(_) => Some(Device::Unknown),
    }
}

fn start_writer(image: &DeviceInput, options: &WrapperOptions) -> Option<Ahead> {
    if identify(&image.bytes) != Format::Bitcode {
        return None;
    }
    let target = DeviceTarget::new(&image.triple, &image.arch);
    let components = Components::here().ok()?;
    let writer = spirv::find(options.spirv_writer, &components).ok()?;
    let variants = variant::variants(&target, options).ok()?;
    ahead(writer.as_ref(), &variants, options)
}

/// Starts the writer that the first of `variants` needs, if it needs one.
pub(super) fn ahead(
    writer: &dyn spirv::SpirvWriter,
    variants: &[Variant],
    options: &WrapperOptions,
) -> Option<Ahead> {
    let variant = variants.iter().find(|v| !matches!(v.step, Step::Ptx(_)))?;
    let spirv = options.spirv_options().ok()?;
    writer.job(&variant.spirv_options(&spirv)).start_ahead()
}

//! Kernels out of sources in SYCL that a program has while it runs (`sycl_ext_oneapi_kernel_compiler`).
//!
//! This toolchain's compiler makes an object of each source and a library of objects, which is loaded as
//! any library that the program is linked with: its constructors register images and describe kernels.
//! Only that these are of no bundle of the program's own kernels is told apart ([`crate::registry`]).

mod compiler;
mod library;
mod options;

use std::path::PathBuf;
use std::sync::Arc;

use offload_formats::registration::{ImageFormat, target};
use tempfile::TempDir;

use self::compiler::Compiler;
pub use self::library::Library;
use crate::cache::Kept;
use crate::device::Device;
use crate::error::{Error, Kind, Result};
use crate::plugin::Form;

/// A source in SYCL.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The text.
    pub text: &'a str,
    /// Files that it may include: how it names each, and their texts.
    pub files: &'a [(&'a str, &'a str)],
    /// Options of the compiler.
    pub options: &'a [&'a str],
    /// Expressions that are functions, or addresses of device globals, in the text.
    pub names: &'a [&'a str],
}

/// What the compiler made of a source.
pub struct Object {
    /// Where the file is; it goes with this.
    folder: TempDir,
    targets: Targets,
    /// Options that the link gets too.
    options: Vec<String>,
    /// What the compiler said.
    pub log: String,
}

impl Object {
    /// Compiles a source for devices.
    ///
    /// # Errors
    /// `Build` with what the compiler says, `Invalid` for options that it is not given.
    pub fn of(source: &Source<'_>, devices: &[&'static Device]) -> Result<Object> {
        options::check(source)?;
        let targets = Targets::of(devices)?;
        let folder = compiler::folder()?;
        let log = compiler()?.compile(source, &targets, folder.path())?;
        Ok(Object {
            folder,
            targets,
            options: source.options.iter().map(|&each| each.to_owned()).collect(),
            log,
        })
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join(compiler::OBJECT)
    }
}

/// The library of objects.
///
/// # Errors
/// `Build` when they do not fit together or the library does not load.
pub fn linked(objects: &[Arc<Object>]) -> Result<&'static Library> {
    let objects: Vec<&Object> = objects.iter().map(AsRef::as_ref).collect();
    let made = link(&objects)?;
    Library::load(&made.file(), made.log)
}

/// The library of one source, which is kept from one start of the program to the next
/// ([`crate::cache`]).
///
/// # Errors
/// As [`Object::of`] and [`linked`].
pub fn built(source: &Source<'_>, devices: &[&'static Device]) -> Result<&'static Library> {
    let kept = match options::is_closed(source) {
        true => Kept::of(&compiler()?.tells(source, &Targets::of(devices)?)),
        false => None,
    };
    if let Some(library) = kept.as_ref().and_then(loaded) {
        return Ok(library);
    }
    let object = Object::of(source, devices)?;
    let made = link(&[&object])?;
    // A library that comes from the cache has nothing to say, and knows no file that changed since.
    if let Some(kept) = kept.filter(|_| made.log.is_empty())
        && compiler::reads_no_other_file(object.folder.path())
        && let Ok(bytes) = std::fs::read(made.file())
    {
        kept.write(&bytes);
    }
    Library::load(&made.file(), made.log)
}

/// The library that the cache has; what cannot be loaded is made anew.
fn loaded(kept: &Kept) -> Option<&'static Library> {
    let bytes = kept.read()?;
    let folder = compiler::folder().ok()?;
    let file = folder.path().join(compiler::LIBRARY);
    std::fs::write(&file, bytes).ok()?;
    Library::load(&file, String::new()).ok()
}

/// What the compiler made of objects.
struct Made {
    /// Where the file is; it goes with this.
    folder: TempDir,
    log: String,
}

impl Made {
    fn file(&self) -> PathBuf {
        self.folder.path().join(compiler::LIBRARY)
    }
}

fn link(objects: &[&Object]) -> Result<Made> {
    let first = objects.first();
    let first = first.ok_or_else(|| Error::new(Kind::Invalid, "there is nothing to link"))?;
    let targets = &first.targets;
    if objects.iter().any(|other| other.targets != *targets) {
        let reason = "bundles that were compiled for devices of different kinds";
        return Err(Error::new(Kind::Invalid, reason));
    }
    let options = objects.iter().flat_map(|object| &object.options);
    let options: Vec<&str> = options.map(String::as_str).collect();
    let files: Vec<PathBuf> = objects.iter().map(|object| object.file()).collect();
    let folder = compiler::folder()?;
    let said = compiler()?.link(&files, targets, &options, folder.path())?;
    let logs = objects.iter().map(|object| object.log.as_str());
    let log = logs.chain([&*said]).collect();
    Ok(Made { folder, log })
}

/// Whether kernels for the device can be built from sources in SYCL.
#[must_use]
pub fn builds(device: &Device) -> bool {
    Targets::of_one(device).is_some() && compiler().is_ok()
}

fn compiler() -> Result<&'static Compiler> {
    Compiler::found().ok_or_else(|| {
        let reason = "there is no compiler beside the runtime library, which sources in SYCL need";
        Error::new(Kind::Invalid, reason)
    })
}

/// The targets that devices take, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Targets(Vec<&'static str>);

impl Targets {
    fn of(devices: &[&'static Device]) -> Result<Targets> {
        let mut all = Vec::new();
        for device in devices {
            let one = Targets::of_one(device);
            all.push(one.ok_or_else(|| {
                let reason = "a device takes no images that the compiler makes of sources in SYCL";
                Error::new(Kind::Invalid, reason)
            })?);
        }
        all.sort_unstable();
        all.dedup();
        Ok(Targets(all))
    }

    fn of_one(device: &Device) -> Option<&'static str> {
        let forms = [
            ("spir64", ImageFormat::SpirV, target::SPIR64),
            ("nvptx64-nvidia-cuda", ImageFormat::Native, target::NVPTX64),
        ];
        let takes = |(_, format, target): &(_, ImageFormat, &str)| {
            let form = Form {
                format: *format,
                target,
                architecture: None,
                is_machine_code: false,
            };
            device.driver().accepts(&form).is_some()
        };
        forms
            .iter()
            .find(|form| takes(form))
            .map(|(name, ..)| *name)
    }

    /// As the compiler takes them.
    fn option(&self) -> String {
        format!("-fsycl-targets={}", self.0.join(","))
    }
}

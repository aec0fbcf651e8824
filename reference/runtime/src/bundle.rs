//! What kernel bundles are made of: the program's kernels, and the images that hold them.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::sync::{Arc, LazyLock, Mutex};

use offload_formats::registration::ImageFormat;

use crate::binary::Binary;
use crate::context::Context;
use crate::device::Device;
use crate::error::{Error, Kind, Result};
use crate::imports::Linked;
use crate::launch;
use crate::plugin::{Program, SpecValue};
use crate::registry::{self, Image};
use crate::select;

/// The states of a bundle, with the numbers of `plsycl_bundle_state`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Not compiled for a device yet.
    Input,
    /// Compiled, not linked.
    Object,
    /// Ready to run.
    Executable,
}

static IDS: LazyLock<Mutex<BTreeMap<String, &'static CStr>>> = LazyLock::new(Mutex::default);

/// The identity of a kernel: text of its name that stays where it is, one for each name.
#[must_use]
pub fn kernel_id(name: &str) -> &'static CStr {
    let mut ids = IDS.lock().unwrap_or_else(|e| e.into_inner());
    if let Some(id) = ids.get(name) {
        return id;
    }
    // Names come from C strings. There are as many as the program has kernels.
    let id: &'static CStr = Box::leak(CString::new(name).unwrap_or_default().into_boxed_c_str());
    ids.insert(name.to_owned(), id);
    id
}

/// The identities of all kernels of the program.
#[must_use]
pub fn kernel_ids() -> Vec<&'static CStr> {
    let names = registry::kernel_names();
    names.iter().map(|name| kernel_id(name)).collect()
}

/// The identities of the kernels that an image holds.
#[must_use]
pub fn kernels_of(image: &Image) -> Vec<&'static CStr> {
    let entries = image.content.entries.iter();
    let kernels = entries.filter(|entry| registry::is_kernel(entry));
    kernels.map(|name| kernel_id(name)).collect()
}

/// Whether a device can run the image's kernels.
#[must_use]
pub fn fits(image: &Image, device: &Device) -> bool {
    let registered = registry::image(image.id);
    registered.is_some_and(|image| rank(&image, device).is_some())
}

/// How gladly a device that can run the image takes it.
fn rank(image: &Arc<Image>, device: &Device) -> Option<u32> {
    let rank = device.driver().accepts(&image.form())?;
    linked(image, device).is_ok().then_some(rank)
}

/// An image with what it is linked with for a device.
fn linked(image: &Arc<Image>, device: &Device) -> Result<Linked> {
    let kernel = image.content.entries.first();
    let kernel = kernel.map_or("", String::as_str);
    select::linked(kernel, image, device, &registry::images())
}

/// The images that serve some of the devices in a state. Of a kernel that a device has several images
/// for, the best holds it; those before the executable state must be of a form that can be compiled.
#[must_use]
pub fn images(devices: &[&'static Device], state: State) -> Vec<Arc<Image>> {
    let mut all = registry::images();
    all.retain(|image| !image.is_of_source);
    serving(&all, devices, state)
}

/// The images of a binary that was made of a source, which serve some of the devices.
///
/// # Errors
/// `Build` when one for a device cannot be linked.
pub fn images_of_source(binary: Binary, devices: &[&'static Device]) -> Result<Vec<Arc<Image>>> {
    let mut all = registry::images();
    all.retain(|image| image.binary == Some(binary));
    for device in devices {
        for image in &all {
            if device.driver().accepts(&image.form()).is_none() {
                continue;
            }
            match linked(image, device) {
                Err(error) if error.kind == Kind::Build => return Err(error),
                _ => {}
            }
        }
    }
    Ok(serving(&all, devices, State::Executable))
}

fn serving(all: &[Arc<Image>], devices: &[&'static Device], state: State) -> Vec<Arc<Image>> {
    let mut chosen: Vec<Arc<Image>> = Vec::new();
    for device in devices {
        let mut fitting: Vec<(u32, &Arc<Image>)> = all
            .iter()
            .filter(|image| state == State::Executable || can_be_compiled(image))
            .filter_map(|image| Some((rank(image, device)?, image)))
            .collect();
        fitting.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
        // Each binary starts its own kernel of a name.
        let mut served = Vec::new();
        for (_, image) in fitting {
            let kernels = kernels_of(image).into_iter();
            let kernels: Vec<_> = kernels.map(|kernel| (image.binary, kernel)).collect();
            if kernels.iter().all(|kernel| served.contains(kernel)) {
                continue;
            }
            served.extend(kernels);
            if !chosen.iter().any(|other| other.id == image.id) {
                chosen.push(Arc::clone(image));
            }
        }
    }
    chosen
}

fn can_be_compiled(image: &Image) -> bool {
    let is_portable = |target: &str| target == offload_formats::registration::target::SPIR64;
    image.format() == ImageFormat::SpirV && is_portable(&image.content.target)
}

/// The driver's program of the image, built for a device of the context with values that the program
/// set for specialization constants. Where the driver does not take machine code, another image of the
/// same binary and the same kernels stands in, as it does where a kernel is submitted.
///
/// # Errors
/// `Build` when the driver refuses all of them.
pub fn build(
    context: &Context,
    device: &Device,
    image: &Image,
    constants: &[(String, Vec<u8>)],
) -> Result<Arc<dyn Program>> {
    let gone = || Error::new(Kind::Build, "the image's binary is no longer loaded");
    let image = registry::image(image.id).ok_or_else(gone)?;
    let built = build_one(context, device, &image, constants);
    if built.is_ok() {
        return built;
    }
    let others = registry::images();
    let mut others: Vec<(u32, &Arc<Image>)> = others
        .iter()
        .filter(|other| is_stand_in(other, &image))
        .filter_map(|other| Some((rank(other, device)?, other)))
        .collect();
    others.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    let mut programs = others
        .iter()
        .filter_map(|(_, other)| build_one(context, device, other, constants).ok());
    programs.next().map_or(built, Ok)
}

/// Whether a command that uses a bundle with the image `of` may take another one in its place.
#[must_use]
pub fn stands_in(other: &Image, of: u64) -> bool {
    registry::image(of).is_some_and(|image| is_stand_in(other, &image))
}

fn is_stand_in(other: &Image, image: &Image) -> bool {
    image.form().is_machine_code
        && other.id != image.id
        && other.binary == image.binary
        && kernels_of(other) == kernels_of(image)
}

fn build_one(
    context: &Context,
    device: &Device,
    image: &Arc<Image>,
    constants: &[(String, Vec<u8>)],
) -> Result<Arc<dyn Program>> {
    let kernels = kernels_of(image);
    let kernel = kernels.first().and_then(|kernel| kernel.to_str().ok());
    let kernel = kernel.unwrap_or_default();
    let linked = select::linked(kernel, image, device, &registry::images())?;
    let parts = linked.parts().iter();
    let values: Vec<Vec<SpecValue>> = parts
        .map(|part| launch::spec_values(part, kernel, constants))
        .collect();
    context.build(device, &linked, &values)
}

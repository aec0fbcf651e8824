//! Which image serves a kernel on a device, and with which options it is built.

use std::sync::Arc;

use offload_formats::demangle::{demangled, named};
use offload_formats::property_set::{
    DEVICE_GLOBALS, DEVICE_REQUIREMENTS, FILTERED_KERNELS, MISC_PROPERTIES, PropertyValue,
};
use offload_formats::registration::target;
use offload_formats::targets;

use crate::device::Device;
use crate::error::{Error, Kind, Result};
use crate::imports::Linked;
use crate::plugin::{Backend, DeviceType};
use crate::registry::{self, Image, Origin};
use crate::requirements;
use crate::trace::trace;

/// The images that can serve the kernel on the device, each with those that it is linked with, best
/// first: compiled ahead of time before SPIR-V. Where several binaries have a kernel of that name, code means that of its own binary.
/// Requirements are checked before any image is touched (FEAT, "Changes to the DPC++
/// runtime").
///
/// # Errors
/// `KernelNotSupported` when no image has the kernel, none fits the device, or each has a
/// requirement that the device does not meet; `Build` when none can be linked.
pub fn images_for(kernel: &str, origin: Origin, device: &Device) -> Result<Vec<Linked>> {
    let all = registry::images();
    let has_kernel = |image: &&Arc<Image>| image.content.entries.iter().any(|e| e == kernel);
    let holders: Vec<&Arc<Image>> = all.iter().filter(has_kernel).collect();
    if holders.is_empty() {
        let dropped = Dropped::of(kernel, device, &all);
        return Err(not_supported(
            dropped
                .unmet(kernel, device)
                .unwrap_or_else(|| unknown_kernel(kernel, &dropped, &all)),
        ));
    }
    let driver = device.driver();
    let mut fitting: Vec<(u32, &Arc<Image>)> = holders
        .iter()
        .filter_map(|image| Some((driver.accepts(&image.form())?, *image)))
        .collect();
    fitting.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    if fitting.is_empty() {
        return Err(not_supported(no_image_fits(kernel, device, &holders, &all)));
    }
    if fitting.iter().any(|(_, i)| i.binary != fitting[0].1.binary) {
        let own = origin.binary();
        if fitting
            .iter()
            .any(|(_, i)| own.is_some() && i.binary == own)
        {
            fitting.retain(|(_, image)| image.binary == own);
        }
    }
    let mut failure = None;
    let mut usable = Vec::new();
    for (_, image) in fitting {
        match linked(kernel, image, device, &all) {
            Ok(linked) => usable.push(linked),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    match failure {
        Some(failure) if usable.is_empty() => Err(failure),
        _ => {
            trace(|| chosen(kernel, device, &usable));
            Ok(usable)
        }
    }
}

/// An image with all that it is linked with, when the device can run all of them.
///
/// # Errors
/// As [`images_for`].
pub fn linked(
    kernel: &str,
    image: &Arc<Image>,
    device: &Device,
    all: &[Arc<Image>],
) -> Result<Linked> {
    let unmet = |part: &Arc<Image>| requirements::unmet(&part.content.properties, kernel, device);
    if let Some(reason) = unmet(image) {
        return Err(not_supported(reason));
    }
    let linked = Linked::new(kernel, image, device, all)?;
    if let Some(reason) = linked.parts().iter().find_map(unmet) {
        return Err(not_supported(reason));
    }
    linked.check(kernel)?;
    Ok(linked)
}

/// Whether some image of the program is for the device, or the program has none at all.
#[must_use]
pub fn has_image_for(device: &Device) -> bool {
    let with_kernels = |image: &&Arc<Image>| !image.content.entries.is_empty();
    let images = registry::images();
    let mut images = images.iter().filter(with_kernels).peekable();
    let driver = device.driver();
    images.peek().is_none() || images.any(|image| driver.accepts(&image.form()).is_some())
}

fn not_supported(reason: String) -> Error {
    Error::new(Kind::KernelNotSupported, reason)
}

fn chosen(kernel: &str, device: &Device, images: &[Linked]) -> String {
    let images: Vec<String> = images
        .iter()
        .map(|linked| {
            let image = linked.image();
            format!("{} ({})", image.id, target_of(image))
        })
        .collect();
    let device = &device.facts().name;
    format!(
        "kernel {kernel} on '{device}': image {}",
        images.join(", else ")
    )
}

/// What an image is for, as text: what CUDA compiles with its architecture.
fn target_of(image: &Image) -> String {
    let form = image.form();
    let is_nvidia = form.target == target::NVPTX64;
    match form.architecture.filter(|_| is_nvidia) {
        Some(architecture) if form.is_machine_code => format!("{architecture}, machine code"),
        Some(architecture) => architecture.to_owned(),
        None => form.target.to_owned(),
    }
}

fn unknown_kernel(kernel: &str, dropped: &Dropped<'_>, all: &[Arc<Image>]) -> String {
    let kernel = named(kernel);
    if let Some(why) = dropped.why() {
        return format!("no device image holds kernel {kernel}: {why}");
    }
    let mut names: Vec<&str> = all
        .iter()
        .flat_map(|image| image.content.entries.iter().map(String::as_str))
        .collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return format!(
            "no device image holds kernel {kernel}: the program registered no kernels; was it \
             compiled and linked with -fsycl?"
        );
    }
    let names: Vec<String> = names.into_iter().map(demangled).collect();
    format!(
        "no device image holds kernel {kernel}; the images hold: {}",
        names.join(", ")
    )
}

fn no_image_fits(
    kernel: &str,
    device: &Device,
    holders: &[&Arc<Image>],
    all: &[Arc<Image>],
) -> String {
    let mut targets: Vec<String> = holders.iter().map(|image| target_of(image)).collect();
    targets.dedup();
    let why = Dropped::of(kernel, device, all).why();
    let why = why.map_or_else(String::new, |why| format!("; {why}"));
    format!(
        "no image of kernel {} is for device '{}': there are images for {}{why}",
        named(kernel),
        device.facts().name,
        targets.join(", ")
    )
}

/// The images that the linker left a kernel out of. They keep its requirements, which say more than
/// the linker's reason where this device does not meet them either.
struct Dropped<'a> {
    /// Each with the linker's reason: those for the device where there are such, else all.
    images: Vec<(&'a Image, String)>,
    are_for_device: bool,
}

impl<'a> Dropped<'a> {
    fn of(kernel: &str, device: &Device, all: &'a [Arc<Image>]) -> Dropped<'a> {
        let mut images = Vec::new();
        for image in all {
            let reason = image.content.properties.get(FILTERED_KERNELS, kernel);
            if let Some(reason) = reason.and_then(PropertyValue::as_bytes) {
                let reason = String::from_utf8_lossy(reason).into_owned();
                images.push((image.as_ref(), reason));
            }
        }
        let driver = device.driver();
        let is_for_device = |(image, _): &(&Image, String)| driver.accepts(&image.form()).is_some();
        let are_for_device = images.iter().any(is_for_device);
        if are_for_device {
            images.retain(is_for_device);
        }
        Dropped {
            images,
            are_for_device,
        }
    }

    /// What the device lacks for one of them.
    fn unmet(&self, kernel: &str, device: &Device) -> Option<String> {
        let mut properties = self
            .images
            .iter()
            .map(|(image, _)| &image.content.properties);
        properties.find_map(|properties| requirements::unmet(properties, kernel, device))
    }

    /// Why the linker left the kernel out, when it did.
    fn why(&self) -> Option<String> {
        let reasons = self.images.iter();
        let mut reasons: Vec<String> = reasons
            .map(|(image, reason)| match self.are_for_device {
                true => reason.clone(),
                false => format!("left out for {}: {reason}", image.content.target),
            })
            .collect();
        reasons.dedup();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }
}

/// The options that an image is built with: its own, and the backend's spelling of the level that
/// it was compiled with (OPT, "Changes to the SYCL runtime").
///
/// # Errors
/// When the image says a level that the backend does not know.
pub fn build_options(image: &Image, device: &Device) -> Result<String> {
    let backend = device.platform().driver.backend();
    let own = image.content.compile_options.trim();
    let own = in_backend_words(own, backend, |aspect| device.has(aspect))?;
    let level = image.content.properties.get(MISC_PROPERTIES, "optLevel");
    let level = match level.and_then(PropertyValue::as_u32) {
        Some(0) if optimizes_for_sub_groups(image, device) => "",
        Some(level) => backend.option(&format!("-O{level}"))?,
        None => "",
    };
    let variables = match image.content.properties.set(DEVICE_GLOBALS) {
        Some(_) => backend.option_for_variables(device.driver().kind()),
        None => "",
    };
    let words = [
        own.as_str(),
        image.content.link_options.trim(),
        level,
        variables,
    ];
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    Ok(words.join(" "))
}

/// Whether kernels of the image require sub-groups of a size, and the device's compiler gives them such only where it
/// optimizes: OpenCL's for processors runs one work-item after another where it does not.
fn optimizes_for_sub_groups(image: &Image, device: &Device) -> bool {
    let driver = device.driver();
    let requires = image
        .content
        .properties
        .get(DEVICE_REQUIREMENTS, "reqd_sub_group_size");
    requires.is_some()
        && driver.kind() == DeviceType::Cpu
        && device.platform().driver.backend() == Backend::OpenCl
}

/// Options of the front end that concern the device's compiler alone, and whose meaning depends on it.
const FRONT_END: &str = "-ftarget-";

/// An image's compile options with those of the front end in the backend's spelling. One for an
/// architecture that the device is not of goes.
fn in_backend_words(words: &str, backend: Backend, has: impl Fn(u32) -> bool) -> Result<String> {
    if !words.contains(FRONT_END) {
        return Ok(words.to_owned());
    }
    let mut kept = Vec::new();
    for word in words.split(' ').filter(|word| !word.is_empty()) {
        if !word.starts_with(FRONT_END) {
            kept.push(word);
            continue;
        }
        let architecture = word
            .split_once('=')
            .and_then(|(_, value)| value.split_once(':'));
        let is_for_device = architecture.is_none_or(|(name, _)| {
            let target = targets::architecture(targets::Kind::IntelGpu, name);
            target.is_some_and(|target| has(target.aspect()))
        });
        let translated = backend.option(word)?;
        if is_for_device && !translated.is_empty() {
            kept.push(translated);
        }
    }
    Ok(kept.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_front_end_are_the_backend_s_for_devices_that_they_are_for() {
        let words = "-g -ftarget-compile-fast -ftarget-register-alloc-mode=pvc:large";
        let pvc = targets::find("intel_gpu_pvc").unwrap().aspect();
        let on_pvc = |backend| in_backend_words(words, backend, |aspect| aspect == pvc).unwrap();
        assert_eq!(
            on_pvc(Backend::LevelZero),
            "-g -igc_opts 'PartitionUnit=1,SubroutineThreshold=50000' -ze-opt-large-register-file"
        );
        assert_eq!(on_pvc(Backend::OpenCl), "-g -cl-intel-256-GRF-per-thread");
        let elsewhere = in_backend_words(words, Backend::OpenCl, |_| false).unwrap();
        assert_eq!(elsewhere, "-g");
    }
}

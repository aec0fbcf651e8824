//! Kernels of the program, and the device images that hold them.

use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

use super::commands::{RawSpecConstant, read_constants};
use super::interop::known;
use super::{answer, borrow, counted, give, invalid, items, text};
use crate::bundle::{self, State};
use crate::context::Context;
use crate::device::Device;
use crate::ending;
use crate::error::Result;
use crate::launch;
use crate::plugin::Program;
use crate::registry::{self, Image};

counted!(Image, plsycl_image_retain, plsycl_image_release);

/// What stands for the kernel of the name.
///
/// # Safety
/// `name` must be a C string and `id` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_kernel_id(name: *const c_char, id: *mut *const c_char) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let name = registry::kernel_name(unsafe { text(name) }?);
        if !registry::is_kernel(name) {
            return Err(invalid(&format!(
                "the program has no kernel {}",
                offload_formats::demangle::named(name)
            )));
        }
        // SAFETY: as the caller says.
        unsafe { give(id, bundle::kernel_id(name).as_ptr()) }
    })
}

/// What stands for the kernels of the program.
///
/// # Safety
/// `ids` must have room for `capacity` results; `count` must be a place for their number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_kernel_ids(
    ids: *mut *const c_char,
    capacity: usize,
    count: *mut usize,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give_ids(&bundle::kernel_ids(), ids, capacity, count) })
}

/// # Safety
/// `places` must have room for `capacity` results; `count` must be a place for their number.
unsafe fn give_ids(
    ids: &[&'static CStr],
    places: *mut *const c_char,
    capacity: usize,
    count: *mut usize,
) -> Result<()> {
    for (i, id) in ids.iter().take(capacity).enumerate() {
        // SAFETY: the caller gives room for `capacity` results.
        unsafe { places.add(i).write(id.as_ptr()) };
    }
    // SAFETY: as the caller says.
    unsafe { give(count, ids.len()) }
}

/// The images that serve kernels on some of the devices.
///
/// # Safety
/// `devices` must span `device_count` devices; `images` must have room for `capacity` results;
/// `count` must be a place for their number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_images(
    devices: *const *const Device,
    device_count: usize,
    state: u32,
    images: *mut *const Image,
    capacity: usize,
    count: *mut usize,
) -> i32 {
    answer(|| {
        let state = match state {
            0 => State::Input,
            1 => State::Object,
            2 => State::Executable,
            _ => return Err(invalid("no such state of a kernel bundle")),
        };
        // SAFETY: as the caller says; devices live as long as the process.
        let devices = unsafe { items(devices, device_count) }
            .iter()
            .map(|d| unsafe { borrow::<'static>(*d) });
        let found = bundle::images(&devices.collect::<Result<Vec<_>>>()?, state);
        // SAFETY: as the caller says.
        unsafe { give_images(found, images, capacity, count) }
    })
}

/// # Safety
/// `places` must have room for `capacity` results; `count` must be a place for their number.
pub(super) unsafe fn give_images(
    images: Vec<Arc<Image>>,
    places: *mut *const Image,
    capacity: usize,
    count: *mut usize,
) -> Result<()> {
    let number = images.len();
    for (i, image) in images.into_iter().take(capacity).enumerate() {
        // SAFETY: the caller gives room for `capacity` results.
        unsafe { places.add(i).write(Arc::into_raw(image)) };
    }
    // SAFETY: as the caller says.
    unsafe { give(count, number) }
}

/// Whether the device can run the image.
///
/// # Safety
/// The handles must be alive and `fits` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_image_fits(
    image: *const Image,
    device: *const Device,
    fits: *mut i32,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give(fits, bundle::fits(borrow(image)?, borrow(device)?).into()) })
}

/// What stands for the kernels of the image.
///
/// # Safety
/// The handle must be alive; the rest as for [`plsycl_kernel_ids`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_image_kernels(
    image: *const Image,
    ids: *mut *const c_char,
    capacity: usize,
    count: *mut usize,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give_ids(&bundle::kernels_of(borrow(image)?), ids, capacity, count) })
}

/// How the image has a specialization constant, as a value of `plsycl_constant_kind`.
///
/// # Safety
/// The handle must be alive, `name` null for any constant or a C string, and `kind` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_image_constant(
    image: *const Image,
    name: *const c_char,
    kind: *mut u32,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let image = unsafe { borrow(image) }?;
        let name = match name.is_null() {
            true => None,
            // SAFETY: as the caller says.
            false => Some(unsafe { text(name) }?),
        };
        let answer = match launch::spec_constant(image, name) {
            None => 0,
            Some(false) => 1,
            Some(true) => 2,
        };
        // SAFETY: as the caller says.
        unsafe { give(kind, answer) }
    })
}

/// The image's program for a device, built where it is not yet.
///
/// # Safety
/// As [`plsycl_image_build`].
unsafe fn built(
    image: *const Image,
    context: *const Context,
    device: *const Device,
    constants: *const RawSpecConstant,
    count: usize,
) -> Result<Arc<dyn Program>> {
    ending::refuse()?;
    // SAFETY: as the caller says.
    let (image, context, device, constants) = unsafe {
        (
            borrow(image)?,
            borrow(context)?,
            borrow(device)?,
            read_constants(constants, count)?,
        )
    };
    bundle::build(context, device, image, &constants)
}

/// Builds the image for a device.
///
/// # Safety
/// The handles must be alive and `constants` span `count` records whose pointers are good.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_image_build(
    image: *const Image,
    context: *const Context,
    device: *const Device,
    constants: *const RawSpecConstant,
    count: usize,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { built(image, context, device, constants, count) }.map(drop))
}

/// The driver's handle of the image as it is built for a device, with a reference of the caller's own
/// where the driver counts.
///
/// # Safety
/// As [`plsycl_image_build`]; `native` must be a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_image_native(
    image: *const Image,
    context: *const Context,
    device: *const Device,
    constants: *const RawSpecConstant,
    count: usize,
    native: *mut *mut c_void,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let program = unsafe { built(image, context, device, constants, count) }?;
        // SAFETY: as the caller says.
        unsafe { give(native, known(program.native_owned())?) }
    })
}

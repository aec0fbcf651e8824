//! The driver's own handles, for programs that speak to it beside SYCL. They stay the runtime's.

use std::ffi::{c_char, c_void};
use std::ptr::null_mut;

use super::commands::built_kernel;
use super::{answer, borrow, give, text};
use crate::context::Context;
use crate::device::{Device, Platform};
use crate::error::{Error, Kind, Result};
use crate::event::Event;
use crate::memory::Memory;
use crate::queue::Queue;
use crate::registry;

/// The driver's handle of a platform.
///
/// # Safety
/// `platform` must be a platform and `native` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_platform_native(
    platform: *const Platform,
    native: *mut *mut c_void,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give(native, known(borrow(platform)?.driver.native())?) })
}

/// The driver's handle of a device.
///
/// # Safety
/// `device` must be a device and `native` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_device_native(
    device: *const Device,
    native: *mut *mut c_void,
) -> i32 {
    // SAFETY: as the caller says; devices live as long as the process.
    answer(|| unsafe { give(native, known(borrow::<'static>(device)?.driver().native())?) })
}

/// The driver's handle of a context, with a reference of the caller's own where the driver counts.
///
/// # Safety
/// The handle must be alive and `native` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_context_native(
    context: *const Context,
    native: *mut *mut c_void,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let driver = &unsafe { borrow(context) }?.driver;
        let found = known(driver.native())?;
        driver.retain_native();
        // SAFETY: as the caller says.
        unsafe { give(native, found) }
    })
}

/// The driver's handle of a queue, with a reference of the caller's own where the driver counts.
///
/// # Safety
/// As [`plsycl_queue_native`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_queue_native_owned(
    queue: *const Queue,
    native: *mut *mut c_void,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let driver = &unsafe { borrow(queue) }?.driver;
        let found = known(driver.native())?;
        driver.retain_native();
        // SAFETY: as the caller says.
        unsafe { give(native, found) }
    })
}

/// The driver's handle of a queue.
///
/// # Safety
/// The handle must be alive and `native` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_queue_native(queue: *const Queue, native: *mut *mut c_void) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give(native, known(borrow(queue)?.driver.native())?) })
}

/// The driver's handle of a queue's context.
///
/// # Safety
/// As [`plsycl_queue_native`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_queue_native_context(
    queue: *const Queue,
    native: *mut *mut c_void,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give(native, known(borrow(queue)?.context.driver.native())?) })
}

/// The driver's handle of a queue's device.
///
/// # Safety
/// As [`plsycl_queue_native`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_queue_native_device(
    queue: *const Queue,
    native: *mut *mut c_void,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give(native, known(borrow(queue)?.device.driver().native())?) })
}

/// The driver's handle of a buffer in the context of a queue, inside an interop task of that queue
/// which requires it on the device.
///
/// # Safety
/// The handles must be alive and `native` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_memory_native(
    memory: *const Memory,
    queue: *const Queue,
    native: *mut *mut c_void,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let (memory, queue) = unsafe { (borrow(memory)?, borrow(queue)?) };
        // SAFETY: as the caller says.
        unsafe { give(native, known(memory.native_in(&queue.context))?) }
    })
}

/// The driver's handle of a kernel of the program as it is built for a device of the context, with a
/// reference of the caller's own where the driver counts.
///
/// # Safety
/// The handles must be alive, `name` a C string and `native` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_kernel_native(
    context: *const Context,
    device: *const Device,
    name: *const c_char,
    native: *mut *mut c_void,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let (context, device, name) =
            unsafe { (borrow(context)?, borrow::<'static>(device)?, text(name)?) };
        let kernel = built_kernel(context, device, registry::kernel_name(name))?;
        // SAFETY: as the caller says.
        unsafe { give(native, known(kernel.native_owned())?) }
    })
}

/// The driver's handle of a command, with a reference of the caller's own where the driver counts; null
/// for a command that no driver had. Waits until a driver has it.
///
/// # Safety
/// The handle must be alive and `native` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_event_native(event: *const Event, native: *mut *mut c_void) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let found = unsafe { borrow(event) }?.on_device();
        let found = found.map_or(Ok(null_mut()), |event| known(event.native_owned()));
        // SAFETY: as the caller says.
        unsafe { give(native, found?) }
    })
}

pub(super) fn known(native: *mut c_void) -> Result<*mut c_void> {
    if native.is_null() {
        let reason = "the object has no handle of the driver that a program could use here";
        return Err(Error::new(Kind::FeatureNotSupported, reason));
    }
    Ok(native)
}

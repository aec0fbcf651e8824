//! The driver's own handles, for programs that speak to it beside SYCL. They stay the runtime's.

use std::ffi::{c_char, c_void};
use std::ptr::null_mut;

use super::commands::built_kernel;
use super::{answer, borrow, give, invalid, text};
use crate::context::Context;
use crate::device::{Device, Platform};
use crate::error::{Error, Kind, Result};
use crate::event::Watched;
use crate::memory::Memory;
use crate::plugin::Backend;
use crate::queue::Queue;
use crate::registry::{self, Origin};

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
        let queue = unsafe { borrow(queue) }?;
        let found = known(queue.shared().native())?;
        queue.driver.retain_native();
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
    answer(|| unsafe { give(native, known(borrow(queue)?.shared().native())?) })
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
/// which requires it on the device; of the part from byte `origin` on.
///
/// # Safety
/// The handles must be alive and `native` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_memory_native(
    memory: *const Memory,
    origin: usize,
    queue: *const Queue,
    native: *mut *mut c_void,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let (memory, queue) = unsafe { (borrow(memory)?, borrow(queue)?) };
        // SAFETY: as the caller says.
        unsafe { give(native, known(memory.native_in(&queue.context, origin)?)?) }
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
    origin: *const c_void,
    native: *mut *mut c_void,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let (context, device, name) =
            unsafe { (borrow(context)?, borrow::<'static>(device)?, text(name)?) };
        let kernel = built_kernel(context, device, registry::kernel_name(name), Origin(origin))?;
        // SAFETY: as the caller says.
        unsafe { give(native, known(kernel.native_owned())?) }
    })
}

/// The driver's handles of a command, each with a reference of the caller's own where there is room for
/// all and the driver counts; none for a command that no driver had. Waits until a driver has it.
///
/// # Safety
/// The handle must be alive, `natives` have room for `capacity` results and `count` be a place for their
/// number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_event_natives(
    event: *const Watched,
    natives: *mut *mut c_void,
    capacity: usize,
    count: *mut usize,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let found = unsafe { borrow(event) }?.on_device();
        let handles = found
            .as_ref()
            .map_or_else(Vec::new, |event| event.natives());
        if let Some(event) = found {
            known(handles.first().copied().unwrap_or(null_mut()))?;
            if handles.len() <= capacity {
                event.retain_natives();
            }
        }
        // SAFETY: as the caller says.
        unsafe { give_handles(&handles, natives, capacity, count) }
    })
}

/// The driver's handles of a buffer, one for each context of the backend that it was brought to; as
/// [`plsycl_event_natives`].
///
/// # Safety
/// As [`plsycl_event_natives`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_memory_natives(
    memory: *const Memory,
    backend: u32,
    natives: *mut *mut c_void,
    capacity: usize,
    count: *mut usize,
) -> i32 {
    answer(|| {
        let mut backends = Backend::ALL.into_iter();
        let backend = backends.find(|each| *each as u64 == u64::from(backend));
        let backend = backend.ok_or_else(|| invalid("no such backend"))?;
        // SAFETY: as the caller says.
        let found = unsafe { borrow(memory) }?.allocations(backend);
        if found.len() <= capacity {
            found.iter().for_each(|each| each.retain_native());
        }
        let handles: Vec<*mut c_void> = found.iter().map(|each| each.native()).collect();
        // SAFETY: as the caller says.
        unsafe { give_handles(&handles, natives, capacity, count) }
    })
}

/// # Safety
/// `places` must have room for `capacity` results; `count` must be a place for their number.
unsafe fn give_handles(
    handles: &[*mut c_void],
    places: *mut *mut c_void,
    capacity: usize,
    count: *mut usize,
) -> Result<()> {
    for (i, handle) in handles.iter().take(capacity).enumerate() {
        // SAFETY: the caller gives room for `capacity` results.
        unsafe { places.add(i).write(*handle) };
    }
    // SAFETY: as the caller says.
    unsafe { give(count, handles.len()) }
}

pub(super) fn known(native: *mut c_void) -> Result<*mut c_void> {
    if native.is_null() {
        let reason = "the object has no handle of the driver that a program could use here";
        return Err(Error::new(Kind::FeatureNotSupported, reason));
    }
    Ok(native)
}

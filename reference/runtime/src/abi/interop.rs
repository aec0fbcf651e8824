//! The driver's own handles, for programs that speak to it beside SYCL. They stay the runtime's.

use std::ffi::c_void;

use super::{answer, borrow, give};
use crate::error::{Error, Kind, Result};
use crate::memory::Memory;
use crate::queue::Queue;

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

fn known(native: *mut c_void) -> Result<*mut c_void> {
    if native.is_null() {
        let reason = "the object has no handle of the driver that a program could use here";
        return Err(Error::new(Kind::FeatureNotSupported, reason));
    }
    Ok(native)
}

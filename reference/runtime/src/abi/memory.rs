//! Buffers and unified shared memory.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

use super::{answer, borrow, counted, give, invalid, share};
use crate::context::Context;
use crate::device::Device;
use crate::ending;
use crate::guard::Lockable;
use crate::host_bytes::HostBytes;
use crate::memory::{Access, Memory, Span};
use crate::plugin::UsmKind;

counted!(Memory, plsycl_memory_retain, plsycl_memory_release);

/// A buffer.
///
/// # Safety
/// As [`Memory::create`]; `memory` must be a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_memory_create(
    size: usize,
    host: *mut c_void,
    use_host: i32,
    memory: *mut *const Memory,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe {
        if host.is_null() || use_host == 0 {
            HostBytes::check(size)?;
        }
        let created = Arc::new(Memory::create(size, host.cast(), use_host != 0));
        ending::of_buffer(&created);
        give(memory, Arc::into_raw(created))
    })
}

/// Whether memory of the program's that the buffer works on must stay as it is.
///
/// # Safety
/// The handle must be alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_memory_keep_host(memory: *const Memory, keep: i32) {
    // SAFETY: as the caller says.
    if let Ok(memory) = unsafe { borrow(memory) } {
        memory.keep_host(keep != 0);
    }
}

/// Has the runtime keep a mutex of the program's while the buffer is in use.
///
/// # Safety
/// The handle must be alive; the mutex must be good until the last [`plsycl_memory_leave`] has returned,
/// and the functions lock and unlock it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_memory_guard(
    memory: *const Memory,
    mutex: *mut c_void,
    lock: unsafe extern "C" fn(*mut c_void),
    try_lock: unsafe extern "C" fn(*mut c_void) -> i32,
    unlock: unsafe extern "C" fn(*mut c_void),
) -> i32 {
    answer(|| {
        let mutex = Lockable {
            mutex,
            lock,
            try_lock,
            unlock,
        };
        // SAFETY: as the caller says.
        unsafe { borrow(memory)?.guard_by(mutex) };
        Ok(())
    })
}

/// Waits until nothing uses the buffer but the calling thread; gives 1 where memory of the program's that
/// the buffer works on has the contents.
///
/// # Safety
/// The handle must be alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_memory_leave(memory: *const Memory) -> i32 {
    // SAFETY: as the caller says.
    let memory = unsafe { share(memory) };
    i32::from(memory.is_ok_and(|memory| memory.leave()))
}

/// Whether a command or an accessor of the host's ever used the buffer to write.
///
/// # Safety
/// The handle must be alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_memory_is_written(memory: *const Memory) -> i32 {
    // SAFETY: as the caller says.
    let memory = unsafe { borrow(memory) };
    i32::from(memory.is_ok_and(Memory::is_written))
}

/// Waits until the host may use the buffer's bytes from `begin` to `end`, and gives the first of all of them.
///
/// # Safety
/// The handle must be alive and `bytes` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_memory_host_acquire(
    memory: *const Memory,
    access: u32,
    begin: usize,
    end: usize,
    bytes: *mut *mut c_void,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe {
        let pointer = share(memory)?.host_acquire(Access(access), Span { begin, end })?;
        give(bytes, pointer.cast())
    })
}

/// Ends what [`plsycl_memory_host_acquire`] began.
///
/// # Safety
/// The handle must be alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_memory_host_release(
    memory: *const Memory,
    access: u32,
    begin: usize,
    end: usize,
) {
    // SAFETY: as the caller says.
    if let Ok(memory) = unsafe { borrow(memory) } {
        memory.host_release(Access(access), Span { begin, end });
    }
}

/// The buffer's bytes on the host, inside a host task that required it.
///
/// # Safety
/// The handle must be null or alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_memory_host_bytes(memory: *const Memory) -> *mut c_void {
    // SAFETY: as the caller says.
    let memory = unsafe { borrow(memory) };
    memory.map_or(null_mut(), |memory| memory.host_pointer().cast())
}

/// Unified shared memory; null when there is no room.
///
/// # Safety
/// The handles must be alive and `pointer` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_usm_allocate(
    context: *const Context,
    device: *const Device,
    kind: u32,
    size: usize,
    alignment: usize,
    pointer: *mut *mut c_void,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let (context, device) = unsafe { (borrow(context)?, borrow(device)?) };
        ending::refuse()?;
        let kind = match kind {
            0 => UsmKind::Host,
            1 => UsmKind::Device,
            2 => UsmKind::Shared,
            _ => return Err(invalid("no such kind of unified shared memory")),
        };
        // Memory of the host is of no device.
        let device = match (kind, context.devices.first()) {
            (UsmKind::Host, Some(any)) => any,
            _ => {
                context.require(device)?;
                device
            }
        };
        let allocated = match size {
            0 => null_mut(),
            _ => context.with_room(|| {
                let driver = &context.driver;
                driver.usm_allocate(device.place, kind, size, alignment)
            })?,
        };
        // SAFETY: as the caller says.
        unsafe { give(pointer, allocated) }
    })
}

/// Frees unified shared memory; null is nothing.
///
/// # Safety
/// The handle must be alive; nobody may use the memory any more but commands that are submitted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_usm_free(context: *const Context, pointer: *mut c_void) -> i32 {
    answer(|| {
        if pointer.is_null() || ending::has_come() {
            return Ok(());
        }
        // SAFETY: as the caller says.
        unsafe { borrow(context) }?.driver.usm_free(pointer)
    })
}

/// What a pointer is: a kind of unified shared memory, and the device that it is on.
///
/// # Safety
/// The handle must be alive; `kind` and `device` must be places for the results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_usm_query(
    context: *const Context,
    pointer: *const c_void,
    kind: *mut u32,
    device: *mut *const Device,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let context = unsafe { borrow(context) }?;
        ending::refuse()?;
        let (found, place) = match context.driver.usm_query(pointer) {
            Some((kind, place)) => (kind as u32, place),
            None => (3, None),
        };
        let mut devices = context.with_parts().into_iter();
        let owner = devices.find(|each| Some(each.place) == place);
        // Memory of the host belongs to no device; any of the context may reach it.
        let any = context.devices.first().copied().filter(|_| found != 3);
        let owner = owner.or(any).map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: as the caller says.
        unsafe {
            give(kind, found)?;
            give(device, owner)
        }
    })
}

//! Contexts, queues and events.

use std::ffi::c_void;
use std::ptr::null;
use std::sync::Arc;

use super::{answer, borrow, counted, give, invalid, items, keep, share, watched, weakly};
use crate::context::Context;
use crate::device::Device;
use crate::device_globals::{self, Object};
use crate::ending;
use crate::error::Result;
use crate::event::{Event, Watched};
use crate::order;
use crate::queue::Queue;

counted!(Context, plsycl_context_retain, plsycl_context_release);
counted!(Queue, plsycl_queue_retain, plsycl_queue_release);
counted!(Watched, plsycl_event_retain, plsycl_event_release);
weakly!(
    Watched,
    plsycl_event_downgrade,
    plsycl_event_upgrade,
    plsycl_event_forget
);

/// A context over devices of one platform.
///
/// # Safety
/// `devices` must span `count` devices and `context` be a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_context_create(
    devices: *const *const Device,
    count: usize,
    context: *mut *const Context,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let created = Context::create(unsafe { super::devices(devices, count) }?)?;
        // SAFETY: as the caller says.
        unsafe { give(context, Arc::into_raw(Arc::new(created))) }
    })
}

/// The context that the program has for these devices where it makes none: the same for all of its libraries.
///
/// # Safety
/// As [`plsycl_context_create`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_context_default(
    devices: *const *const Device,
    count: usize,
    context: *mut *const Context,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let default = Context::default_of(unsafe { super::devices(devices, count) }?)?;
        // SAFETY: as the caller says.
        unsafe { give(context, Arc::into_raw(default)) }
    })
}

/// Whether commands and memory of a device can be had of a context.
///
/// # Safety
/// The handles must be alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_context_require(
    context: *const Context,
    device: *const Device,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { borrow(context)?.require(borrow(device)?) })
}

/// A queue on a device of the context.
///
/// # Safety
/// The handles must be alive and `queue` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_queue_create(
    context: *const Context,
    device: *const Device,
    properties: u32,
    queue: *mut *const Queue,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says; devices live as long as the process.
        let (context, device) = unsafe { (share(context)?, borrow::<'static>(device)?) };
        let (in_order, profiling) = (properties & 1 != 0, properties & 2 != 0);
        let created = Arc::new(Queue::create(context, device, in_order, profiling)?);
        ending::of_queue(&created);
        // SAFETY: as the caller says.
        unsafe { give(queue, Arc::into_raw(created)) }
    })
}

/// Waits for all that was submitted.
///
/// # Safety
/// The handle must be alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_queue_wait(queue: *const Queue) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { borrow(queue) }?.wait())
}

/// Whether all that was submitted has ended.
///
/// # Safety
/// The handle must be alive and `empty` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_queue_empty(queue: *const Queue, empty: *mut i32) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give(empty, borrow(queue)?.is_empty().into()) })
}

/// Where the value of a device global is on the queue's device.
///
/// # Safety
/// The handle must be alive, `initial` span `size` bytes, and `memory` be a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_device_global_memory(
    queue: *const Queue,
    object: *const c_void,
    initial: *const u8,
    size: usize,
    image_scope: i32,
    memory: *mut *mut c_void,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let (queue, initial) = unsafe { (borrow(queue)?, items(initial, size)) };
        let object = Object {
            address: object as usize,
            initial,
            image_scope: image_scope != 0,
        };
        let found = device_globals::memory(&queue.context, queue.device, object)?;
        // SAFETY: as the caller says.
        unsafe { give(memory, found) }
    })
}

/// Takes the oldest failure of a command that nobody has taken; 0 when there is none.
///
/// # Safety
/// The handle must be alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_queue_take_error(queue: *const Queue) -> i32 {
    // SAFETY: as the caller says.
    let failure = unsafe { borrow(queue) }.ok().and_then(Queue::take_failure);
    failure.map_or(0, |failure| keep(&failure))
}

/// The last command of a queue whose commands are in order; null where it has had none.
///
/// # Safety
/// The handle must be alive and `event` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_queue_last(queue: *const Queue, event: *mut *const Watched) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let last = unsafe { borrow(queue) }?.last()?;
        let last = last.map_or(null(), watched);
        // SAFETY: as the caller says.
        unsafe { give(event, last) }
    })
}

/// Has the queue keep no event of its last command for the next one's: who knows that weakly can tell when the
/// program has let go of it.
///
/// # Safety
/// The handle must be alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_queue_let_go(queue: *const Queue) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        unsafe { borrow(queue) }?.let_go();
        Ok(())
    })
}

/// What the events of one command have in common, and those of no other.
///
/// # Safety
/// The handle must be alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_event_identity(event: *const Watched) -> *const c_void {
    // SAFETY: as the caller says.
    unsafe { borrow(event) }.map_or(null(), |event| event.identity())
}

/// A command that this one comes after for the buffers that they use; null behind the last.
///
/// # Safety
/// The handle must be alive and `before` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_event_follows(
    event: *const Watched,
    index: usize,
    before: *mut *const Watched,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let found = unsafe { borrow(event) }?.follows().get(index).cloned();
        // Another handle of the command may be there, whose end this one's has to leave as it is.
        if !ending::has_come() {
            found.iter().try_for_each(Event::tell_apart)?;
        }
        // SAFETY: as the caller says.
        unsafe { give(before, found.map_or(null(), watched)) }
    })
}

/// Waits for a command; its failure belongs to its queue.
///
/// # Safety
/// The handle must be alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_event_wait(event: *const Watched) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        wait(unsafe { borrow(event) }?)
    })
}

/// Waits for a command, unless it comes after the host task that asks.
fn wait(event: &Event) -> Result<()> {
    if event.stands_on(&order::running()) {
        return Err(invalid(
            "a host task waits for a command that comes after it",
        ));
    }
    // Failures are asynchronous: the queue hands them to its handler.
    let _ = event.wait();
    Ok(())
}

/// How far a command is; one that failed is complete.
///
/// # Safety
/// The handle must be alive and `state` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_event_state(event: *const Watched, state: *mut u32) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let now = unsafe { borrow(event) }?.state();
        let now = now.unwrap_or(crate::plugin::EventState::Complete);
        // SAFETY: as the caller says.
        unsafe { give(state, now as u32) }
    })
}

/// The device's time at a point of the command, for whose end it waits.
///
/// # Safety
/// The handle must be alive and `nanoseconds` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_event_profiling(
    event: *const Watched,
    what: u32,
    nanoseconds: *mut u64,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let event = unsafe { borrow(event) }?;
        wait(event)?;
        // SAFETY: as the caller says.
        unsafe { give(nanoseconds, event.profiling(what)?) }
    })
}

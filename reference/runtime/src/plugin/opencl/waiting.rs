//! Waiting for the driver, by several threads at a time.
//!
//! Intel's drivers for processors have a waiting thread run commands. Where more threads wait than the
//! driver has places for, one takes up another's wait within its own, and at times both sleep over a
//! command that has ended. So with such a driver one thread at a time waits in it; the driver tells the
//! others when their commands have ended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use opencl3::command_queue::{CommandQueue, flush};
use opencl3::error_codes::ClError;
use opencl3::event::{CL_COMPLETE, Event};
use opencl3::types::{cl_event, cl_int};

/// Whether a driver is loaded in which one thread at a time may wait.
static IS_BY_TURNS: AtomicBool = AtomicBool::new(false);

/// Whether a thread waits in the driver.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// From now on one thread at a time waits in the driver.
pub(super) fn take_turns() {
    IS_BY_TURNS.store(true, Ordering::Relaxed);
}

/// Waits until the command has ended.
///
/// # Errors
/// The driver's, and the code with which the command failed.
pub(super) fn for_event(event: &Event) -> Result<(), ClError> {
    match Turn::take() {
        Some(_turn) => event.wait(),
        None => until_told(event),
    }
}

/// Waits until the queue's commands have ended.
///
/// # Errors
/// The driver's.
pub(super) fn for_queue(queue: &CommandQueue) -> Result<(), ClError> {
    if let Some(_turn) = Turn::take() {
        return queue.finish();
    }
    // SAFETY: the list is empty.
    let last = unsafe { queue.enqueue_marker_with_wait_list(&[]) };
    match last {
        Ok(last) => until_told(&last),
        Err(_) => queue.finish(),
    }
}

/// Waits, before a queue is released, until its commands have ended and nothing of them is under way in the
/// driver: in the moment in which it tells of an end, something is.
///
/// # Errors
/// The driver's.
pub(super) fn for_release(queue: &CommandQueue) -> Result<(), ClError> {
    for_queue(queue)?;
    for _ in 0..TURNS {
        if let Some(_turn) = Turn::take() {
            return queue.finish();
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// How many milliseconds a queue that is released waits for its turn.
const TURNS: usize = 100;

/// The right to wait in the driver.
struct Turn {
    is_shared: bool,
}

impl Turn {
    /// `None` while another thread has the only one.
    fn take() -> Option<Turn> {
        let is_shared = !IS_BY_TURNS.load(Ordering::Relaxed);
        let is_ours = is_shared || !IS_TAKEN.swap(true, Ordering::Acquire);
        // Not `then_some`: a turn that is made is given back.
        is_ours.then(|| Turn { is_shared })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.is_shared {
            IS_TAKEN.store(false, Ordering::Release);
        }
    }
}

/// Sleeps until the driver says that the command has ended; waits as ever where it takes no listener.
fn until_told(event: &Event) -> Result<(), ClError> {
    // Waiting flushes the queue, listening does not. A user's event has none.
    if let Ok(queue) = event.command_queue()
        && !queue.is_null()
    {
        // A driver that refuses has nothing under way.
        let _ = flush(queue);
    }
    let (teller, told) = sync_channel::<cl_int>(1);
    let kept = Box::into_raw(Box::new(teller));
    if event.set_callback(CL_COMPLETE, tell, kept.cast()).is_err() {
        // SAFETY: the driver did not take it.
        drop(unsafe { Box::from_raw(kept) });
        return event.wait();
    }
    // A driver that drops what it was to call is not known.
    match told.recv() {
        Ok(status) if status < 0 => Err(status.into()),
        _ => Ok(()),
    }
}

/// Wakes who waits for the command.
extern "C" fn tell(_event: cl_event, status: cl_int, teller: *mut std::ffi::c_void) {
    // SAFETY: the event was given the only pointer to it, and calls this once.
    let teller = unsafe { Box::from_raw(teller.cast::<SyncSender<cl_int>>()) };
    // There is room for one, and the receiver waits.
    let _ = teller.send(status);
}

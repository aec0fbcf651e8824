//! The end of the program. A driver's library has an end of its own, which comes before the destructors of
//! static objects that were made before the library was loaded. What these still ask is answered without
//! the driver: commands have been waited for and the host has what buffers held; what is let go of, the
//! system takes back; and what needs a driver is refused.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};

use crate::error::{Error, Kind, Result};
use crate::memory::Memory;
use crate::pool;
use crate::queue::Queue;

/// Whether drivers may have ended.
static HAS_COME: AtomicBool = AtomicBool::new(false);

/// The queues and buffers of the program.
static QUEUES: Mutex<Vec<Weak<Queue>>> = Mutex::new(Vec::new());
static BUFFERS: Mutex<Vec<Weak<Memory>>> = Mutex::new(Vec::new());

/// Whether the end has come: no driver is to be called any more.
pub fn has_come() -> bool {
    HAS_COME.load(Ordering::Relaxed)
}

/// Refuses what needs a driver.
///
/// # Errors
/// When the end has come.
pub fn refuse() -> Result<()> {
    if has_come() {
        let reason = "the program ends, and the devices' drivers have ended before this object";
        return Err(Error::new(Kind::Runtime, reason));
    }
    Ok(())
}

/// Has the end come when the program's does: after all that is registered later, such as the destructors of
/// static objects that are made from now on. To be called when a driver gave its first context: it is
/// loaded then, and what it does at the program's end comes after.
pub fn after_driver() {
    static AT_EXIT: Once = Once::new();
    AT_EXIT.call_once(|| pool::at_exit(come));
}

/// Has commands of the queue waited for when the end comes.
pub fn of_queue(queue: &Arc<Queue>) {
    remember(&QUEUES, queue);
}

/// Has the host have the contents of the buffer when the end comes.
pub fn of_buffer(buffer: &Arc<Memory>) {
    remember(&BUFFERS, buffer);
}

fn remember<T>(list: &Mutex<Vec<Weak<T>>>, object: &Arc<T>) {
    let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
    if list.len() == list.capacity() {
        list.retain(|known| known.strong_count() > 0);
    }
    list.push(Arc::downgrade(object));
}

fn remembered<T>(list: &Mutex<Vec<Weak<T>>>) -> Vec<Arc<T>> {
    let list = list.lock().unwrap_or_else(PoisonError::into_inner);
    list.iter().filter_map(Weak::upgrade).collect()
}

extern "C" fn come() {
    // A host task that ends the program does not come to its own end.
    pool::wait_until_quiet();
    let queues = remembered(&QUEUES);
    queues.iter().for_each(|queue| queue.finish());
    let buffers = remembered(&BUFFERS);
    buffers.iter().for_each(|buffer| buffer.come_home());
    HAS_COME.store(true, Ordering::Relaxed);
    // Whoever let go of them meanwhile left their end to this, which is none any more.
    std::mem::forget((queues, buffers));
}

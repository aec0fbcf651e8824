//! OpenCL queues that the program has let go, for those who want one next.
//!
//! A program may let a queue go while its commands run, or in the moment in which they end. Intel's CPU
//! driver then releases what is left of the queue from within the command that ends last, where it
//! waits for the queue's commands, and so for itself: that thread never comes back, and commands of
//! other queues wait for it. So queues are released with their context only, when their commands have
//! ended; until then the next queue of the same kind is one of them. One that the program has a reference
//! of its own to is released when its commands have ended.
//!
//! A program may also end while its commands run, and contexts live as long as it does. That driver
//! then waits for them while its own library is torn down, and at times aborts over it. So what is
//! under way is waited for before.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};

use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue, retain_command_queue};
use opencl3::types::cl_command_queue_properties;

use super::device::Id;
use super::waiting;
use crate::error::Result;
use crate::pool;

/// The queues of one context that nobody has.
#[derive(Default)]
pub(super) struct Shelf {
    /// With what it does for.
    queues: Mutex<Vec<(Kind, Arc<CommandQueue>)>>,
}

/// What one queue has to have to do for another.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    device: Id,
    properties: cl_command_queue_properties,
}

impl Shelf {
    /// A queue from the shelf or, where it has none of the kind, what `create` makes.
    ///
    /// # Errors
    /// Those of `create`.
    pub fn borrow(
        shelf: &Arc<Shelf>,
        device: Id,
        properties: cl_command_queue_properties,
        create: impl FnOnce() -> Result<CommandQueue>,
    ) -> Result<Borrowed> {
        let kind = Kind { device, properties };
        let queue = match shelf.take(kind) {
            Some(queue) => queue,
            None => {
                let queue = Arc::new(create()?);
                finish_at_exit(&queue);
                queue
            }
        };
        Ok(Borrowed {
            queue,
            kind,
            shelf: Arc::clone(shelf),
            is_lent: AtomicBool::new(false),
        })
    }

    /// A queue that the program made and has a reference of its own to: nobody else gets it.
    pub fn adopt(
        shelf: &Arc<Shelf>,
        device: Id,
        properties: cl_command_queue_properties,
        queue: CommandQueue,
    ) -> Borrowed {
        let borrowed = Borrowed {
            queue: Arc::new(queue),
            kind: Kind { device, properties },
            shelf: Arc::clone(shelf),
            is_lent: AtomicBool::new(false),
        };
        borrowed.lend();
        borrowed
    }

    fn take(&self, kind: Kind) -> Option<Arc<CommandQueue>> {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let place = queues.iter().position(|(own, _)| *own == kind)?;
        Some(queues.swap_remove(place).1)
    }

    fn put(&self, kind: Kind, queue: Arc<CommandQueue>) {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        queues.push((kind, queue));
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        let queues = self.queues.get_mut();
        let queues = std::mem::take(queues.unwrap_or_else(PoisonError::into_inner));
        if queues.is_empty() {
            return;
        }
        release(queues.into_iter().map(|(_, queue)| queue).collect());
    }
}

/// Releases queues as soon as their commands have ended.
fn release(queues: Vec<Arc<CommandQueue>>) {
    pool::run(Box::new(move || {
        for queue in queues {
            // A driver that refuses has nothing to wait for.
            let _ = waiting::for_release(&queue);
        }
    }));
}

/// The queues that were created and have not been released, and some that have.
static CREATED: Mutex<Vec<Weak<CommandQueue>>> = Mutex::new(Vec::new());

/// Has the program wait, when it ends, for the commands that the queue has then.
fn finish_at_exit(queue: &Arc<CommandQueue>) {
    static AT_EXIT: Once = Once::new();
    // The driver is loaded: what it does at the program's end comes after.
    AT_EXIT.call_once(|| pool::at_exit(finish_created));
    let mut created = CREATED.lock().unwrap_or_else(PoisonError::into_inner);
    if created.len() == created.capacity() {
        created.retain(|queue| queue.strong_count() > 0);
    }
    created.push(Arc::downgrade(queue));
}

extern "C" fn finish_created() {
    // Jobs may still give commands to queues.
    if !pool::wait_until_quiet() {
        return;
    }
    let created = CREATED.lock().unwrap_or_else(PoisonError::into_inner);
    let left: Vec<_> = created.iter().filter_map(Weak::upgrade).collect();
    drop(created);
    for queue in left {
        // A driver that refuses has nothing to wait for.
        let _ = waiting::for_queue(&queue);
        // Releasing it is the driver's own business by now.
        std::mem::forget(queue);
    }
}

/// A queue off the shelf, and back on it in the end.
pub(super) struct Borrowed {
    queue: Arc<CommandQueue>,
    kind: Kind,
    shelf: Arc<Shelf>,
    /// Whether the program has a reference of its own: nobody else gets such a queue.
    is_lent: AtomicBool,
}

impl Borrowed {
    /// Whether the driver takes the times of its commands.
    pub fn profiles(&self) -> bool {
        self.kind.properties & CL_QUEUE_PROFILING_ENABLE != 0
    }

    /// Counts a reference that the program gets.
    pub fn lend(&self) {
        self.is_lent.store(true, Ordering::Relaxed);
        // SAFETY: the queue is alive. A driver that refuses has nothing to count.
        let _ = unsafe { retain_command_queue(self.get()) };
    }
}

impl Deref for Borrowed {
    type Target = CommandQueue;

    fn deref(&self) -> &CommandQueue {
        &self.queue
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        let queue = Arc::clone(&self.queue);
        // The program counts the references of one that it has.
        match self.is_lent.load(Ordering::Relaxed) {
            true => release(vec![queue]),
            false => self.shelf.put(self.kind, queue),
        }
    }
}

//! Mutexes by which programs share the memory of buffers on the host (SYCL 2020, "Buffer properties",
//! `use_mutex`, and "Synchronization primitives").
//!
//! The runtime has the mutex from before the first command or host accessor begins that uses one of
//! its buffers until none is left that does; when it gives the mutex back, the program's memory has
//! the contents, and they are what the program makes of them until the next use. What locks it also unlocks it: a thread of the pool, which waits in between. Nobody
//! waits for the lock in submitting a command: the command comes after it.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::event::Event;
use crate::later::Later;
use crate::memory::{Held, Memory};
use crate::pool;

/// A mutex of the program's, and how it is used.
#[derive(Debug, Clone, Copy)]
pub struct Lockable {
    /// The mutex.
    pub mutex: *mut c_void,
    /// Waits for it.
    pub lock: unsafe extern "C" fn(*mut c_void),
    /// Gives it back, on the thread that has it.
    pub unlock: unsafe extern "C" fn(*mut c_void),
}

// SAFETY: a mutex is for all threads.
unsafe impl Send for Lockable {}
// SAFETY: as above.
unsafe impl Sync for Lockable {}

/// A mutex that buffers are shared by.
pub struct Guard {
    mutex: Lockable,
    /// While the runtime has the mutex, or waits for it.
    hold: Mutex<Option<Hold>>,
}

/// The runtime's hold of a mutex.
struct Hold {
    /// Becomes done when the runtime has the mutex.
    begins: Arc<Later>,
    /// Becomes done when the program may have it again.
    ends: Arc<Later>,
    /// The buffers that were used since.
    used: Vec<Arc<Memory>>,
}

/// All mutexes of the program that buffers have: several buffers may have one.
static GUARDS: Mutex<Vec<Weak<Guard>>> = Mutex::new(Vec::new());

impl Guard {
    /// What stands for the mutex.
    ///
    /// # Safety
    /// The mutex must be good until no buffer has it and [`Guard::left`] has returned.
    #[must_use]
    pub unsafe fn of(mutex: Lockable) -> Arc<Guard> {
        let mut guards = GUARDS.lock().unwrap_or_else(PoisonError::into_inner);
        guards.retain(|guard| guard.strong_count() > 0);
        let mut known = guards.iter().filter_map(Weak::upgrade);
        if let Some(guard) = known.find(|guard| guard.mutex.mutex == mutex.mutex) {
            return guard;
        }
        let hold = Mutex::new(None);
        let guard = Arc::new(Guard { mutex, hold });
        guards.push(Arc::downgrade(&guard));
        guard
    }

    /// What a use of a buffer comes after: that the runtime has the mutex. The caller holds the buffer
    /// until it has said who uses it.
    pub fn begin(self: &Arc<Self>, memory: Arc<Memory>) -> Event {
        let mut hold = self.hold();
        let hold = hold.get_or_insert_with(|| {
            let (guard, begins) = (Arc::clone(self), Later::new(Vec::new()));
            let locked = Arc::clone(&begins);
            pool::run(Box::new(move || guard.keep(&locked)));
            Hold {
                begins,
                ends: Later::new(Vec::new()),
                used: Vec::new(),
            }
        });
        if !hold.used.iter().any(|used| Arc::ptr_eq(used, &memory)) {
            hold.used.push(memory);
        }
        Event::of_later(&hold.begins)
    }

    /// Waits until the runtime neither has the mutex for the buffer nor waits for it. What else the
    /// mutex is kept for is another buffer's, with which the program keeps it.
    pub fn left(&self, memory: &Arc<Memory>) {
        memory.wait_until_unused();
        loop {
            let ends = {
                let mut hold = self.hold();
                let Some(hold) = hold.as_mut() else {
                    return;
                };
                let is_other = |used: &Arc<Memory>| !Arc::ptr_eq(used, memory);
                if hold.used.iter().any(is_other) {
                    hold.used.retain(is_other);
                    return;
                }
                Arc::clone(&hold.ends)
            };
            drop(ends.wait_until_settled());
        }
    }

    /// Has the mutex while a buffer is in use.
    fn keep(&self, begins: &Arc<Later>) {
        // SAFETY: the mutex is good while buffers have it.
        unsafe { (self.mutex.lock)(self.mutex.mutex) };
        begins.becomes(Event::done());
        loop {
            let mut used = self.used();
            // In the order in which commands hold them.
            used.sort_by_key(Arc::as_ptr);
            used.iter().for_each(|memory| memory.wait_until_unused());
            if let Some(hold) = self.end(&used) {
                hold.ends.becomes(Event::done());
                return;
            }
        }
    }

    /// Gives the mutex back if no other buffers were used than these, which no longer are.
    fn end(&self, used: &[Arc<Memory>]) -> Option<Hold> {
        let mut held: Vec<Held<'_>> = used.iter().map(|memory| memory.hold()).collect();
        let mut hold = self.hold();
        let is_known = |memory: &Arc<Memory>| used.iter().any(|used| Arc::ptr_eq(used, memory));
        let is_all = hold
            .as_ref()
            .is_some_and(|hold| hold.used.iter().all(is_known));
        if !is_all || held.iter().any(Held::is_in_use) {
            return None;
        }
        held.iter_mut().for_each(Held::leave_to_program);
        // SAFETY: this thread has it: nobody else ends the hold that it keeps.
        unsafe { (self.mutex.unlock)(self.mutex.mutex) };
        hold.take()
    }

    /// The buffers that were used since the hold began, which is there while it is kept.
    fn used(&self) -> Vec<Arc<Memory>> {
        let hold = self.hold();
        hold.as_ref()
            .map(|hold| hold.used.clone())
            .unwrap_or_default()
    }

    fn hold(&self) -> MutexGuard<'_, Option<Hold>> {
        self.hold.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

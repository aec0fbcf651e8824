//! The order of a queue's commands: what the next one follows, and who may submit it.
//!
//! Commands of the host are done when the call that submits them returns, so whoever submits to an
//! in-order queue waits for the one that runs. A host task itself never does, whichever queue it is
//! of: its queue could not get any further. What it submits comes before its end, as if it were
//! part of it.

use std::cell::Cell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::event::Event;

thread_local! {
    /// Commands of the host that this thread is running, one within the other.
    static RUNNING: Cell<usize> = const { Cell::new(0) };
}

/// The order of a queue's commands.
#[derive(Default)]
pub struct Order {
    state: Mutex<State>,
    /// Wakes those who wait for a command of the host.
    ended: Condvar,
}

#[derive(Default)]
struct State {
    follows: Option<Event>,
    /// Commands that the host runs in their turn.
    on_host: usize,
}

/// The right to submit the next command. Nobody else submits one in order meanwhile, so it must not
/// be kept while the program's own code runs or is waited for.
pub struct Turn<'a> {
    order: &'a Order,
    state: MutexGuard<'a, State>,
}

/// A command of the host while it runs.
pub struct OnHost<'a> {
    /// The order that it stands in, when it stands in one.
    order: Option<&'a Order>,
}

impl Order {
    /// Waits for the right to submit the next command.
    pub fn turn(&self) -> Turn<'_> {
        let on_host = RUNNING.get() > 0;
        let state = self.lock();
        let state = self
            .ended
            .wait_while(state, |state| state.on_host > 0 && !on_host)
            .unwrap_or_else(PoisonError::into_inner);
        Turn { order: self, state }
    }

    /// What a command follows that stands in no order.
    pub fn follows(&self) -> Option<Event> {
        self.lock().follows.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Turn<'a> {
    /// What the command follows.
    pub fn follows(&self) -> Option<Event> {
        self.state.follows.clone()
    }

    /// Makes later commands follow this one, which follows the earlier ones itself.
    pub fn then(mut self, event: &Event) {
        self.state.follows = Some(event.clone());
    }

    /// Lets the host run the command: it ends with the value.
    pub fn host(mut self) -> OnHost<'a> {
        self.state.on_host += 1;
        RUNNING.set(RUNNING.get() + 1);
        OnHost {
            order: Some(self.order),
        }
    }
}

impl OnHost<'_> {
    /// A command that stands in no order.
    pub fn unordered() -> Self {
        RUNNING.set(RUNNING.get() + 1);
        OnHost { order: None }
    }
}

impl Drop for OnHost<'_> {
    fn drop(&mut self) {
        RUNNING.set(RUNNING.get().saturating_sub(1));
        if let Some(order) = self.order {
            order.lock().on_host -= 1;
            order.ended.notify_all();
        }
    }
}

//! Kernels that come after nothing that a driver would have to be told, and commands of drivers that tell those
//! that they were given: what most programs submit most of the time, with the least to do.

use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};

use super::Queue;
use crate::error::Result;
use crate::event::Event;
use crate::launch::{self, Start};
use crate::order::Turn;
use crate::plugin::Pending;

impl Queue {
    /// Gives the driver a kernel that was told to come after nothing and uses no buffer; `None`, with nothing done,
    /// where it comes after more than the driver holds it back for by itself.
    pub(super) fn start_alone(&self, start: &Start<'_>) -> Result<Option<Event>> {
        let driver = self.driver.as_ref();
        let turn = self.order.turn();
        let is_nothing = start.call.space.global.contains(&0);
        if is_nothing || !turn.is_free(|last| last.is_before(driver)) {
            return Ok(None);
        }
        let turn = self.in_order.then_some(turn);
        let started = launch::start_known(self, start, &[], &[])?;
        let told = started.place_in_line().filter(|_| driver.tells());
        let event = Event::of_device(&self.context, started);
        match (turn, told) {
            (Some(turn), Some(place)) => turn.then_of_driver(place),
            (Some(turn), None) => turn.then(event.clone()),
            (None, _) => {}
        }
        self.remember(&event);
        Ok(Some(event))
    }

    /// Adds a command to those whose end nobody has seen.
    pub(super) fn remember(&self, event: &Event) {
        let driver = self.driver.as_ref();
        if driver.tells() && event.is_before(driver) {
            self.unseen.store(true, Ordering::Release);
        } else if let Some(event) = event.clone().underway() {
            self.pending().follow(event, |failure| self.keep(failure));
        }
    }

    /// The commands whose end nobody has seen.
    pub(super) fn pending(&self) -> MutexGuard<'_, Pending<()>> {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        // Those of other drivers are all here: each start passes by.
        if self.driver.tells() && self.unseen.swap(false, Ordering::AcqRel) {
            if let Some(last) = self.driver.told(None) {
                pending.follow(last, |failure| self.keep(failure));
            }
        }
        pending
    }

    /// Forgets some of the oldest commands that have ended. Not when the driver has the next one: its threads
    /// begin it, and who waits for it should be there soon.
    pub(super) fn ask_oldest(&self) {
        // Of one that tells its commands the last stands for all, but for those that begin later.
        if !self.driver.tells() {
            self.pending().ask_oldest(|failure| self.keep(failure));
        }
    }

    /// The right to submit the next command, with what it follows.
    pub(super) fn turn(&self) -> Turn<'_> {
        let mut turn = self.order.turn();
        turn.settle(|place| {
            let command = self.driver.told(Some(place));
            command.map(|command| Event::of_device(&self.context, command))
        });
        turn
    }
}

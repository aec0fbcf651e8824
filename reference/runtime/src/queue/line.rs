//! Kernels that come after nothing that a driver would have to be told, and commands of drivers that tell those
//! that they were given: what most programs submit most of the time, with the least to do.

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};

use super::Queue;
use crate::ending;
use crate::error::{Error, Kind, Result};
use crate::event::{Event, Watched};
use crate::launch::{self, Call, Chosen, Which};
use crate::order::{AtHand, Turn};
use crate::plugin::{Pending, Space, Started};

impl Queue {
    /// Gives the driver a kernel that was told to come after nothing and uses no buffer. `None`, with nothing done,
    /// where the queue does not know it, the space is empty, or it comes after more than the driver holds it back for
    /// by itself.
    ///
    /// # Errors
    /// As [`Queue::submit`].
    pub fn start_alone(
        &self,
        which: Which<'_>,
        functor: &[u8],
        space: &Space,
    ) -> Result<Option<Arc<Watched>>> {
        ending::refuse()?;
        self.ask_oldest();
        let driver = self.driver.as_ref();
        let turn = self.order.turn();
        let is_nothing = space.global.contains(&0);
        if is_nothing || !turn.is_free(|last| last.is_before(driver)) {
            return Ok(None);
        }
        let start = |chosen: &Chosen| {
            let name = &chosen.name;
            let call = Call {
                name,
                functor,
                space,
            };
            launch::start_known(self, chosen, call, &[], &[])
        };
        if self.is_told {
            return self.start_told(turn, which, start);
        }
        let turn = self.in_order.then_some(turn);
        let started = match which {
            Which::Known(chosen) => Some(start(chosen)),
            Which::Named(asked, name) => (self.kernels.find(asked, name).as_deref()).map(start),
        };
        let Some(started) = started.transpose()? else {
            return Ok(None);
        };
        let event = Event::of_started(&self.context, &self.driver, started);
        if let Some(turn) = turn {
            turn.then(event.clone());
        }
        self.remember(&event);
        Ok(Some(Arc::new(Watched::of(event))))
    }

    /// The same by a driver that tells its commands, which starts them one at a time.
    fn start_told(
        &self,
        mut turn: Turn<'_>,
        which: Which<'_>,
        start: impl FnOnce(&Chosen) -> Result<Started>,
    ) -> Result<Option<Arc<Watched>>> {
        let AtHand { kernels, last } = turn.at_hand();
        // Most programs let an event go at once. It is known that they did when they have none that is the same.
        let mut again = last.as_mut().and_then(Arc::get_mut);
        if let Some(let_go) = &mut again {
            let_go.unwatch();
        }
        let started = match which {
            Which::Known(chosen) => Some(start(chosen)),
            Which::Named(asked, name) => kernels.with(&self.kernels, asked, name, start),
        };
        let Some(started) = started.transpose()? else {
            return Ok(None);
        };
        let Started::Told(place) = started else {
            let reason = "the driver does not tell a command";
            return Err(Error::new(Kind::Runtime, reason));
        };
        match again {
            Some(event) => event.stands_at(place),
            None => {
                let event = Event::of_started(&self.context, &self.driver, started);
                *last = Some(Arc::new(Watched::of(event)));
            }
        }
        let event = last.clone();
        if self.in_order {
            turn.then_of_driver(place);
        }
        self.unseen.store(true, Ordering::Release);
        Ok(event)
    }

    /// Adds a command to those whose end nobody has seen.
    pub(super) fn remember(&self, event: &Event) {
        if self.is_told && event.is_before(self.driver.as_ref()) {
            self.unseen.store(true, Ordering::Release);
        } else if let Some(event) = event.clone().underway() {
            self.pending().follow(event, |failure| self.keep(failure));
        }
    }

    /// The commands whose end nobody has seen.
    pub(super) fn pending(&self) -> MutexGuard<'_, Pending<()>> {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        // Those of other drivers are all here: each start passes by.
        if self.is_told && self.unseen.swap(false, Ordering::AcqRel) {
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
        if !self.is_told {
            self.pending().ask_oldest(|failure| self.keep(failure));
        }
    }

    /// Keeps no event for commands to come.
    pub fn let_go(&self) {
        drop(self.turn());
    }

    /// The right to submit the next command, with what it follows.
    pub(super) fn turn(&self) -> Turn<'_> {
        let mut turn = self.order.turn();
        turn.at_hand().last = None;
        turn.settle(|place| {
            let command = self.driver.told(Some(place));
            command.map(|command| Event::of_device(&self.context, command))
        });
        turn
    }
}

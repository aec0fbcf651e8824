//! Uses of a buffer: how, by whom, and what each comes after.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::spans::Span;
use super::{Memory, State};
use crate::context::Context;
use crate::error::Result;
use crate::event::Event;
use crate::plugin::Queue;

/// How a command or the host uses a buffer: bits of `plsycl_access`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access(pub u32);

impl Access {
    /// Whether the contents before matter: to reads, and to writes that may leave some of them.
    pub(super) fn needs_contents(self) -> bool {
        self.0 & 4 == 0
    }

    /// Whether it may change the contents.
    #[must_use]
    pub fn writes(self) -> bool {
        self.0 & 2 != 0
    }

    /// Whether a task of the host that asks for it uses the buffer on the queue's device.
    #[must_use]
    pub fn is_on_device(self) -> bool {
        self.0 & 8 != 0
    }

    /// Whether it is by an accessor that was made without a command group.
    #[must_use]
    pub fn is_of_placeholder(self) -> bool {
        self.0 & 16 != 0
    }

    /// Both uses by one command.
    #[must_use]
    pub fn and(self, other: Access) -> Access {
        Access(((self.0 | other.0) & 19) | (self.0 & other.0 & 12))
    }
}

/// How one command or host accessor uses parts of a buffer.
#[derive(Clone)]
pub struct Usage(SmallVec<[(Access, Span); 1]>);

impl Usage {
    /// One part.
    #[must_use]
    pub fn of(access: Access, span: Span) -> Usage {
        Usage(smallvec![(access, span)])
    }

    /// One more.
    pub fn add(&mut self, access: Access, span: Span) {
        match self.0.iter_mut().find(|(_, known)| *known == span) {
            Some((known, _)) => *known = known.and(access),
            None => self.0.push((access, span)),
        }
    }

    /// The parts, which may overlap.
    pub fn parts(&self) -> impl Iterator<Item = (Access, Span)> {
        self.0.iter().copied()
    }

    /// All that is done with any of them.
    #[must_use]
    pub fn access(&self) -> Access {
        let each = self.parts().map(|(access, _)| access);
        each.reduce(Access::and).unwrap_or(Access(0))
    }

    /// The same, by a command of which it is known that it leaves nothing of the contents before.
    #[must_use]
    pub fn of_all(&self) -> Usage {
        let parts = self.parts();
        Usage(
            parts
                .map(|(access, span)| (Access(access.0 | 4), span))
                .collect(),
        )
    }
}

/// A command's or host accessor's place among the uses of a buffer.
pub struct Use {
    /// The buffer.
    pub memory: Arc<Memory>,
    /// How it is used.
    pub usage: Usage,
    /// What it comes after.
    pub place: Place,
}

/// What a use of a buffer comes after.
pub struct Place {
    /// The last that wrote what it uses.
    written_by: SmallVec<[(Span, Event); 1]>,
    /// Those that read meanwhile, of what it writes.
    read_by: Vec<Event>,
}

impl Place {
    /// The next one of a buffer, for such a use.
    pub(super) fn next(state: &State, usage: &Usage) -> Place {
        let mut place = Place {
            written_by: SmallVec::new(),
            read_by: Vec::new(),
        };
        for (access, span) in usage.parts() {
            for (part, users) in state.users.over(span) {
                place.written_by.push((part, users.last_write.clone()));
                place.read_by.extend_from_slice(users.reads_before(access));
            }
        }
        place
    }

    /// All of it.
    pub fn after(&self) -> impl Iterator<Item = Event> {
        let written_by = self.written_by.iter().map(|(_, event)| event);
        written_by.chain(&self.read_by).cloned()
    }

    /// Waits for those that wrote a span.
    ///
    /// # Errors
    /// When one of them failed.
    pub(super) fn wait_for_writes(&self, span: Span) -> Result<()> {
        let mut written = self.written_by.iter().filter(|(part, _)| span.meets(*part));
        written.try_for_each(|(_, event)| event.wait())
    }

    /// Waits for all that the use comes after, however it ends: its failure is told by its queue.
    pub(super) fn wait(&self) {
        for event in self.after() {
            let _ = event.wait();
        }
    }
}

impl Use {
    /// Gives the host the contents. What the use comes after must have ended.
    ///
    /// # Errors
    /// When a command that wrote the buffer failed or the contents cannot be moved.
    pub fn bring_to_host(&self) -> Result<()> {
        let mut state = self.memory.lock();
        let mut parts = self.usage.parts();
        parts.try_for_each(|(access, span)| state.bring_to_host(&self.place, access, span))
    }

    /// Gives the context the contents, for a use that has them there. What it comes after must have
    /// ended.
    ///
    /// # Errors
    /// When there is no room or the contents cannot be moved.
    pub fn bring_to(&self, context: &Arc<Context>, queue: &Arc<dyn Queue>) -> Result<()> {
        let mut held = self.memory.hold();
        held.bring_to(context, queue, Some(&self.place), &self.usage)?;
        held.written_in(context, &self.usage);
        Ok(())
    }
}

//! Uses of a buffer: how, by whom, and what each comes after.

use std::sync::Arc;

use super::Memory;
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

    /// The same use, by a command of which it is known that it leaves nothing of the contents before.
    #[must_use]
    pub fn of_all(self) -> Access {
        Access(self.0 | 4)
    }

    /// Both uses by one command.
    #[must_use]
    pub fn and(self, other: Access) -> Access {
        Access(((self.0 | other.0) & 19) | (self.0 & other.0 & 12))
    }
}

/// A command's or host accessor's place among the uses of a buffer.
pub struct Use {
    /// The buffer.
    pub memory: Arc<Memory>,
    /// How it is used.
    pub access: Access,
    /// What it comes after.
    pub place: Place,
}

/// What a use of a buffer comes after.
pub struct Place {
    pub(super) written_by: Event,
    /// Those that read meanwhile, when it writes.
    pub(super) read_by: Vec<Event>,
}

impl Place {
    /// All of it.
    pub fn after(&self) -> impl Iterator<Item = Event> {
        std::iter::once(&self.written_by)
            .chain(&self.read_by)
            .cloned()
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
        self.memory.lock().bring_to_host(&self.place, self.access)
    }

    /// Gives the context the contents, for a use that has them there. What it comes after must have
    /// ended.
    ///
    /// # Errors
    /// When there is no room or the contents cannot be moved.
    pub fn bring_to(&self, context: &Arc<Context>, queue: &Arc<dyn Queue>) -> Result<()> {
        let mut held = self.memory.hold();
        held.bring_to(context, queue, Some(&self.place), self.access)?;
        if self.access.writes() {
            held.written_in(context);
        }
        Ok(())
    }
}

//! Commands that were submitted, whichever device or the host runs them.

use std::sync::Arc;

use crate::context::Context;
use crate::error::{Error, Kind, Result};
use crate::plugin::{self, EventState};

/// A submitted command.
#[derive(Clone)]
pub struct Event {
    device: Option<(Arc<Context>, Arc<dyn plugin::Event>)>,
}

impl Event {
    /// A command that is done.
    #[must_use]
    pub fn done() -> Event {
        Event { device: None }
    }

    /// A command that a device of `context` runs.
    #[must_use]
    pub fn of_device(context: &Arc<Context>, event: Arc<dyn plugin::Event>) -> Event {
        Event {
            device: Some((Arc::clone(context), event)),
        }
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// When the command failed.
    pub fn wait(&self) -> Result<()> {
        self.device
            .as_ref()
            .map_or(Ok(()), |(_, event)| event.wait())
    }

    /// How far it is.
    ///
    /// # Errors
    /// When the command failed.
    pub fn state(&self) -> Result<EventState> {
        let event = self.device.as_ref();
        event.map_or(Ok(EventState::Complete), |(_, event)| event.state())
    }

    /// Nanoseconds at a profiling point.
    ///
    /// # Errors
    /// When the host ran the command or the queue does not profile.
    pub fn profiling(&self, what: u32) -> Result<u64> {
        match &self.device {
            Some((_, event)) => event.profiling(what),
            None => Err(Error::new(
                Kind::Invalid,
                "a command that the host ran has no profiling information",
            )),
        }
    }

    /// The device's event, for a command of the same context; waits for one of another context,
    /// which no driver can.
    pub fn within(&self, context: &Arc<Context>) -> Option<Arc<dyn plugin::Event>> {
        let (own, event) = self.device.as_ref()?;
        if Arc::ptr_eq(own, context) {
            return Some(Arc::clone(event));
        }
        // A failure there is reported by the queue that it belongs to.
        let _ = event.wait();
        None
    }
}

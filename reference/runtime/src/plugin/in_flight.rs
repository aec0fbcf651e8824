//! What submitted commands need until they are done, for interfaces whose drivers do not keep it. Memory of
//! buffers is none of it (`Context::leave`).

use std::any::Any;
use std::sync::Arc;

use super::{After, Event, Pending};

/// What one command needs: held, never looked at.
#[derive(Default)]
pub(super) struct Kept {
    /// Events that it waits for.
    _after: Vec<Arc<dyn Event>>,
    _kernel: Option<Arc<dyn Any + Send + Sync>>,
    _bytes: Vec<u8>,
}

impl Kept {
    /// The needs of a kernel's start.
    pub fn of_launch(kernel: Arc<dyn Any + Send + Sync>) -> Kept {
        Kept {
            _kernel: Some(kernel),
            ..Kept::default()
        }
    }

    /// With bytes that the command reads, which stay where they are.
    pub fn with_bytes(mut self, bytes: Vec<u8>) -> Kept {
        self._bytes = bytes;
        self
    }

    /// With the events that the command waits for.
    pub fn with_waits(mut self, after: After<'_>) -> Kept {
        self._after = after.to_vec();
        self
    }
}

/// The commands of a queue that may not be done.
pub(super) type InFlight = Pending<Kept>;

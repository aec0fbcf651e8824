//! What submitted commands need until they are done, for interfaces whose drivers do not keep it.

use std::any::Any;
use std::sync::Arc;

use super::{After, Allocation, Argument, Event, Pending, Place, Side};

/// What one command needs: held, never looked at.
#[derive(Default)]
pub(super) struct Kept {
    /// Events that it waits for.
    _after: Vec<Arc<dyn Event>>,
    _memory: Vec<Arc<dyn Allocation>>,
    _kernel: Option<Arc<dyn Any + Send + Sync>>,
    _bytes: Vec<u8>,
}

impl Kept {
    /// The needs of a kernel with these arguments.
    pub fn of_launch(kernel: Arc<dyn Any + Send + Sync>, arguments: &[Argument<'_>]) -> Kept {
        Kept {
            _kernel: Some(kernel),
            ..Kept::of_arguments(arguments)
        }
    }

    /// What arguments of a kernel stand for.
    pub fn of_arguments(arguments: &[Argument<'_>]) -> Kept {
        let memory = arguments.iter().filter_map(|argument| match argument {
            Argument::Memory(memory) => Some(Arc::clone(memory)),
            _ => None,
        });
        Kept {
            _memory: memory.collect(),
            ..Kept::default()
        }
    }

    /// Whether there is nothing to hold.
    pub fn is_nothing(&self) -> bool {
        let Kept {
            _after,
            _memory,
            _kernel,
            _bytes,
        } = self;
        _after.is_empty() && _memory.is_empty() && _kernel.is_none() && _bytes.is_empty()
    }

    /// The needs of a copy or a fill: what of its sides is memory of the context.
    pub fn of_sides<const N: usize>(sides: [&Side; N]) -> Kept {
        let memory = sides.into_iter().filter_map(|side| match &side.place {
            Place::Memory(memory) => Some(Arc::clone(memory)),
            Place::Pointer(_) => None,
        });
        Kept {
            _memory: memory.collect(),
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

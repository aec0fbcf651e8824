//! What a queue can be told to do, and the part of it that the host does.

use std::ffi::c_void;
use std::sync::Arc;

use crate::boxes::Box3;
use crate::error::Result;
use crate::foreign;
use crate::launch::Launch;
use crate::memory::Memory;

/// What a queue can be told to do. Pointers must stay good until the command is done.
pub enum Command {
    /// Nothing but wait.
    None,
    /// Wait for all commands so far; what is submitted later waits for the same.
    Barrier,
    /// Wait for the events that the command comes after; what is submitted later waits for the same.
    BarrierAfter,
    /// Run a kernel.
    Kernel(Launch),
    /// Run a kernel of the driver's that the program made.
    Foreign(foreign::Launch),
    /// Copy between USM or host pointers.
    Copy {
        /// Where to.
        to: *mut c_void,
        /// Where from.
        from: *const c_void,
        /// How many bytes.
        size: usize,
    },
    /// Fill USM with a repeated pattern.
    Fill {
        /// Where.
        to: *mut c_void,
        /// What with.
        pattern: Vec<u8>,
        /// How many bytes.
        size: usize,
    },
    /// Have the host do something.
    Host(HostCommand),
}

// SAFETY: who submits a command vouches for its pointers until it is done, whichever thread begins it.
unsafe impl Send for Command {}

/// What the host does as a queue's command.
pub enum HostCommand {
    /// Run a function.
    Task(Box<dyn FnOnce() + Send>),
    /// Run a function that gives commands to the driver itself: what it uses on the device is there.
    Interop(Box<dyn FnOnce() + Send>),
    /// Copy rows of bytes between buffers or host memory.
    Copy {
        /// Where to.
        to: Region,
        /// Where from.
        from: Region,
        /// How many, and how long.
        rows: Rows,
    },
    /// Fill rows of a buffer with a repeated pattern.
    Fill {
        /// Where.
        to: Region,
        /// What with.
        pattern: Vec<u8>,
        /// How many, and how long.
        rows: Rows,
    },
}

/// A box in a buffer, or in host memory that the program vouches for.
pub struct Region {
    /// The buffer; `None` for host memory.
    pub memory: Option<Arc<Memory>>,
    /// The host memory.
    pub host: *mut u8,
    /// The box.
    pub bounds: Box3,
}

/// How many rows, and how many bytes in each.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    /// Planes.
    pub planes: usize,
    /// Rows of a plane.
    pub rows: usize,
    /// Bytes of a row.
    pub row_size: usize,
}

impl HostCommand {
    /// Checks what can be checked before the command begins.
    ///
    /// # Errors
    /// When the rows leave a buffer.
    pub fn check(&self) -> Result<()> {
        match self {
            HostCommand::Task(_) | HostCommand::Interop(_) => Ok(()),
            HostCommand::Copy { to, from, rows } => to.check(*rows).and(from.check(*rows)),
            HostCommand::Fill { to, rows, .. } => to.check(*rows),
        }
    }

    /// Does it, with the buffers at hand.
    pub fn run(self) {
        match self {
            HostCommand::Task(function) | HostCommand::Interop(function) => function(),
            HostCommand::Copy { to, from, rows } => copy_rows(&to, &from, rows),
            HostCommand::Fill { to, pattern, rows } => fill_rows(&to, &pattern, rows),
        }
    }
}

impl Region {
    /// Whether the rows lie within the buffer.
    fn check(&self, rows: Rows) -> Result<()> {
        let Some(memory) = &self.memory else {
            return Ok(());
        };
        let Rows {
            planes,
            rows,
            row_size,
        } = rows;
        self.bounds.check(planes, rows, row_size, memory.size())
    }

    /// Where its bytes begin on the host.
    fn bytes(&self) -> *mut u8 {
        let memory = self.memory.as_ref();
        memory.map_or(self.host, |memory| memory.host_pointer())
    }
}

fn copy_rows(to: &Region, from: &Region, rows: Rows) {
    let (target, source) = (to.bytes(), from.bytes());
    let targets = to.bounds.rows(rows.planes, rows.rows);
    let sources = from.bounds.rows(rows.planes, rows.rows);
    for (target_row, source_row) in targets.zip(sources) {
        // SAFETY: buffers are at hand and the rows were checked to lie within them; the program
        // vouches for host memory. Rows may overlap when both are of one buffer.
        unsafe {
            std::ptr::copy(
                source.add(source_row),
                target.add(target_row),
                rows.row_size,
            );
        }
    }
}

fn fill_rows(to: &Region, pattern: &[u8], rows: Rows) {
    let target = to.bytes();
    for row in to.bounds.rows(rows.planes, rows.rows) {
        // SAFETY: the buffer is at hand and the row was checked to lie within it.
        let row = unsafe { std::slice::from_raw_parts_mut(target.add(row), rows.row_size) };
        for piece in row.chunks_mut(pattern.len().max(1)) {
            piece.copy_from_slice(&pattern[..piece.len()]);
        }
    }
}

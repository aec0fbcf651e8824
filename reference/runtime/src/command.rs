//! What a queue can be told to do, and the part of it that the host does.

use std::ffi::c_void;
use std::sync::Arc;

use crate::boxes::{Box3, Rows};
use crate::error::Result;
use crate::foreign;
use crate::launch::{Launch, Start};
use crate::memory::Memory;
use crate::plugin::Space;

/// What a queue can be told to do. Pointers must stay good until the command is done.
pub enum Command {
    /// Nothing but wait.
    None,
    /// Wait for all commands so far; what is submitted later waits for the same.
    Barrier,
    /// Wait for the events that the command comes after; what is submitted later waits for the same.
    BarrierAfter,
    /// Run a kernel. A launch is long, and commands are handed on several times.
    Kernel(Box<Launch>),
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
    /// Copy rows of bytes between buffers, USM or host memory.
    CopyBox {
        /// Where to.
        to: Region,
        /// Where from.
        from: Region,
        /// How many, and how long.
        rows: Rows,
    },
    /// Fill rows of a buffer or of USM with a repeated pattern.
    FillBox {
        /// Where.
        to: Region,
        /// What with.
        pattern: Vec<u8>,
        /// How many, and how long.
        rows: Rows,
    },
    /// Have the host do something.
    Host(HostCommand),
}

/// A command as it is submitted.
pub enum Described<'a> {
    /// The start of a kernel that the queue knows, by what the caller has of it.
    Start(Start<'a>),
    /// A command of its own.
    Whole(Command),
}

// SAFETY: who submits a command vouches for its pointers until it is done, whichever thread begins it.
unsafe impl Send for Command {}

/// What the host does as a queue's command.
pub enum HostCommand {
    /// Run a function.
    Task(Box<dyn FnOnce() + Send>),
    /// Run a function that gives commands to the driver itself: what it uses on the device is there.
    Interop(Box<dyn FnOnce() + Send>),
    /// Copy rows of bytes within a buffer, where they may overlap: devices do not promise what comes of
    /// that.
    Copy {
        /// Where to.
        to: Region,
        /// Where from.
        from: Region,
        /// How many, and how long.
        rows: Rows,
    },
}

/// A box in a buffer, or in memory that the program vouches for.
pub struct Region {
    /// The buffer; `None` for USM and host memory.
    pub memory: Option<Arc<Memory>>,
    /// That memory.
    pub pointer: *mut u8,
    /// The box.
    pub bounds: Box3,
}

impl Command {
    /// Copies rows.
    #[must_use]
    pub fn copy(to: Region, from: Region, rows: Rows) -> Command {
        match to.is_of_one_buffer(&from) {
            true => Command::Host(HostCommand::Copy { to, from, rows }),
            false => Command::CopyBox { to, from, rows },
        }
    }

    /// Checks what can be checked of rows before the command begins.
    ///
    /// # Errors
    /// When they leave a buffer.
    pub fn check(&self) -> Result<()> {
        match self {
            Command::CopyBox { to, from, rows }
            | Command::Host(HostCommand::Copy { to, from, rows }) => {
                to.check(*rows).and(from.check(*rows))
            }
            Command::FillBox { to, rows, .. } => to.check(*rows),
            _ => Ok(()),
        }
    }

    /// Whether the command writes all bytes of the buffer and reads none of them.
    #[must_use]
    pub fn overwrites(&self, memory: &Memory) -> bool {
        match self {
            Command::CopyBox { to, rows, .. } | Command::FillBox { to, rows, .. } => {
                to.is_in(memory) && rows.size() == memory.size()
            }
            _ => false,
        }
    }

    /// Whether the command copies from the buffer into another one, whose memory can be reached from the
    /// host's as well as from the device's own.
    #[must_use]
    pub fn can_read_on_host(&self, memory: &Memory) -> bool {
        match self {
            Command::CopyBox { to, from, .. } => from.is_in(memory) && to.memory.is_some(),
            _ => false,
        }
    }
}

impl Described<'_> {
    /// It, to keep until it begins.
    #[must_use]
    pub fn into_command(self) -> Command {
        match self {
            Described::Start(start) => Command::Kernel(Box::new(start.into_launch())),
            Described::Whole(command) => command,
        }
    }

    /// As [`Command::overwrites`].
    #[must_use]
    pub fn overwrites(&self, memory: &Memory) -> bool {
        self.whole()
            .is_some_and(|command| command.overwrites(memory))
    }

    /// As [`Command::can_read_on_host`].
    #[must_use]
    pub fn can_read_on_host(&self, memory: &Memory) -> bool {
        self.whole()
            .is_some_and(|command| command.can_read_on_host(memory))
    }

    /// The command, where it is one of its own.
    #[must_use]
    pub fn whole(&self) -> Option<&Command> {
        match self {
            Described::Start(_) => None,
            Described::Whole(command) => Some(command),
        }
    }

    /// The kernel's space, where it starts one of the program's.
    #[must_use]
    pub fn space(&self) -> Option<&Space> {
        match self {
            Described::Start(start) => Some(start.call.space),
            Described::Whole(Command::Kernel(launch)) => Some(&launch.space),
            Described::Whole(_) => None,
        }
    }
}

impl HostCommand {
    /// Does it, with the buffers at hand.
    pub fn run(self) {
        match self {
            HostCommand::Task(function) | HostCommand::Interop(function) => function(),
            HostCommand::Copy { to, from, rows } => copy_rows(&to, &from, rows),
        }
    }
}

impl Region {
    /// Whether it lies in the buffer.
    #[must_use]
    pub fn is_in(&self, memory: &Memory) -> bool {
        let own = self.memory.as_deref();
        own.is_some_and(|own| std::ptr::eq(own, memory))
    }

    fn is_of_one_buffer(&self, other: &Region) -> bool {
        self.memory.as_deref().is_some_and(|own| other.is_in(own))
    }

    /// Whether the rows lie within the buffer.
    fn check(&self, rows: Rows) -> Result<()> {
        match &self.memory {
            Some(memory) => self.bounds.check(rows, memory.size()),
            None => Ok(()),
        }
    }

    /// Where its bytes begin on the host.
    fn bytes(&self) -> *mut u8 {
        let memory = self.memory.as_ref();
        memory.map_or(self.pointer, |memory| memory.host_pointer())
    }
}

fn copy_rows(to: &Region, from: &Region, rows: Rows) {
    let (target, source) = (to.bytes(), from.bytes());
    let (targets, sources) = (to.bounds.rows(rows), from.bounds.rows(rows));
    for (target_row, source_row) in targets.zip(sources) {
        // SAFETY: the buffer is at hand and the rows were checked to lie within it. Rows may overlap.
        unsafe {
            std::ptr::copy(
                source.add(source_row),
                target.add(target_row),
                rows.row_size,
            );
        }
    }
}

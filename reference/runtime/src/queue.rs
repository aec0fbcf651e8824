//! Queues: commands in, events out.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

use crate::context::Context;
use crate::device::Device;
use crate::error::{Error, Kind, Result};
use crate::event::Event;
use crate::launch::{self, Launch};
use crate::memory::{Access, Box3, Held, Memory};
use crate::plugin::{self, Pending, wait_for_all};
use crate::trace::trace_device;

/// Commands of one device.
pub struct Queue {
    /// The context of its memory and programs.
    pub context: Arc<Context>,
    /// Its device.
    pub device: &'static Device,
    /// The driver's own.
    pub driver: Arc<dyn plugin::Queue>,
    in_order: bool,
    /// Commands of the device whose end nobody has seen. Locked before the state.
    pending: Mutex<Pending<()>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The last command, which the next one of an in-order queue follows.
    last: Option<Event>,
    failures: VecDeque<Error>,
}

/// A buffer that a command uses, and how.
pub type Requirement = (Arc<Memory>, Access);

/// What a queue can be told to do. Pointers must stay good until the command is done.
pub enum Command<'a> {
    /// Nothing but wait.
    None,
    /// Run a kernel.
    Kernel(Launch<'a>),
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
        pattern: &'a [u8],
        /// How many bytes.
        size: usize,
    },
    /// Run a function on the host.
    HostTask(&'a mut dyn FnMut()),
    /// Copy rows of bytes between buffers or host memory.
    BufferCopy {
        /// Where to.
        to: Region,
        /// Where from.
        from: Region,
        /// How many, and how long.
        rows: Rows,
    },
    /// Fill rows of a buffer with a repeated pattern.
    BufferFill {
        /// Where.
        to: Region,
        /// What with.
        pattern: &'a [u8],
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

impl Queue {
    /// A queue on a device of the context.
    ///
    /// # Errors
    /// When the device is not one of the context or the driver refuses.
    pub fn create(
        context: Arc<Context>,
        device: &'static Device,
        in_order: bool,
        profiling: bool,
    ) -> Result<Queue> {
        if !context
            .devices
            .iter()
            .any(|each| std::ptr::eq(*each, device))
        {
            return Err(Error::new(
                Kind::Invalid,
                "the device of a queue must be one of its context",
            ));
        }
        let driver = context
            .driver
            .create_queue(device.place, in_order, profiling)?;
        trace_device(|| format!("device of the queue: {}", device.facts().name));
        Ok(Queue {
            context,
            device,
            driver,
            in_order,
            pending: Mutex::default(),
            state: Mutex::default(),
        })
    }

    /// Submits a command that uses buffers and waits for events.
    ///
    /// # Errors
    /// When the command cannot be started. Failures while it runs come through
    /// [`Queue::take_failure`].
    ///
    /// # Safety
    /// The command's pointers must be good until it is done.
    pub unsafe fn submit(
        &self,
        command: Command<'_>,
        after: &[Event],
        requirements: &[Requirement],
    ) -> Result<Event> {
        let on_host = matches!(
            command,
            Command::HostTask(_) | Command::BufferCopy { .. } | Command::BufferFill { .. }
        );
        let mut after = after.to_vec();
        if self.in_order {
            after.extend(self.lock().last.clone());
        }
        let event = if on_host {
            for event in &after {
                // A command runs after others end, however they end.
                let _ = event.wait();
            }
            self.run_on_host(command, requirements)?;
            Event::done()
        } else {
            // SAFETY: the caller vouches for the command's pointers.
            unsafe { self.give_to_device(command, after, requirements)? }
        };
        self.remember(&event);
        Ok(event)
    }

    /// # Safety
    /// As for [`Queue::submit`].
    unsafe fn give_to_device(
        &self,
        command: Command<'_>,
        mut after: Vec<Event>,
        requirements: &[Requirement],
    ) -> Result<Event> {
        let requirements = merged(requirements);
        let mut held: Vec<(Held<'_>, Access)> = Vec::new();
        for (memory, access) in &requirements {
            let held_memory = memory.hold(*access)?;
            after.extend(held_memory.dependencies(*access));
            held.push((held_memory, *access));
        }
        let waits: Vec<Arc<dyn plugin::Event>> = after
            .iter()
            .filter_map(|event| event.within(&self.context))
            .collect();
        let mut allocations = Vec::new();
        for ((memory, access), (held, _)) in requirements.iter().zip(&mut held) {
            let allocation = held.bring_to(&self.context, &self.driver, *access)?;
            allocations.push((Arc::as_ptr(memory), allocation));
        }
        let started = match command {
            Command::Kernel(launch) => launch::start(self, &launch, &allocations, &waits)?,
            // SAFETY: the caller vouches for both pointers.
            Command::Copy { to, from, size } => unsafe {
                self.driver.usm_copy(to, from, size, &waits)?
            },
            // SAFETY: the caller vouches for the pointer.
            Command::Fill { to, pattern, size } => unsafe {
                self.driver.usm_fill(to, pattern, size, &waits)?
            },
            _ => self.driver.barrier(&waits)?,
        };
        let event = Event::of_device(&self.context, started);
        for (held, access) in &mut held {
            held.used_by(&event, &self.context, *access);
        }
        Ok(event)
    }

    /// Runs a command of the host with the buffers at hand there.
    fn run_on_host(&self, command: Command<'_>, requirements: &[Requirement]) -> Result<()> {
        let requirements = merged(requirements);
        let mut acquired = Vec::new();
        let outcome = requirements.iter().try_for_each(|(memory, access)| {
            memory.host_acquire(*access)?;
            acquired.push((memory, access));
            Ok(())
        });
        let outcome = outcome.and_then(|()| match command {
            Command::HostTask(function) => {
                function();
                Ok(())
            }
            Command::BufferCopy { to, from, rows } => copy_rows(&to, &from, rows),
            Command::BufferFill { to, pattern, rows } => fill_rows(&to, pattern, rows),
            _ => Ok(()),
        });
        for (memory, access) in acquired {
            memory.host_release(*access);
        }
        outcome
    }

    /// Waits for all commands; keeps what failed for [`Queue::take_failure`].
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn wait(&self) -> Result<()> {
        wait_for_all(&self.pending, |failure| self.keep(failure));
        Ok(())
    }

    /// The oldest failure of a command that nobody has taken.
    pub fn take_failure(&self) -> Option<Error> {
        self.lock().failures.pop_front()
    }

    fn keep(&self, failure: Error) {
        self.lock().failures.push_back(failure);
    }

    fn remember(&self, event: &Event) {
        self.lock().last = Some(event.clone());
        let Some(event) = event.on_device() else {
            return;
        };
        let mut pending = self.pending.lock().unwrap_or_else(|e| e.into_inner());
        pending.add(Arc::clone(event), (), |failure| self.keep(failure));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// Each buffer once, with all its uses, in an order that is the same for all commands, so that two
/// threads never wait for each other's buffers.
fn merged(requirements: &[Requirement]) -> Vec<Requirement> {
    let mut sorted = requirements.to_vec();
    sorted.sort_by_key(|(memory, _)| Arc::as_ptr(memory));
    let mut each: Vec<Requirement> = Vec::new();
    for (memory, access) in sorted {
        match each.last_mut() {
            Some((last, uses)) if Arc::ptr_eq(last, &memory) => *uses = uses.and(access),
            _ => each.push((memory, access)),
        }
    }
    each
}

/// Where the region's bytes begin on the host, when the rows lie within it.
fn host_bytes(region: &Region, rows: Rows) -> Result<*mut u8> {
    match &region.memory {
        Some(memory) => {
            let Rows {
                planes,
                rows,
                row_size,
            } = rows;
            region.bounds.check(planes, rows, row_size, memory.size())?;
            Ok(memory.host_pointer())
        }
        None => Ok(region.host),
    }
}

fn copy_rows(to: &Region, from: &Region, rows: Rows) -> Result<()> {
    let (target, source) = (host_bytes(to, rows)?, host_bytes(from, rows)?);
    let targets = to.bounds.rows(rows.planes, rows.rows);
    let sources = from.bounds.rows(rows.planes, rows.rows);
    for (target_row, source_row) in targets.zip(sources) {
        // SAFETY: buffers are acquired and the rows lie within them; the program vouches for host
        // memory. Rows may overlap when both are of one buffer.
        unsafe {
            std::ptr::copy(
                source.add(source_row),
                target.add(target_row),
                rows.row_size,
            );
        }
    }
    Ok(())
}

fn fill_rows(to: &Region, pattern: &[u8], rows: Rows) -> Result<()> {
    let target = host_bytes(to, rows)?;
    for row in to.bounds.rows(rows.planes, rows.rows) {
        // SAFETY: the buffer is acquired and the row lies within it.
        let row = unsafe { std::slice::from_raw_parts_mut(target.add(row), rows.row_size) };
        for piece in row.chunks_mut(pattern.len().max(1)) {
            piece.copy_from_slice(&pattern[..piece.len()]);
        }
    }
    Ok(())
}

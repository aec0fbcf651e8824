//! Queues: commands in, events out.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::context::Context;
use crate::device::Device;
use crate::error::{Error, Kind, Result};
use crate::event::Event;
use crate::launch::{self, Launch};
use crate::memory::{Access, Box3, Held, Memory};
use crate::order::{OnHost, Order, Turn};
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
    /// Of an in-order queue every command follows the one before, of another the last barrier.
    order: Order,
    /// Commands of the device whose end nobody has seen. Locked before the failures.
    pending: Mutex<Pending<()>>,
    /// Failures that nobody has taken.
    failures: Mutex<VecDeque<Error>>,
}

/// A buffer that a command uses, and how.
pub type Requirement = (Arc<Memory>, Access);

/// What a queue can be told to do. Pointers must stay good until the command is done.
pub enum Command<'a> {
    /// Nothing but wait.
    None,
    /// Wait for all commands so far; what is submitted later waits for the same.
    Barrier,
    /// Wait for the events that the command comes after; what is submitted later waits for the same.
    BarrierAfter,
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
            order: Order::default(),
            pending: Mutex::default(),
            failures: Mutex::default(),
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
        let requirements = merged(requirements);
        if matches!(
            command,
            Command::HostTask(_) | Command::BufferCopy { .. } | Command::BufferFill { .. }
        ) {
            return self.run_on_host(command, after, &requirements);
        }
        // SAFETY: the caller vouches for the command's pointers.
        unsafe { self.give_to_device(command, after, &requirements) }
    }

    /// The command's place in the order and its buffers. Whoever waits for a buffer that the host has
    /// keeps nothing meanwhile: the host may need the queue or another buffer before it lets go of
    /// that one.
    fn begin<'a>(&'a self, ordered: bool, requirements: &'a [Requirement]) -> Result<Begun<'a>> {
        loop {
            let turn = ordered.then(|| self.order.turn());
            let follows = match &turn {
                Some(turn) => turn.follows(),
                None => self.order.follows(),
            };
            let (busy, held) = hold_all(requirements);
            let Some((memory, access)) = busy else {
                return Ok(Begun {
                    turn,
                    follows,
                    held,
                });
            };
            drop((held, turn));
            memory.wait_until_free(*access)?;
        }
    }

    /// # Safety
    /// As for [`Queue::submit`].
    unsafe fn give_to_device(
        &self,
        command: Command<'_>,
        after: &[Event],
        requirements: &[Requirement],
    ) -> Result<Event> {
        let of_all = matches!(command, Command::Barrier);
        let ordered = self.in_order || of_all || matches!(command, Command::BarrierAfter);
        let Begun {
            turn,
            follows,
            mut held,
        } = self.begin(ordered, requirements)?;
        let mut after = after.to_vec();
        // A barrier of all commands follows this one anyway.
        if !of_all {
            after.extend(follows);
        }
        for ((_, access), held) in requirements.iter().zip(&held) {
            after.extend(held.dependencies(*access));
        }
        let mut waits: Vec<Arc<dyn plugin::Event>> = after
            .iter()
            .filter_map(|event| event.within(&self.context))
            .collect();
        let mut allocations = Vec::new();
        for ((memory, access), held) in requirements.iter().zip(&mut held) {
            let allocation = held.bring_to(&self.context, &self.driver, *access)?;
            allocations.push((Arc::as_ptr(memory), allocation));
        }
        // To a driver a list says what alone to wait for, so what is more goes into a second barrier.
        if of_all && !waits.is_empty() {
            waits.push(self.driver.barrier(&[])?);
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
        let event = Event::of_device(&self.context, Arc::clone(&started));
        for ((_, access), held) in requirements.iter().zip(&mut held) {
            held.used_by(&event, &self.context, *access);
        }
        if let Some(turn) = turn {
            turn.then(&event);
        }
        self.pending()
            .add(started, (), |failure| self.keep(failure));
        Ok(event)
    }

    /// Runs a command of the host with the buffers at hand there.
    fn run_on_host(
        &self,
        command: Command<'_>,
        after: &[Event],
        requirements: &[Requirement],
    ) -> Result<Event> {
        // A command runs after others end, however they end.
        for event in after {
            let _ = event.wait();
        }
        let Begun {
            turn,
            follows,
            mut held,
        } = self.begin(self.in_order, requirements)?;
        let running = turn.map_or_else(OnHost::unordered, Turn::host);
        for ((_, access), buffer) in requirements.iter().zip(&mut held) {
            if let Err(error) = buffer.bring_to_host(*access) {
                // The command's end locks the order, which comes before any buffer.
                drop(held);
                return Err(error);
            }
        }
        for ((_, access), held) in requirements.iter().zip(held) {
            held.give_to_host(*access);
        }
        if let Some(event) = follows {
            let _ = event.wait();
        }
        let outcome = match command {
            Command::HostTask(function) => {
                function();
                Ok(())
            }
            Command::BufferCopy { to, from, rows } => copy_rows(&to, &from, rows),
            Command::BufferFill { to, pattern, rows } => fill_rows(&to, pattern, rows),
            _ => Ok(()),
        };
        for (memory, access) in requirements {
            memory.host_release(*access);
        }
        drop(running);
        outcome.map(|()| Event::done())
    }

    /// Waits for all commands; keeps what failed for [`Queue::take_failure`].
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn wait(&self) -> Result<()> {
        wait_for_all(&self.pending, |failure| self.keep(failure));
        Ok(())
    }

    /// The oldest failure that nobody has taken, of the commands that have ended.
    pub fn take_failure(&self) -> Option<Error> {
        let taken = self.failures().pop_front();
        taken.or_else(|| {
            self.pending().look(|failure| self.keep(failure));
            self.failures().pop_front()
        })
    }

    fn keep(&self, failure: Error) {
        self.failures().push_back(failure);
    }

    fn pending(&self) -> MutexGuard<'_, Pending<()>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failures(&self) -> MutexGuard<'_, VecDeque<Error>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a command has from the moment that nothing stands in its way.
struct Begun<'a> {
    /// Its turn, when it stands in an order.
    turn: Option<Turn<'a>>,
    /// The command that it follows.
    follows: Option<Event>,
    /// Its buffers.
    held: Vec<Held<'a>>,
}

/// All the buffers, kept for a command; or the first one that the host has.
fn hold_all(requirements: &[Requirement]) -> (Option<&Requirement>, Vec<Held<'_>>) {
    let mut held = Vec::with_capacity(requirements.len());
    for requirement in requirements {
        let (memory, access) = requirement;
        match memory.try_hold(*access) {
            Some(memory) => held.push(memory),
            None => return (Some(requirement), held),
        }
    }
    (None, held)
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

#[cfg(test)]
mod tests;

//! Buffers: where their current contents are, and what must wait for what.
//!
//! A buffer has a place on the host and one in each context that used it. Some of them hold the
//! current contents. A command that reads needs them in its context; after a command that writes
//! they are only there. Whole buffers move, never parts.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, ThreadId};

use crate::context::Context;
use crate::error::{Error, Kind, Result};
use crate::event::Event;
use crate::plugin::{Allocation, EventState, Queue};

/// How a command or the host uses a buffer: bits of `plsycl_access`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access(pub u32);

impl Access {
    /// Whether the contents before matter: to reads, and to writes that may leave some of them.
    fn needs_contents(self) -> bool {
        self.0 & 4 == 0
    }

    fn writes(self) -> bool {
        self.0 & 2 != 0
    }

    /// Both uses by one command.
    #[must_use]
    pub fn and(self, other: Access) -> Access {
        Access(((self.0 | other.0) & 3) | (self.0 & other.0 & 4))
    }
}

/// A buffer.
pub struct Memory {
    size: usize,
    state: Mutex<State>,
    /// Wakes those who wait for the host to let go.
    released: Condvar,
}

/// A [`Memory`] while a command is being submitted that uses it.
pub struct Held<'a> {
    memory: &'a Memory,
    state: MutexGuard<'a, State>,
}

struct State {
    host: HostBytes,
    host_is_current: bool,
    copies: Vec<Copy>,
    /// The command that wrote last.
    last_write: Option<Event>,
    /// Commands that read since then.
    reads: Reads,
    /// Threads that read on the host, once for each accessor.
    host_readers: Vec<ThreadId>,
    /// The thread that writes on the host.
    host_writer: Option<ThreadId>,
}

/// Commands that read a buffer and may not be done.
#[derive(Default)]
struct Reads {
    events: Vec<Event>,
    /// With so many, those that ended are forgotten: twice as many as were left the last time.
    many: usize,
}

impl Reads {
    fn add(&mut self, event: Event) {
        if self.events.len() >= self.many {
            // Nobody waits for one that failed; its failure is told by its queue.
            let runs =
                |read: &Event| matches!(read.state(), Ok(state) if state != EventState::Complete);
            self.events.retain(runs);
            self.many = 16.max(2 * self.events.len());
        }
        self.events.push(event);
    }

    fn take(&mut self) -> Vec<Event> {
        std::mem::take(self).events
    }
}

/// The buffer in one context.
struct Copy {
    context: Arc<Context>,
    /// A queue that can move the contents.
    queue: Arc<dyn Queue>,
    allocation: Arc<dyn Allocation>,
    is_current: bool,
}

/// The buffer on the host.
struct HostBytes {
    pointer: *mut u8,
    size: usize,
    /// Holds the bytes when they are not the program's own; 64-bit words for their alignment.
    _owned: Option<Vec<u128>>,
}

// SAFETY: the bytes are touched under the state's lock only, or by the program while it has a host
// accessor, which keeps everyone else out.
unsafe impl Send for HostBytes {}

impl HostBytes {
    fn owned(size: usize) -> HostBytes {
        let mut words = vec![0u128; size.div_ceil(size_of::<u128>()).max(1)];
        HostBytes {
            pointer: words.as_mut_ptr().cast(),
            size,
            _owned: Some(words),
        }
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: the pointer spans `size` bytes for as long as the buffer lives.
        unsafe { std::slice::from_raw_parts(self.pointer, self.size) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above; the exclusive borrow of the state makes this the only one.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.size) }
    }
}

impl Memory {
    /// A buffer of `size` bytes whose first contents are at `host`, when that is not null. With
    /// `use_host` the buffer works on that memory itself.
    ///
    /// # Safety
    /// `host` must be null or span `size` bytes; with `use_host`, until the buffer is dropped and
    /// all commands that use it are done.
    #[must_use]
    pub unsafe fn create(size: usize, host: *mut u8, use_host: bool) -> Memory {
        let host = if host.is_null() || size == 0 {
            HostBytes::owned(size)
        } else if use_host {
            HostBytes {
                pointer: host,
                size,
                _owned: None,
            }
        } else {
            let mut copy = HostBytes::owned(size);
            // SAFETY: the caller gives a span of `size` bytes.
            let bytes = unsafe { std::slice::from_raw_parts(host, size) };
            copy.bytes_mut().copy_from_slice(bytes);
            copy
        };
        Memory {
            size,
            state: Mutex::new(State {
                host,
                host_is_current: true,
                copies: Vec::new(),
                last_write: None,
                reads: Reads::default(),
                host_readers: Vec::new(),
                host_writer: None,
            }),
            released: Condvar::new(),
        }
    }

    /// Keeps the buffer for a command; `None` while the host has it.
    pub fn try_hold(&self, access: Access) -> Option<Held<'_>> {
        let state = self.lock();
        (!state.is_busy(access)).then_some(Held {
            memory: self,
            state,
        })
    }

    /// Waits until the host lets go of the buffer.
    ///
    /// # Errors
    /// When it never will: the calling thread itself has an accessor.
    pub fn wait_until_free(&self, access: Access) -> Result<()> {
        self.wait_for_host(access).map(drop)
    }

    fn wait_for_host(&self, access: Access) -> Result<MutexGuard<'_, State>> {
        let state = self.lock();
        if state.is_busy(access) && state.is_held_by(thread::current().id()) {
            return Err(Error::new(
                Kind::Invalid,
                "the calling thread has a host accessor of the buffer: its life must end before \
                 anything else can use the buffer",
            ));
        }
        let busy = |state: &mut State| state.is_busy(access);
        Ok(self
            .released
            .wait_while(state, busy)
            .unwrap_or_else(|e| e.into_inner()))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Waits until the host may use the buffer, and gives its bytes there. They stay with the host
    /// until [`Memory::host_release`].
    ///
    /// # Errors
    /// When a command that wrote the buffer failed or the contents cannot be moved.
    pub fn host_acquire(&self, access: Access) -> Result<*mut u8> {
        let mut state = self.wait_for_host(access)?;
        state.bring_to_host(access)?;
        state.give_to_host(access);
        Ok(state.host.pointer)
    }

    /// Ends a use that [`Memory::host_acquire`] or [`Held::give_to_host`] began.
    pub fn host_release(&self, access: Access) {
        let mut state = self.lock();
        if access.writes() {
            state.host_writer = None;
        } else {
            // An accessor may end on another thread than it began; then any entry stands for it.
            let thread = thread::current().id();
            let own = state
                .host_readers
                .iter()
                .position(|reader| *reader == thread);
            let entry = own.unwrap_or(0);
            if entry < state.host_readers.len() {
                state.host_readers.swap_remove(entry);
            }
        }
        self.released.notify_all();
    }

    /// The bytes on the host, for a host task that holds the buffer.
    pub fn host_pointer(&self) -> *mut u8 {
        // A host task runs with the buffer acquired, so its bytes stay where they are.
        self.lock().host.pointer
    }
}

impl State {
    /// Whether a host accessor keeps the use out.
    fn is_busy(&self, access: Access) -> bool {
        self.host_writer.is_some() || (access.writes() && !self.host_readers.is_empty())
    }

    fn is_held_by(&self, thread: ThreadId) -> bool {
        self.host_writer == Some(thread) || self.host_readers.contains(&thread)
    }

    /// Keeps everyone else out who must not come between while this thread has the bytes.
    fn give_to_host(&mut self, access: Access) {
        let thread = thread::current().id();
        if access.writes() {
            self.host_writer = Some(thread);
        } else {
            self.host_readers.push(thread);
        }
    }

    /// Waits for the commands that a use must not overtake; the host then has the contents.
    fn bring_to_host(&mut self, access: Access) -> Result<()> {
        if let Some(write) = &self.last_write {
            write.wait()?;
        }
        if access.writes() {
            for read in self.reads.take() {
                // Its failure is told by its queue.
                let _ = read.wait();
            }
        }
        if !self.host_is_current && access.needs_contents() {
            if let Some(copy) = self.copies.iter().find(|copy| copy.is_current) {
                copy.queue
                    .read(copy.allocation.as_ref(), self.host.bytes_mut(), &[])?;
            }
        }
        self.host_is_current = true;
        if access.writes() {
            self.copies
                .iter_mut()
                .for_each(|copy| copy.is_current = false);
            self.last_write = None;
        }
        Ok(())
    }
}

impl Held<'_> {
    /// Waits for the commands that a use by the host must not overtake; it then has the contents.
    ///
    /// # Errors
    /// When a command that wrote the buffer failed or the contents cannot be moved.
    pub fn bring_to_host(&mut self, access: Access) -> Result<()> {
        self.state.bring_to_host(access)
    }

    /// Lets the host have the bytes until [`Memory::host_release`].
    pub fn give_to_host(mut self, access: Access) {
        self.state.give_to_host(access);
    }

    /// What a command that uses the buffer waits for.
    #[must_use]
    pub fn dependencies(&self, access: Access) -> Vec<Event> {
        let mut events: Vec<Event> = self.state.last_write.iter().cloned().collect();
        if access.writes() {
            events.extend(self.state.reads.events.iter().cloned());
        }
        events
    }

    /// The buffer in a context, with the current contents when the use needs them.
    ///
    /// # Errors
    /// When there is no room or the contents cannot be moved.
    pub fn bring_to(
        &mut self,
        context: &Arc<Context>,
        queue: &Arc<dyn Queue>,
        access: Access,
    ) -> Result<Arc<dyn Allocation>> {
        let place = self.place_in(context, queue)?;
        let needed = access.needs_contents() && self.memory.size > 0;
        if needed && !self.state.copies[place].is_current {
            self.state.bring_to_host(Access(1))?;
            let state = &mut *self.state;
            let copy = &mut state.copies[place];
            copy.queue
                .write(copy.allocation.as_ref(), state.host.bytes(), &[])?;
            copy.is_current = true;
        }
        Ok(Arc::clone(&self.state.copies[place].allocation))
    }

    /// Where the context's copy stands, made when there is none.
    fn place_in(&mut self, context: &Arc<Context>, queue: &Arc<dyn Queue>) -> Result<usize> {
        let copies = &mut self.state.copies;
        if let Some(place) = copies.iter().position(|c| Arc::ptr_eq(&c.context, context)) {
            return Ok(place);
        }
        copies.push(Copy {
            context: Arc::clone(context),
            queue: Arc::clone(queue),
            allocation: context.driver.allocate(self.memory.size.max(1))?,
            is_current: false,
        });
        Ok(copies.len() - 1)
    }

    /// Remembers the command that uses the buffer in a context.
    pub fn used_by(&mut self, event: &Event, context: &Arc<Context>, access: Access) {
        let state = &mut *self.state;
        if !access.writes() {
            state.reads.add(event.clone());
            return;
        }
        state.last_write = Some(event.clone());
        state.reads = Reads::default();
        state.host_is_current = false;
        for copy in &mut state.copies {
            copy.is_current = Arc::ptr_eq(&copy.context, context);
        }
    }
}

/// A box of bytes within `size` bytes: planes of rows.
#[derive(Debug, Clone, Copy)]
pub struct Box3 {
    /// Offset of the first byte.
    pub first: usize,
    /// Bytes from a plane to the next.
    pub plane_stride: usize,
    /// Bytes from a row to the next.
    pub row_stride: usize,
}

impl Box3 {
    /// Where each row begins.
    pub fn rows(self, planes: usize, rows: usize) -> impl Iterator<Item = usize> {
        (0..planes).flat_map(move |plane| {
            (0..rows).map(move |row| self.first + plane * self.plane_stride + row * self.row_stride)
        })
    }

    /// Fails when a row of `row_size` bytes ends after `size`.
    ///
    /// # Errors
    /// Says by how much the box is too large.
    pub fn check(self, planes: usize, rows: usize, row_size: usize, size: usize) -> Result<()> {
        let end = self
            .rows(planes, rows)
            .last()
            .map_or(0, |last| last + row_size);
        if end <= size {
            return Ok(());
        }
        Err(Error::new(
            Kind::Invalid,
            format!("the copy ends at byte {end} of a buffer of {size} bytes"),
        ))
    }
}

impl Memory {
    /// The buffer's size in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }
}

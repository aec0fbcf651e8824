//! Buffers: where their current contents are, and what must wait for what.
//!
//! A buffer has a place on the host and one in each context that used it. Some of them hold the
//! current contents. A command that reads needs them in its context; after a command that writes
//! they are only there. Whole buffers move, never parts.
//!
//! A command has its place among those that use the buffer when it is submitted; the contents move
//! when it begins, which may be later but is never before those have begun that it comes after.

mod held;
mod host;
mod uses;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::ThreadId;

pub use self::uses::{Access, Place, Use};
use crate::context::Context;
use crate::ending;
use crate::error::Result;
use crate::event::{Event, Underway};
use crate::guard::Lockable;
use crate::host_bytes::HostBytes;
use crate::later::Later;
use crate::plugin::foreign::{ForeignImage, ImageShape};
use crate::plugin::{self, Allocation, Backend, Queue};

/// A buffer. Its alignment leaves bits of its handle free, in which accessors keep what they know of
/// themselves (`element_access.hpp`).
#[repr(align(64))]
pub struct Memory {
    size: usize,
    state: Mutex<State>,
}

/// A buffer that a command requires, and how it uses it.
pub type Required = (*const Memory, Access);

/// A buffer that a command requires, and the memory of a context that it is in.
pub type Brought<'a> = (Required, &'a Arc<dyn Allocation>);

/// A [`Memory`] while a command is being submitted that uses it, or begins.
pub struct Held<'a> {
    memory: &'a Memory,
    state: MutexGuard<'a, State>,
}

struct State {
    host: HostBytes,
    host_is_current: bool,
    /// Whether memory of the program's must stay as it is from now on.
    keeps_host: bool,
    copies: Vec<Copy>,
    /// Whether a command or host accessor ever wrote.
    is_written: bool,
    /// The command or host accessor that was the last to write.
    last_write: Event,
    /// Commands and host accessors that read since then.
    reads: Underway,
    accessors: Vec<HostAccessor>,
    /// What the program made the buffer of, where the contents have to be at the end.
    home: Option<Home>,
    /// The mutex that uses need.
    mutex: Option<Lockable>,
}

/// Memory of the driver's own that a program made a buffer or an image of.
#[derive(Clone)]
enum Home {
    /// A buffer: the copy in this context.
    Buffer(Arc<Context>),
    /// An image, which no command uses; whether it has the current contents.
    Image(Arc<dyn ForeignImage>, bool),
}

/// A host accessor while it lives.
struct HostAccessor {
    /// Where it began.
    thread: ThreadId,
    access: Access,
    /// What others wait for.
    end: Arc<Later>,
}

/// The buffer in one context.
struct Copy {
    /// A queue that can move the contents, which ends before the context.
    queue: Arc<dyn Queue>,
    context: Arc<Context>,
    allocation: Arc<dyn Allocation>,
    /// Parts that programs were given, by the bytes at which they begin.
    parts: BTreeMap<usize, Arc<dyn Allocation>>,
    is_current: bool,
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
                owned: None,
            }
        } else {
            let mut copy = HostBytes::owned(size);
            // SAFETY: the caller gives a span of `size` bytes.
            let bytes = unsafe { std::slice::from_raw_parts(host, size) };
            copy.bytes_mut().copy_from_slice(bytes);
            copy
        };
        Memory::of(size, host)
    }

    /// A buffer that works on memory of the driver's, which the program made in the context; its
    /// contents are there when `after` has ended.
    ///
    /// # Errors
    /// When the memory is of another context or the driver refuses.
    ///
    /// # Safety
    /// `native` must be live memory of the driver.
    pub unsafe fn adopt(
        context: Arc<Context>,
        native: *mut c_void,
        after: Event,
    ) -> Result<Memory> {
        // SAFETY: as the caller says.
        let (allocation, size) = unsafe { context.driver.adopt_memory(native) }?;
        let device = context.devices.first().map_or(0, |device| device.place);
        let copy = Copy {
            queue: context.driver.create_queue(device, false, false)?,
            context: Arc::clone(&context),
            allocation,
            parts: BTreeMap::new(),
            is_current: true,
        };
        let memory = Memory::of(size, HostBytes::owned(size));
        let mut state = memory.lock();
        state.host_is_current = false;
        state.copies.push(copy);
        state.last_write = after;
        state.home = Some(Home::Buffer(context));
        drop(state);
        Ok(memory)
    }

    /// A buffer of the pixels, without gaps, of an image of the driver's that the program made in the
    /// context; they are there when `after` has ended. They come from the image when they are first
    /// needed, and go back in the end if anything wrote them.
    ///
    /// # Errors
    /// When the image is of another context, or has pixels that SYCL has not.
    ///
    /// # Safety
    /// `native` must be a live image of the driver.
    pub unsafe fn adopt_image(
        context: &Context,
        native: *mut c_void,
        after: Event,
    ) -> Result<(Memory, ImageShape)> {
        let device = context.devices.first().map_or(0, |device| device.place);
        // SAFETY: as the caller says.
        let image = unsafe { context.driver.adopt_image(native, device) }?;
        let shape = image.shape();
        let memory = Memory::of(shape.bytes(), HostBytes::owned(shape.bytes()));
        let mut state = memory.lock();
        state.host_is_current = false;
        state.last_write = after;
        state.home = Some(Home::Image(image, true));
        drop(state);
        Ok((memory, shape))
    }

    fn of(size: usize, host: HostBytes) -> Memory {
        Memory {
            size,
            state: Mutex::new(State {
                host,
                host_is_current: true,
                keeps_host: false,
                is_written: false,
                copies: Vec::new(),
                last_write: Event::done(),
                reads: Underway::default(),
                accessors: Vec::new(),
                home: None,
                mutex: None,
            }),
        }
    }

    /// Whether a command or an accessor of the host's ever used it to write.
    #[must_use]
    pub fn is_written(&self) -> bool {
        self.lock().is_written
    }

    /// Waits until nothing uses the buffer, and leaves the contents in the memory that the program gave
    /// it.
    ///
    /// # Errors
    /// When a command that wrote the buffer failed or the contents cannot be moved.
    pub fn settle(&self) -> Result<()> {
        if ending::has_come() {
            return Ok(());
        }
        let all = Access(3);
        let place = self.lock().place(all);
        place.wait();
        let mut held = self.hold();
        match held.state.home.clone() {
            Some(Home::Buffer(context)) => {
                let own = held.state.copies.iter();
                let queue = own.map(|copy| &copy.queue).next().cloned();
                match queue {
                    Some(queue) => held.bring_to(&context, &queue, Some(&place), all).map(drop),
                    None => Ok(()),
                }
            }
            Some(Home::Image(image, false)) => {
                held.state.bring_to_host(&place, Access(1))?;
                image.write(held.state.host.bytes())?;
                held.state.home = Some(Home::Image(image, true));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Says whether memory of the program's that the buffer works on must stay as it is: the buffer
    /// then takes bytes of its own before anything would change it.
    pub fn keep_host(&self, keep: bool) {
        self.lock().keeps_host = keep;
    }

    /// Has later uses need the mutex.
    ///
    /// # Safety
    /// The mutex must be good until [`Memory::leave`] has returned for the last time.
    pub unsafe fn guard_by(&self, mutex: Lockable) {
        self.lock().mutex = Some(mutex);
    }

    /// The buffer's size in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Keeps the buffer while a command is submitted or begins.
    pub fn hold(&self) -> Held<'_> {
        Held {
            memory: self,
            state: self.lock(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The driver's own handle, in a context, of the part of the buffer from byte `origin` on; null where it was
    /// never brought there.
    ///
    /// # Errors
    /// When the driver refuses such a part.
    pub fn native_in(&self, context: &Arc<Context>, origin: usize) -> Result<*mut c_void> {
        let mut state = self.lock();
        let mut copies = state.copies.iter_mut();
        let Some(own) = copies.find(|copy| Arc::ptr_eq(&copy.context, context)) else {
            return Ok(null_mut());
        };
        if origin == 0 {
            return Ok(own.allocation.native());
        }
        if let Some(part) = own.parts.get(&origin) {
            return Ok(part.native());
        }
        let part = own.allocation.part(origin, self.size)?;
        let native = part.native();
        own.parts.insert(origin, part);
        Ok(native)
    }

    /// The driver's own handles of the buffer, one for each context of the backend that it was brought
    /// to, and the memory behind each.
    pub fn allocations(&self, backend: Backend) -> Vec<Arc<dyn Allocation>> {
        let state = self.lock();
        let is_of = |copy: &&Copy| {
            let device = copy.context.devices.first();
            device.is_some_and(|device| device.platform().driver.backend() == backend)
        };
        let copies = state.copies.iter().filter(is_of);
        copies.map(|copy| Arc::clone(&copy.allocation)).collect()
    }

    /// The bytes on the host, for a command of the host that uses the buffer.
    pub fn host_pointer(&self) -> *mut u8 {
        // They stay where they are while it runs.
        self.lock().host.pointer
    }
}

impl Drop for Memory {
    /// Commands that drivers have may still use it, in the order of its uses.
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(|e| e.into_inner());
        if state.copies.is_empty() {
            return;
        }
        // Whether they have ended is not asked, which may cost a driver as much as a command.
        let uses = state.before(Access(3));
        let uses = uses.filter_map(|each| each.settled()?.underway());
        let uses: Vec<Arc<dyn plugin::Event>> = uses.collect();
        for copy in state.copies.drain(..) {
            copy.context.leave(&copy.allocation, &uses);
        }
    }
}

impl State {
    /// What the next use comes after if it is such a one.
    fn place(&self, access: Access) -> Place {
        Place {
            written_by: self.last_write.clone(),
            read_by: self.reads_before(access).to_vec(),
        }
    }

    /// The same, one by one.
    fn before(&self, access: Access) -> impl Iterator<Item = &Event> {
        std::iter::once(&self.last_write).chain(self.reads_before(access))
    }

    fn reads_before(&self, access: Access) -> &[Event] {
        match access.writes() {
            true => self.reads.events(),
            false => &[],
        }
    }

    /// Makes later uses come after this one.
    fn used_by(&mut self, event: &Event, access: Access) {
        if access.writes() {
            self.is_written = true;
            self.last_write = event.clone();
            self.reads = Underway::default();
        } else {
            self.reads.add(event.clone());
        }
    }

    /// Gives the host the contents; when it writes, the others have them no more. What the use comes
    /// after must have begun.
    fn bring_to_host(&mut self, place: &Place, access: Access) -> Result<()> {
        place.written_by.wait()?;
        if access.writes() {
            place.wait();
        }
        self.move_to_host(access)
    }

    /// The same when nothing uses the buffer.
    fn move_to_host(&mut self, access: Access) -> Result<()> {
        let stale = !self.host_is_current && access.needs_contents();
        if stale || access.writes() {
            self.leave_kept_host(access);
        }
        if stale {
            ending::refuse()?;
            let current = self.copies.iter().find(|copy| copy.is_current);
            match (current, &self.home) {
                // Not every driver copies nothing.
                (Some(_), _) if self.host.size == 0 => {}
                (Some(copy), _) => {
                    copy.queue
                        .read(copy.allocation.as_ref(), self.host.bytes_mut(), &[])?;
                }
                (None, Some(Home::Image(image, true))) => image.read(self.host.bytes_mut())?,
                _ => {}
            }
        }
        self.host_is_current = true;
        if access.writes() {
            self.leave_image();
            self.copies
                .iter_mut()
                .for_each(|copy| copy.is_current = false);
        }
        Ok(())
    }

    /// Remembers that an image that the program made has the contents no more.
    fn leave_image(&mut self) {
        if let Some(Home::Image(_, is_current)) = &mut self.home {
            *is_current = false;
        }
    }

    /// Moves to bytes of the buffer's own where the program's must stay as they are. Nobody else uses
    /// them: whoever changes the host's bytes comes after all that used them.
    fn leave_kept_host(&mut self, access: Access) {
        if !self.keeps_host || self.host.owned.is_some() {
            return;
        }
        let mut own = HostBytes::owned(self.host.size);
        if self.host_is_current && access.needs_contents() {
            own.bytes_mut().copy_from_slice(self.host.bytes());
        }
        self.host = own;
    }
}

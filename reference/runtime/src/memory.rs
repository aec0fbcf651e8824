//! Buffers: where their current contents are, and what must wait for what.
//!
//! A buffer has a place on the host and one in each context that used it. Some of them hold the
//! current contents. A command that reads needs them in its context; after a command that writes
//! they are only there. Commands and accessors of the host may use a part of a buffer (sub-buffers of
//! SYCL 2020, section 4.7.2): of each byte it is known who used it and where it is current, and uses
//! that share no byte have nothing to do with each other.
//!
//! A command has its place among those that use the buffer when it is submitted; the contents move
//! when it begins, which may be later but is never before those have begun that it comes after.

mod held;
mod host;
mod spans;
mod uses;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::ThreadId;

use smallvec::{SmallVec, smallvec};

use self::spans::BySpan;
pub use self::spans::Span;
pub use self::uses::{Access, Place, Usage, Use};
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
    /// Whether memory of the program's must stay as it is from now on.
    keeps_host: bool,
    copies: Vec<Copy>,
    /// Whether a command or host accessor ever wrote.
    is_written: bool,
    users: BySpan<Users>,
    holders: BySpan<Holders>,
    accessors: Vec<HostAccessor>,
    /// What the program made the buffer of, where the contents have to be at the end.
    home: Option<Home>,
    /// The mutex that uses need.
    mutex: Option<Lockable>,
}

/// Who used bytes of a buffer.
#[derive(Clone)]
struct Users {
    /// The command or host accessor that was the last to write.
    last_write: Event,
    /// Commands and host accessors that read since then.
    reads: Underway,
}

/// Who has the current contents of bytes of a buffer.
#[derive(Clone, PartialEq)]
struct Holders {
    host: bool,
    /// The copies, by their places.
    copies: SmallVec<[usize; 2]>,
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
    span: Span,
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
        };
        let memory = Memory::of(size, HostBytes::owned(size));
        let mut state = memory.lock();
        state.copies.push(copy);
        state.holders.fill(Span::ALL, Holders::copy_alone(Some(0)));
        state.users.fill(Span::ALL, Users::written_by(after));
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
        state.holders.fill(Span::ALL, Holders::copy_alone(None));
        state.users.fill(Span::ALL, Users::written_by(after));
        state.home = Some(Home::Image(image, true));
        drop(state);
        Ok((memory, shape))
    }

    fn of(size: usize, host: HostBytes) -> Memory {
        Memory {
            size,
            state: Mutex::new(State {
                host,
                keeps_host: false,
                is_written: false,
                copies: Vec::new(),
                users: BySpan::new(size, Users::written_by(Event::done())),
                holders: BySpan::new(size, Holders::host_alone()),
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
        let all = Usage::of(Access(3), Span::ALL);
        let place = Place::next(&self.lock(), &all);
        place.wait();
        let mut held = self.hold();
        match held.state.home.clone() {
            Some(Home::Buffer(context)) => {
                let own = held.state.copies.iter();
                let queue = own.map(|copy| &copy.queue).next().cloned();
                match queue {
                    Some(queue) => held
                        .bring_to(&context, &queue, Some(&place), &all)
                        .map(drop),
                    None => Ok(()),
                }
            }
            Some(Home::Image(image, false)) => {
                held.state.bring_to_host(&place, Access(1), Span::ALL)?;
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
        let all = Usage::of(Access(3), Span::ALL);
        let mut uses: Vec<Arc<dyn plugin::Event>> = Vec::new();
        state.each_before(&all, |each| {
            uses.extend(each.settled().and_then(Event::underway));
        });
        for copy in state.copies.drain(..) {
            copy.context.leave(&copy.allocation, &uses);
        }
    }
}

impl Users {
    fn written_by(last_write: Event) -> Users {
        let reads = Underway::default();
        Users { last_write, reads }
    }

    /// Those that such a use comes after.
    fn reads_before(&self, access: Access) -> &[Event] {
        match access.writes() {
            true => self.reads.events(),
            false => &[],
        }
    }
}

impl Holders {
    fn host_alone() -> Holders {
        let copies = SmallVec::new();
        Holders { host: true, copies }
    }

    /// Nobody where no copy is given.
    fn copy_alone(index: Option<usize>) -> Holders {
        let copies = index.into_iter().collect();
        let host = false;
        Holders { host, copies }
    }

    fn add_copy(&mut self, index: usize) {
        if !self.copies.contains(&index) {
            self.copies.push(index);
        }
    }
}

impl State {
    /// Sees what the next use comes after if it is such a one.
    fn each_before<'a>(&'a self, usage: &Usage, mut see: impl FnMut(&'a Event)) {
        for (access, span) in usage.parts() {
            for (_, users) in self.users.over(span) {
                see(&users.last_write);
                users.reads_before(access).iter().for_each(&mut see);
            }
        }
    }

    /// Makes later uses come after this one.
    fn used_by(&mut self, event: &Event, usage: &Usage) {
        for (access, span) in usage.parts() {
            if access.writes() {
                self.is_written = true;
                self.users.fill(span, Users::written_by(event.clone()));
            } else {
                let users = self.users.over_mut(span);
                users.for_each(|users| users.reads.add(event.clone()));
            }
        }
    }

    /// The place of the context's copy.
    fn copy_of(&self, context: &Arc<Context>) -> Option<usize> {
        let mut copies = self.copies.iter();
        copies.position(|copy| Arc::ptr_eq(&copy.context, context))
    }

    /// What a copy lacks of a span.
    fn missing(&self, index: usize, span: Span) -> impl Iterator<Item = Span> {
        let parts = self.holders.over(span);
        let lacking = parts.filter(move |(_, holders)| !holders.copies.contains(&index));
        lacking
            .map(|(part, _)| part)
            .filter(|part| !part.is_empty())
    }

    /// Gives the host the contents of a span; when it writes, the others have them no more. What the use
    /// comes after must have begun.
    fn bring_to_host(&mut self, place: &Place, access: Access, span: Span) -> Result<()> {
        place.wait_for_writes(span)?;
        if access.writes() {
            place.wait();
        }
        self.move_to_host(access, span)
    }

    /// The same when nothing uses the span.
    fn move_to_host(&mut self, access: Access, span: Span) -> Result<()> {
        let mut stale: SmallVec<[(Span, Option<usize>); 1]> = smallvec![];
        if access.needs_contents() {
            let parts = self.holders.over(span).filter(|(_, holders)| !holders.host);
            stale.extend(parts.map(|(part, holders)| (part, holders.copies.first().copied())));
        }
        if !stale.is_empty() || access.writes() {
            self.leave_kept_host(access, span);
        }
        for (part, holder) in stale {
            ending::refuse()?;
            match (holder.map(|index| &self.copies[index]), &self.home) {
                // Not every driver copies nothing.
                (Some(_), _) if part.is_empty() => {}
                (Some(copy), _) => {
                    let to = self.host.part_mut(part);
                    copy.queue.read(copy.allocation.as_ref(), part.begin, to)?;
                }
                (None, Some(Home::Image(image, true))) => image.read(self.host.bytes_mut())?,
                _ => {}
            }
        }
        if access.writes() {
            self.leave_image();
            self.holders.fill(span, Holders::host_alone());
        } else {
            let holders = self.holders.over_mut(span);
            holders.for_each(|holders| holders.host = true);
        }
        self.holders.join();
        Ok(())
    }

    /// Remembers that an image that the program made has the contents no more.
    fn leave_image(&mut self) {
        if let Some(Home::Image(_, is_current)) = &mut self.home {
            *is_current = false;
        }
    }

    /// Moves to bytes of the buffer's own where the program's must stay as they are. Others may read those
    /// that the host has: they are in both places then.
    fn leave_kept_host(&mut self, access: Access, span: Span) {
        if !self.keeps_host || self.host.owned.is_some() {
            return;
        }
        let mut own = HostBytes::owned(self.host.size);
        for (part, holders) in self.holders.over(Span::ALL) {
            let is_needed = access.needs_contents() || !span.covers(part);
            if holders.host && is_needed {
                own.part_mut(part).copy_from_slice(self.host.part(part));
            }
        }
        self.host = own;
    }
}

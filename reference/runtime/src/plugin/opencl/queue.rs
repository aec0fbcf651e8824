//! OpenCL queues and events.

use std::any::Any;
use std::ffi::c_void;
use std::ptr::null;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, PoisonError};

use opencl3::command_queue::enqueue_write_buffer;
use opencl3::error_codes::ClError;
use opencl3::event::{CL_COMPLETE, CL_RUNNING, Event as ClEvent, retain_event};
use opencl3::kernel::Kernel as ClKernel;
use opencl3::memory::ClMem as _;
use opencl3::types::{cl_command_queue, cl_event, cl_int, cl_uint};
use smallvec::SmallVec;

use super::context::OpenClAllocation;
use super::extension::Usm;
use super::program::OpenClKernel;
use super::refused;
use super::shelf::Borrowed;
use super::times::{self, Clock};
use super::waiting;
use crate::clock::Times;
use crate::error::{Error, Kind, Result};
use crate::plugin::{
    After, Allocation, Argument, Event, EventState, Kernel, Queue, Space, Started, downcast,
};

/// An OpenCL queue, which goes to its shelf when nobody has it any more.
pub(super) struct OpenClQueue {
    object: Borrowed,
    /// Whether the driver begins its commands in their order.
    in_order: bool,
    /// Where it profiles, what tells when a marker is submitted.
    clock: Option<Clock>,
    usm: Option<Usm>,
}

impl OpenClQueue {
    pub fn new(
        object: Borrowed,
        in_order: bool,
        clock: Option<Clock>,
        usm: Option<Usm>,
    ) -> OpenClQueue {
        OpenClQueue {
            object,
            in_order,
            clock,
            usm,
        }
    }

    /// What a command waits for: a list takes the driver time, and needs not to say what the queue's
    /// order does.
    pub(super) fn waits(&self, after: After<'_>) -> Result<Waits> {
        let mut all = Waits::new();
        for event in after {
            let event = downcast::<OpenClEvent>(event.as_any())?;
            if event.line == 0 || event.line != self.line() {
                all.extend(event.objects().map(ClEvent::get));
            }
        }
        Ok(all)
    }

    pub(super) fn usm(&self) -> Result<&Usm> {
        self.usm.as_ref().ok_or_else(|| {
            Error::new(
                Kind::FeatureNotSupported,
                "the device has no unified shared memory",
            )
        })
    }
}

fn is_underway(event: &dyn Event) -> bool {
    event.state().is_ok_and(|now| now != EventState::Complete)
}

fn all_ended(events: After<'_>) -> bool {
    !events.iter().any(|event| is_underway(event.as_ref()))
}

/// A list of OpenCL's events; few need no memory of their own.
pub(super) type Waits = SmallVec<[cl_event; 4]>;

/// The events' OpenCL objects, which stay alive with `after`.
pub(super) fn raw(after: After<'_>) -> Result<Waits> {
    let mut all = Waits::new();
    for event in after {
        all.extend(
            downcast::<OpenClEvent>(event.as_any())?
                .objects()
                .map(ClEvent::get),
        );
    }
    Ok(all)
}

/// A wait list as extension functions take it.
pub(super) fn list(events: &[cl_event]) -> (cl_uint, *const cl_event) {
    let first = if events.is_empty() {
        null()
    } else {
        events.as_ptr()
    };
    (events.len() as cl_uint, first)
}

impl Queue for OpenClQueue {
    fn line(&self) -> usize {
        match self.in_order {
            true => self.object.get() as usize,
            false => 0,
        }
    }

    fn launch(
        &self,
        kernel: &dyn Kernel,
        arguments: &[Argument<'_>],
        space: &Space,
        after: After<'_>,
    ) -> Result<Started> {
        let kernel = downcast::<OpenClKernel>(kernel.as_any())?;
        let given = after;
        let mut after = self.waits(given)?;
        // Commands of a queue in order wait for one another anyway, and may for others before them.
        let is_task = space.global == [1; 3] && !self.in_order;
        let task = kernel.task.as_ref().filter(|_| is_task);
        let mut task = task.map(|last| last.lock().unwrap_or_else(PoisonError::into_inner));
        let begins = task.is_none() || all_ended(given);
        if let Some(last) = task.as_ref().and_then(|last| last.as_ref()) {
            if is_underway(last.as_ref()) {
                after.extend(last.objects().map(ClEvent::get));
            }
        }
        let kernel = kernel.object.lock().unwrap_or_else(|e| e.into_inner());
        let _list = self.usm.and_then(|usm| usm.list.read());
        for (index, argument) in arguments.iter().enumerate() {
            self.set_argument(&kernel, index as cl_uint, argument)?;
        }
        // OpenCL's first dimension varies fastest, SYCL's last.
        let reversed = |sizes: &[usize; 3]| {
            let mut reversed = *sizes;
            reversed[..space.dimensions].reverse();
            reversed
        };
        let (global, offset) = (reversed(&space.global), reversed(&space.offset));
        let local = space.local.as_ref().map(reversed);
        // SAFETY: the arguments are set; the lists outlive the call.
        let event = unsafe {
            self.object.enqueue_nd_range_kernel(
                kernel.get(),
                space.dimensions as cl_uint,
                offset.as_ptr(),
                global.as_ptr(),
                local.as_ref().map_or(null(), |sizes| sizes.as_ptr()),
                &after,
            )
        };
        let event = event.map_err(refused("launch the kernel"))?;
        self.object.flush().map_err(refused("flush a queue"))?;
        let event = Arc::new(self.event(event));
        if let Some(task) = task.as_mut().filter(|_| begins) {
            **task = Some(Arc::clone(&event));
        }
        Ok(Started::Event(event))
    }

    fn write(&self, to: &dyn Allocation, offset: usize, from: &[u8]) -> Result<()> {
        let to = downcast::<OpenClAllocation>(to.as_any())?;
        // SAFETY: the command is waited for, so that `from` outlives it.
        let submitted = unsafe {
            let bytes = from.as_ptr().cast_mut().cast();
            let memory = to.buffer.get();
            let queue = self.object.get();
            let (size, none) = (from.len(), std::ptr::null());
            enqueue_write_buffer(queue, memory, 0, offset, size, bytes, 0, none)
        };
        let event = submitted.map_err(|e| refused("copy to the device")(e.into()))?;
        self.ended(&ClEvent::new(event))
            .map_err(refused("copy to the device"))
    }

    fn read(&self, from: &dyn Allocation, offset: usize, to: &mut [u8]) -> Result<()> {
        let from = downcast::<OpenClAllocation>(from.as_any())?;
        // SAFETY: the command is waited for, so that `to` outlives it.
        let submitted = unsafe {
            self.object
                .enqueue_read_buffer(&from.buffer, 0, offset, to, &[])
        };
        submitted
            .and_then(|event| self.ended(&event))
            .map_err(refused("copy from the device"))
    }

    unsafe fn usm_copy(
        &self,
        to: *mut c_void,
        from: *const c_void,
        size: usize,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>> {
        self.usm_command("copy memory", after, |usm, queue, count, first, event| {
            // SAFETY: the caller vouches for both spans; the list outlives the call.
            unsafe { (usm.copy)(queue, 0, to, from, size, count, first, event) }
        })
    }

    unsafe fn usm_fill(
        &self,
        to: *mut c_void,
        pattern: &[u8],
        size: usize,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>> {
        let (bytes, length) = (pattern.as_ptr().cast(), pattern.len());
        let is_aligned = length.is_power_of_two() && to as usize % length == 0;
        if !is_aligned || length > LONGEST_PATTERN {
            // What the device cannot repeat is repeated here.
            let repeated: Vec<u8> = pattern.iter().copied().cycle().take(size).collect();
            // SAFETY: the caller vouches for the target; the bytes are kept until the copy has ended.
            return unsafe { self.copy_owned(to, repeated, after) };
        }
        self.usm_command("fill memory", after, |usm, queue, count, first, event| {
            // SAFETY: the caller vouches for the span; the driver copies the pattern in the call.
            unsafe { (usm.fill)(queue, to, bytes, length, size, count, first, event) }
        })
    }

    fn barrier(&self, after: After<'_>) -> Result<Arc<dyn Event>> {
        Ok(Arc::new(self.marker(&raw(after)?)?))
    }

    fn finish(&self) -> Result<()> {
        waiting::for_queue(&self.object).map_err(refused("wait for a queue"))
    }

    fn native(&self) -> *mut c_void {
        self.object.get()
    }

    fn retain_native(&self) {
        self.object.lend();
    }
}

/// The longest pattern that `clEnqueueMemFillINTEL` and `clEnqueueFillBuffer` take: the size of the largest OpenCL type.
pub(super) const LONGEST_PATTERN: usize = 128;

/// Drops the bytes of a copy that has ended.
extern "C" fn drop_bytes(_event: cl_event, _status: cl_int, bytes: *mut c_void) {
    // SAFETY: the copy was given the only pointer to them, and calls this once.
    drop(unsafe { Box::from_raw(bytes.cast::<Vec<u8>>()) });
}

/// Keeps bytes until the command has ended.
pub(super) fn keeping(event: Arc<dyn Event>, bytes: Vec<u8>) -> Result<Arc<dyn Event>> {
    let kept = Box::into_raw(Box::new(bytes)).cast();
    let object = &downcast::<OpenClEvent>(event.as_any())?.object;
    if let Err(reason) = object.set_callback(CL_COMPLETE, drop_bytes, kept) {
        // Nobody says when it ends but the command itself.
        let ended = event.wait();
        drop_bytes(object.get(), CL_COMPLETE, kept);
        ended?;
        return Err(refused("watch a command")(reason));
    }
    Ok(event)
}

impl OpenClQueue {
    /// The driver's own handle of the queue.
    pub(super) fn handle(&self) -> cl_command_queue {
        self.object.get()
    }

    /// Copies bytes that nobody else keeps.
    ///
    /// # Safety
    /// The target must span the bytes until the command is done.
    unsafe fn copy_owned(
        &self,
        to: *mut c_void,
        bytes: Vec<u8>,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>> {
        let (from, size) = (bytes.as_ptr().cast(), bytes.len());
        // SAFETY: the caller vouches for the target; the bytes stay until the command has ended.
        let event = unsafe { self.usm_copy(to, from, size, after) }?;
        keeping(event, bytes)
    }

    /// An event after `after`, or after everything when it is empty.
    fn marker(&self, after: &[cl_event]) -> Result<OpenClEvent> {
        let submitted = self.clock.and_then(Clock::now);
        // SAFETY: the list outlives the call.
        let event = unsafe { self.object.enqueue_marker_with_wait_list(after) };
        let object = event.map_err(refused("mark a place in a queue"))?;
        // Commands of other queues may wait for it, and a device begins only what was flushed.
        self.object.flush().map_err(refused("flush a queue"))?;
        Ok(OpenClEvent {
            submitted,
            ..self.event(object)
        })
    }

    /// The event of a command that took several of the driver's, which are submitted.
    pub(super) fn whole(&self, parts: Vec<ClEvent>) -> Result<Arc<dyn Event>> {
        let parts = match <[ClEvent; 1]>::try_from(parts) {
            Ok([only]) => {
                self.object.flush().map_err(refused("flush a queue"))?;
                return Ok(Arc::new(self.event(only)));
            }
            Err(parts) => parts,
        };
        let ends: Waits = parts.iter().map(ClEvent::get).collect();
        let marker = self.marker(&ends)?;
        let parts = match self.object.profiles() {
            true => parts,
            false => Vec::new(),
        };
        Ok(Arc::new(OpenClEvent { parts, ..marker }))
    }

    /// Submits a command over USM.
    fn usm_command(
        &self,
        what: &str,
        after: After<'_>,
        submit: impl FnOnce(&Usm, cl_command_queue, cl_uint, *const cl_event, *mut cl_event) -> cl_int,
    ) -> Result<Arc<dyn Event>> {
        let after = self.waits(after)?;
        let (count, first) = list(&after);
        let mut event = std::ptr::null_mut();
        let usm = self.usm()?;
        let _list = usm.list.read();
        let status = submit(usm, self.object.get(), count, first, &raw mut event);
        self.submitted(status, event, what)
    }

    pub(super) fn submitted(
        &self,
        status: i32,
        event: cl_event,
        what: &str,
    ) -> Result<Arc<dyn Event>> {
        if status != 0 {
            return Err(refused(what)(status.into()));
        }
        self.object.flush().map_err(refused("flush a queue"))?;
        Ok(Arc::new(self.event(ClEvent::new(event))))
    }

    /// Waits for a command of the queue that was just submitted.
    pub(super) fn ended(&self, command: &ClEvent) -> std::result::Result<(), ClError> {
        // Whatever the one says, the bytes of the command are in use until the other has.
        let flushed = self.object.flush();
        waiting::for_event(command).and(flushed)
    }

    /// The event of a command of the queue.
    fn event(&self, object: ClEvent) -> OpenClEvent {
        OpenClEvent {
            object,
            others: Vec::new(),
            parts: Vec::new(),
            submitted: None,
            line: self.line(),
            end: AtomicI32::new(NOT_SEEN),
        }
    }

    fn set_argument(
        &self,
        kernel: &ClKernel,
        index: cl_uint,
        argument: &Argument<'_>,
    ) -> Result<()> {
        // SAFETY: each value outlives the call, in which the driver copies it; the driver checks
        // its size against the parameter.
        let status = unsafe {
            match argument {
                Argument::Kept => Ok(()),
                Argument::Memory(memory) => {
                    let memory = downcast::<OpenClAllocation>(memory.as_any())?;
                    kernel.set_arg(index, &memory.buffer.get())
                }
                Argument::Local(size) => kernel.set_arg_local_buffer(index, (*size).max(1)),
                Argument::Pointer(pointer) => match &self.usm {
                    Some(usm) => match (usm.set_pointer)(kernel.get(), index, *pointer) {
                        0 => Ok(()),
                        status => Err(status.into()),
                    },
                    // With no USM a pointer can only be null, which is a buffer argument of none.
                    None => kernel.set_arg(index, &std::ptr::null_mut::<c_void>()),
                },
                Argument::Value(bytes) => opencl3::kernel::set_kernel_arg(
                    kernel.get(),
                    index,
                    bytes.len(),
                    bytes.as_ptr().cast(),
                )
                .map_err(Into::into),
            }
        };
        status.map_err(|error| refused(&format!("take argument {index} of the kernel"))(error))
    }
}

/// An OpenCL event, or several that a program has made one.
pub(super) struct OpenClEvent {
    object: ClEvent,
    others: Vec<ClEvent>,
    /// The commands whose times are its own, of a marker that stands for several.
    parts: Vec<ClEvent>,
    /// When it was submitted, where the driver may not tell.
    submitted: Option<u64>,
    /// The line of the queue.
    line: usize,
    /// How it ended, once somebody has seen it: the driver takes time to say so again, and Intel's tells only
    /// who waits that a command never ran since one before it failed.
    end: AtomicI32,
}

/// No number of an end, which are [`CL_COMPLETE`] and less.
const NOT_SEEN: i32 = i32::MAX;

impl OpenClEvent {
    /// All of them as one; `None` for none.
    pub fn of_several(mut objects: Vec<ClEvent>) -> Option<OpenClEvent> {
        let others = objects.split_off(objects.len().min(1));
        Some(OpenClEvent {
            object: objects.pop()?,
            others,
            parts: Vec::new(),
            submitted: None,
            line: 0,
            end: AtomicI32::new(NOT_SEEN),
        })
    }

    fn objects(&self) -> impl Iterator<Item = &ClEvent> {
        std::iter::once(&self.object).chain(&self.others)
    }

    fn times(&self) -> Result<Times> {
        let (first, noted, others) = match self.parts.split_first() {
            Some((first, others)) => (first, None, others),
            None => (&self.object, self.submitted, self.others.as_slice()),
        };
        let mut others = others.iter().map(|other| times::of(other, None));
        let first = times::of(first, noted)?;
        others.try_fold(first, |all, other| Ok(times::together(all, other?)))
    }
}

impl Event for OpenClEvent {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn wait(&self) -> Result<()> {
        let mut ends = self.objects().map(waiting::for_event);
        let Some(failure) = ends.find_map(std::result::Result::err) else {
            self.end.store(CL_COMPLETE, Ordering::Release);
            return Ok(());
        };
        // The command's own failure, where it has one; one that has not ended may have another.
        if self.state()? == EventState::Complete {
            self.end.store(failure.0, Ordering::Release);
        }
        Err(refused("complete a command")(failure))
    }

    fn state(&self) -> Result<EventState> {
        match self.end.load(Ordering::Acquire) {
            NOT_SEEN => {}
            CL_COMPLETE => return Ok(EventState::Complete),
            failure => return Err(refused("complete a command")(failure.into())),
        }
        let mut least = state(&self.object)?;
        for other in &self.others {
            let now = state(other)?;
            // One of several that has begun, or ended, leaves the whole running.
            least = if now == least {
                now
            } else {
                EventState::Running
            };
        }
        if least == EventState::Complete {
            self.end.store(CL_COMPLETE, Ordering::Release);
        }
        Ok(least)
    }

    fn is_quick_to_ask(&self) -> bool {
        true
    }

    fn line(&self) -> usize {
        self.line
    }

    fn profiling(&self, what: u32) -> Result<u64> {
        let time = self.times()?.at(what);
        time.ok_or_else(|| Error::new(Kind::Invalid, "unknown profiling point"))
    }

    fn natives(&self) -> Vec<*mut c_void> {
        self.objects().map(ClEvent::get).collect()
    }

    fn retain_natives(&self) {
        for object in self.objects() {
            // SAFETY: the event is alive. A driver that refuses has nothing to count.
            let _ = unsafe { retain_event(object.get()) };
        }
    }
}

/// How far a command of the driver is.
fn state(event: &ClEvent) -> Result<EventState> {
    let status = event.command_execution_status();
    match status.map_err(refused("tell a command's state"))?.0 {
        CL_COMPLETE => Ok(EventState::Complete),
        CL_RUNNING => Ok(EventState::Running),
        failed if failed < 0 => Err(refused("complete a command")(failed.into())),
        _ => Ok(EventState::Submitted),
    }
}

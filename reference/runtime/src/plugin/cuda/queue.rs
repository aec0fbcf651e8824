//! CUDA queues: streams, whose commands run one after the other.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cuda_driver_sys as sys;
use cuda_driver_sys::{CUresult, CUstream};

use super::context::CudaAllocation;
use super::driver::{Api, Entered, Module, Stream, done};
use super::event::{Base, Line, Place, Timing};
use super::parameters::{Parameters, Places};
use super::program::CudaKernel;
use super::space::{Bounds, Division};
use super::transfer;
use crate::clock;
use crate::error::{Error, Kind, Result};
use crate::plugin::{After, Allocation, Argument, Event, Kernel, Queue, Space, Started, downcast};

/// A CUDA queue.
pub(super) struct CudaQueue {
    line: Arc<Line>,
    /// What the queue measures from, when it does.
    base: Option<Arc<Base>>,
    started: Mutex<Launched>,
}

/// What a queue has started.
#[derive(Default)]
struct Launched {
    /// The modules of its kernels, by their addresses. A queue has few, and needs them again; so they are let go
    /// when there are many, or with the queue.
    modules: BTreeMap<usize, Arc<Module>>,
    /// The last kernel, whose module is kept.
    last: Option<Last>,
}

/// A kernel that was started. The same one is often started over the same space again.
struct Last {
    function: sys::CUfunction,
    space: Space,
    division: Division,
}

// SAFETY: the driver's functions may be used from any thread.
unsafe impl Send for Last {}

/// So many modules are kept.
const MOST_MODULES: usize = 1024;

impl Launched {
    /// Keeps the module of a kernel that is about to start in the line, and divides its space.
    fn division(&mut self, kernel: &CudaKernel, space: &Space, line: &Line) -> Result<&Division> {
        let is_again = |last: &Last| last.function == kernel.function() && last.space == *space;
        if !self.last.as_ref().is_some_and(is_again) {
            self.keep(&kernel.module, line)?;
            self.last = Some(Last {
                function: kernel.function(),
                space: *space,
                division: Division::of(Bounds::of(kernel), space)?,
            });
        }
        match &self.last {
            Some(last) => Ok(&last.division),
            None => unreachable!("there is one by now"),
        }
    }

    fn keep(&mut self, module: &Arc<Module>, line: &Line) -> Result<()> {
        let address = Arc::as_ptr(module) as usize;
        if self.modules.contains_key(&address) {
            return Ok(());
        }
        if self.modules.len() >= MOST_MODULES {
            line.wait()?;
            self.last = None;
            self.modules.clear();
        }
        self.modules.insert(address, Arc::clone(module));
        Ok(())
    }
}

impl CudaQueue {
    /// A queue over the stream, whose context is current.
    pub fn create(stream: Stream, profiling: bool) -> Result<CudaQueue> {
        let line = Arc::new(Line::of(stream));
        let base = match profiling {
            true => Some(Arc::new(Base::now(&line)?)),
            false => None,
        };
        Ok(CudaQueue {
            line,
            base,
            started: Mutex::default(),
        })
    }

    /// Makes the context current on this thread until the value ends.
    pub(super) fn enter(&self) -> Result<Entered> {
        self.line.stream().primary().enter()
    }

    pub(super) fn api(&self) -> Api {
        self.line.stream().primary().api()
    }

    fn lock(&self) -> MutexGuard<'_, Launched> {
        self.started.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Submits a command after the events given; `start` gets the stream.
    pub(super) fn submit(
        &self,
        what: &str,
        after: After<'_>,
        start: impl FnOnce(CUstream) -> CUresult,
    ) -> Result<Arc<dyn Event>> {
        let _entered = self.enter()?;
        // Commands stand in the stream in the order of their numbers.
        let _turn = self.lock();
        let (number, timing) = self.submit_in_turn(what, after, start)?;
        Ok(Arc::new(self.line.event(number, timing)))
    }

    /// The same for whose turn it is; the context is current. Gives the command's place in the line.
    fn submit_in_turn(
        &self,
        what: &str,
        after: After<'_>,
        start: impl FnOnce(CUstream) -> CUresult,
    ) -> Result<(u64, Option<Timing>)> {
        let (api, stream) = (self.api(), self.line.stream().handle());
        self.line.before_next()?;
        for event in after {
            let place = downcast::<Place>(event.as_any())?;
            if !place.is_in(&self.line) {
                place.hold_back(stream)?;
            }
        }
        let started = match &self.base {
            None => done(api, what, start(stream)).map(|()| None),
            Some(base) => self.timed(base, what, start).map(Some),
        };
        let timing = started.inspect_err(|_| {
            // What has begun, in whole or in part, needs what is let go on return.
            // SAFETY: the stream is alive. A refusal says of commands before what their events say.
            let _ = unsafe { (api.stream_synchronize)(stream) };
        })?;
        Ok((self.line.added(timing.as_ref()), timing))
    }

    /// Starts a command between two places whose times the driver tells.
    fn timed(
        &self,
        base: &Arc<Base>,
        what: &str,
        start: impl FnOnce(CUstream) -> CUresult,
    ) -> Result<Timing> {
        let (base, submitted) = (Arc::clone(base), clock::now());
        let begin = self.line.mark(true)?;
        done(self.api(), what, start(self.line.stream().handle()))?;
        Ok(Timing {
            base,
            submitted,
            start: begin,
            end: Arc::new(self.line.mark(true)?),
        })
    }

    /// Lets the kernel have that much local memory: the number belongs to the kernel, whoever launches it,
    /// and only grows.
    fn allow_local(&self, kernel: &CudaKernel, size: usize) -> Result<u32> {
        let number = u32::try_from(size).unwrap_or(u32::MAX);
        if size.saturating_add(kernel.static_local) <= kernel.limits.local {
            return Ok(number);
        }
        let mut allowed = kernel
            .allowed_local
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if size > *allowed {
            let api = self.api();
            let _entered = self.line.stream().primary().enter()?;
            let which = sys::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            let value = i32::try_from(size).unwrap_or(i32::MAX);
            // SAFETY: the kernel is alive.
            let result = unsafe { (api.func_set_attribute)(kernel.function(), which, value) };
            let what = format!("give work-groups {size} bytes of local memory");
            done(api, &what, result).map_err(|e| Error::new(Kind::MemoryAllocation, e.reason))?;
            *allowed = size;
        }
        Ok(number)
    }
}

impl Queue for CudaQueue {
    fn line(&self) -> usize {
        Arc::as_ptr(&self.line) as usize
    }

    fn tells(&self) -> bool {
        self.base.is_none()
    }

    fn told(&self, place: Option<u64>) -> Option<Arc<dyn Event>> {
        let told = self.line.told(place).filter(|_| self.tells());
        told.map(|told| Arc::new(told) as Arc<dyn Event>)
    }

    fn unwatched(&self, place: u64) {
        self.line.unwatched(place);
    }

    fn launch(
        &self,
        kernel: &dyn Kernel,
        arguments: &[Argument<'_>],
        space: &Space,
        after: After<'_>,
    ) -> Result<Started> {
        let kernel = downcast::<CudaKernel>(kernel.as_any())?;
        let mut parameters = Parameters::of(arguments);
        parameters.place(|memory| Ok(downcast::<CudaAllocation>(memory.as_any())?.address))?;
        let local = self.allow_local(kernel, parameters.local_size)?;
        let (launch, function) = (self.api().launch_kernel, kernel.function());
        let mut places = Places::new();
        parameters.places(&mut places);
        let told = places.len();
        places.push(std::ptr::null_mut());
        let _entered = self.enter()?;
        let mut started = self.lock();
        let division = started.division(kernel, space, &self.line)?;
        let [x, y, z] = division.groups.size;
        let (number, timing) = self.submit_in_turn("launch the kernel", after, |stream| {
            let none = std::ptr::null_mut();
            let started = division.try_for_each_piece(|piece| {
                places[told] = piece.told.as_ptr().cast_mut().cast();
                let ([gx, gy, gz], places) = (piece.count, places.as_mut_ptr());
                // SAFETY: kernel and stream are alive. The driver copies each parameter in the call,
                // as many bytes as the kernel says, which the integration header made them; a kernel
                // that is no matter of places has no last one.
                match unsafe { launch(function, gx, gy, gz, x, y, z, local, stream, places, none) }
                {
                    sys::CUDA_SUCCESS => Ok(()),
                    refusal => Err(refusal),
                }
            });
            started.err().unwrap_or(sys::CUDA_SUCCESS)
        })?;
        Ok(match timing {
            None => Started::Told(number),
            timed => Started::Event(Arc::new(self.line.event(number, timed))),
        })
    }

    fn write(&self, to: &dyn Allocation, offset: usize, from: &[u8]) -> Result<()> {
        let to = downcast::<CudaAllocation>(to.as_any())?.address + offset as u64;
        let copy = self.api().memcpy_host_to_device_async;
        let event = self.submit("copy to the device", &[], |stream| {
            // SAFETY: the allocation has the room, and both outlive the command, which is waited for.
            unsafe { copy(to, from.as_ptr().cast(), from.len(), stream) }
        })?;
        event.wait()
    }

    fn read(&self, from: &dyn Allocation, offset: usize, to: &mut [u8]) -> Result<()> {
        let from = downcast::<CudaAllocation>(from.as_any())?.address + offset as u64;
        let copy = self.api().memcpy_device_to_host_async;
        let event = self.submit("copy from the device", &[], |stream| {
            // SAFETY: as for `write`.
            unsafe { copy(to.as_mut_ptr().cast(), from, to.len(), stream) }
        })?;
        event.wait()
    }

    unsafe fn usm_copy(
        &self,
        to: *mut c_void,
        from: *const c_void,
        size: usize,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>> {
        let copy = self.api().memcpy_async;
        self.submit("copy memory", after, |stream| {
            // SAFETY: the caller vouches for both spans; host and device share their addresses.
            unsafe { copy(to as u64, from as u64, size, stream) }
        })
    }

    unsafe fn usm_fill(
        &self,
        to: *mut c_void,
        pattern: &[u8],
        size: usize,
        after: After<'_>,
    ) -> Result<Arc<dyn Event>> {
        let api = self.api();
        self.submit("fill memory", after, |stream| {
            // SAFETY: the caller vouches for the span.
            unsafe { transfer::fill(api, to as u64, pattern, size, stream) }
        })
    }

    fn barrier(&self, after: After<'_>) -> Result<Arc<dyn Event>> {
        self.submit("mark a place in a queue", after, |_| sys::CUDA_SUCCESS)
    }

    fn finish(&self) -> Result<()> {
        self.line.wait()
    }

    fn native(&self) -> *mut c_void {
        // Libraries of CUDA work in the context that is current.
        match self.enter() {
            Ok(_stays) => self.line.stream().handle(),
            Err(_) => std::ptr::null_mut(),
        }
    }
}

impl Drop for CudaQueue {
    fn drop(&mut self) {
        // What commands need must not end before them.
        let _ = self.finish();
    }
}

//! CUDA objects that a program made itself. CUDA counts no references: a stream is the program's to keep as long as
//! the queue that is made of it.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

use cuda_driver_sys as sys;

use super::context::CudaContext;
use super::driver::{Api, Stream, done, filled};
use super::event::Line;
use super::queue::CudaQueue;
use crate::error::{Error, Kind, Result};
use crate::plugin::Event;
use crate::plugin::foreign::{Adopt, ForeignQueue};

/// The device of a context of the program's.
///
/// # Errors
/// When the driver refuses.
///
/// # Safety
/// `native` must be a live context of the driver.
pub(super) unsafe fn device_of(api: Api, native: *mut c_void) -> Result<sys::CUdevice> {
    const WHAT: &str = "tell a context's device";
    // SAFETY: as the caller says.
    done(api, WHAT, unsafe { (api.ctx_push_current)(native) })?;
    let device = filled(api, WHAT, 0, |device| {
        // SAFETY: a context is current, and there is a place for the device.
        unsafe { (api.ctx_get_device)(device) }
    });
    let mut own = null_mut();
    // SAFETY: what was pushed comes off; the place is ours.
    let _ = unsafe { (api.ctx_pop_current)(&raw mut own) };
    device
}

impl CudaContext {
    /// Fails where a context of the program's is another one than its device's primary context: memory and
    /// programs of this runtime are of that one.
    ///
    /// # Errors
    /// `FeatureNotSupported`.
    pub(super) fn require(&self, native: *mut c_void) -> Result<()> {
        if self.primary().handle() == native {
            return Ok(());
        }
        let reason = "the driver's context is not the primary one of its device, in which this runtime works";
        Err(Error::new(Kind::FeatureNotSupported, reason))
    }
}

impl Adopt for CudaContext {
    unsafe fn adopt_queue(&self, native: *mut c_void) -> Result<ForeignQueue> {
        let (primary, api) = (self.primary(), self.primary().api());
        let _entered = primary.enter()?;
        let context = filled(api, "tell a stream's context", null_mut(), |context| {
            // SAFETY: the stream is alive, as the caller says, and there is a place for the context.
            unsafe { (api.stream_get_ctx)(native, context) }
        })?;
        if context != primary.handle() {
            let reason = "the driver's stream is of another context";
            return Err(Error::new(Kind::Invalid, reason));
        }
        // SAFETY: the program keeps it alive, as the interface says of what it gives.
        let stream = unsafe { Stream::lent(primary, native) };
        Ok(ForeignQueue {
            queue: Arc::new(CudaQueue::create(stream, false)?),
            device: 0,
            in_order: true,
            profiling: false,
        })
    }

    unsafe fn adopt_events(&self, natives: &[*mut c_void]) -> Result<Arc<dyn Event>> {
        let (primary, api) = (self.primary(), self.primary().api());
        let _entered = primary.enter()?;
        // Commands of a stream of its own, whose last one ends after all of them.
        let line = Arc::new(Line::of(Stream::make(primary)?));
        for native in natives {
            // SAFETY: stream and event are alive.
            let result = unsafe { (api.stream_wait_event)(line.stream().handle(), *native, 0) };
            done(api, "wait for an event of the program's", result)?;
        }
        let number = line.added(None);
        let place = line.event(number, None);
        place.tell_apart()?;
        Ok(Arc::new(place))
    }
}

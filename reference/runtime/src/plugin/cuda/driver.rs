//! The CUDA driver interface as values: handles that end what they stand for, calls that check.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Arc, LazyLock};

use cuda_driver_sys as sys;
use cuda_driver_sys::{CUresult, CudaDriver};

use crate::error::{Error, Kind, Result, with_causes};

/// The functions of the driver, which stays open.
pub(super) type Api = &'static CudaDriver;

/// The driver, started, or why there is none.
pub(super) fn api() -> Result<Api, String> {
    static LOADED: LazyLock<Result<CudaDriver, String>> = LazyLock::new(|| {
        let api = CudaDriver::load().map_err(|e| with_causes(&e))?;
        // SAFETY: the first call, with the only flags that there are.
        match unsafe { (api.init)(0) } {
            sys::CUDA_SUCCESS => Ok(api),
            result => Err(api.described(result)),
        }
    });
    LOADED.as_ref().map_err(Clone::clone)
}

/// The driver's refusal of `what`, if it is one.
pub(super) fn done(api: Api, what: &str, result: CUresult) -> Result<()> {
    match result {
        sys::CUDA_SUCCESS => Ok(()),
        _ => Err(refusal(api, what, result)),
    }
}

/// A kernel's assertion failed; the driver has written which one on standard error. From then on
/// every call may say so, whatever it was to do.
const CUDA_ERROR_ASSERT: CUresult = 710;

/// Ends the program after a failed assertion, as on devices that report assertions themselves: the
/// text, then the end.
pub(super) fn end_if_assertion_failed(result: CUresult) {
    if result == CUDA_ERROR_ASSERT {
        std::process::abort();
    }
}

/// The driver's refusal of `what`.
pub(super) fn refusal(api: Api, what: &str, result: CUresult) -> Error {
    end_if_assertion_failed(result);
    let reason = format!("CUDA cannot {what}: {}", api.described(result));
    Error::new(kind(result), reason)
}

fn kind(result: CUresult) -> Kind {
    match result {
        sys::CUDA_ERROR_OUT_OF_MEMORY => Kind::MemoryAllocation,
        sys::CUDA_ERROR_INVALID_IMAGE
        | sys::CUDA_ERROR_NO_BINARY_FOR_GPU
        | sys::CUDA_ERROR_INVALID_PTX
        | sys::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => Kind::Build,
        sys::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => Kind::NdRange,
        sys::CUDA_ERROR_NOT_SUPPORTED | sys::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED => {
            Kind::FeatureNotSupported
        }
        _ => Kind::Runtime,
    }
}

/// A value that a call writes.
pub(super) fn filled<T>(
    api: Api,
    what: &str,
    mut place: T,
    fill: impl FnOnce(*mut T) -> CUresult,
) -> Result<T> {
    done(api, what, fill(&raw mut place))?;
    Ok(place)
}

/// A device's name.
pub(super) fn name(api: Api, device: sys::CUdevice) -> Result<String> {
    let mut text: [c_char; 256] = [0; 256];
    // SAFETY: a device of the driver, and room for so many characters, of which the last stays 0.
    let result = unsafe { (api.device_get_name)(text.as_mut_ptr(), 255, device) };
    done(api, "tell a device's name", result)?;
    // SAFETY: the text ends in a 0.
    let text = unsafe { CStr::from_ptr(text.as_ptr()) };
    Ok(text.to_string_lossy().trim().to_owned())
}

/// A number of a device.
pub(super) fn attribute(api: Api, device: sys::CUdevice, which: c_int) -> Result<c_int> {
    filled(api, "tell a device's properties", 0, |number| {
        // SAFETY: a device of the driver, and a place for the number.
        unsafe { (api.device_get_attribute)(number, which, device) }
    })
}

/// A share in the context that all users of a device in this process have in common.
pub(super) struct Primary {
    api: Api,
    device: sys::CUdevice,
    handle: sys::CUcontext,
}

// SAFETY: contexts may be used from any thread.
unsafe impl Send for Primary {}
// SAFETY: as above.
unsafe impl Sync for Primary {}

impl Primary {
    pub fn of(api: Api, device: sys::CUdevice) -> Result<Primary> {
        let handle = filled(api, "open the device", std::ptr::null_mut(), |handle| {
            // SAFETY: a device of the driver, and a place for the handle.
            unsafe { (api.device_primary_ctx_retain)(handle, device) }
        })?;
        Ok(Primary {
            api,
            device,
            handle,
        })
    }

    /// The driver's functions.
    pub fn api(&self) -> Api {
        self.api
    }

    /// For calls, which must not end the context.
    pub fn handle(&self) -> sys::CUcontext {
        self.handle
    }

    /// Makes the context current on this thread until the value ends, and leaves it so where none was:
    /// calls of the driver that nothing has to surround are the shortest.
    pub fn enter(&self) -> Result<Entered> {
        const WHAT: &str = "use the device";
        let mut current = std::ptr::null_mut();
        // SAFETY: the place is ours.
        let known = unsafe { (self.api.ctx_get_current)(&raw mut current) };
        if known == sys::CUDA_SUCCESS && current == self.handle {
            return Ok(Entered(None));
        }
        if known == sys::CUDA_SUCCESS && current.is_null() {
            // SAFETY: the context is alive.
            let result = unsafe { (self.api.ctx_set_current)(self.handle) };
            return done(self.api, WHAT, result).map(|()| Entered(None));
        }
        // SAFETY: the context is alive.
        let result = unsafe { (self.api.ctx_push_current)(self.handle) };
        done(self.api, WHAT, result).map(|()| Entered(Some(self.api)))
    }
}

impl Drop for Primary {
    fn drop(&mut self) {
        // SAFETY: the share is given back once. There is nobody to tell of a refusal.
        let _ = unsafe { (self.api.device_primary_ctx_release)(self.device) };
    }
}

/// A context that is current on this thread, over that of somebody else if it has to come off again.
pub(super) struct Entered(Option<Api>);

impl Drop for Entered {
    fn drop(&mut self) {
        let Some(api) = self.0 else { return };
        let mut context = std::ptr::null_mut();
        // SAFETY: the one that was pushed comes off; the place is ours.
        let _ = unsafe { (api.ctx_pop_current)(&raw mut context) };
    }
}

macro_rules! owned {
    ($($(#[$doc:meta])* $name:ident ends by $destroy:ident;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name {
            primary: Arc<Primary>,
            handle: *mut c_void,
            is_lent: bool,
        }

        // SAFETY: the driver's objects may be used from any thread.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}

        impl $name {
            /// Takes over an object that the driver made in the context.
            ///
            /// # Safety
            /// The handle must be of such an object, and nobody else may end it.
            pub unsafe fn of(primary: &Arc<Primary>, handle: *mut c_void) -> Self {
                $name { primary: Arc::clone(primary), handle, is_lent: false }
            }

            /// For calls, which must not end the object.
            pub fn handle(&self) -> *mut c_void {
                self.handle
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                if self.is_lent {
                    return;
                }
                let Ok(_entered) = self.primary.enter() else {
                    return;
                };
                // SAFETY: the object is alive and this its owner. There is nobody to tell of a
                // refusal.
                let _ = unsafe { (self.primary.api.$destroy)(self.handle) };
            }
        }
    )*};
}

owned! {
    /// A loaded module.
    Module ends by module_unload;
    /// A stream of commands.
    Stream ends by stream_destroy;
    /// An event.
    Event ends by event_destroy;
}

impl Module {
    /// The context of the module.
    pub fn primary(&self) -> &Arc<Primary> {
        &self.primary
    }
}

impl Stream {
    /// A new one of the context, which is current.
    pub fn make(primary: &Arc<Primary>) -> Result<Stream> {
        let api = primary.api();
        let stream = filled(api, "make a queue", std::ptr::null_mut(), |stream| {
            // SAFETY: the context is current, and there is a place for the handle.
            unsafe { (api.stream_create)(stream, sys::CU_STREAM_NON_BLOCKING) }
        })?;
        // SAFETY: the driver has just made it, and nobody else has it.
        Ok(unsafe { Stream::of(primary, stream) })
    }

    /// One that a program made in the context, and ends.
    ///
    /// # Safety
    /// The handle must be of such a stream, which is alive for as long as this value.
    pub unsafe fn lent(primary: &Arc<Primary>, handle: *mut c_void) -> Stream {
        Stream {
            primary: Arc::clone(primary),
            handle,
            is_lent: true,
        }
    }

    /// The context of the stream.
    pub fn primary(&self) -> &Arc<Primary> {
        &self.primary
    }
}

impl Event {
    /// A new one of the context, which is current; it takes times or not.
    pub fn make(primary: &Arc<Primary>, timed: bool) -> Result<Event> {
        let api = primary.api();
        let flags = match timed {
            true => 0,
            false => sys::CU_EVENT_DISABLE_TIMING,
        };
        let event = filled(api, "make an event", std::ptr::null_mut(), |event| {
            // SAFETY: the context is current, and there is a place for the handle.
            unsafe { (api.event_create)(event, flags) }
        })?;
        // SAFETY: the driver has just made it, and nobody else has it.
        Ok(unsafe { Event::of(primary, event) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_have_the_kind_that_programs_can_tell() {
        assert_eq!(kind(sys::CUDA_ERROR_OUT_OF_MEMORY), Kind::MemoryAllocation);
        assert_eq!(kind(sys::CUDA_ERROR_INVALID_PTX), Kind::Build);
        assert_eq!(kind(719), Kind::Runtime);
    }
}

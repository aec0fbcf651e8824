//! Level Zero's interface as values: handles that end what they stand for, calls that check.

use std::ffi::c_void;
use std::sync::{Arc, LazyLock};

use level_zero_sys as sys;
use level_zero_sys::{LevelZero, ze_result_t};

use crate::error::{Error, Kind, Result, with_causes};

/// The functions of the loader, which stays open.
pub(super) type Api = &'static LevelZero;

/// The loader with its drivers started, or why there is none.
pub(super) fn api() -> Result<Api, String> {
    static LOADED: LazyLock<Result<LevelZero, String>> = LazyLock::new(|| {
        let api = LevelZero::load().map_err(|e| with_causes(&e))?;
        // SAFETY: the first call, with no flags.
        match unsafe { (api.init)(0) } {
            sys::ZE_RESULT_SUCCESS => Ok(api),
            sys::ZE_RESULT_ERROR_UNINITIALIZED => Err("no driver has a device".to_owned()),
            result => Err(format!("zeInit returned {}", described(result))),
        }
    });
    LOADED.as_ref().map_err(Clone::clone)
}

/// A driver's refusal of `what`, if it is one.
pub(super) fn done(what: &str, result: ze_result_t) -> Result<()> {
    match result {
        sys::ZE_RESULT_SUCCESS => Ok(()),
        _ => Err(refusal(what, result)),
    }
}

/// A driver's refusal of `what`.
pub(super) fn refusal(what: &str, result: ze_result_t) -> Error {
    let kind = match result {
        sys::ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
        | sys::ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY
        | sys::ZE_RESULT_ERROR_UNSUPPORTED_SIZE
        | sys::ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT => Kind::MemoryAllocation,
        sys::ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION => Kind::NdRange,
        sys::ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX
        | sys::ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE => Kind::KernelArgument,
        sys::ZE_RESULT_ERROR_MODULE_BUILD_FAILURE
        | sys::ZE_RESULT_ERROR_MODULE_LINK_FAILURE
        | sys::ZE_RESULT_ERROR_INVALID_NATIVE_BINARY => Kind::Build,
        sys::ZE_RESULT_ERROR_UNSUPPORTED_FEATURE => Kind::FeatureNotSupported,
        _ => Kind::Runtime,
    };
    Error::new(
        kind,
        format!("Level Zero cannot {what}: {}", described(result)),
    )
}

/// What a result says.
pub(super) fn described(result: ze_result_t) -> String {
    let words = match result {
        sys::ZE_RESULT_NOT_READY => "not ready",
        sys::ZE_RESULT_ERROR_DEVICE_LOST => "the device is lost",
        sys::ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY => "out of host memory",
        sys::ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY => "out of device memory",
        sys::ZE_RESULT_ERROR_MODULE_BUILD_FAILURE => "the module does not build",
        sys::ZE_RESULT_ERROR_MODULE_LINK_FAILURE => "the modules do not link",
        sys::ZE_RESULT_ERROR_UNINITIALIZED => "not initialised",
        sys::ZE_RESULT_ERROR_UNSUPPORTED_FEATURE => "unsupported feature",
        sys::ZE_RESULT_ERROR_INVALID_ARGUMENT => "invalid argument",
        sys::ZE_RESULT_ERROR_UNSUPPORTED_SIZE => "unsupported size",
        sys::ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT => "unsupported alignment",
        sys::ZE_RESULT_ERROR_INVALID_NATIVE_BINARY => "the binary is not for this device",
        sys::ZE_RESULT_ERROR_INVALID_KERNEL_NAME => "no kernel of that name",
        sys::ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION => "impossible work-group size",
        sys::ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX => "no such argument",
        sys::ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE => "an argument of another size",
        _ => return format!("{result:#x}"),
    };
    format!("{words} ({result:#x})")
}

/// A structure that a driver fills, or an object that it makes.
pub(super) fn filled<T>(
    what: &str,
    mut place: T,
    fill: impl FnOnce(*mut T) -> ze_result_t,
) -> Result<T> {
    done(what, fill(&raw mut place))?;
    Ok(place)
}

/// Everything that a driver lists: it gives the count first, then as many items.
pub(super) fn listed<T: Copy>(
    what: &str,
    empty: T,
    list: impl Fn(*mut u32, *mut T) -> ze_result_t,
) -> Result<Vec<T>> {
    let mut count = 0;
    done(what, list(&raw mut count, std::ptr::null_mut()))?;
    let mut items = vec![empty; count as usize];
    if count > 0 {
        done(what, list(&raw mut count, items.as_mut_ptr()))?;
        items.truncate(count as usize);
    }
    Ok(items)
}

/// A driver or device, which lives as long as the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Id(pub *mut c_void);

// SAFETY: drivers and devices are process-wide objects, usable from any thread.
unsafe impl Send for Id {}
// SAFETY: as above.
unsafe impl Sync for Id {}

macro_rules! owned {
    ($($(#[$doc:meta])* $name:ident ends by $destroy:ident, within $owner:ty;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name {
            api: Api,
            handle: *mut c_void,
            /// Outlives it.
            _owner: $owner,
        }

        // SAFETY: the handle may be used from any thread; what the specification wants used by one
        // at a time stands behind a lock.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}

        impl $name {
            /// Takes over an object that the driver made.
            ///
            /// # Safety
            /// The handle must be of such an object, and nobody else may end it.
            pub unsafe fn of(api: Api, handle: *mut c_void, owner: $owner) -> Self {
                $name { api, handle, _owner: owner }
            }

            /// The loader's functions.
            pub fn api(&self) -> Api {
                self.api
            }

            /// For calls, which must not end the object.
            pub fn handle(&self) -> *mut c_void {
                self.handle
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: the object is alive and this its owner. There is nobody to tell of a
                // refusal.
                let _ = unsafe { (self.api.$destroy)(self.handle) };
            }
        }
    )*};
}

owned! {
    /// A context of a driver.
    Context ends by context_destroy, within Id;
    /// A built module.
    Module ends by module_destroy, within Arc<Context>;
    /// A module's build log.
    BuildLog ends by module_build_log_destroy, within ();
    /// A kernel of a module.
    Kernel ends by kernel_destroy, within Arc<Module>;
    /// Places for events.
    EventPool ends by event_pool_destroy, within Arc<Context>;
    /// An event in a place of a pool.
    Event ends by event_destroy, within Arc<EventPool>;
    /// A command list whose commands begin at once.
    CommandList ends by command_list_destroy, within Arc<Context>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_was_tried_and_why_it_failed() {
        let error = done("make a queue", sys::ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY).unwrap_err();
        assert_eq!(error.kind, Kind::MemoryAllocation);
        let expected = "Level Zero cannot make a queue: out of device memory (0x70000003)";
        assert_eq!(error.reason, expected);
        let unknown = done("x", 0x7fff_fffe).unwrap_err();
        assert!(unknown.reason.ends_with("0x7ffffffe"), "{unknown}");
        assert!(done("x", sys::ZE_RESULT_SUCCESS).is_ok());
    }

    #[test]
    fn lists_are_counted_first() {
        let list = |count: *mut u32, items: *mut u8| {
            // SAFETY: `listed` gives a place for the count and room for as many items.
            unsafe {
                if !items.is_null() {
                    items.write(7);
                }
                count.write(1);
            }
            sys::ZE_RESULT_SUCCESS
        };
        assert_eq!(listed("list", 0, list).unwrap(), [7]);
    }
}

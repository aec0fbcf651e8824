//! Raw bindings of the CUDA driver interface: the part that this project calls, with the driver's
//! library opened at run time, so that nothing here needs it to build or to start.
//!
//! Names and values are those of the interface; [`CudaDriver`] holds the functions. Handles are
//! opaque pointers that only the driver reads.

pub mod types;

use std::ffi::{c_char, c_int, c_uint, c_void};

use libloading::Library;
pub use types::*;

/// The driver's library cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It is not there, or cannot be opened.
    #[error("cannot open '{DRIVER}'")]
    Open(#[source] libloading::Error),
    /// It lacks a function of the interface.
    #[error("'{DRIVER}' lacks '{0}'")]
    Function(&'static str, #[source] libloading::Error),
}

/// The library's name on Linux.
pub const DRIVER: &str = "libcuda.so.1";

macro_rules! interface {
    ($($(#[$doc:meta])* $field:ident = $symbol:literal ($($arg:ty),* $(,)?);)*) => {
        /// The functions of the interface, under their names less the prefix `cu`.
        ///
        /// Every call is unsafe: handles have to come from the driver and be alive, pointers have to
        /// be valid for what the interface says of the parameter, and most calls work on the context
        /// that is current on the calling thread.
        #[derive(Debug)]
        pub struct CudaDriver {
            $($(#[$doc])* pub $field: unsafe extern "C" fn($($arg),*) -> CUresult,)*
            // Kept open as long as the functions can be called.
            _library: Library,
        }

        impl CudaDriver {
            /// Opens the driver's library and finds the functions; `init` has to be called next.
            ///
            /// # Errors
            /// When the library is not there or lacks a function.
            pub fn load() -> Result<Self, LoadError> {
                // SAFETY: opening the library runs its initialisers, which is what it is for.
                let library = unsafe { Library::new(DRIVER) }.map_err(LoadError::Open)?;
                Ok(CudaDriver {
                    $(
                        $field: {
                            // SAFETY: the symbol is a function of the signature that the interface
                            // gives, written out below.
                            let function = unsafe {
                                library.get::<unsafe extern "C" fn($($arg),*) -> CUresult>(
                                    $symbol.as_bytes(),
                                )
                            };
                            *function.map_err(|e| LoadError::Function($symbol, e))?
                        },
                    )*
                    _library: library,
                })
            }
        }
    };
}

interface! {
    /// Starts the driver; first of all calls.
    init = "cuInit"(c_uint);
    /// The version of the interface: a thousand times the first number and ten times the second.
    driver_get_version = "cuDriverGetVersion"(*mut c_int);
    /// The name of a result.
    get_error_name = "cuGetErrorName"(CUresult, *mut *const c_char);
    /// What a result means.
    get_error_string = "cuGetErrorString"(CUresult, *mut *const c_char);
    /// Counts devices.
    device_get_count = "cuDeviceGetCount"(*mut c_int);
    /// The device of a number.
    device_get = "cuDeviceGet"(*mut CUdevice, c_int);
    /// A device's name.
    device_get_name = "cuDeviceGetName"(*mut c_char, c_int, CUdevice);
    /// What tells a device from all others.
    device_get_uuid = "cuDeviceGetUuid"(*mut CUuuid, CUdevice);
    /// A number of a device.
    device_get_attribute = "cuDeviceGetAttribute"(*mut c_int, CUdevice_attribute, CUdevice);
    /// A device's memory in bytes.
    device_total_mem = "cuDeviceTotalMem_v2"(*mut usize, CUdevice);
    /// Whether one device can reach the memory of another.
    device_can_access_peer = "cuDeviceCanAccessPeer"(*mut c_int, CUdevice, CUdevice);
    /// A number of the way from one device to another.
    device_get_p2p_attribute = "cuDeviceGetP2PAttribute"(
        *mut c_int, CUdevice_P2PAttribute, CUdevice, CUdevice);
    /// Takes a share in the context that all users of a device have in common.
    device_primary_ctx_retain = "cuDevicePrimaryCtxRetain"(*mut CUcontext, CUdevice);
    /// Gives the share back.
    device_primary_ctx_release = "cuDevicePrimaryCtxRelease_v2"(CUdevice);
    /// The context that is current on the calling thread, null if there is none.
    ctx_get_current = "cuCtxGetCurrent"(*mut CUcontext);
    /// The device of the context that is current.
    ctx_get_device = "cuCtxGetDevice"(*mut CUdevice);
    /// Makes a context current on the calling thread in place of the one that is.
    ctx_set_current = "cuCtxSetCurrent"(CUcontext);
    /// Makes a context current on the calling thread above the one that is.
    ctx_push_current = "cuCtxPushCurrent_v2"(CUcontext);
    /// Makes the one before current again.
    ctx_pop_current = "cuCtxPopCurrent_v2"(*mut CUcontext);
    /// Lets the current context reach the memory of another.
    ctx_enable_peer_access = "cuCtxEnablePeerAccess"(CUcontext, c_uint);
    /// No longer lets it.
    ctx_disable_peer_access = "cuCtxDisablePeerAccess"(CUcontext);
    /// Bytes of memory of the current context's device: those that are free, and all.
    mem_get_info = "cuMemGetInfo_v2"(*mut usize, *mut usize);
    /// Waits for all commands of the context.
    ctx_synchronize = "cuCtxSynchronize"();
    /// Loads PTX or a binary, with options and their values.
    module_load_data_ex = "cuModuleLoadDataEx"(
        *mut CUmodule, *const c_void, c_uint, *mut CUjit_option, *mut *mut c_void);
    /// Begins to link modules, with options and their values, which must stay until the link ends.
    link_create = "cuLinkCreate_v2"(
        c_uint, *mut CUjit_option, *mut *mut c_void, *mut CUlinkState);
    /// Adds PTX or a binary to a link, with a name for messages, options and their values.
    link_add_data = "cuLinkAddData_v2"(
        CUlinkState, CUjitInputType, *mut c_void, usize, *const c_char, c_uint, *mut CUjit_option,
        *mut *mut c_void);
    /// Links; the binary and its size stay as long as the link does.
    link_complete = "cuLinkComplete"(CUlinkState, *mut *mut c_void, *mut usize);
    /// Ends a link.
    link_destroy = "cuLinkDestroy"(CUlinkState);
    /// Ends a module.
    module_unload = "cuModuleUnload"(CUmodule);
    /// A kernel of a module.
    module_get_function = "cuModuleGetFunction"(*mut CUfunction, CUmodule, *const c_char);
    /// A variable of a module: its address and its size, each unless null.
    module_get_global = "cuModuleGetGlobal_v2"(
        *mut CUdeviceptr, *mut usize, CUmodule, *const c_char);
    /// A number of a kernel.
    func_get_attribute = "cuFuncGetAttribute"(*mut c_int, CUfunction_attribute, CUfunction);
    /// Sets a number of a kernel.
    func_set_attribute = "cuFuncSetAttribute"(CUfunction, CUfunction_attribute, c_int);
    /// Launches a kernel: blocks, work-items of a block, dynamic shared memory, stream, places of
    /// the parameters.
    launch_kernel = "cuLaunchKernel"(
        CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream,
        *mut *mut c_void, *mut *mut c_void);
    /// Allocates device memory.
    mem_alloc = "cuMemAlloc_v2"(*mut CUdeviceptr, usize);
    /// Allocates memory that moves between host and device.
    mem_alloc_managed = "cuMemAllocManaged"(*mut CUdeviceptr, usize, c_uint);
    /// Frees device or managed memory.
    mem_free = "cuMemFree_v2"(CUdeviceptr);
    /// Allocates host memory that devices reach.
    mem_host_alloc = "cuMemHostAlloc"(*mut *mut c_void, usize, c_uint);
    /// Frees host memory.
    mem_free_host = "cuMemFreeHost"(*mut c_void);
    /// Copies between any two places.
    memcpy_async = "cuMemcpyAsync"(CUdeviceptr, CUdeviceptr, usize, CUstream);
    /// Copies from the host.
    memcpy_host_to_device_async = "cuMemcpyHtoDAsync_v2"(
        CUdeviceptr, *const c_void, usize, CUstream);
    /// Copies to the host.
    memcpy_device_to_host_async = "cuMemcpyDtoHAsync_v2"(
        *mut c_void, CUdeviceptr, usize, CUstream);
    /// Copies a box of bytes.
    memcpy_3d_async = "cuMemcpy3DAsync_v2"(*const CUDA_MEMCPY3D, CUstream);
    /// A fact about the memory that a pointer points to.
    pointer_get_attribute = "cuPointerGetAttribute"(
        *mut c_void, CUpointer_attribute, CUdeviceptr);
    /// Fills rows of bytes: pitch, value, width, height.
    memset_2d_8_async = "cuMemsetD2D8Async"(
        CUdeviceptr, usize, u8, usize, usize, CUstream);
    /// The same in 16-bit units.
    memset_2d_16_async = "cuMemsetD2D16Async"(
        CUdeviceptr, usize, u16, usize, usize, CUstream);
    /// The same in 32-bit units.
    memset_2d_32_async = "cuMemsetD2D32Async"(
        CUdeviceptr, usize, u32, usize, usize, CUstream);
    /// Makes a stream.
    stream_create = "cuStreamCreate"(*mut CUstream, c_uint);
    /// Ends a stream when its commands are done.
    stream_destroy = "cuStreamDestroy_v2"(CUstream);
    /// The context of a stream.
    stream_get_ctx = "cuStreamGetCtx"(CUstream, *mut CUcontext);
    /// Waits for a stream.
    stream_synchronize = "cuStreamSynchronize"(CUstream);
    /// Makes a stream wait for an event.
    stream_wait_event = "cuStreamWaitEvent"(CUstream, CUevent, c_uint);
    /// Makes an event.
    event_create = "cuEventCreate"(*mut CUevent, c_uint);
    /// Ends an event.
    event_destroy = "cuEventDestroy_v2"(CUevent);
    /// Lets an event stand for the commands of a stream so far.
    event_record = "cuEventRecord"(CUevent, CUstream);
    /// Whether what an event stands for is done.
    event_query = "cuEventQuery"(CUevent);
    /// Waits for what an event stands for.
    event_synchronize = "cuEventSynchronize"(CUevent);
    /// Milliseconds between two events.
    event_elapsed_time = "cuEventElapsedTime"(*mut f32, CUevent, CUevent);
}

impl CudaDriver {
    /// What a result is called and means.
    #[must_use]
    pub fn described(&self, result: CUresult) -> String {
        let text = |get: unsafe extern "C" fn(CUresult, *mut *const c_char) -> CUresult| {
            let mut text = std::ptr::null();
            // SAFETY: a place for a pointer to text that lives as long as the library.
            let known = unsafe { get(result, &raw mut text) } == CUDA_SUCCESS && !text.is_null();
            // SAFETY: as above.
            known.then(|| unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy())
        };
        match (text(self.get_error_name), text(self.get_error_string)) {
            (Some(name), Some(meaning)) => format!("{name}: {meaning}"),
            _ => format!("result {result}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_an_error_that_names_it() {
        // On a machine with the driver there is nothing to see.
        if let Err(error) = CudaDriver::load() {
            assert_eq!(error.to_string(), "cannot open 'libcuda.so.1'");
        }
    }
}

//! Raw Level Zero bindings: the part of the public 1.x interface that this project calls, with the
//! loader opened at run time, so that nothing here needs it to build or to start.
//!
//! Names, values and layouts are those of the specification's C interface; [`LevelZero`] holds the
//! functions. Handles are opaque pointers that only the driver reads.

pub mod types;

use std::ffi::{c_char, c_void};

use libloading::Library;
pub use types::*;

/// The loader cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It is not there, or cannot be opened.
    #[error("cannot open '{LOADER}'")]
    Open(#[source] libloading::Error),
    /// It lacks a function of the interface.
    #[error("'{LOADER}' lacks '{0}'")]
    Function(&'static str, #[source] libloading::Error),
}

/// The loader's library name on Linux.
pub const LOADER: &str = "libze_loader.so.1";

macro_rules! interface {
    ($($(#[$doc:meta])* $field:ident = $symbol:literal ($($arg:ty),*);)*) => {
        /// The functions of the interface, under their names less the prefix `ze`.
        ///
        /// Every call is unsafe: handles have to come from the same loader and be alive, pointers
        /// have to be valid for what the specification says of the parameter.
        #[derive(Debug)]
        pub struct LevelZero {
            $($(#[$doc])* pub $field: unsafe extern "C" fn($($arg),*) -> ze_result_t,)*
            // Kept open as long as the functions can be called.
            _library: Library,
        }

        impl LevelZero {
            /// Opens the loader and finds the functions.
            ///
            /// # Errors
            /// When the loader is not there or lacks a function.
            pub fn load() -> Result<Self, LoadError> {
                // SAFETY: opening the loader runs its initialisers, which is what it is for.
                let library = unsafe { Library::new(LOADER) }.map_err(LoadError::Open)?;
                Ok(LevelZero {
                    $(
                        $field: {
                            // SAFETY: the symbol is a function of the signature that the
                            // specification gives, written out below.
                            let function = unsafe {
                                library.get::<unsafe extern "C" fn($($arg),*) -> ze_result_t>(
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
    /// Starts the drivers; first of all calls.
    init = "zeInit"(ze_init_flags_t);
    /// Counts or lists drivers.
    driver_get = "zeDriverGet"(*mut u32, *mut ze_driver_handle_t);
    /// The version of the interface that a driver implements, its halves the two numbers of it.
    driver_get_api_version = "zeDriverGetApiVersion"(ze_driver_handle_t, *mut u32);
    /// A driver's version.
    driver_get_properties = "zeDriverGetProperties"(ze_driver_handle_t, *mut ze_driver_properties_t);
    /// Counts or lists a driver's devices.
    device_get = "zeDeviceGet"(ze_driver_handle_t, *mut u32, *mut ze_device_handle_t);
    /// Counts or lists the parts of a device that share its memory among them.
    device_get_sub_devices = "zeDeviceGetSubDevices"(
        ze_device_handle_t, *mut u32, *mut ze_device_handle_t);
    /// A device's kind, numbers and name.
    device_get_properties = "zeDeviceGetProperties"(ze_device_handle_t, *mut ze_device_properties_t);
    /// A device's work-group limits and sub-group sizes.
    device_get_compute_properties = "zeDeviceGetComputeProperties"(
        ze_device_handle_t, *mut ze_device_compute_properties_t);
    /// What modules may use on a device.
    device_get_module_properties = "zeDeviceGetModuleProperties"(
        ze_device_handle_t, *mut ze_device_module_properties_t);
    /// What a device can do with each kind of memory.
    device_get_memory_access_properties = "zeDeviceGetMemoryAccessProperties"(
        ze_device_handle_t, *mut ze_device_memory_access_properties_t);
    /// Counts or lists a device's caches.
    device_get_cache_properties = "zeDeviceGetCacheProperties"(
        ze_device_handle_t, *mut u32, *mut ze_device_cache_properties_t);
    /// A device's limits for images.
    device_get_image_properties = "zeDeviceGetImageProperties"(
        ze_device_handle_t, *mut ze_device_image_properties_t);
    /// The time of host and device at one moment.
    device_get_global_timestamps = "zeDeviceGetGlobalTimestamps"(
        ze_device_handle_t, *mut u64, *mut u64);
    /// Counts or lists a device's groups of command queues.
    device_get_command_queue_group_properties = "zeDeviceGetCommandQueueGroupProperties"(
        ze_device_handle_t, *mut u32, *mut ze_command_queue_group_properties_t);
    /// Counts or lists a device's memories.
    device_get_memory_properties = "zeDeviceGetMemoryProperties"(
        ze_device_handle_t, *mut u32, *mut ze_device_memory_properties_t);
    /// Makes a context.
    context_create = "zeContextCreate"(
        ze_driver_handle_t, *const ze_context_desc_t, *mut ze_context_handle_t);
    /// Ends a context.
    context_destroy = "zeContextDestroy"(ze_context_handle_t);
    /// Makes a command queue.
    command_queue_create = "zeCommandQueueCreate"(
        ze_context_handle_t, ze_device_handle_t, *const ze_command_queue_desc_t,
        *mut ze_command_queue_handle_t);
    /// Ends a command queue.
    command_queue_destroy = "zeCommandQueueDestroy"(ze_command_queue_handle_t);
    /// Submits closed command lists.
    command_queue_execute_command_lists = "zeCommandQueueExecuteCommandLists"(
        ze_command_queue_handle_t, u32, *mut ze_command_list_handle_t, ze_fence_handle_t);
    /// Waits for a queue; the time is in nanoseconds, `u64::MAX` is without end.
    command_queue_synchronize = "zeCommandQueueSynchronize"(ze_command_queue_handle_t, u64);
    /// Makes a command list.
    command_list_create = "zeCommandListCreate"(
        ze_context_handle_t, ze_device_handle_t, *const ze_command_list_desc_t,
        *mut ze_command_list_handle_t);
    /// Makes a command list that executes what is appended at once.
    command_list_create_immediate = "zeCommandListCreateImmediate"(
        ze_context_handle_t, ze_device_handle_t, *const ze_command_queue_desc_t,
        *mut ze_command_list_handle_t);
    /// Ends a command list.
    command_list_destroy = "zeCommandListDestroy"(ze_command_list_handle_t);
    /// Closes a command list, so that it can be submitted.
    command_list_close = "zeCommandListClose"(ze_command_list_handle_t);
    /// Empties a command list.
    command_list_reset = "zeCommandListReset"(ze_command_list_handle_t);
    /// Appends a barrier.
    command_list_append_barrier = "zeCommandListAppendBarrier"(
        ze_command_list_handle_t, ze_event_handle_t, u32, *mut ze_event_handle_t);
    /// Appends a copy of bytes.
    command_list_append_memory_copy = "zeCommandListAppendMemoryCopy"(
        ze_command_list_handle_t, *mut c_void, *const c_void, usize, ze_event_handle_t, u32,
        *mut ze_event_handle_t);
    /// Appends a copy of a box of bytes: to, its box, row and plane pitch, then from in the same way.
    command_list_append_memory_copy_region = "zeCommandListAppendMemoryCopyRegion"(
        ze_command_list_handle_t, *mut c_void, *const ze_copy_region_t, u32, u32, *const c_void,
        *const ze_copy_region_t, u32, u32, ze_event_handle_t, u32, *mut ze_event_handle_t);
    /// Appends a fill with a pattern.
    command_list_append_memory_fill = "zeCommandListAppendMemoryFill"(
        ze_command_list_handle_t, *mut c_void, *const c_void, usize, usize, ze_event_handle_t, u32,
        *mut ze_event_handle_t);
    /// Appends a kernel launch.
    command_list_append_launch_kernel = "zeCommandListAppendLaunchKernel"(
        ze_command_list_handle_t, ze_kernel_handle_t, *const ze_group_count_t, ze_event_handle_t,
        u32, *mut ze_event_handle_t);
    /// Makes a pool of events.
    event_pool_create = "zeEventPoolCreate"(
        ze_context_handle_t, *const ze_event_pool_desc_t, u32, *mut ze_device_handle_t,
        *mut ze_event_pool_handle_t);
    /// Ends a pool of events.
    event_pool_destroy = "zeEventPoolDestroy"(ze_event_pool_handle_t);
    /// Makes an event of a pool.
    event_create = "zeEventCreate"(
        ze_event_pool_handle_t, *const ze_event_desc_t, *mut ze_event_handle_t);
    /// Ends an event.
    event_destroy = "zeEventDestroy"(ze_event_handle_t);
    /// Waits for an event; the time is in nanoseconds, `u64::MAX` is without end.
    event_host_synchronize = "zeEventHostSynchronize"(ze_event_handle_t, u64);
    /// When a command began and ended, from an event that keeps such times.
    event_query_kernel_timestamp = "zeEventQueryKernelTimestamp"(
        ze_event_handle_t, *mut ze_kernel_timestamp_result_t);
    /// Allocates memory that host and device share.
    mem_alloc_shared = "zeMemAllocShared"(
        ze_context_handle_t, *const ze_device_mem_alloc_desc_t, *const ze_host_mem_alloc_desc_t,
        usize, usize, ze_device_handle_t, *mut *mut c_void);
    /// Allocates memory of the device.
    mem_alloc_device = "zeMemAllocDevice"(
        ze_context_handle_t, *const ze_device_mem_alloc_desc_t, usize, usize, ze_device_handle_t,
        *mut *mut c_void);
    /// Allocates memory of the host that devices reach.
    mem_alloc_host = "zeMemAllocHost"(
        ze_context_handle_t, *const ze_host_mem_alloc_desc_t, usize, usize, *mut *mut c_void);
    /// Frees memory.
    mem_free = "zeMemFree"(ze_context_handle_t, *mut c_void);
    /// Builds a module from SPIR-V or a native binary.
    module_create = "zeModuleCreate"(
        ze_context_handle_t, ze_device_handle_t, *const ze_module_desc_t, *mut ze_module_handle_t,
        *mut ze_module_build_log_handle_t);
    /// Ends a module.
    module_destroy = "zeModuleDestroy"(ze_module_handle_t);
    /// Ends a build log.
    module_build_log_destroy = "zeModuleBuildLogDestroy"(ze_module_build_log_handle_t);
    /// A build log's size, or its text.
    module_build_log_get_string = "zeModuleBuildLogGetString"(
        ze_module_build_log_handle_t, *mut usize, *mut c_char);
    /// A module's native binary: its size, or its bytes.
    module_get_native_binary = "zeModuleGetNativeBinary"(ze_module_handle_t, *mut usize, *mut u8);
    /// A variable of a module: its size and its address, each unless null.
    module_get_global_pointer = "zeModuleGetGlobalPointer"(
        ze_module_handle_t, *const c_char, *mut usize, *mut *mut c_void);
    /// Counts or lists a module's kernels by name.
    module_get_kernel_names = "zeModuleGetKernelNames"(
        ze_module_handle_t, *mut u32, *mut *const c_char);
    /// Makes a kernel of a module.
    kernel_create = "zeKernelCreate"(
        ze_module_handle_t, *const ze_kernel_desc_t, *mut ze_kernel_handle_t);
    /// Ends a kernel.
    kernel_destroy = "zeKernelDestroy"(ze_kernel_handle_t);
    /// What a kernel needs and requires.
    kernel_get_properties = "zeKernelGetProperties"(
        ze_kernel_handle_t, *mut ze_kernel_properties_t);
    /// Sets the work-group size.
    kernel_set_group_size = "zeKernelSetGroupSize"(ze_kernel_handle_t, u32, u32, u32);
    /// Suggests a work-group size for a global size.
    kernel_suggest_group_size = "zeKernelSuggestGroupSize"(
        ze_kernel_handle_t, u32, u32, u32, *mut u32, *mut u32, *mut u32);
    /// Sets an argument.
    kernel_set_argument_value = "zeKernelSetArgumentValue"(
        ze_kernel_handle_t, u32, usize, *const c_void);
    /// Says which kinds of memory a kernel reaches through pointers in memory.
    kernel_set_indirect_access = "zeKernelSetIndirectAccess"(
        ze_kernel_handle_t, ze_kernel_indirect_access_flags_t);
    /// Sets the global offset (an experimental extension that all known drivers have).
    kernel_set_global_offset = "zeKernelSetGlobalOffsetExp"(ze_kernel_handle_t, u32, u32, u32);
}

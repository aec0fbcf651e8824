//! Types and values of the interface, as the specification's C headers lay them out.

#![allow(
    non_camel_case_types,
    reason = "the names are those of the specification"
)]

use std::ffi::{c_char, c_void};

/// What a call returns; [`ZE_RESULT_SUCCESS`] or a reason.
pub type ze_result_t = u32;
/// What was waited for has not come yet.
pub const ZE_RESULT_NOT_READY: ze_result_t = 1;
/// Success.
pub const ZE_RESULT_SUCCESS: ze_result_t = 0;
/// The device is lost.
pub const ZE_RESULT_ERROR_DEVICE_LOST: ze_result_t = 0x7000_0001;
/// No host memory left.
pub const ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY: ze_result_t = 0x7000_0002;
/// No device memory left.
pub const ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY: ze_result_t = 0x7000_0003;
/// A module does not build; its log says why.
pub const ZE_RESULT_ERROR_MODULE_BUILD_FAILURE: ze_result_t = 0x7000_0004;
/// Modules do not link; the log says why.
pub const ZE_RESULT_ERROR_MODULE_LINK_FAILURE: ze_result_t = 0x7000_0005;
/// No driver was started.
pub const ZE_RESULT_ERROR_UNINITIALIZED: ze_result_t = 0x7800_0001;
/// The device cannot do that.
pub const ZE_RESULT_ERROR_UNSUPPORTED_FEATURE: ze_result_t = 0x7800_0003;
/// An argument is wrong.
pub const ZE_RESULT_ERROR_INVALID_ARGUMENT: ze_result_t = 0x7800_0004;
/// A size is more than the device has.
pub const ZE_RESULT_ERROR_UNSUPPORTED_SIZE: ze_result_t = 0x7800_0009;
/// Memory is not aligned so.
pub const ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT: ze_result_t = 0x7800_000a;
/// A native binary is not for this device.
pub const ZE_RESULT_ERROR_INVALID_NATIVE_BINARY: ze_result_t = 0x7800_000f;
/// A module has no variable of the name.
pub const ZE_RESULT_ERROR_INVALID_GLOBAL_NAME: ze_result_t = 0x7800_0010;
/// A module has no kernel of that name.
pub const ZE_RESULT_ERROR_INVALID_KERNEL_NAME: ze_result_t = 0x7800_0011;
/// A work-group size is not possible.
pub const ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION: ze_result_t = 0x7800_0013;
/// A kernel has no argument of that number.
pub const ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX: ze_result_t = 0x7800_0015;
/// A kernel's argument has another size.
pub const ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE: ze_result_t = 0x7800_0016;

/// Flags of `zeInit`; 0 starts every driver.
pub type ze_init_flags_t = u32;
/// Only drivers of graphics processors.
pub const ZE_INIT_FLAG_GPU_ONLY: ze_init_flags_t = 1;

/// Which structure a structure is.
pub type ze_structure_type_t = u32;
/// Marks a `ze_driver_properties_t`.
pub const ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES: ze_structure_type_t = 0x1;
/// Marks a `ze_device_properties_t`.
pub const ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES: ze_structure_type_t = 0x3;
/// Marks a `ze_device_compute_properties_t`.
pub const ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES: ze_structure_type_t = 0x4;
/// Marks a `ze_device_module_properties_t`.
pub const ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES: ze_structure_type_t = 0x5;
/// Marks a `ze_command_queue_group_properties_t`.
pub const ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES: ze_structure_type_t = 0x6;
/// Marks a `ze_device_memory_properties_t`.
pub const ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES: ze_structure_type_t = 0x7;
/// Marks a `ze_device_memory_access_properties_t`.
pub const ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES: ze_structure_type_t = 0x8;
/// Marks a `ze_device_cache_properties_t`.
pub const ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES: ze_structure_type_t = 0x9;
/// Marks a `ze_device_image_properties_t`.
pub const ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES: ze_structure_type_t = 0xa;
/// Marks a `ze_context_desc_t`.
pub const ZE_STRUCTURE_TYPE_CONTEXT_DESC: ze_structure_type_t = 0xd;
/// Marks a `ze_command_queue_desc_t`.
pub const ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC: ze_structure_type_t = 0xe;
/// Marks a `ze_command_list_desc_t`.
pub const ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC: ze_structure_type_t = 0xf;
/// Marks a `ze_event_pool_desc_t`.
pub const ZE_STRUCTURE_TYPE_EVENT_POOL_DESC: ze_structure_type_t = 0x10;
/// Marks a `ze_event_desc_t`.
pub const ZE_STRUCTURE_TYPE_EVENT_DESC: ze_structure_type_t = 0x11;
/// Marks a `ze_device_mem_alloc_desc_t`.
pub const ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC: ze_structure_type_t = 0x15;
/// Marks a `ze_host_mem_alloc_desc_t`.
pub const ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC: ze_structure_type_t = 0x16;
/// Marks a `ze_module_desc_t`.
pub const ZE_STRUCTURE_TYPE_MODULE_DESC: ze_structure_type_t = 0x1b;
/// Marks a `ze_kernel_desc_t`.
pub const ZE_STRUCTURE_TYPE_KERNEL_DESC: ze_structure_type_t = 0x1d;
/// Marks a `ze_kernel_properties_t`.
pub const ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES: ze_structure_type_t = 0x1e;
/// Marks a `ze_module_program_exp_desc_t`.
pub const ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC: ze_structure_type_t = 0x0002_0002;

/// A driver, known to the driver only.
pub type ze_driver_handle_t = *mut c_void;
/// A device, known to the driver only.
pub type ze_device_handle_t = *mut c_void;
/// A context, known to the driver only.
pub type ze_context_handle_t = *mut c_void;
/// A command queue, known to the driver only.
pub type ze_command_queue_handle_t = *mut c_void;
/// A command list, known to the driver only.
pub type ze_command_list_handle_t = *mut c_void;
/// A fence, known to the driver only.
pub type ze_fence_handle_t = *mut c_void;
/// A event, known to the driver only.
pub type ze_event_handle_t = *mut c_void;
/// A pool of events, known to the driver only.
pub type ze_event_pool_handle_t = *mut c_void;
/// A module, known to the driver only.
pub type ze_module_handle_t = *mut c_void;
/// A module build log, known to the driver only.
pub type ze_module_build_log_handle_t = *mut c_void;
/// A kernel, known to the driver only.
pub type ze_kernel_handle_t = *mut c_void;

/// Length of a device's name, with its end.
pub const ZE_MAX_DEVICE_NAME: usize = 256;
/// How many sub-group sizes a device can list.
pub const ZE_SUBGROUPSIZE_COUNT: usize = 8;

/// The kind of a device.
pub type ze_device_type_t = u32;
/// A graphics processor.
pub const ZE_DEVICE_TYPE_GPU: ze_device_type_t = 1;

/// A central processor.
pub const ZE_DEVICE_TYPE_CPU: ze_device_type_t = 2;
/// A field-programmable gate array.
pub const ZE_DEVICE_TYPE_FPGA: ze_device_type_t = 3;

/// Flags of what a device can do with a kind of memory.
pub type ze_memory_access_cap_flags_t = u32;
/// Loads and stores.
pub const ZE_MEMORY_ACCESS_CAP_FLAG_RW: ze_memory_access_cap_flags_t = 1;
/// Atomic operations.
pub const ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC: ze_memory_access_cap_flags_t = 2;

/// Flags of a pool of events.
pub type ze_event_pool_flags_t = u32;
/// The host sees its events.
pub const ZE_EVENT_POOL_FLAG_HOST_VISIBLE: ze_event_pool_flags_t = 1;
/// Its events keep the times of their commands.
pub const ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP: ze_event_pool_flags_t = 4;

/// Who sees memory that an event orders.
pub type ze_event_scope_flags_t = u32;
/// The host too.
pub const ZE_EVENT_SCOPE_FLAG_HOST: ze_event_scope_flags_t = 4;

/// Flags of what modules may use.
pub type ze_device_module_flags_t = u32;
/// 16-bit floating point.
pub const ZE_DEVICE_MODULE_FLAG_FP16: ze_device_module_flags_t = 1;
/// 64-bit floating point.
pub const ZE_DEVICE_MODULE_FLAG_FP64: ze_device_module_flags_t = 2;
/// 64-bit atomics.
pub const ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS: ze_device_module_flags_t = 4;

/// The form of a module's bytes.
pub type ze_module_format_t = u32;
/// SPIR-V.
pub const ZE_MODULE_FORMAT_IL_SPIRV: ze_module_format_t = 0;
/// A binary of the device.
pub const ZE_MODULE_FORMAT_NATIVE: ze_module_format_t = 1;

/// How a queue's calls return.
pub type ze_command_queue_mode_t = u32;
/// As the driver likes.
pub const ZE_COMMAND_QUEUE_MODE_DEFAULT: ze_command_queue_mode_t = 0;
/// When the work is done.
pub const ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS: ze_command_queue_mode_t = 1;
/// At once.
pub const ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS: ze_command_queue_mode_t = 2;

/// Flags of a group of command queues.
pub type ze_command_queue_group_property_flags_t = u32;
/// Its queues run kernels.
pub const ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE: ze_command_queue_group_property_flags_t = 1;

/// Kinds of memory that a kernel reaches through pointers in memory.
pub type ze_kernel_indirect_access_flags_t = u32;
/// Host allocations.
pub const ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST: ze_kernel_indirect_access_flags_t = 1;
/// Device allocations.
pub const ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE: ze_kernel_indirect_access_flags_t = 2;
/// Shared allocations.
pub const ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED: ze_kernel_indirect_access_flags_t = 4;

/// Makes a structure of the interface, with its mark set and everything else zero.
macro_rules! structure {
    ($(#[$doc:meta])* $name:ident = $mark:ident { $($field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Debug, Clone, Copy)]
        #[allow(missing_docs, reason = "the specification says what each field is")]
        pub struct $name {
            pub stype: ze_structure_type_t,
            pub next: *const c_void,
            $(pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                // SAFETY: all fields are integers, arrays of integers and pointers, for which zero
                // is a value.
                let zero: Self = unsafe { std::mem::zeroed() };
                $name {
                    stype: $mark,
                    ..zero
                }
            }
        }
    };
}

structure! {
    /// A driver.
    ze_driver_properties_t = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES {
        uuid: [u8; 16],
        driver_version: u32,
    }
}
structure! {
    /// A device.
    ze_device_properties_t = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES {
        kind: ze_device_type_t,
        vendor_id: u32,
        device_id: u32,
        flags: u32,
        subdevice_id: u32,
        core_clock_rate: u32,
        max_mem_alloc_size: u64,
        max_hardware_contexts: u32,
        max_command_queue_priority: u32,
        num_threads_per_eu: u32,
        physical_eu_simd_width: u32,
        num_eus_per_subslice: u32,
        num_subslices_per_slice: u32,
        num_slices: u32,
        timer_resolution: u64,
        timestamp_valid_bits: u32,
        kernel_timestamp_valid_bits: u32,
        uuid: [u8; 16],
        name: [c_char; ZE_MAX_DEVICE_NAME],
    }
}
structure! {
    /// A device's work-group limits and sub-group sizes.
    ze_device_compute_properties_t = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES {
        max_total_group_size: u32,
        max_group_size_x: u32,
        max_group_size_y: u32,
        max_group_size_z: u32,
        max_group_count_x: u32,
        max_group_count_y: u32,
        max_group_count_z: u32,
        max_shared_local_memory: u32,
        num_sub_group_sizes: u32,
        sub_group_sizes: [u32; ZE_SUBGROUPSIZE_COUNT],
    }
}
structure! {
    /// What modules may use on a device.
    ze_device_module_properties_t = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES {
        spirv_version_supported: u32,
        flags: ze_device_module_flags_t,
        fp16_flags: u32,
        fp32_flags: u32,
        fp64_flags: u32,
        max_arguments_size: u32,
        printf_buffer_size: u32,
        native_kernel_supported: [u8; 16],
    }
}
structure! {
    /// A group of command queues.
    ze_command_queue_group_properties_t = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES {
        flags: ze_command_queue_group_property_flags_t,
        max_memory_fill_pattern_size: usize,
        num_queues: u32,
    }
}
structure! {
    /// A memory of a device.
    ze_device_memory_properties_t = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES {
        flags: u32,
        max_clock_rate: u32,
        max_bus_width: u32,
        total_size: u64,
        name: [c_char; ZE_MAX_DEVICE_NAME],
    }
}
structure! {
    /// What a device can do with each kind of memory.
    ze_device_memory_access_properties_t = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES {
        host_alloc_capabilities: ze_memory_access_cap_flags_t,
        device_alloc_capabilities: ze_memory_access_cap_flags_t,
        shared_single_device_alloc_capabilities: ze_memory_access_cap_flags_t,
        shared_cross_device_alloc_capabilities: ze_memory_access_cap_flags_t,
        shared_system_alloc_capabilities: ze_memory_access_cap_flags_t,
    }
}
structure! {
    /// A cache of a device.
    ze_device_cache_properties_t = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES {
        flags: u32,
        cache_size: usize,
    }
}
structure! {
    /// A device's limits for images.
    ze_device_image_properties_t = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES {
        max_image_dims_1d: u32,
        max_image_dims_2d: u32,
        max_image_dims_3d: u32,
        max_image_buffer_size: u64,
        max_image_array_slices: u32,
        max_samplers: u32,
        max_read_image_args: u32,
        max_write_image_args: u32,
    }
}
structure! {
    /// What a kernel needs and requires.
    ze_kernel_properties_t = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES {
        num_kernel_args: u32,
        required_group_size_x: u32,
        required_group_size_y: u32,
        required_group_size_z: u32,
        required_num_sub_groups: u32,
        required_subgroup_size: u32,
        max_subgroup_size: u32,
        max_num_subgroups: u32,
        local_mem_size: u32,
        private_mem_size: u32,
        spill_mem_size: u32,
        uuid: [u8; 32],
    }
}
structure! {
    /// A pool of events to make.
    ze_event_pool_desc_t = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC {
        flags: ze_event_pool_flags_t,
        count: u32,
    }
}
structure! {
    /// An event to make.
    ze_event_desc_t = ZE_STRUCTURE_TYPE_EVENT_DESC {
        index: u32,
        signal: ze_event_scope_flags_t,
        wait: ze_event_scope_flags_t,
    }
}
structure! {
    /// A context to make.
    ze_context_desc_t = ZE_STRUCTURE_TYPE_CONTEXT_DESC {
        flags: u32,
    }
}
structure! {
    /// A command queue to make.
    ze_command_queue_desc_t = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC {
        ordinal: u32,
        index: u32,
        flags: u32,
        mode: ze_command_queue_mode_t,
        priority: u32,
    }
}
structure! {
    /// A command list to make.
    ze_command_list_desc_t = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC {
        command_queue_group_ordinal: u32,
        flags: u32,
    }
}
structure! {
    /// Device memory to allocate.
    ze_device_mem_alloc_desc_t = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC {
        flags: u32,
        ordinal: u32,
    }
}
structure! {
    /// Host memory to allocate.
    ze_host_mem_alloc_desc_t = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC {
        flags: u32,
    }
}
structure! {
    /// A module to build.
    ze_module_desc_t = ZE_STRUCTURE_TYPE_MODULE_DESC {
        format: ze_module_format_t,
        input_size: usize,
        input_module: *const u8,
        build_flags: *const c_char,
        constants: *const ze_module_constants_t,
    }
}
structure! {
    /// Several SPIR-V modules to build one module of (an experimental extension that Intel's drivers
    /// have); stands behind a `ze_module_desc_t` whose own module is left out.
    ze_module_program_exp_desc_t = ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC {
        count: u32,
        input_sizes: *const usize,
        input_modules: *const *const u8,
        build_flags: *const *const c_char,
        constants: *const *const ze_module_constants_t,
    }
}
structure! {
    /// A kernel to make.
    ze_kernel_desc_t = ZE_STRUCTURE_TYPE_KERNEL_DESC {
        flags: u32,
        kernel_name: *const c_char,
    }
}

/// Values of specialization constants.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ze_module_constants_t {
    /// How many there are.
    pub num_constants: u32,
    /// Their ids.
    pub constant_ids: *const u32,
    /// Pointers to their values.
    pub constant_values: *mut *const c_void,
}

/// When a command began and ended, in ticks of one clock.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ze_kernel_timestamp_data_t {
    /// When it began.
    pub kernel_start: u64,
    /// When it ended.
    pub kernel_end: u64,
}

/// The same by the clock of the device and by that of the context.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ze_kernel_timestamp_result_t {
    /// By the clock that runs all the time.
    pub global: ze_kernel_timestamp_data_t,
    /// By the clock that runs with the context.
    pub context: ze_kernel_timestamp_data_t,
}

/// A box of bytes in memory.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ze_copy_region_t {
    /// The first byte of each row.
    pub origin_x: u32,
    /// The first row.
    pub origin_y: u32,
    /// The first plane.
    pub origin_z: u32,
    /// Bytes of a row.
    pub width: u32,
    /// Rows of a plane; 0 where there are no rows.
    pub height: u32,
    /// Planes; 0 where there are none.
    pub depth: u32,
}

/// How many work-groups to launch in each dimension.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ze_group_count_t {
    /// In the first dimension.
    pub group_count_x: u32,
    /// In the second dimension.
    pub group_count_y: u32,
    /// In the third dimension.
    pub group_count_z: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_have_the_sizes_of_the_c_headers() {
        // As the C compiler gives them for the 1.x headers on x86-64.
        assert_eq!(size_of::<ze_driver_properties_t>(), 40);
        assert_eq!(size_of::<ze_device_properties_t>(), 368);
        assert_eq!(size_of::<ze_device_compute_properties_t>(), 88);
        assert_eq!(size_of::<ze_device_module_properties_t>(), 64);
        assert_eq!(size_of::<ze_command_queue_group_properties_t>(), 40);
        assert_eq!(size_of::<ze_device_memory_properties_t>(), 296);
        assert_eq!(size_of::<ze_device_memory_access_properties_t>(), 40);
        assert_eq!(size_of::<ze_device_cache_properties_t>(), 32);
        assert_eq!(size_of::<ze_device_image_properties_t>(), 56);
        assert_eq!(size_of::<ze_kernel_properties_t>(), 96);
        assert_eq!(size_of::<ze_kernel_timestamp_result_t>(), 32);
        assert_eq!(size_of::<ze_event_pool_desc_t>(), 24);
        assert_eq!(size_of::<ze_event_desc_t>(), 32);
        assert_eq!(size_of::<ze_module_program_exp_desc_t>(), 56);
        assert_eq!(size_of::<ze_context_desc_t>(), 24);
        assert_eq!(size_of::<ze_command_queue_desc_t>(), 40);
        assert_eq!(size_of::<ze_command_list_desc_t>(), 24);
        assert_eq!(size_of::<ze_device_mem_alloc_desc_t>(), 24);
        assert_eq!(size_of::<ze_host_mem_alloc_desc_t>(), 24);
        assert_eq!(size_of::<ze_module_desc_t>(), 56);
        assert_eq!(size_of::<ze_kernel_desc_t>(), 32);
        assert_eq!(size_of::<ze_module_constants_t>(), 24);
        assert_eq!(size_of::<ze_group_count_t>(), 12);
    }
}

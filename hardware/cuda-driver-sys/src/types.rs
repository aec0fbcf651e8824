//! Types and values of the interface, as NVIDIA's manual of the driver interface gives them.

#![allow(non_camel_case_types, reason = "the names are those of the interface")]

use std::ffi::{c_int, c_uint, c_void};

/// What a call returns; [`CUDA_SUCCESS`] or a reason.
pub type CUresult = c_int;
/// Success.
pub const CUDA_SUCCESS: CUresult = 0;
/// An argument is wrong.
pub const CUDA_ERROR_INVALID_VALUE: CUresult = 1;
/// No memory left.
pub const CUDA_ERROR_OUT_OF_MEMORY: CUresult = 2;
/// The driver found no device.
pub const CUDA_ERROR_NO_DEVICE: CUresult = 100;
/// A module is for another device, or of a kind that the driver does not know.
pub const CUDA_ERROR_INVALID_IMAGE: CUresult = 200;
/// No code of a module is for the device.
pub const CUDA_ERROR_NO_BINARY_FOR_GPU: CUresult = 209;
/// The devices have no way to each other's memory.
pub const CUDA_ERROR_PEER_ACCESS_UNSUPPORTED: CUresult = 217;
/// PTX does not compile.
pub const CUDA_ERROR_INVALID_PTX: CUresult = 218;
/// PTX is newer than the driver.
pub const CUDA_ERROR_UNSUPPORTED_PTX_VERSION: CUresult = 222;
/// A name is not found.
pub const CUDA_ERROR_NOT_FOUND: CUresult = 500;
/// What was asked for is not done yet.
pub const CUDA_ERROR_NOT_READY: CUresult = 600;
/// A launch needs more than the device has.
pub const CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: CUresult = 701;
/// The context reaches the other one's memory already.
pub const CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED: CUresult = 704;
/// The context does not reach the other one's memory.
pub const CUDA_ERROR_PEER_ACCESS_NOT_ENABLED: CUresult = 705;
/// The device cannot do that.
pub const CUDA_ERROR_NOT_SUPPORTED: CUresult = 801;

/// A device, by its number.
pub type CUdevice = c_int;
/// Memory that devices see.
pub type CUdeviceptr = u64;
/// A context, known to the driver only.
pub type CUcontext = *mut c_void;
/// A link of several modules, known to the driver only.
pub type CUlinkState = *mut c_void;
/// A module, known to the driver only.
pub type CUmodule = *mut c_void;
/// A kernel, known to the driver only.
pub type CUfunction = *mut c_void;
/// A stream, known to the driver only.
pub type CUstream = *mut c_void;
/// An event, known to the driver only.
pub type CUevent = *mut c_void;

/// What tells a device from all others.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CUuuid {
    /// Its bytes.
    pub bytes: [u8; 16],
}

/// Where one side of a copy is.
pub type CUmemorytype = c_uint;
/// On the host, which the driver may know nothing of.
pub const CU_MEMORYTYPE_HOST: CUmemorytype = 1;
/// On a device.
pub const CU_MEMORYTYPE_DEVICE: CUmemorytype = 2;
/// Wherever the driver finds that the address is.
pub const CU_MEMORYTYPE_UNIFIED: CUmemorytype = 4;

/// A copy of a box of bytes. Of the places of a side, the one counts that its memory type says.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "NVIDIA's manual says what each field is")]
pub struct CUDA_MEMCPY3D {
    pub src_x_in_bytes: usize,
    pub src_y: usize,
    pub src_z: usize,
    pub src_lod: usize,
    pub src_memory_type: CUmemorytype,
    pub src_host: *const c_void,
    pub src_device: CUdeviceptr,
    pub src_array: *mut c_void,
    pub reserved0: *mut c_void,
    pub src_pitch: usize,
    pub src_height: usize,
    pub dst_x_in_bytes: usize,
    pub dst_y: usize,
    pub dst_z: usize,
    pub dst_lod: usize,
    pub dst_memory_type: CUmemorytype,
    pub dst_host: *mut c_void,
    pub dst_device: CUdeviceptr,
    pub dst_array: *mut c_void,
    pub reserved1: *mut c_void,
    pub dst_pitch: usize,
    pub dst_height: usize,
    pub width_in_bytes: usize,
    pub height: usize,
    pub depth: usize,
}

impl Default for CUDA_MEMCPY3D {
    fn default() -> Self {
        // SAFETY: all fields are integers and pointers, for which zero is a value.
        unsafe { std::mem::zeroed() }
    }
}

/// A question about a pointer.
pub type CUpointer_attribute = c_int;
/// The type of the memory, as [`CUmemorytype`].
pub const CU_POINTER_ATTRIBUTE_MEMORY_TYPE: CUpointer_attribute = 2;

/// A question about the way between two devices.
pub type CUdevice_P2PAttribute = c_int;
/// Whether atomic operations over it are the other device's own.
pub const CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED: CUdevice_P2PAttribute = 3;

/// A question about a device.
pub type CUdevice_attribute = c_int;
/// The most work-items of a block.
pub const CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: CUdevice_attribute = 1;
/// Registers that the work-items of a block share.
pub const CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK: CUdevice_attribute = 12;
/// The most work-items of a block in the first dimension; the next two numbers are the others.
pub const CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X: CUdevice_attribute = 2;
/// Shared memory of a block in bytes, without asking for more.
pub const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: CUdevice_attribute = 8;
/// Threads of a warp.
pub const CU_DEVICE_ATTRIBUTE_WARP_SIZE: CUdevice_attribute = 10;
/// The clock's rate in kilohertz.
pub const CU_DEVICE_ATTRIBUTE_CLOCK_RATE: CUdevice_attribute = 13;
/// Multiprocessors.
pub const CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: CUdevice_attribute = 16;
/// The bus on which a device is.
pub const CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: CUdevice_attribute = 33;
/// Its place there.
pub const CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID: CUdevice_attribute = 34;
/// The memory clock's rate in kilohertz.
pub const CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: CUdevice_attribute = 36;
/// Bits between a device and its memory.
pub const CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: CUdevice_attribute = 37;
/// Size of the second-level cache in bytes.
pub const CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: CUdevice_attribute = 38;
/// The domain of the bus on which a device is.
pub const CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID: CUdevice_attribute = 50;
/// The first half of the compute capability.
pub const CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: CUdevice_attribute = 75;
/// The second half of the compute capability.
pub const CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: CUdevice_attribute = 76;
/// Whether there is managed memory.
pub const CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY: CUdevice_attribute = 83;
/// Whether kernels reach any memory of the host.
pub const CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS: CUdevice_attribute = 88;
/// Whether host and device reach managed memory at the same time.
pub const CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS: CUdevice_attribute = 89;
/// The most shared memory that a block can ask for.
pub const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: CUdevice_attribute = 97;

/// A question about a kernel, or a setting of one.
pub type CUfunction_attribute = c_int;
/// The most work-items of a block of the kernel.
pub const CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: CUfunction_attribute = 0;
/// Shared memory that every block of the kernel has, in bytes.
pub const CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: CUfunction_attribute = 1;
/// Private memory of a work-item in bytes.
pub const CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: CUfunction_attribute = 3;
/// Registers of a thread.
pub const CU_FUNC_ATTRIBUTE_NUM_REGS: CUfunction_attribute = 4;
/// The most shared memory that a launch may ask for.
pub const CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: CUfunction_attribute = 8;

/// An option for loading a module.
pub type CUjit_option = c_int;
/// The most registers of a thread.
pub const CU_JIT_MAX_REGISTERS: CUjit_option = 0;
/// How much the compiler optimizes, from 0 to 4.
pub const CU_JIT_OPTIMIZATION_LEVEL: CUjit_option = 7;
/// Whether it writes debug information.
pub const CU_JIT_GENERATE_DEBUG_INFO: CUjit_option = 11;
/// Whether it writes line numbers.
pub const CU_JIT_GENERATE_LINE_INFO: CUjit_option = 12;
/// Where the compiler's errors go.
pub const CU_JIT_ERROR_LOG_BUFFER: CUjit_option = 5;
/// The room there.
pub const CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: CUjit_option = 6;

/// What is handed to the linker.
pub type CUjitInputType = c_int;
/// A binary for one architecture.
pub const CU_JIT_INPUT_CUBIN: CUjitInputType = 0;
/// PTX, ending in a NUL.
pub const CU_JIT_INPUT_PTX: CUjitInputType = 1;

/// Managed memory that any stream may use.
pub const CU_MEM_ATTACH_GLOBAL: u32 = 1;
/// Host memory that every context reaches.
pub const CU_MEMHOSTALLOC_PORTABLE: u32 = 1;
/// Host memory that devices reach.
pub const CU_MEMHOSTALLOC_DEVICEMAP: u32 = 2;
/// A stream that does not wait for the default one.
pub const CU_STREAM_NON_BLOCKING: u32 = 1;
/// An event without times.
pub const CU_EVENT_DISABLE_TIMING: u32 = 2;

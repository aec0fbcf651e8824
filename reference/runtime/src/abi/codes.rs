//! The numbers of `include/sycl/detail/abi.h` that other modules use. A test holds them to it.

#![allow(missing_docs, reason = "the header says what each one is")]

pub const PLATFORM_NAME: u32 = 1;
pub const PLATFORM_VENDOR: u32 = 2;
pub const PLATFORM_VERSION: u32 = 3;
pub const PLATFORM_EXTENSIONS: u32 = 4;
pub const PLATFORM_BACKEND: u32 = 5;

pub const DEVICE_NAME: u32 = 1;
pub const DEVICE_VENDOR: u32 = 2;
pub const DEVICE_VERSION: u32 = 3;
pub const DEVICE_DRIVER_VERSION: u32 = 4;
pub const DEVICE_EXTENSIONS: u32 = 5;
pub const DEVICE_TYPE: u32 = 32;
pub const DEVICE_VENDOR_ID: u32 = 33;
pub const DEVICE_MAX_COMPUTE_UNITS: u32 = 34;
pub const DEVICE_MAX_WORK_GROUP_SIZE: u32 = 35;
pub const DEVICE_MAX_WORK_ITEM_SIZES: u32 = 36;
pub const DEVICE_SUB_GROUP_SIZES: u32 = 37;
pub const DEVICE_GLOBAL_MEM_SIZE: u32 = 38;
pub const DEVICE_LOCAL_MEM_SIZE: u32 = 39;
pub const DEVICE_MAX_MEM_ALLOC_SIZE: u32 = 40;
pub const DEVICE_MAX_CLOCK_FREQUENCY: u32 = 41;
pub const DEVICE_ADDRESS_BITS: u32 = 42;
pub const DEVICE_AVAILABLE: u32 = 43;
pub const DEVICE_MAX_PARAMETER_SIZE: u32 = 44;
pub const DEVICE_MAX_NUM_SUB_GROUPS: u32 = 45;
pub const DEVICE_MEM_BASE_ADDR_ALIGN: u32 = 46;
pub const DEVICE_HALF_FP_CONFIG: u32 = 47;
pub const DEVICE_SINGLE_FP_CONFIG: u32 = 48;
pub const DEVICE_DOUBLE_FP_CONFIG: u32 = 49;
pub const DEVICE_GLOBAL_MEM_CACHE_LINE_SIZE: u32 = 50;
pub const DEVICE_GLOBAL_MEM_CACHE_SIZE: u32 = 51;
pub const DEVICE_ATOMIC_ORDERS: u32 = 53;
pub const DEVICE_ATOMIC_SCOPES: u32 = 54;

pub const KERNEL_WORK_GROUP_SIZE: u32 = 1;
pub const KERNEL_PREFERRED_MULTIPLE: u32 = 2;
pub const KERNEL_PRIVATE_MEM_SIZE: u32 = 3;

//! What is said of devices whose interface does not answer a question: the least that SYCL
//! allows, and where there is no bound a number that programs can count to.

use crate::abi::codes;

/// The most that an `int` holds: programs as Kokkos have the number of work-groups in one.
const MOST: u64 = i32::MAX as u64;

/// The answer to a question of `PLSYCL_DEVICE_*` that is a number; `None` for one that every
/// interface answers, or that is unknown.
#[must_use]
pub fn numbers(what: u32) -> Option<Vec<u64>> {
    Some(match what {
        codes::DEVICE_PREFERRED_VECTOR_WIDTHS | codes::DEVICE_NATIVE_VECTOR_WIDTHS => vec![1; 7],
        codes::DEVICE_IMAGE_LIMITS => vec![0; 10],
        codes::DEVICE_MAX_CONSTANT_BUFFER_SIZE => vec![64 << 10],
        codes::DEVICE_MAX_CONSTANT_ARGS => vec![8],
        // Local memory of its own, a cache for reads and writes.
        codes::DEVICE_LOCAL_MEM_TYPE => vec![1],
        codes::DEVICE_GLOBAL_MEM_CACHE_TYPE => vec![2],
        codes::DEVICE_ERROR_CORRECTION
        | codes::DEVICE_HOST_UNIFIED_MEMORY
        | codes::DEVICE_PRINTF_BUFFER_SIZE
        | codes::DEVICE_PARTITION_MAX
        | codes::DEVICE_PARTITION_PROPERTIES
        | codes::DEVICE_PARTITION_DOMAINS
        | codes::DEVICE_PARTITION_DOMAIN => vec![0],
        codes::DEVICE_PROFILING_TIMER_RESOLUTION
        | codes::DEVICE_ENDIAN_LITTLE
        | codes::DEVICE_EXECUTION_CAPABILITIES
        | codes::DEVICE_PREFERRED_INTEROP_USER_SYNC => vec![1],
        // None has a bound: OpenCL's is of work-items alone, and launches on CUDA devices come in pieces.
        codes::DEVICE_MAX_WORK_GROUP_RANGE => vec![MOST, MOST, MOST, u64::MAX],
        _ => return None,
    })
}

//===- aspects.hpp - what devices may and may not be able to do ----------------------------===//
#pragma once

namespace sycl {

/// The numbers are those of `offload_formats::aspects`, and DPC++'s.
enum class aspect {
  cpu = 1,
  gpu = 2,
  accelerator = 3,
  custom = 4,
  fp16 = 5,
  fp64 = 6,
  image = 9,
  online_compiler = 10,
  online_linker = 11,
  queue_profiling = 12,
  usm_device_allocations = 13,
  usm_host_allocations = 14,
  usm_shared_allocations = 15,
  usm_system_allocations = 17,
  ext_intel_pci_address = 18,
  ext_intel_gpu_eu_count = 19,
  ext_intel_gpu_eu_simd_width = 20,
  ext_intel_gpu_slices = 21,
  ext_intel_gpu_subslices_per_slice = 22,
  ext_intel_gpu_eu_count_per_subslice = 23,
  ext_intel_max_mem_bandwidth = 24,
  usm_atomic_host_allocations = 25,
  usm_atomic_shared_allocations = 26,
  atomic64 = 27,
  ext_intel_device_info_uuid = 28,
  ext_oneapi_srgb = 29,
  ext_oneapi_native_assert = 30,
  host_debuggable = 31,
  ext_intel_gpu_hw_threads_per_eu = 32,
  ext_oneapi_cuda_async_barrier = 33,
  ext_intel_free_memory = 34,
  ext_intel_device_id = 35,
  ext_intel_memory_clock_rate = 36,
  ext_intel_memory_bus_width = 37,
  emulated = 38,
  ext_intel_legacy_image = 39,
  ext_intel_esimd = 49,
  ext_intel_matrix = 53,
};

} // namespace sycl

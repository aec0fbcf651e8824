//===- device_info.hpp - what Intel's drivers tell of devices (sycl_ext_intel_device_info) --===//
//
// Each question is for devices that have the aspect of its name; of others, `get_info` throws
// `errc::feature_not_supported`.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/info.hpp>

#include <cstdint>
#include <string>

namespace sycl {

namespace detail {
/// A question of the extension, for devices that have the aspect.
template <typename Type, std::uint32_t Code, aspect Aspect>
struct intel_question : question<Type, Code> {
  static constexpr aspect needed = Aspect;
};
} // namespace detail

namespace ext::intel::info::device {
using sycl::aspect;
using sycl::detail::intel_question;

/// The number that the maker gave the kind of device on the PCI bus.
struct device_id : intel_question<std::uint32_t, PLSYCL_DEVICE_ID, aspect::ext_intel_device_id> {};
/// Domain, bus, device and function: 0000:03:00.0.
struct pci_address
    : intel_question<std::string, PLSYCL_DEVICE_PCI_ADDRESS, aspect::ext_intel_pci_address> {};
/// Which of its makers' devices it is, for all drivers alike.
struct uuid : intel_question<sycl::detail::uuid_type, PLSYCL_DEVICE_UUID,
                             aspect::ext_intel_device_info_uuid> {};
struct gpu_slices
    : intel_question<std::uint32_t, PLSYCL_DEVICE_GPU_SLICES, aspect::ext_intel_gpu_slices> {};
struct gpu_subslices_per_slice
    : intel_question<std::uint32_t, PLSYCL_DEVICE_GPU_SUBSLICES_PER_SLICE,
                     aspect::ext_intel_gpu_subslices_per_slice> {};
struct gpu_eu_count_per_subslice
    : intel_question<std::uint32_t, PLSYCL_DEVICE_GPU_EU_COUNT_PER_SUBSLICE,
                     aspect::ext_intel_gpu_eu_count_per_subslice> {};
struct gpu_eu_count
    : intel_question<std::uint32_t, PLSYCL_DEVICE_GPU_EU_COUNT, aspect::ext_intel_gpu_eu_count> {};
struct gpu_eu_simd_width : intel_question<std::uint32_t, PLSYCL_DEVICE_GPU_EU_SIMD_WIDTH,
                                          aspect::ext_intel_gpu_eu_simd_width> {};
struct gpu_hw_threads_per_eu : intel_question<std::uint32_t, PLSYCL_DEVICE_GPU_HW_THREADS_PER_EU,
                                              aspect::ext_intel_gpu_hw_threads_per_eu> {};
/// Bytes that are free now.
struct free_memory
    : intel_question<std::uint64_t, PLSYCL_DEVICE_FREE_MEMORY, aspect::ext_intel_free_memory> {};
/// MHz.
struct memory_clock_rate : intel_question<std::uint32_t, PLSYCL_DEVICE_MEMORY_CLOCK_RATE,
                                          aspect::ext_intel_memory_clock_rate> {};
/// Bits between the device and its memory.
struct memory_bus_width : intel_question<std::uint32_t, PLSYCL_DEVICE_MEMORY_BUS_WIDTH,
                                         aspect::ext_intel_memory_bus_width> {};
// What no driver is asked, so that no device has the aspects.
/// Bytes a second between the device and its memory.
struct max_mem_bandwidth : intel_question<std::uint64_t, 0, aspect::ext_intel_max_mem_bandwidth> {};
// How a GPU of Intel's is divided, from the largest part to the smallest.
struct xe_stack_count : intel_question<std::uint32_t, 0, aspect::ext_intel_xe_stack_count> {};
struct xe_regions_per_stack
    : intel_question<std::uint32_t, 0, aspect::ext_intel_xe_regions_per_stack> {};
struct xe_clusters_per_region
    : intel_question<std::uint32_t, 0, aspect::ext_intel_xe_clusters_per_region> {};
struct xe_cores_per_cluster
    : intel_question<std::uint32_t, 0, aspect::ext_intel_xe_cores_per_cluster> {};
struct eus_per_xe_core : intel_question<std::uint32_t, 0, aspect::ext_intel_eus_per_xe_core> {};
struct max_lanes_per_hw_thread
    : intel_question<std::uint32_t, 0, aspect::ext_intel_max_lanes_per_hw_thread> {};

/// How many compute queues of its own a program may choose from (sycl_ext_intel_queue_index).
struct max_compute_queue_indices {
  using return_type = int;
  static return_type answer(const sycl::device &) { return 1; }
};
} // namespace ext::intel::info::device

/// The same under the names that DPC++ had first.
namespace info::device {
using ext_intel_pci_address = ext::intel::info::device::pci_address;
using ext_intel_gpu_eu_count = ext::intel::info::device::gpu_eu_count;
using ext_intel_gpu_eu_simd_width = ext::intel::info::device::gpu_eu_simd_width;
using ext_intel_gpu_slices = ext::intel::info::device::gpu_slices;
using ext_intel_gpu_subslices_per_slice = ext::intel::info::device::gpu_subslices_per_slice;
using ext_intel_gpu_eu_count_per_subslice = ext::intel::info::device::gpu_eu_count_per_subslice;
using ext_intel_gpu_hw_threads_per_eu = ext::intel::info::device::gpu_hw_threads_per_eu;
using ext_intel_max_mem_bandwidth = ext::intel::info::device::max_mem_bandwidth;
using ext_intel_device_info_uuid = ext::intel::info::device::uuid;
using ext_intel_free_memory = ext::intel::info::device::free_memory;
} // namespace info::device

} // namespace sycl

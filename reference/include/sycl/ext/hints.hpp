//===- hints.hpp - DPC++'s properties that tell drivers what would be fast --------------------===//
//
// sycl_ext_oneapi_queue_priority, sycl_ext_oneapi_discard_queue_events,
// sycl_ext_intel_queue_immediate_command_list, sycl_ext_oneapi_usm_device_read_only,
// sycl_ext_oneapi_copy_optimize. They are taken and passed by: what a program computes is the same
// without.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/queue.hpp>

namespace sycl {

namespace ext::oneapi::property {
namespace queue {
struct priority_low {};
struct priority_normal {};
struct priority_high {};
/// Nobody asks for the events of the queue.
struct discard_events {};
} // namespace queue
namespace usm {
/// Kernels only read what is allocated.
struct device_read_only {};
} // namespace usm
} // namespace ext::oneapi::property

namespace ext::intel::property::queue {
struct immediate_command_list {};
struct no_immediate_command_list {};
} // namespace ext::intel::property::queue

namespace ext::oneapi::experimental {

/// The host's memory will be copied to devices of the context, and is where it is until it is
/// released.
inline void prepare_for_device_copy(const void *, std::size_t, const context &) {}
inline void prepare_for_device_copy(const void *, std::size_t, const queue &) {}
inline void release_from_device_copy(const void *, const context &) {}
inline void release_from_device_copy(const void *, const queue &) {}

} // namespace ext::oneapi::experimental

#define PLSYCL_QUEUE_HINT(PROPERTY)                                                                \
  template <> struct is_property<PROPERTY> : std::true_type {};                                    \
  template <> struct is_property_of<PROPERTY, queue> : std::true_type {};
PLSYCL_QUEUE_HINT(ext::oneapi::property::queue::priority_low)
PLSYCL_QUEUE_HINT(ext::oneapi::property::queue::priority_normal)
PLSYCL_QUEUE_HINT(ext::oneapi::property::queue::priority_high)
PLSYCL_QUEUE_HINT(ext::oneapi::property::queue::discard_events)
PLSYCL_QUEUE_HINT(ext::intel::property::queue::immediate_command_list)
PLSYCL_QUEUE_HINT(ext::intel::property::queue::no_immediate_command_list)
#undef PLSYCL_QUEUE_HINT

template <> struct is_property<ext::oneapi::property::usm::device_read_only> : std::true_type {};

} // namespace sycl

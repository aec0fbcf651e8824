//===- current_device.hpp - a device of each thread (sycl_ext_oneapi_current_device) ---------===//
#pragma once

#include <sycl/device.hpp>

#include <optional>

PLSYCL_HOST_FILE

namespace sycl::ext::oneapi::experimental::this_thread {

namespace detail {
/// None before a thread has set or asked for one.
inline std::optional<device> &current_device() {
  static thread_local std::optional<device> current;
  return current;
}
} // namespace detail

/// The device that the calling thread has set, or the default one.
inline device get_current_device() {
  std::optional<device> &current = detail::current_device();
  return current ? *current : current.emplace();
}
inline void set_current_device(device chosen) { detail::current_device() = chosen; }

} // namespace sycl::ext::oneapi::experimental::this_thread

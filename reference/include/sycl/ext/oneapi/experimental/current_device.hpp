//===- current_device.hpp - a device of each thread (sycl_ext_oneapi_current_device) ---------===//
#pragma once

#include <sycl/device.hpp>

PLSYCL_HOST_FILE

namespace sycl::ext::oneapi::experimental::this_thread {

namespace detail {
/// Null before a thread has set or asked for one.
inline plsycl_device &current_device() {
  static thread_local plsycl_device current = nullptr;
  return current;
}
} // namespace detail

/// The device that the calling thread has set, or the default one.
PLSYCL_LATE device get_current_device() {
  plsycl_device &current = detail::current_device();
  if (!current)
    current = device().get();
  return device(current);
}
inline void set_current_device(device chosen) { detail::current_device() = chosen.get(); }

} // namespace sycl::ext::oneapi::experimental::this_thread

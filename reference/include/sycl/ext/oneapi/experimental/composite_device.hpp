//===- composite_device.hpp - cards of several devices (sycl_ext_oneapi_composite_device) ----===//
//
// No driver is asked for them: no device has aspect::ext_oneapi_is_composite or
// ext_oneapi_is_component.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/device.hpp>

#include <vector>

PLSYCL_HOST_FILE

namespace sycl::ext::oneapi::experimental {

PLSYCL_LATE std::vector<device> get_composite_devices() { return {}; }

namespace info::device {

/// The devices that are one; none of a device that is not of that kind.
struct component_devices {
  using return_type = std::vector<sycl::device>;
  PLSYCL_LATE static return_type answer(const sycl::device &) { return {}; }
};
/// The device that a component is of; errc::invalid of another.
struct composite_device {
  using return_type = sycl::device;
  PLSYCL_LATE static return_type answer(const sycl::device &) {
    sycl::detail::fail(errc::invalid, "the device is no component of another");
  }
};

} // namespace info::device
} // namespace sycl::ext::oneapi::experimental

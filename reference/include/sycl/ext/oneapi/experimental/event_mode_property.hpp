//===- event_mode_property.hpp - how hosts wait for events (sycl_ext_oneapi_event_mode) ------===//
#pragma once

#include <sycl/ext/oneapi/properties/properties.hpp>

namespace sycl::ext::oneapi::experimental {

enum class event_mode_enum { none, low_power };

/// A hint, and passed by: the runtime's threads sleep until the driver calls.
struct event_mode {
  event_mode(event_mode_enum mode) : value(mode) {}
  event_mode_enum value;
};
using event_mode_key = event_mode;
template <> struct is_property_key<event_mode> : std::true_type {};
template <> struct is_property_value<event_mode> : std::true_type {};

inline bool operator==(const event_mode &left, const event_mode &right) {
  return left.value == right.value;
}
inline bool operator!=(const event_mode &left, const event_mode &right) { return !(left == right); }

} // namespace sycl::ext::oneapi::experimental

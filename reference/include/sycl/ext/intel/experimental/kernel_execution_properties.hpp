//===- kernel_execution_properties.hpp - what caches a kernel would like ---------------------===//
//
// sycl_ext_intel_cache_config: a hint to Intel's GPUs, and passed by.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/kernel_properties/properties.hpp>

namespace sycl::ext::intel::experimental {

enum class cache_config_enum : std::uint16_t { large_slm, large_data };
inline constexpr cache_config_enum large_slm = cache_config_enum::large_slm;
inline constexpr cache_config_enum large_data = cache_config_enum::large_data;

/// Whether local memory or the cache is to be large.
struct cache_config {
  cache_config(cache_config_enum value) : value(value) {}
  cache_config_enum value;
};
using cache_config_key = cache_config;

inline bool operator==(const cache_config &left, const cache_config &right) {
  return left.value == right.value;
}
inline bool operator!=(const cache_config &left, const cache_config &right) {
  return !(left == right);
}

} // namespace sycl::ext::intel::experimental

namespace sycl::ext::oneapi::experimental {
template <> struct is_property_key<intel::experimental::cache_config> : std::true_type {};
template <> struct is_property_value<intel::experimental::cache_config> : std::true_type {};
} // namespace sycl::ext::oneapi::experimental

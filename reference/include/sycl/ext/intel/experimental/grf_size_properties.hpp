//===- grf_size_properties.hpp - registers of a kernel (sycl_ext_intel_grf_size) -------------===//
//
// Hints to the compilers of Intel's GPUs, which do not reach them.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/kernel_properties/properties.hpp>

namespace sycl::ext::intel::experimental {

struct grf_size_key {
  template <unsigned int Size>
  using value_t =
      oneapi::experimental::property_value<grf_size_key, std::integral_constant<unsigned, Size>>;
};
struct grf_size_automatic_key {
  using value_t = oneapi::experimental::property_value<grf_size_automatic_key>;
};
template <unsigned int Size> inline constexpr grf_size_key::value_t<Size> grf_size;
inline constexpr grf_size_automatic_key::value_t grf_size_automatic;

} // namespace sycl::ext::intel::experimental

namespace sycl::ext::oneapi::experimental {

template <unsigned int Size>
struct property_value<intel::experimental::grf_size_key, std::integral_constant<unsigned, Size>> {
  static_assert(Size == 128 || Size == 256 || Size == 512, "no GPU has so many registers");
  using key_t = intel::experimental::grf_size_key;
  using value_t = std::integral_constant<unsigned, Size>;
  static constexpr unsigned int value = Size;
};
template <> struct is_property_key<intel::experimental::grf_size_key> : std::true_type {};
template <> struct is_property_key<intel::experimental::grf_size_automatic_key> : std::true_type {};

} // namespace sycl::ext::oneapi::experimental

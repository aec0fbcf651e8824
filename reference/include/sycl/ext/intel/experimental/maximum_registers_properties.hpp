//===- maximum_registers_properties.hpp - sycl_ext_intel_maximum_registers -------------------===//
//
// Hints to the compilers of Intel's GPUs, which do not reach them.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/kernel_properties/properties.hpp>

namespace sycl::ext::intel::experimental {

struct maximum_registers_key {
  template <unsigned int Count>
  using value_t = oneapi::experimental::property_value<maximum_registers_key,
                                                       std::integral_constant<unsigned, Count>>;
};
struct maximum_registers_automatic_key {
  using value_t = oneapi::experimental::property_value<maximum_registers_automatic_key>;
};
template <unsigned int Count>
inline constexpr maximum_registers_key::value_t<Count> maximum_registers;
inline constexpr maximum_registers_automatic_key::value_t maximum_registers_automatic;

} // namespace sycl::ext::intel::experimental

namespace sycl::ext::oneapi::experimental {

template <> struct is_property_key<intel::experimental::maximum_registers_key> : std::true_type {};
template <>
struct is_property_key<intel::experimental::maximum_registers_automatic_key> : std::true_type {};

} // namespace sycl::ext::oneapi::experimental

//===- free_function_kernel_properties.hpp - functions that are kernels ----------------------===//
//
// sycl_ext_oneapi_free_function_kernels: what stands before such a function. It is device code that
// other units may have; what starts it is told by kernel_function (free_function_traits.hpp).
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/properties/properties.hpp>

namespace sycl::ext::oneapi::experimental {

struct nd_range_kernel_key {
  template <int Dimensions>
  using value_t = property_value<nd_range_kernel_key, std::integral_constant<int, Dimensions>>;
};
struct single_task_kernel_key {
  using value_t = property_value<single_task_kernel_key>;
};
template <int Dimensions> inline constexpr nd_range_kernel_key::value_t<Dimensions> nd_range_kernel;
inline constexpr single_task_kernel_key::value_t single_task_kernel;
template <> struct is_property_key<nd_range_kernel_key> : std::true_type {};
template <> struct is_property_key<single_task_kernel_key> : std::true_type {};

} // namespace sycl::ext::oneapi::experimental

#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(PROPERTY) SYCL_EXTERNAL

//===- free_function_kernel_properties.hpp - functions that are kernels ----------------------===//
//
// sycl_ext_oneapi_free_function_kernels: what stands before such a function. It is device code that
// other units may have; what starts it is told by kernel_function (free_function_traits.hpp). The
// lowering reads the annotation (frontend/annotations.rs).
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/kernel_properties/properties.hpp>

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

// The host's half has a use for it where it lists kernels (detail/source_bundle.hpp).
#if (defined(__SYCL_DEVICE_ONLY__) || defined(PLSYCL_SOURCE_BUNDLE)) && !defined(PLSYCL_UPSTREAM)
namespace sycl::detail {
/// What makes a function a kernel.
template <int Dimensions>
struct said_of_function<ext::oneapi::experimental::nd_range_kernel_key::value_t<Dimensions>> {
  static constexpr std::uint64_t values[4] = {5};
};
template <> struct said_of_function<ext::oneapi::experimental::single_task_kernel_key::value_t> {
  static constexpr std::uint64_t values[4] = {5};
};
} // namespace sycl::detail

#define PLSYCL_SAID(PROPERTY, PLACE)                                                               \
  ::sycl::detail::said_of_function<::std::decay_t<decltype(PROPERTY)>>::values[PLACE]
#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(PROPERTY)                                                \
  __attribute__((annotate("sycl-function-property " #PROPERTY, PLSYCL_SAID(PROPERTY, 0),           \
                          PLSYCL_SAID(PROPERTY, 1), PLSYCL_SAID(PROPERTY, 2),                      \
                          PLSYCL_SAID(PROPERTY, 3))))
#else
#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(PROPERTY) SYCL_EXTERNAL
#endif

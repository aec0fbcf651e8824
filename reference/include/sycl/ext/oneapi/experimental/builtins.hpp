//===- builtins.hpp - sycl_ext_oneapi_printf and sycl_ext_oneapi_native_math -----------------===//
#pragma once

#include <sycl/math.hpp>
#include <sycl/nd_item.hpp> // As DPC++'s brings it.

#include <cstdio>

#if defined(__SYCL_DEVICE_ONLY__) && !defined(__NVPTX__)
extern int __spirv_ocl_printf(const char *format, ...);
extern int __spirv_ocl_printf(const __attribute__((opencl_constant)) char *format, ...);
#endif

namespace sycl::ext::oneapi {
class bfloat16;
}
namespace sycl::ext::oneapi::experimental {

namespace detail {
/// A number as C hands it to a function that takes any.
template <typename Type> decltype(auto) promoted(const Type &number) {
  if constexpr (std::is_same_v<Type, half> || std::is_same_v<Type, bfloat16>)
    return static_cast<float>(number);
  else
    return number;
}
} // namespace detail

/// What C's printf does, from a kernel too. Devices read the format while they compile: it has to
/// be a literal or a constant.
template <typename Format, typename... Arguments>
int printf(const Format *format, Arguments... arguments) {
#if defined(__SYCL_DEVICE_ONLY__) && !defined(__NVPTX__)
  return __spirv_ocl_printf(format, detail::promoted(arguments)...);
#else
  return ::printf(format, detail::promoted(arguments)...);
#endif
}

/// As near as the device is fast: none of those here has an instruction that LLVM knows.
namespace native {
template <typename Type, sycl::detail::if_floating<Type> = 0> auto tanh(const Type &x) {
  return sycl::tanh(x);
}
template <typename Type, sycl::detail::if_floating<Type> = 0> auto exp2(const Type &x) {
  return sycl::exp2(x);
}
} // namespace native

} // namespace sycl::ext::oneapi::experimental

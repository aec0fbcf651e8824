//===- builtins.hpp - sycl_ext_oneapi_printf ------------------------------------------------===//
#pragma once

#include <sycl/detail/config.hpp>

#include <cstdio>

#if defined(__SYCL_DEVICE_ONLY__) && !defined(__NVPTX__)
extern int __spirv_ocl_printf(const char *format, ...);
extern int __spirv_ocl_printf(const __attribute__((opencl_constant)) char *format, ...);
#endif

namespace sycl::ext::oneapi::experimental {

/// What C's printf does, from a kernel too. Devices read the format while they compile: it has to
/// be a literal or a constant.
template <typename Format, typename... Arguments>
int printf(const Format *format, Arguments... arguments) {
#if defined(__SYCL_DEVICE_ONLY__) && !defined(__NVPTX__)
  return __spirv_ocl_printf(format, arguments...);
#else
  return ::printf(format, arguments...);
#endif
}

} // namespace sycl::ext::oneapi::experimental

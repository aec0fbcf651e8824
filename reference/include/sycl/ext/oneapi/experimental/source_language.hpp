//===- source_language.hpp - what kernels are built from while a program runs ----------------===//
//
// sycl_ext_oneapi_kernel_compiler, with its languages _opencl and _spirv.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/abi.h>

namespace sycl::ext::oneapi::experimental {

enum class source_language {
  opencl = PLSYCL_SOURCE_OPENCL,
  spirv = PLSYCL_SOURCE_SPIRV,
  sycl = PLSYCL_SOURCE_SYCL
};

/// A version of OpenCL C or of an extension.
struct cl_version {
  unsigned major : 10;
  unsigned minor : 10;
  unsigned patch : 12;
};
inline constexpr cl_version opencl_c_1_0 = {1, 0, 0};
inline constexpr cl_version opencl_c_1_1 = {1, 1, 0};
inline constexpr cl_version opencl_c_1_2 = {1, 2, 0};
inline constexpr cl_version opencl_c_2_0 = {2, 0, 0};
inline constexpr cl_version opencl_c_3_0 = {3, 0, 0};

} // namespace sycl::ext::oneapi::experimental

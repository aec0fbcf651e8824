//===- backend_types.hpp - the interfaces through which devices are driven -------------------===//
#pragma once

#include <sycl/detail/abi.h>

#include <ostream>

namespace sycl {

enum class backend : char {
  opencl = PLSYCL_BACKEND_OPENCL,
  ext_oneapi_level_zero = PLSYCL_BACKEND_LEVEL_ZERO,
  ext_oneapi_cuda = PLSYCL_BACKEND_CUDA,
  // Of DPC++'s; no device here is of these.
  all = 100,
  ext_oneapi_hip,
  ext_oneapi_native_cpu,
  ext_oneapi_offload,
};

inline std::ostream &operator<<(std::ostream &out, backend value) {
  switch (value) {
  case backend::opencl:
    return out << "opencl";
  case backend::ext_oneapi_level_zero:
    return out << "ext_oneapi_level_zero";
  case backend::ext_oneapi_cuda:
    return out << "ext_oneapi_cuda";
  case backend::all:
    return out << "all";
  case backend::ext_oneapi_hip:
    return out << "ext_oneapi_hip";
  case backend::ext_oneapi_native_cpu:
    return out << "ext_oneapi_native_cpu";
  case backend::ext_oneapi_offload:
    return out << "ext_oneapi_offload";
  }
  return out;
}

} // namespace sycl

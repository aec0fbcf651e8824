//===- backend_types.hpp - the interfaces through which devices are driven -------------------===//
#pragma once

#include <sycl/detail/abi.h>

#include <ostream>

namespace sycl {

enum class backend : char {
  opencl = PLSYCL_BACKEND_OPENCL,
  ext_oneapi_level_zero = PLSYCL_BACKEND_LEVEL_ZERO,
  ext_oneapi_cuda = PLSYCL_BACKEND_CUDA,
};

inline std::ostream &operator<<(std::ostream &out, backend value) {
  switch (value) {
  case backend::opencl:
    return out << "opencl";
  case backend::ext_oneapi_level_zero:
    return out << "ext_oneapi_level_zero";
  case backend::ext_oneapi_cuda:
    return out << "ext_oneapi_cuda";
  }
  return out;
}

} // namespace sycl

//===- kernel_info.hpp - what an integration header registers ------------------------------===//
//
// The device compilation writes, for each translation unit, a header that includes only this file
// and defines one kernel_registration. It is forced in front of the host compilation.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

/// The compilation has an integration header.
#define PLSYCL_INTEGRATED 1

#include <sycl/detail/abi.h>

namespace sycl::detail {

/// How a parameter of an entry point is made from the functor's bytes.
enum class kernel_parameter_kind : uint32_t {
  accessor = PLSYCL_PARAMETER_ACCESSOR,
  local_accessor = PLSYCL_PARAMETER_LOCAL_ACCESSOR,
  pointer = PLSYCL_PARAMETER_POINTER,
  value = PLSYCL_PARAMETER_VALUE,
  scratch = PLSYCL_PARAMETER_SCRATCH,
};

/// One part of a functor, in the order of the entry point's parameters.
struct kernel_parameter : plsycl_parameter {
  /// `size` and `offset` in bytes within the functor.
  constexpr kernel_parameter(kernel_parameter_kind kind, uint32_t size, uint32_t offset)
      : plsycl_parameter{static_cast<uint32_t>(kind), size, offset} {}
};

/// One kernel of the translation unit.
struct kernel_info : plsycl_kernel_info {
  /// A kernel whose functor has no parts. `functor` is what its image says of it.
  constexpr kernel_info(const char *name, uint64_t functor_size, const char *functor)
      : plsycl_kernel_info{name, functor_size, nullptr, 0, functor} {}
  /// A kernel with parts.
  template <size_t Count>
  constexpr kernel_info(const char *name, uint64_t functor_size, const char *functor,
                        const kernel_parameter (&parameters)[Count])
      : plsycl_kernel_info{name, functor_size, parameters, Count, functor} {}
};

/// A static object of this type makes known what images call the unit's device globals.
struct device_global_registration {
  template <size_t Count>
  device_global_registration(const void *const *objects, const char *const (&names)[Count]) {
    plsycl_announce_device_globals(objects, names, Count);
  }
};

/// A static object of this type makes the kernels known to the runtime.
struct kernel_registration {
  template <size_t Count> explicit kernel_registration(const kernel_info (&kernels)[Count]) {
    static_assert(sizeof(kernel_info) == sizeof(plsycl_kernel_info));
    plsycl_announce_kernels(kernels, Count);
  }
};

} // namespace sycl::detail

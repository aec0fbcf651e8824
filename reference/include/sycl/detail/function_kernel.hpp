//===- function_kernel.hpp - how the object of a kernel that is a function starts it ---------===//
#pragma once

#include <sycl/detail/abi.h>
#include <sycl/detail/declared.hpp>
#include <sycl/nd_range.hpp>

#include <cstddef>

namespace sycl {

namespace detail {

/// What tells whether an accessor is what a parameter is: accessors of one shape are alike but for
/// what may be done by them.
template <typename Type> struct accessor_shape {
  static constexpr int kind = PLSYCL_ARGUMENT_VALUE;
};
template <int Kind, typename Type, int Dimensions> struct accessor_shape_of {
  static constexpr int kind = Kind;
  static constexpr char tag = 0;
};
/// An accessor that an argument keeps.
struct kept_accessor {
  const char *shape;
  const void *object;
};

/// A function that is a kernel (sycl_ext_oneapi_free_function_kernels).
struct function_kernel {
  std::size_t parameters;
  /// Starts it over a space, with as many arguments as it has parameters, which live meanwhile, and
  /// with local memory of a size (work_group_scratch_memory) unless `scratch` is null.
  void (*start)(handler &group, const nd_range<3> &space, const plsycl_argument *given,
                const std::size_t *scratch);
};

/// The same space in three dimensions: work-items see no difference.
template <int Dimensions> nd_range<3> in_three_dimensions(const nd_range<Dimensions> &space) {
  range<3> global(1, 1, 1), local(1, 1, 1);
  id<3> offset;
  for (int i = 0; i < Dimensions; ++i) {
    const int last = i + 3 - Dimensions;
    global[last] = space.get_global_range()[i];
    local[last] = space.get_local_range()[i];
    offset[last] = space.get_offset()[i];
  }
  return {global, local, offset};
}

} // namespace detail
} // namespace sycl

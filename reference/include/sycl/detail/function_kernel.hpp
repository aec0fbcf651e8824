//===- function_kernel.hpp - how the object of a kernel that is a function starts it ---------===//
#pragma once

#include <sycl/detail/abi.h>
#include <sycl/detail/declared.hpp>
#include <sycl/nd_range.hpp>

#include <cstddef>
#include <type_traits>

namespace sycl {

namespace detail {

/// What tells whether an accessor is what a parameter is: accessors of one shape are alike but for
/// what may be done by them.
template <typename Type> struct accessor_shape {
  static constexpr int kind = PLSYCL_ARGUMENT_VALUE;
};
/// Of each binary another one: the library of a source (sycl_ext_oneapi_kernel_compiler) has shapes
/// of its own.
__attribute__((visibility("hidden"))) inline const char this_binary = 0;
/// A shape, as far as binaries can tell each other.
struct shape_tag {
  const void *binary;
  int dimensions;
  std::size_t size;
  bool is_number;
  bool is_integer;
  bool is_signed;

  friend bool operator==(const shape_tag &left, const shape_tag &right) {
    if (left.binary == right.binary)
      return &left == &right;
    return left.dimensions == right.dimensions && left.size == right.size &&
           left.is_number == right.is_number && left.is_integer == right.is_integer &&
           left.is_signed == right.is_signed;
  }
};
template <int Kind, typename Type, int Dimensions> struct accessor_shape_of {
  static constexpr int kind = Kind;
  static constexpr shape_tag tag = {&this_binary,
                                    Dimensions,
                                    sizeof(Type),
                                    std::is_arithmetic_v<Type>,
                                    std::is_integral_v<Type>,
                                    std::is_signed_v<Type>};
};
/// An accessor that an argument keeps.
struct kept_accessor {
  const shape_tag *shape;
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

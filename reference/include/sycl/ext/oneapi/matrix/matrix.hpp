//===- matrix.hpp - sycl_ext_oneapi_matrix, which is not there ------------------------------===//
//
// Its names are, as headers that dpct writes beside every program mention them. Who uses one is
// told.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/device.hpp>

#include <cstddef>
#include <vector>

namespace sycl::ext::oneapi {

namespace experimental::matrix {

enum class use { a, b, accumulator };
enum class layout { row_major = 0, col_major = 1, dynamic = 3 };
namespace precision {
class tf32 {};
} // namespace precision

enum class matrix_type {
  bf16,
  fp16,
  tf32,
  fp32,
  fp64,
  sint8,
  sint16,
  sint32,
  sint64,
  uint8,
  uint16,
  uint32,
  uint64
};
/// Types and sizes that a device multiplies.
struct combination {
  std::size_t max_msize, max_nsize, max_ksize;
  std::size_t msize, nsize, ksize;
  matrix_type atype, btype, ctype, dtype;
};

template <typename Group, typename Type, use Use, std::size_t Rows, std::size_t Columns,
          layout Layout = layout::dynamic>
struct joint_matrix {
  static_assert(sizeof(Type) == 0, "Plumbline has no sycl_ext_oneapi_matrix");
};

#define PLSYCL_OF_MATRICES(NAME)                                                                   \
  template <typename Group, typename... Given> void NAME(Group, Given &&...) {                     \
    static_assert(sizeof(Group) == 0, "Plumbline has no sycl_ext_oneapi_matrix");                  \
  }
PLSYCL_OF_MATRICES(joint_matrix_copy)
PLSYCL_OF_MATRICES(joint_matrix_load)
PLSYCL_OF_MATRICES(joint_matrix_store)
PLSYCL_OF_MATRICES(joint_matrix_fill)
PLSYCL_OF_MATRICES(joint_matrix_mad)
PLSYCL_OF_MATRICES(joint_matrix_apply)
#undef PLSYCL_OF_MATRICES

} // namespace experimental::matrix

namespace experimental::info::device {
/// There are none.
struct matrix_combinations {
  using return_type = std::vector<matrix::combination>;
  PLSYCL_LATE static return_type answer(const sycl::device &) { return {}; }
};
} // namespace experimental::info::device

namespace detail {
// What the headers beside this one call detail is SYCL's.
using namespace sycl::detail;

template <typename Group, typename Matrix> int get_wi_data(Group, Matrix &) {
  static_assert(sizeof(Matrix) == 0, "Plumbline has no sycl_ext_oneapi_matrix");
  return 0;
}

} // namespace detail
} // namespace sycl::ext::oneapi

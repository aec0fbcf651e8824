//===- matrix.hpp - sycl_ext_oneapi_matrix, which is not there ------------------------------===//
//
// Its names are, as headers that dpct writes beside every program mention them. Who uses one is
// told.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>

namespace sycl::detail {}

namespace sycl::ext::oneapi {

namespace experimental::matrix {

enum class use { a, b, accumulator };
enum class layout { row_major = 0, col_major = 1, dynamic = 3 };
namespace precision {
class tf32 {};
} // namespace precision

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

namespace detail {
// What the headers beside this one call detail is SYCL's.
using namespace sycl::detail;

template <typename Group, typename Matrix> int get_wi_data(Group, Matrix &) {
  static_assert(sizeof(Matrix) == 0, "Plumbline has no sycl_ext_oneapi_matrix");
  return 0;
}

} // namespace detail
} // namespace sycl::ext::oneapi

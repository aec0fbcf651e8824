//===- user_defined_reductions.hpp - sycl_ext_oneapi_user_defined_reductions -----------------===//
//
// SYCL 2020's group algorithms take any operation here and need no memory for it; these names are
// for programs that bring some.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/experimental/group_helpers_sorters.hpp>

namespace sycl::ext::oneapi::experimental {

template <typename Helper, typename Type, typename Operation, detail::if_group_helper<Helper> = 0>
Type reduce_over_group(Helper helper, Type value, Operation operation) {
  return sycl::reduce_over_group(helper.get_group(), value, operation);
}
template <typename Helper, typename Value, typename Type, typename Operation,
          detail::if_group_helper<Helper> = 0>
Type reduce_over_group(Helper helper, Value value, Type start, Operation operation) {
  return sycl::reduce_over_group(helper.get_group(), value, start, operation);
}

/// Of a sequence of one element at least.
template <typename Helper, typename Pointer, typename Operation,
          detail::if_group_helper<Helper> = 0>
auto joint_reduce(Helper helper, Pointer first, Pointer last, Operation operation) {
  const sycl::detail::element_of<Pointer> start = *first;
  return sycl::joint_reduce(helper.get_group(), first + 1, last, start, operation);
}
template <typename Helper, typename Pointer, typename Type, typename Operation,
          detail::if_group_helper<Helper> = 0>
Type joint_reduce(Helper helper, Pointer first, Pointer last, Type start, Operation operation) {
  return sycl::joint_reduce(helper.get_group(), first, last, start, operation);
}

} // namespace sycl::ext::oneapi::experimental

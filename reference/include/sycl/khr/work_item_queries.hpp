//===- work_item_queries.hpp - sycl_khr_work_item_queries ------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/free_function_queries.hpp>

namespace sycl::khr {

/// The work-item, work-group and sub-group that call, in a kernel over an nd_range of as many
/// dimensions.
template <int Dimensions> nd_item<Dimensions> this_nd_item() {
  return ext::oneapi::this_work_item::get_nd_item<Dimensions>();
}
template <int Dimensions> group<Dimensions> this_group() {
  return ext::oneapi::this_work_item::get_work_group<Dimensions>();
}
inline sycl::sub_group this_sub_group() { return ext::oneapi::this_work_item::get_sub_group(); }

} // namespace sycl::khr

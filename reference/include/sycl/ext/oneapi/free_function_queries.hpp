//===- free_function_queries.hpp - sycl_ext_oneapi_free_function_queries --------------------===//
#pragma once

#include <sycl/ext/oneapi/free_function_kernel_properties.hpp>
#include <sycl/nd_item.hpp>

namespace sycl::ext::oneapi {
namespace this_work_item {

/// The work-item, work-group and sub-group that call, in a kernel over an nd_range.
template <int Dimensions> nd_item<Dimensions> get_nd_item() {
  return nd_item<Dimensions>(detail::geometry());
}
template <int Dimensions> group<Dimensions> get_work_group() {
  return group<Dimensions>(detail::geometry());
}
inline sub_group get_sub_group() { return sub_group(detail::current()); }

} // namespace this_work_item

/// Earlier names of the same, deprecated.
namespace experimental {

template <int Dimensions> nd_item<Dimensions> this_nd_item() {
  return oneapi::this_work_item::get_nd_item<Dimensions>();
}
template <int Dimensions> group<Dimensions> this_group() {
  return oneapi::this_work_item::get_work_group<Dimensions>();
}
inline sub_group this_sub_group() { return oneapi::this_work_item::get_sub_group(); }
template <int Dimensions> id<Dimensions> this_id() {
  return this_nd_item<Dimensions>().get_global_id();
}
template <int Dimensions> item<Dimensions> this_item() {
  const nd_item<Dimensions> own = this_nd_item<Dimensions>();
  return {own.get_global_id(), own.get_global_range(), own.get_offset()};
}

} // namespace experimental
} // namespace sycl::ext::oneapi

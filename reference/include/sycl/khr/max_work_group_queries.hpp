//===- max_work_group_queries.hpp - sycl_khr_max_work_group_queries --------------------------===//
#pragma once

#include <sycl/info.hpp>

namespace sycl::khr::info::device {

/// The most work-groups that a kernel over an nd_range may have, in each dimension and in all.
template <int Dimensions = 3>
struct max_work_group_range
    : sycl::detail::question<range<Dimensions>, PLSYCL_DEVICE_MAX_WORK_GROUP_RANGE> {};
struct max_work_group_range_size
    : sycl::detail::question<std::size_t, PLSYCL_DEVICE_MAX_WORK_GROUP_RANGE, 3> {};

} // namespace sycl::khr::info::device

/// The same as DPC++ had it first (sycl_ext_oneapi_max_work_group_query).
namespace sycl::ext::oneapi::experimental::info::device {

template <int Dimensions>
using max_work_groups = sycl::khr::info::device::max_work_group_range<Dimensions>;
using max_global_work_groups = sycl::khr::info::device::max_work_group_range_size;

} // namespace sycl::ext::oneapi::experimental::info::device

//===- fixed_size_group.hpp - an earlier name in sycl_ext_oneapi_non_uniform_groups ----------===//
#pragma once

#include <sycl/ext/oneapi/experimental/chunk.hpp>

namespace sycl::ext::oneapi::experimental {

template <std::size_t PartitionSize, typename ParentGroup>
using fixed_size_group = chunk<PartitionSize, ParentGroup>;

template <std::size_t PartitionSize, typename Group>
fixed_size_group<PartitionSize, std::decay_t<Group>> get_fixed_size_group(Group group) {
  return chunked_partition<PartitionSize>(group);
}

} // namespace sycl::ext::oneapi::experimental

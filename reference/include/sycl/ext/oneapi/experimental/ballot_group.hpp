//===- ballot_group.hpp - an earlier name in sycl_ext_oneapi_non_uniform_groups --------------===//
#pragma once

#include <sycl/ext/oneapi/experimental/fragment.hpp>

namespace sycl::ext::oneapi::experimental {

template <typename ParentGroup> using ballot_group = fragment<ParentGroup>;

template <typename Group>
ballot_group<std::decay_t<Group>> get_ballot_group(Group group, bool predicate) {
  return binary_partition(group, predicate);
}

} // namespace sycl::ext::oneapi::experimental

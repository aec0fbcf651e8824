//===- tangle_group.hpp - an earlier name in sycl_ext_oneapi_non_uniform_groups --------------===//
#pragma once

#include <sycl/ext/oneapi/experimental/tangle.hpp>

namespace sycl::ext::oneapi::experimental {

template <typename ParentGroup> using tangle_group = tangle<ParentGroup>;

template <typename Group> tangle_group<std::decay_t<Group>> get_tangle_group(Group group) {
  return entangle(group);
}

} // namespace sycl::ext::oneapi::experimental

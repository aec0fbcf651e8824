//===- auto_local_range.hpp - work-groups of any size (sycl_ext_oneapi_auto_local_range) -----===//
#pragma once

#include <sycl/nd_range.hpp>

namespace sycl::ext::oneapi::experimental {

/// As the local size of an nd_range leaves the size of work-groups to the implementation, which
/// takes one that divides the space.
template <int Dimensions> range<Dimensions> auto_range() {
  range<Dimensions> size;
  for (int i = 0; i < Dimensions; ++i)
    size[i] = sycl::detail::automatic_size;
  return size;
}

} // namespace sycl::ext::oneapi::experimental

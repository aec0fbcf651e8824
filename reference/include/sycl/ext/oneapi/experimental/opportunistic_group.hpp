//===- opportunistic_group.hpp - an earlier name in sycl_ext_oneapi_non_uniform_groups -------===//
#pragma once

#include <sycl/ext/oneapi/experimental/fragment.hpp>

namespace sycl::ext::oneapi::experimental {
using opportunistic_group = fragment<sub_group>;
} // namespace sycl::ext::oneapi::experimental

//===- opportunistic_group.hpp - an earlier name in sycl_ext_oneapi_non_uniform_groups -------===//
#pragma once

#include <sycl/ext/oneapi/experimental/fragment.hpp>

namespace sycl {

namespace ext::oneapi::experimental {

/// Work-items that call together. Programs overload by it, so that it is a type of its own.
class PLSYCL_USES_ASPECTS(sycl::aspect::ext_oneapi_opportunistic_group) opportunistic_group
    : public fragment<sub_group> {
public:
  opportunistic_group(const fragment<sub_group> &together) : fragment<sub_group>(together) {}
};

} // namespace ext::oneapi::experimental

template <> struct is_group<ext::oneapi::experimental::opportunistic_group> : std::true_type {};

namespace ext::oneapi::experimental::this_kernel {

inline opportunistic_group get_opportunistic_group() {
  return this_work_item::get_opportunistic_group();
}

} // namespace ext::oneapi::experimental::this_kernel
} // namespace sycl

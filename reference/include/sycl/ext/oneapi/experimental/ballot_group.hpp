//===- ballot_group.hpp - an earlier name in sycl_ext_oneapi_non_uniform_groups --------------===//
#pragma once

#include <sycl/ext/oneapi/experimental/fragment.hpp>

namespace sycl {

namespace ext::oneapi::experimental {

/// Those of a group that say the same. Programs overload by it, so that it is a type of its own.
template <typename ParentGroup>
class PLSYCL_USES_ASPECTS(sycl::aspect::ext_oneapi_ballot_group) ballot_group
    : public fragment<ParentGroup> {
public:
  ballot_group(const fragment<ParentGroup> &saying) : fragment<ParentGroup>(saying) {}
};

} // namespace ext::oneapi::experimental

template <typename Parent>
struct is_group<ext::oneapi::experimental::ballot_group<Parent>> : std::true_type {};

namespace ext::oneapi::experimental {

template <typename Group>
ballot_group<std::decay_t<Group>> get_ballot_group(Group group, bool predicate) {
  return binary_partition(group, predicate);
}

} // namespace ext::oneapi::experimental
} // namespace sycl

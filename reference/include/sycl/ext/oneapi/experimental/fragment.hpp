//===- fragment.hpp - sycl_ext_oneapi_non_uniform_groups, any work-items of a sub-group ------===//
#pragma once

#include <sycl/aspects.hpp>
#include <sycl/detail/part_of_sub_group.hpp>

namespace sycl {

namespace ext::oneapi::experimental {

/// Work-items of a sub-group that need not be neighbours.
template <typename ParentGroup>
class PLSYCL_USES_ASPECTS(sycl::aspect::ext_oneapi_fragment) fragment
    : public sycl::detail::part_of_sub_group {
public:
  using part_of_sub_group::part_of_sub_group;
};

} // namespace ext::oneapi::experimental

template <typename Parent>
struct is_group<ext::oneapi::experimental::fragment<Parent>> : std::true_type {};

namespace ext::oneapi::experimental {

template <typename Group> struct is_fixed_topology_group : std::false_type {};
template <int Dimensions> struct is_fixed_topology_group<group<Dimensions>> : std::true_type {};
template <> struct is_fixed_topology_group<sub_group> : std::true_type {};
template <int Dimensions> class root_group;
template <int Dimensions>
struct is_fixed_topology_group<root_group<Dimensions>> : std::true_type {};
template <typename Group>
inline constexpr bool is_fixed_topology_group_v = is_fixed_topology_group<Group>::value;
template <typename Group>
struct is_user_constructed_group : std::is_base_of<sycl::detail::part_of_sub_group, Group> {};
template <typename Group>
inline constexpr bool is_user_constructed_group_v = is_user_constructed_group<Group>::value;

/// Those of the group that say the same: number 1 those that say so, number 0 the others. All of
/// them call.
template <typename ParentGroup>
fragment<ParentGroup> binary_partition(ParentGroup parent, bool predicate) {
  static_assert(std::is_same_v<ParentGroup, sub_group> ||
                    std::is_base_of_v<fragment<sub_group>, ParentGroup> ||
                    is_user_constructed_group_v<ParentGroup>,
                "sub-groups and their parts are divided");
  const sycl::detail::lane_bits saying = sycl::detail::lanes_that_say(parent, predicate);
  const sycl::detail::lane_bits all = sycl::detail::lanes_of(parent);
  return {predicate ? saying : all & ~saying, predicate ? 1u : 0u, 2};
}

namespace this_work_item {

/// Work-items that call this together. Neither SPIR-V 1.2 nor PTX for all of NVIDIA's GPUs says
/// which do: each is a group of its own.
inline fragment<sub_group> get_opportunistic_group() {
  return {sycl::detail::lane_bits(1) << sycl::detail::sub_group_local_id(), 0, 1};
}

} // namespace this_work_item
} // namespace ext::oneapi::experimental
} // namespace sycl

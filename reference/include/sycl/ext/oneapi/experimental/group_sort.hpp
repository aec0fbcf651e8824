//===- group_sort.hpp - sorting by a group (sycl_ext_oneapi_group_sort) ----------------------===//
#pragma once

#include <sycl/ext/oneapi/experimental/group_helpers_sorters.hpp>

namespace sycl::ext::oneapi::experimental {

/// Sorts a sequence that all work-items of the group name.
template <typename Group, typename Pointer, typename Sorter, sycl::detail::if_group<Group> = 0>
void joint_sort(Group group, Pointer first, Pointer last, Sorter sorter) {
  sorter(group, first, last);
}
template <typename Helper, typename Pointer, typename Compare = std::less<>,
          detail::if_group_helper<Helper> = 0>
void joint_sort(Helper helper, Pointer first, Pointer last, Compare compare = {}) {
  default_sorters::joint_sorter<Compare> sorter(helper.get_memory(), compare);
  sorter(helper.get_group(), first, last);
}

/// What the work-item has when the values of all have been sorted.
template <typename Group, typename Type, typename Sorter, sycl::detail::if_group<Group> = 0>
Type sort_over_group(Group group, Type value, Sorter sorter) {
  return sorter(group, value);
}
template <typename Helper, typename Type, typename Compare = std::less<>,
          detail::if_group_helper<Helper> = 0>
Type sort_over_group(Helper helper, Type value, Compare compare = {}) {
  default_sorters::group_sorter<Type, Compare> sorter(helper.get_memory(), compare);
  return sorter(helper.get_group(), value);
}

} // namespace sycl::ext::oneapi::experimental

//===- group_sort.hpp - sorting by a group (sycl_ext_oneapi_group_sort) ----------------------===//
#pragma once

#include <sycl/ext/oneapi/experimental/group_helpers_sorters.hpp>
#include <sycl/ext/oneapi/experimental/group_radix_sorters.hpp>

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

/// Several values of each work-item.
template <typename Group, typename Type, std::size_t Count, typename Sorter,
          typename Properties = empty_properties_t, sycl::detail::if_group<Group> = 0>
void sort_over_group(Group group, span<Type, Count> values, Sorter sorter, Properties list = {}) {
  sorter(group, values, list);
}
template <typename Helper, typename Type, std::size_t Count,
          typename Properties = empty_properties_t, detail::if_group_helper<Helper> = 0,
          detail::if_sorting_properties<Properties> = 0>
void sort_over_group(Helper helper, span<Type, Count> values, Properties list = {}) {
  sort_over_group(helper, values, std::less<>(), list);
}
template <typename Helper, typename Type, std::size_t Count, typename Compare,
          typename Properties = empty_properties_t, detail::if_group_helper<Helper> = 0,
          detail::if_comparison<Compare> = 0>
void sort_over_group(Helper helper, span<Type, Count> values, Compare compare,
                     Properties list = {}) {
  default_sorters::group_sorter<Type, Compare, Count> sorter(helper.get_memory(), compare);
  sorter(helper.get_group(), values, list);
}

/// The key and the value that the work-item has when the keys of all have been sorted.
template <typename Group, typename Key, typename Value, typename Sorter,
          sycl::detail::if_group<Group> = 0>
std::tuple<Key, Value> sort_key_value_over_group(Group group, Key key, Value value, Sorter sorter) {
  return sorter(group, key, value);
}
template <typename Helper, typename Key, typename Value, typename Compare = std::less<>,
          detail::if_group_helper<Helper> = 0>
std::tuple<Key, Value> sort_key_value_over_group(Helper helper, Key key, Value value,
                                                 Compare compare = {}) {
  default_sorters::group_key_value_sorter<Key, Value, Compare> sorter(helper.get_memory(), compare);
  return sorter(helper.get_group(), key, value);
}

/// Several of each work-item.
template <typename Group, typename Key, typename Value, std::size_t Count, typename Sorter,
          typename Properties = empty_properties_t, sycl::detail::if_group<Group> = 0>
void sort_key_value_over_group(Group group, span<Key, Count> keys, span<Value, Count> values,
                               Sorter sorter, Properties list = {}) {
  sorter(group, keys, values, list);
}
template <typename Helper, typename Key, typename Value, std::size_t Count,
          typename Properties = empty_properties_t, detail::if_group_helper<Helper> = 0,
          detail::if_sorting_properties<Properties> = 0>
void sort_key_value_over_group(Helper helper, span<Key, Count> keys, span<Value, Count> values,
                               Properties list = {}) {
  sort_key_value_over_group(helper, keys, values, std::less<>(), list);
}
template <typename Helper, typename Key, typename Value, std::size_t Count, typename Compare,
          typename Properties = empty_properties_t, detail::if_group_helper<Helper> = 0,
          detail::if_comparison<Compare> = 0>
void sort_key_value_over_group(Helper helper, span<Key, Count> keys, span<Value, Count> values,
                               Compare compare, Properties list = {}) {
  default_sorters::group_key_value_sorter<Key, Value, Compare, Count> sorter(helper.get_memory(),
                                                                             compare);
  sorter(helper.get_group(), keys, values, list);
}

} // namespace sycl::ext::oneapi::experimental

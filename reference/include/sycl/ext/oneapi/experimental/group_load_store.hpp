//===- group_load_store.hpp - memory that a group moves (sycl_ext_oneapi_group_load_store) ---===//
//
// Of what the work-items of a group have together, each has a block of neighbours. There are no
// properties.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/group_algorithms.hpp>
#include <sycl/span.hpp>
#include <sycl/vec.hpp>

namespace sycl::ext::oneapi::experimental {

template <typename Group, typename From, typename Type, std::size_t Count>
void group_load(Group group, From from, span<Type, Count> to) {
  const std::size_t first = group.get_local_linear_id() * to.size();
  group_barrier(group);
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = from[first + i];
  group_barrier(group);
}
template <typename Group, typename From, typename Type>
void group_load(Group group, From from, Type &to) {
  experimental::group_load(group, from, span<Type, 1>(&to, 1));
}
template <typename Group, typename From, typename Type, int Count>
void group_load(Group group, From from, vec<Type, Count> &to) {
  experimental::group_load(group, from, span<Type, Count>(&to[0], Count));
}

template <typename Group, typename Type, std::size_t Count, typename To>
void group_store(Group group, const span<Type, Count> from, To to) {
  const std::size_t first = group.get_local_linear_id() * from.size();
  group_barrier(group);
  for (std::size_t i = 0; i < from.size(); ++i)
    to[first + i] = from[i];
  group_barrier(group);
}
template <typename Group, typename Type, typename To>
void group_store(Group group, const Type &from, To to) {
  experimental::group_store(group, span<const Type, 1>(&from, 1), to);
}
template <typename Group, typename Type, int Count, typename To>
void group_store(Group group, const vec<Type, Count> &from, To to) {
  experimental::group_store(group, span<const Type, Count>(&from[0], Count), to);
}

} // namespace sycl::ext::oneapi::experimental

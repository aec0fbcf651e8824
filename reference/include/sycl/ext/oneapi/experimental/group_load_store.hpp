//===- group_load_store.hpp - memory that a group moves (sycl_ext_oneapi_group_load_store) ---===//
//
// Of what the work-items of a group have together, each has a block of neighbours, or every so
// manieth. The other properties promise what is made no use of here.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/group_algorithms.hpp>
#include <sycl/span.hpp>
#include <sycl/vec.hpp>

#include <memory>

namespace sycl::ext::oneapi::experimental {

/// Where in memory the items of one work-item stand.
enum class data_placement_enum { blocked, striped };
struct data_placement_key {
  template <data_placement_enum Placement>
  using value_t =
      property_value<data_placement_key, std::integral_constant<data_placement_enum, Placement>>;
};
/// The iterator is a pointer or as good as one.
struct contiguous_memory_key {
  using value_t = property_value<contiguous_memory_key>;
};
/// No sub-group of the group lacks work-items.
struct full_group_key {
  using value_t = property_value<full_group_key>;
};

template <data_placement_enum Placement>
inline constexpr data_placement_key::value_t<Placement> data_placement;
inline constexpr data_placement_key::value_t<data_placement_enum::blocked> data_placement_blocked;
inline constexpr data_placement_key::value_t<data_placement_enum::striped> data_placement_striped;
inline constexpr contiguous_memory_key::value_t contiguous_memory;
inline constexpr full_group_key::value_t full_group;

template <> struct is_property_key<data_placement_key> : std::true_type {};
template <> struct is_property_key<contiguous_memory_key> : std::true_type {};
template <> struct is_property_key<full_group_key> : std::true_type {};

namespace detail {

/// Where the work-item's own item of a number stands among those of the group.
template <typename Properties, typename Group>
std::size_t place_in_group(Group group, std::size_t item, std::size_t items) {
  if constexpr (Properties::template has_property<data_placement_key>()) {
    if constexpr (Properties::template get_property<data_placement_key>() == data_placement_striped)
      return item * group.get_local_linear_range() + group.get_local_linear_id();
  }
  return group.get_local_linear_id() * items + item;
}

template <typename Properties>
using if_properties = std::enable_if_t<is_property_list_v<Properties>, int>;

} // namespace detail

template <typename Group, typename From, typename Type, std::size_t Count,
          typename Properties = empty_properties_t, detail::if_properties<Properties> = 0>
void group_load(Group group, From from, span<Type, Count> to, Properties = {}) {
  group_barrier(group);
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = from[detail::place_in_group<Properties>(group, i, to.size())];
  group_barrier(group);
}
template <typename Group, typename From, typename Type, typename Properties = empty_properties_t,
          detail::if_properties<Properties> = 0>
void group_load(Group group, From from, Type &to, Properties properties = {}) {
  experimental::group_load(group, from, span<Type, 1>(std::addressof(to), 1), properties);
}
template <typename Group, typename From, typename Type, int Count,
          typename Properties = empty_properties_t, detail::if_properties<Properties> = 0>
void group_load(Group group, From from, vec<Type, Count> &to, Properties properties = {}) {
  experimental::group_load(group, from, span<Type, Count>(&to[0], Count), properties);
}

template <typename Group, typename Type, std::size_t Count, typename To,
          typename Properties = empty_properties_t, detail::if_properties<Properties> = 0>
void group_store(Group group, const span<Type, Count> from, To to, Properties = {}) {
  group_barrier(group);
  for (std::size_t i = 0; i < from.size(); ++i)
    to[detail::place_in_group<Properties>(group, i, from.size())] = from[i];
  group_barrier(group);
}
template <typename Group, typename Type, typename To, typename Properties = empty_properties_t,
          detail::if_properties<Properties> = 0>
void group_store(Group group, const Type &from, To to, Properties properties = {}) {
  experimental::group_store(group, span<const Type, 1>(std::addressof(from), 1), to, properties);
}
template <typename Group, typename Type, int Count, typename To,
          typename Properties = empty_properties_t, detail::if_properties<Properties> = 0>
void group_store(Group group, const vec<Type, Count> &from, To to, Properties properties = {}) {
  experimental::group_store(group, span<const Type, Count>(&from[0], Count), to, properties);
}

} // namespace sycl::ext::oneapi::experimental

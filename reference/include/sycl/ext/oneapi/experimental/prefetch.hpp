//===- prefetch.hpp - what a kernel will read soon (sycl_ext_oneapi_prefetch) ----------------===//
//
// A hint to the device's caches, which levels it is for does not reach the driver.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/accessor.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/group_algorithms.hpp>
#include <sycl/multi_ptr.hpp>

#include <memory>

namespace sycl::ext::oneapi::experimental {

enum class cache_level { L1 = 0, L2 = 1, L3 = 2, L4 = 3 };
/// What is read once.
struct nontemporal;

struct prefetch_hint_key {
  template <cache_level Level, typename Hint>
  using value_t =
      property_value<prefetch_hint_key, std::integral_constant<cache_level, Level>, Hint>;
};
template <> struct is_property_key<prefetch_hint_key> : std::true_type {};

template <cache_level Level, typename Hint>
inline constexpr prefetch_hint_key::value_t<Level, Hint> prefetch_hint;
inline constexpr prefetch_hint_key::value_t<cache_level::L1, void> prefetch_hint_L1;
inline constexpr prefetch_hint_key::value_t<cache_level::L2, void> prefetch_hint_L2;
inline constexpr prefetch_hint_key::value_t<cache_level::L3, void> prefetch_hint_L3;
inline constexpr prefetch_hint_key::value_t<cache_level::L4, void> prefetch_hint_L4;
inline constexpr prefetch_hint_key::value_t<cache_level::L1, nontemporal> prefetch_hint_L1_nt;
inline constexpr prefetch_hint_key::value_t<cache_level::L2, nontemporal> prefetch_hint_L2_nt;
inline constexpr prefetch_hint_key::value_t<cache_level::L3, nontemporal> prefetch_hint_L3_nt;
inline constexpr prefetch_hint_key::value_t<cache_level::L4, nontemporal> prefetch_hint_L4_nt;

namespace detail {

/// The size of what a pointer names; of what it does not say, a byte.
template <typename Type> inline constexpr std::size_t size_of = sizeof(Type);
template <> inline constexpr std::size_t size_of<void> = 1;

template <typename Byte = char> void prefetch_bytes(const void *place, std::size_t count) {
  const auto *bytes = static_cast<const Byte *>(place);
  sycl::detail::asserted_cast<access::address_space::global_space, access::decorated::no>(
      const_cast<Byte *>(bytes))
      .prefetch(count);
}

template <access::address_space Space>
using if_global = std::enable_if_t<Space == access::address_space::global_space ||
                                       Space == access::address_space::generic_space,
                                   int>;
template <access_mode Mode>
using if_readable =
    std::enable_if_t<Mode == access_mode::read || Mode == access_mode::read_write, int>;
template <typename Type> using if_list = std::enable_if_t<is_property_list_v<Type>, int>;
template <typename Type> using if_group = std::enable_if_t<is_group_v<Type>, int>;

} // namespace detail

/// One value at the pointer, or a byte at one to void.
template <typename Type, typename List = empty_properties_t, detail::if_list<List> = 0>
void prefetch(Type *place, List = {}) {
  detail::prefetch_bytes(place, detail::size_of<std::remove_cv_t<Type>>);
}
/// So many of them, all in global memory.
template <typename Type, typename List = empty_properties_t, detail::if_list<List> = 0>
void prefetch(Type *place, std::size_t count, List = {}) {
  detail::prefetch_bytes(place, count * detail::size_of<std::remove_cv_t<Type>>);
}
template <typename Type, access::address_space Space, access::decorated Decorated,
          typename List = empty_properties_t, detail::if_global<Space> = 0,
          detail::if_list<List> = 0>
void prefetch(multi_ptr<Type, Space, Decorated> place, List list = {}) {
  prefetch(place.get_raw(), list);
}
template <typename Type, access::address_space Space, access::decorated Decorated,
          typename List = empty_properties_t, detail::if_global<Space> = 0,
          detail::if_list<List> = 0>
void prefetch(multi_ptr<Type, Space, Decorated> place, std::size_t count, List list = {}) {
  prefetch(place.get_raw(), count, list);
}
template <typename Type, int Dimensions, access_mode Mode, access::placeholder Holder,
          typename List = empty_properties_t, detail::if_readable<Mode> = 0,
          detail::if_list<List> = 0>
void prefetch(const accessor<Type, Dimensions, Mode, target::device, Holder> &from,
              std::common_type_t<id<Dimensions>> offset, List list = {}) {
  prefetch(std::addressof(from[offset]), list);
}
template <typename Type, int Dimensions, access_mode Mode, access::placeholder Holder,
          typename List = empty_properties_t, detail::if_readable<Mode> = 0,
          detail::if_list<List> = 0>
void prefetch(const accessor<Type, Dimensions, Mode, target::device, Holder> &from,
              std::common_type_t<id<Dimensions>> offset, std::size_t count, List list = {}) {
  prefetch(std::addressof(from[offset]), count, list);
}

/// The same by all work-items of a group, which give equal arguments.
template <typename Group, typename Type, typename List = empty_properties_t,
          detail::if_group<Group> = 0, detail::if_list<List> = 0>
void joint_prefetch(Group, Type place, List list = {}) {
  prefetch(place, list);
}
template <typename Group, typename Type, typename List = empty_properties_t,
          detail::if_group<Group> = 0, detail::if_list<List> = 0>
void joint_prefetch(Group, Type place, std::size_t count, List list = {}) {
  prefetch(place, count, list);
}
template <typename Group, typename Type, int Dimensions, access_mode Mode,
          access::placeholder Holder, typename List = empty_properties_t,
          detail::if_group<Group> = 0, detail::if_list<List> = 0>
void joint_prefetch(Group, const accessor<Type, Dimensions, Mode, target::device, Holder> &from,
                    std::common_type_t<id<Dimensions>> offset, List list = {}) {
  prefetch(from, offset, list);
}
template <typename Group, typename Type, int Dimensions, access_mode Mode,
          access::placeholder Holder, typename List = empty_properties_t,
          detail::if_group<Group> = 0, detail::if_list<List> = 0>
void joint_prefetch(Group, const accessor<Type, Dimensions, Mode, target::device, Holder> &from,
                    std::common_type_t<id<Dimensions>> offset, std::size_t count, List list = {}) {
  prefetch(from, offset, count, list);
}

} // namespace sycl::ext::oneapi::experimental

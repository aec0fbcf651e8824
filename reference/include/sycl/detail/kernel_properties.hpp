//===- kernel_properties.hpp - what a kernel is told of by a property list ------------------===//
//
// sycl_ext_oneapi_kernel_properties, as far as every compilation sees it. The lists and what they
// may hold stand in headers of their own (ext/oneapi/kernel_properties/properties.hpp).
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/config.hpp>

#include <type_traits>
#include <utility>

namespace sycl {

namespace ext::oneapi::experimental {
/// Given to a functor's `get`, it asks for the kernel's properties.
struct properties_tag {};

template <typename Type> struct is_property_list : std::false_type {};
template <typename Type> inline constexpr bool is_property_list_v = is_property_list<Type>::value;
} // namespace ext::oneapi::experimental

namespace detail {

using ext::oneapi::experimental::properties_tag;

template <typename Type>
using if_properties =
    std::enable_if_t<ext::oneapi::experimental::is_property_list<Type>::value, int>;

/// The list that a functor brings.
template <typename Functor>
using properties_of = decltype(std::declval<Functor &>().get(properties_tag()));

template <typename Functor, typename = void> struct has_properties : std::false_type {};
template <typename Functor>
struct has_properties<Functor, std::void_t<properties_of<Functor>>>
    : ext::oneapi::experimental::is_property_list<properties_of<Functor>> {};

/// Has the device compilation see what a list of properties says. Specialized for lists of what is
/// said of kernels, by the header that defines that.
template <typename List> struct stated_properties {
  static void state() {}
};
/// Whether a list asks that all work-items of the kernel can wait for one another. Specialized for
/// lists.
template <typename List> struct syncs_root : std::false_type {};
template <typename Functor, bool = has_properties<Functor>::value>
inline constexpr bool is_root_synced = false;
template <typename Functor>
inline constexpr bool is_root_synced<Functor, true> = syncs_root<properties_of<Functor>>::value;

/// What a property counts on of the device, which is asked before the kernel is started.
/// Specialized for properties.
template <typename Value, typename = void> struct device_demand : std::false_type {
  template <typename Device> static void check(const Device &) {}
};
/// The same of the properties of a list.
template <typename List> struct device_demands : std::false_type {};
template <typename Functor, bool = has_properties<Functor>::value>
inline constexpr bool has_demands = false;
template <typename Functor>
inline constexpr bool has_demands<Functor, true> = device_demands<properties_of<Functor>>::value;

/// What a list does to a functor before it is a kernel. Specialized for lists that give it local
/// memory.
template <typename List> struct equipped {
  /// Whether only kernels over work-groups can have it.
  static constexpr bool in_groups = false;
  template <typename Functor, typename Handler>
  static const Functor &with(const List &, const Functor &functor, Handler &) {
    return functor;
  }
};

/// A list that has what both have. Specialized for lists.
template <typename First, typename Second> struct joined_properties;

/// What a kernel was given beside its functor and what the functor brings.
template <typename List, typename Functor, bool = has_properties<Functor>::value>
struct all_properties : joined_properties<List, properties_of<Functor>> {};
template <typename List, typename Functor> struct all_properties<List, Functor, false> {
  using type = List;
};

/// A functor whose kernel was given properties beside it.
template <typename Functor, typename List> struct functor_with_properties {
  Functor functor;

  template <typename... Arguments>
  PLSYCL_PART_OF_CALLER auto operator()(Arguments &&...arguments) const
      -> decltype(functor(static_cast<Arguments &&>(arguments)...)) {
    return functor(static_cast<Arguments &&>(arguments)...);
  }
  typename all_properties<List, Functor>::type get(properties_tag) const;
};
/// Whether a functor brings properties that have it equipped, and is not yet.
template <typename Functor, bool = has_properties<Functor>::value>
inline constexpr bool brings_equipment = false;
template <typename Functor>
inline constexpr bool brings_equipment<Functor, true> = equipped<properties_of<Functor>>::in_groups;
template <typename Functor, typename List>
inline constexpr bool brings_equipment<functor_with_properties<Functor, List>, true> =
    brings_equipment<Functor>;

/// The list that such a functor brings, with its values.
template <typename Functor> auto brought_by(const Functor &functor) {
  return functor.get(properties_tag());
}
template <typename Functor, typename List>
auto brought_by(const functor_with_properties<Functor, List> &functor) {
  return brought_by(functor.functor);
}

/// Whether a list has nothing. Specialized for lists.
template <typename List> inline constexpr bool is_nothing = false;

/// The functor with the list; an empty one leaves the kernel as it is without.
template <typename List, typename Functor>
std::conditional_t<is_nothing<List>, const Functor &, functor_with_properties<Functor, List>>
with_properties(const Functor &functor) {
  if constexpr (is_nothing<List>)
    return functor;
  else
    return {functor};
}

} // namespace detail
} // namespace sycl

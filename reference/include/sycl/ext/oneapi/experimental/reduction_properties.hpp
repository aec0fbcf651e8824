//===- reduction_properties.hpp - sycl_ext_oneapi_reduction_properties -----------------------===//
#pragma once

#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/reduction.hpp>

namespace sycl {

namespace ext::oneapi::experimental {

/// The same inputs give the same result, to the last bit.
struct deterministic_key {
  using value_t = property_value<deterministic_key>;
};
inline constexpr deterministic_key::value_t deterministic;
template <> struct is_property_key<deterministic_key> : std::true_type {};

/// What SYCL's property of that name says.
struct initialize_to_identity_key {
  using value_t = property_value<initialize_to_identity_key>;
};
inline constexpr initialize_to_identity_key::value_t initialize_to_identity;
template <> struct is_property_key<initialize_to_identity_key> : std::true_type {};

} // namespace ext::oneapi::experimental

namespace detail {

/// A reduction to which SYCL's own arguments lead, as the list wants it. `HasIdentity`: whether the
/// program gives one or the operation has it.
template <bool HasIdentity, typename List, typename Make>
auto reduction_by_list(const List &, const Make &make) {
  namespace experimental = ext::oneapi::experimental;
  constexpr bool begins = List::template has_property<experimental::initialize_to_identity_key>();
  static_assert(!begins || HasIdentity, "initialize_to_identity needs an identity");
  property_list properties;
  if constexpr (begins)
    properties = {property::reduction::initialize_to_identity()};
  auto target = make(properties);
  if constexpr (List::template has_property<experimental::deterministic_key>())
    return ordered_target<decltype(target)>{target};
  else
    return target;
}

} // namespace detail

template <typename Type, typename Allocator, typename Operation, typename List,
          detail::if_properties<List> = 0>
auto reduction(buffer<Type, 1, Allocator> result, handler &group, Operation operation, List list) {
  return detail::reduction_by_list<has_known_identity_v<Operation, Type>>(
      list, [&](const property_list &rest) { return reduction(result, group, operation, rest); });
}
template <typename Type, typename Operation, typename List, detail::if_properties<List> = 0>
auto reduction(Type *result, Operation operation, List list) {
  return detail::reduction_by_list<has_known_identity_v<Operation, Type>>(
      list, [&](const property_list &rest) { return reduction(result, operation, rest); });
}
template <typename Type, std::size_t Extent, typename Operation, typename List,
          detail::if_properties<List> = 0>
auto reduction(span<Type, Extent> results, Operation operation, List list) {
  return detail::reduction_by_list<has_known_identity_v<Operation, Type>>(
      list, [&](const property_list &rest) { return reduction(results, operation, rest); });
}
// With an identity.
template <typename Type, typename Allocator, typename Operation, typename List,
          detail::if_properties<List> = 0>
auto reduction(buffer<Type, 1, Allocator> result, handler &group, const Type &identity,
               Operation operation, List list) {
  return detail::reduction_by_list<true>(list, [&](const property_list &rest) {
    return reduction(result, group, identity, operation, rest);
  });
}
template <typename Type, typename Operation, typename List, detail::if_properties<List> = 0>
auto reduction(Type *result, const Type &identity, Operation operation, List list) {
  return detail::reduction_by_list<true>(list, [&](const property_list &rest) {
    return reduction(result, identity, operation, rest);
  });
}
template <typename Type, std::size_t Extent, typename Operation, typename List,
          detail::if_properties<List> = 0>
auto reduction(span<Type, Extent> results, const Type &identity, Operation operation, List list) {
  return detail::reduction_by_list<true>(list, [&](const property_list &rest) {
    return reduction(results, identity, operation, rest);
  });
}

} // namespace sycl

//===- property_order.hpp - the types of a property list, in one order -----------------------===//
#pragma once

#include <type_traits>

namespace sycl::ext::oneapi::experimental {

template <typename Key, typename... Parameters> struct property_value;

namespace detail {

template <typename... Values> struct property_types {};

template <typename Value> struct key_of_property {
  using type = Value;
};
template <typename Key, typename... Parameters>
struct key_of_property<property_value<Key, Parameters...>> {
  using type = Key;
};
/// What a property is asked for by.
template <typename Value> using key_of = typename key_of_property<Value>::type;

template <typename Value, typename... Values>
inline constexpr bool is_one_of = (std::is_same_v<Value, Values> || ...);

template <typename... Values> inline constexpr bool have_unique_keys = true;
template <typename First, typename... Rest>
inline constexpr bool have_unique_keys<First, Rest...> =
    !is_one_of<key_of<First>, key_of<Rest>...> && have_unique_keys<Rest...>;

/// The value of a key; the key itself where there is none.
template <typename Key, typename... Values> struct value_with_key {
  using type = Key;
};
template <typename Key, typename First, typename... Rest>
struct value_with_key<Key, First, Rest...>
    : std::conditional_t<std::is_same_v<key_of<First>, Key>, value_with_key<First>,
                         value_with_key<Key, Rest...>> {};

/// The compiler's words for a type, which all begin and end alike.
template <typename Type> constexpr const char *words_for() { return __PRETTY_FUNCTION__; }

/// Whether one key comes before another: in the order of their names.
template <typename Left, typename Right> constexpr bool comes_before() {
  const char *left = words_for<Left>();
  const char *right = words_for<Right>();
  while (*left && *left == *right)
    ++left, ++right;
  return *left < *right;
}

/// A sorted list with one more value.
template <typename Value, typename Before, typename After> struct with_value;
template <typename Value, typename... Before>
struct with_value<Value, property_types<Before...>, property_types<>> {
  using type = property_types<Before..., Value>;
};
template <typename Value, typename... Before, typename First, typename... Rest>
struct with_value<Value, property_types<Before...>, property_types<First, Rest...>> {
  using type = typename std::conditional_t<
      comes_before<key_of<Value>, key_of<First>>(),
      with_value<Value, property_types<Before..., Value, First, Rest...>, void>,
      with_value<Value, property_types<Before..., First>, property_types<Rest...>>>::type;
};
template <typename Value, typename Done> struct with_value<Value, Done, void> {
  using type = Done;
};

template <typename Sorted, typename... Values> struct sorted_with {
  using type = Sorted;
};
template <typename Sorted, typename First, typename... Rest>
struct sorted_with<Sorted, First, Rest...>
    : sorted_with<typename with_value<First, property_types<>, Sorted>::type, Rest...> {};

template <typename... Values>
using sorted_properties = typename sorted_with<property_types<>, Values...>::type;

/// A sorted list with those of other values that it has not.
template <typename Sorted, typename... Values> struct joined_with {
  using type = Sorted;
};
template <typename... Sorted, typename First, typename... Rest>
struct joined_with<property_types<Sorted...>, First, Rest...>
    : joined_with<
          typename std::conditional_t<
              is_one_of<First, Sorted...>, with_value<First, property_types<Sorted...>, void>,
              with_value<First, property_types<>, property_types<Sorted...>>>::type,
          Rest...> {};

template <typename Sorted, typename... Values>
using joined_types = typename joined_with<Sorted, Values...>::type;

} // namespace detail
} // namespace sycl::ext::oneapi::experimental

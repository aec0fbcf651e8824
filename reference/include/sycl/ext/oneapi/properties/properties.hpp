//===- properties.hpp - lists of properties (sycl_ext_oneapi_properties) ---------------------===//
//
// A property that is known when the program is compiled is a property_value over its key; one that
// is known when it runs is a class of its own, which is its key as well.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/kernel_properties.hpp>
#include <sycl/ext/oneapi/properties/property_order.hpp>
#include <sycl/is_device_copyable.hpp>

namespace sycl::ext::oneapi::experimental {

template <typename Key> struct is_property_key : std::false_type {};
template <typename Key, typename Object> struct is_property_key_of : std::false_type {};

namespace detail {

/// What the value of one parameter has.
template <typename Parameter, typename = void> struct single_parameter {
  using value_t = Parameter;
};
template <typename Parameter>
struct single_parameter<Parameter, std::void_t<decltype(Parameter::value)>> {
  using value_t = Parameter;
  static constexpr auto value = Parameter::value;
};
template <typename... Parameters> struct property_parameters {};
template <typename Parameter>
struct property_parameters<Parameter> : single_parameter<Parameter> {};

} // namespace detail

/// A property that is known when the program is compiled, with its parameters.
template <typename Key, typename... Parameters>
struct property_value : detail::property_parameters<Parameters...> {
  using key_t = Key;
};
/// A property that is known when the program runs is one by itself: its header says so.
template <typename Type> struct is_property_value : std::false_type {};
template <typename Key, typename... Parameters>
struct is_property_value<property_value<Key, Parameters...>> : std::true_type {};
template <typename Type> struct is_property_value<const Type> : is_property_value<Type> {};
template <typename Type> inline constexpr bool is_property_value_v = is_property_value<Type>::value;

template <typename Key, typename... Left, typename... Right>
constexpr bool operator==(property_value<Key, Left...>, property_value<Key, Right...>) {
  return std::is_same_v<property_value<Key, Left...>, property_value<Key, Right...>>;
}
template <typename Key, typename... Left, typename... Right>
constexpr bool operator!=(property_value<Key, Left...> left, property_value<Key, Right...> right) {
  return !(left == right);
}

template <typename Value, typename Object>
struct is_property_value_of : is_property_key_of<Value, Object> {};
template <typename Key, typename Object, typename... Parameters>
struct is_property_value_of<property_value<Key, Parameters...>, Object>
    : is_property_key_of<Key, Object> {};
template <typename Value, typename Object>
struct is_property_value_of<const Value, Object> : is_property_value_of<Value, Object> {};

namespace detail {

template <typename Value> struct is_constant_property : std::false_type {};
template <typename Key, typename... Parameters>
struct is_constant_property<property_value<Key, Parameters...>> : std::true_type {};

/// Where a list keeps a property; of one that the type tells there is nothing to keep.
template <typename Value, bool = is_constant_property<Value>::value> struct kept_property {
  constexpr explicit kept_property(const Value &) {}
};
template <typename Value> struct kept_property<Value, false> {
  constexpr explicit kept_property(const Value &value) : value(value) {}
  Value value;
};

/// The value of that type among others; a new one where there is none.
template <typename Value> constexpr Value among() { return Value(); }
template <typename Value, typename First, typename... Rest>
constexpr Value among(const First &first, const Rest &...rest) {
  if constexpr (std::is_same_v<Value, First>)
    return ((void)rest, ..., first);
  else
    return among<Value>(rest...);
}

} // namespace detail

template <typename Types> class properties;

/// Properties, of which each has another key. The order in which they are given is no matter.
template <typename... Values>
class properties<detail::property_types<Values...>> : detail::kept_property<Values>... {
  static_assert(detail::have_unique_keys<Values...>, "a property is in the list twice");

  template <typename Key> using value_of = typename detail::value_with_key<Key, Values...>::type;
  template <typename Key>
  static constexpr bool has_constant = detail::is_constant_property<value_of<Key>>::value;

public:
  template <typename... Given,
            std::enable_if_t<(detail::is_one_of<Given, Values...> && ...), int> = 0>
  constexpr properties(Given... given)
      : detail::kept_property<Values>(detail::among<Values>(given...))... {
    ((void)given, ...);
  }

  template <typename Key> static constexpr bool has_property() {
    return (std::is_same_v<detail::key_of<Values>, Key> || ...);
  }
  template <typename Key, std::enable_if_t<has_constant<Key>, int> = 0>
  static constexpr auto get_property() {
    return value_of<Key>();
  }
  template <typename Key, std::enable_if_t<!has_constant<Key>, int> = 1>
  constexpr Key get_property() const {
    static_assert(has_property<Key>(), "the list has no such property");
    return static_cast<const detail::kept_property<Key> &>(*this).value;
  }
};

template <typename... Values>
properties(Values...) -> properties<detail::sorted_properties<Values...>>;

using empty_properties_t = decltype(properties());

template <typename Types> struct is_property_list<properties<Types>> : std::true_type {};

} // namespace sycl::ext::oneapi::experimental

namespace sycl {

template <typename... Values>
struct is_device_copyable<ext::oneapi::experimental::properties<
    ext::oneapi::experimental::detail::property_types<Values...>>>
    : std::conjunction<is_device_copyable<Values>...> {};

namespace detail {

template <> inline constexpr bool is_nothing<ext::oneapi::experimental::empty_properties_t> = true;

template <typename Left, typename Right> struct joined_properties;
template <typename... Left, typename... Right>
struct joined_properties<ext::oneapi::experimental::properties<
                             ext::oneapi::experimental::detail::property_types<Left...>>,
                         ext::oneapi::experimental::properties<
                             ext::oneapi::experimental::detail::property_types<Right...>>> {
  // What both say alike is said once.
  using type =
      ext::oneapi::experimental::properties<ext::oneapi::experimental::detail::joined_types<
          ext::oneapi::experimental::detail::property_types<Left...>, Right...>>;
};

} // namespace detail
} // namespace sycl

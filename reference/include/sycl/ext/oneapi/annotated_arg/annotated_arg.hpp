//===- annotated_arg.hpp - kernel arguments with properties (sycl_ext_oneapi_annotated_arg) --===//
#pragma once

#include <sycl/ext/oneapi/annotated_arg/properties.hpp>

#include <cstddef>

namespace sycl::ext::oneapi::experimental {

template <typename Type, typename Properties = empty_properties_t> class annotated_arg;

namespace detail {
template <typename Type> inline constexpr bool is_annotated_arg = false;
template <typename Type, typename Properties>
inline constexpr bool is_annotated_arg<annotated_arg<Type, Properties>> = true;

/// What an operator is applied to.
template <typename Type> const Type &plain(const Type &value) { return value; }
template <typename Type, typename Properties>
const Type &plain(const annotated_arg<Type, Properties> &value) {
  return value;
}
} // namespace detail

/// What a kernel captures in the place of a value, which it converts to.
template <typename Type, typename Properties> class annotated_arg {
  static_assert(is_property_list_v<Properties>, "what follows the type is a list of properties");

public:
  annotated_arg() noexcept = default;
  annotated_arg(const Type &value, const std::common_type_t<Properties> & = Properties()) noexcept
      : value(value) {}
  template <
      typename... Values,
      std::enable_if_t<(sizeof...(Values) > 0) && (!is_property_list_v<Values> && ...), int> = 0>
  annotated_arg(const Type &value, const Values &...) noexcept : value(value) {}
  /// The same with other properties as well.
  template <typename Other, typename OtherProperties>
  explicit annotated_arg(const annotated_arg<Other, OtherProperties> &other,
                         const std::common_type_t<Properties> & = Properties()) noexcept
      : value(static_cast<Other>(other)) {}

  operator Type &() noexcept { return value; }
  operator const Type &() const noexcept { return value; }
  template <typename Other = Type>
  auto operator[](std::ptrdiff_t index) const noexcept
      -> decltype(std::declval<const Other &>()[index]) {
    return value[index];
  }
  const Type &operator->() const noexcept { return value; }

  template <typename Key> static constexpr bool has_property() {
    return Properties::template has_property<Key>();
  }
  template <typename Key> static constexpr auto get_property() {
    return Properties::template get_property<Key>();
  }

  /// What the value stands beside: others are left to the conversion.
  template <typename Other>
  using if_beside = std::enable_if_t<std::is_class_v<Type> && (std::is_same_v<Other, Type> ||
                                                               std::is_arithmetic_v<Other> ||
                                                               detail::is_annotated_arg<Other>),
                                     int>;

  // A class's own operators may be templates, which do not see what converts to it.
#define PLSYCL_OPERATOR(SIGN)                                                                      \
  template <typename Other, if_beside<Other> = 0>                                                  \
  friend auto operator SIGN(const annotated_arg &left, const Other &right)                         \
      ->decltype(std::declval<const Type &>() SIGN detail::plain(right)) {                         \
    return left.value SIGN detail::plain(right);                                                   \
  }                                                                                                \
  template <typename Other, if_beside<Other> = 0,                                                  \
            std::enable_if_t<!detail::is_annotated_arg<Other>, int> = 0>                           \
  friend auto operator SIGN(const Other &left, const annotated_arg &right)                         \
      ->decltype(left SIGN std::declval<const Type &>()) {                                         \
    return left SIGN right.value;                                                                  \
  }
  PLSYCL_OPERATOR(+)
  PLSYCL_OPERATOR(-)
  PLSYCL_OPERATOR(*)
  PLSYCL_OPERATOR(/)
  PLSYCL_OPERATOR(%)
  PLSYCL_OPERATOR(&)
  PLSYCL_OPERATOR(|)
  PLSYCL_OPERATOR(^)
  PLSYCL_OPERATOR(<<)
  PLSYCL_OPERATOR(>>)
#undef PLSYCL_OPERATOR

private:
  Type value;
};

template <typename Type, typename Types>
annotated_arg(Type, properties<Types>) -> annotated_arg<Type, properties<Types>>;
template <typename Type, typename... Values>
annotated_arg(Type, Values...) -> annotated_arg<Type, decltype(properties(Values()...))>;

} // namespace sycl::ext::oneapi::experimental

namespace sycl {
template <typename Type, typename Properties>
struct is_device_copyable<ext::oneapi::experimental::annotated_arg<Type, Properties>>
    : is_device_copyable<Type> {};
} // namespace sycl

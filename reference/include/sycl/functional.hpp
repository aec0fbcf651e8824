//===- functional.hpp - operations that combine values ---------------------------------------===//
#pragma once

#include <sycl/half.hpp>

#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

namespace sycl {

template <typename Type, int Count> class vec;
template <typename Type, std::size_t Count> class marray;

template <typename Type = void> using plus = std::plus<Type>;
template <typename Type = void> using multiplies = std::multiplies<Type>;
template <typename Type = void> using bit_and = std::bit_and<Type>;
template <typename Type = void> using bit_or = std::bit_or<Type>;
template <typename Type = void> using bit_xor = std::bit_xor<Type>;
/// Unlike std::logical_and they give a value of the type.
template <typename Type = void> struct logical_and {
  constexpr Type operator()(const Type &left, const Type &right) const {
    return static_cast<Type>(left && right);
  }
};
template <> struct logical_and<void> : std::logical_and<void> {};
template <typename Type = void> struct logical_or {
  constexpr Type operator()(const Type &left, const Type &right) const {
    return static_cast<Type>(left || right);
  }
};
template <> struct logical_or<void> : std::logical_or<void> {};

namespace detail {

/// How many elements a vector or an array has, of which each is chosen by itself.
template <typename Type> inline constexpr int chosen_elements = 0;
template <typename Type, int Count> inline constexpr int chosen_elements<vec<Type, Count>> = Count;
template <typename Type, std::size_t Count>
inline constexpr int chosen_elements<marray<Type, Count>> = static_cast<int>(Count);

/// Of two values the lesser one, or the greater: `left` where neither is.
template <bool IsLesser, typename Type>
constexpr Type chosen_of(const Type &left, const Type &right) {
  if constexpr (chosen_elements<Type> > 0) {
    Type chosen = left;
    for (int i = 0; i < chosen_elements<Type>; ++i)
      if (IsLesser ? bool(right[i] < left[i]) : bool(left[i] < right[i]))
        chosen[i] = right[i];
    return chosen;
  } else {
    return (IsLesser ? right < left : left < right) ? right : left;
  }
}

} // namespace detail

template <typename Type = void> struct minimum {
  constexpr Type operator()(const Type &left, const Type &right) const {
    return detail::chosen_of<true>(left, right);
  }
};
template <> struct minimum<void> {
  using is_transparent = void;
  template <typename Left, typename Right>
  constexpr std::common_type_t<Left &&, Right &&> operator()(Left &&left, Right &&right) const {
    using Common = std::decay_t<std::common_type_t<Left &&, Right &&>>;
    if constexpr (detail::chosen_elements<Common> > 0)
      return detail::chosen_of<true, Common>(left, right);
    else
      return right < left ? std::forward<Right>(right) : std::forward<Left>(left);
  }
};
template <typename Type = void> struct maximum {
  constexpr Type operator()(const Type &left, const Type &right) const {
    return detail::chosen_of<false>(left, right);
  }
};
template <> struct maximum<void> {
  using is_transparent = void;
  template <typename Left, typename Right>
  constexpr std::common_type_t<Left &&, Right &&> operator()(Left &&left, Right &&right) const {
    using Common = std::decay_t<std::common_type_t<Left &&, Right &&>>;
    if constexpr (detail::chosen_elements<Common> > 0)
      return detail::chosen_of<false, Common>(left, right);
    else
      return left < right ? std::forward<Right>(right) : std::forward<Left>(left);
  }
};

namespace detail {

/// Arithmetic types and the implementation's own floating-point types.
template <typename Type>
inline constexpr bool is_number_type = std::is_arithmetic_v<Type> || std::is_same_v<Type, half>;

template <typename Operation, template <typename> typename Wanted> struct is_operation {
  static constexpr bool value = false;
};
template <typename Type, template <typename> typename Wanted>
struct is_operation<Wanted<Type>, Wanted> {
  static constexpr bool value = true;
};
template <typename Operation>
inline constexpr bool is_plus = is_operation<Operation, std::plus>::value;
template <typename Operation>
inline constexpr bool is_minimum = is_operation<Operation, minimum>::value;
template <typename Operation>
inline constexpr bool is_maximum = is_operation<Operation, maximum>::value;

template <typename Operation>
inline constexpr bool is_multiplies = is_operation<Operation, std::multiplies>::value;
template <typename Operation>
inline constexpr bool is_bitwise =
    is_operation<Operation, std::bit_or>::value || is_operation<Operation, std::bit_xor>::value ||
    is_operation<Operation, std::bit_and>::value;
template <typename Operation>
inline constexpr bool is_logical_and =
    is_operation<Operation, std::logical_and>::value || is_operation<Operation, logical_and>::value;
template <typename Operation>
inline constexpr bool is_logical =
    is_logical_and<Operation> || is_operation<Operation, std::logical_or>::value ||
    is_operation<Operation, logical_or>::value;

/// What a type's values combine by: their elements, of vectors and arrays by all operators that
/// those have, of complex numbers by addition (sycl_ext_oneapi_complex_algorithms).
template <typename Type, typename = void> struct combined_by {
  using element = Type;
  template <typename Operation> static constexpr bool operation = true;
};
template <typename Element> struct combined_by_elements {
  using element = Element;
  template <typename Operation>
  static constexpr bool operation =
      is_plus<Operation> || is_multiplies<Operation> || is_bitwise<Operation>;
};
template <typename Element, int Count>
struct combined_by<vec<Element, Count>> : combined_by_elements<Element> {};
template <typename Element, std::size_t Count>
struct combined_by<marray<Element, Count>> : combined_by_elements<Element> {};
template <typename Type>
struct combined_by<
    Type,
    std::enable_if_t<
        std::is_constructible_v<Type, typename Type::value_type> &&
        std::is_same_v<decltype(std::declval<const Type &>().real()), typename Type::value_type> &&
        std::is_same_v<decltype(std::declval<const Type &>().imag()), typename Type::value_type>>> {
  using element = typename Type::value_type;
  template <typename Operation> static constexpr bool operation = is_plus<Operation>;
};

/// Whether an operation over numbers has a known identity.
template <typename Operation, typename Type>
inline constexpr bool has_identity_of_number =
    (is_number_type<Type> && (is_plus<Operation> || is_multiplies<Operation> ||
                              is_minimum<Operation> || is_maximum<Operation>)) ||
    (std::is_integral_v<Type> && is_bitwise<Operation>) ||
    (std::is_arithmetic_v<Type> && is_logical<Operation>);
/// Whether an operation over `Type` has an identity that is known without asking the program.
template <typename Operation, typename Type>
inline constexpr bool has_identity =
    combined_by<Type>::template operation<Operation> &&
    has_identity_of_number<Operation, typename combined_by<Type>::element>;

/// The value that changes nothing.
template <typename Operation, typename Type> constexpr Type identity() {
  static_assert(has_identity<Operation, Type>, "the operation has no known identity");
  using limits = std::numeric_limits<Type>;
  using Element = typename combined_by<Type>::element;
  if constexpr (!std::is_same_v<Element, Type>)
    return Type(identity<Operation, Element>());
  else if constexpr (is_multiplies<Operation> || is_logical_and<Operation>)
    return Type(1);
  else if constexpr (is_operation<Operation, std::bit_and>::value)
    return static_cast<Type>(~Type(0));
  else if constexpr (is_minimum<Operation>)
    return limits::has_infinity ? limits::infinity() : (limits::max)();
  else if constexpr (is_maximum<Operation>)
    return limits::has_infinity ? -limits::infinity() : limits::lowest();
  else
    return Type(0);
}

} // namespace detail

template <typename Operation, typename Type> struct known_identity {
  static constexpr std::remove_cv_t<Type> value =
      detail::identity<Operation, std::remove_cv_t<Type>>();
};
template <typename Operation, typename Type>
inline constexpr Type known_identity_v = known_identity<Operation, Type>::value;
template <typename Operation, typename Type>
struct has_known_identity
    : std::bool_constant<detail::has_identity<Operation, std::remove_cv_t<Type>>> {};
template <typename Operation, typename Type>
inline constexpr bool has_known_identity_v = has_known_identity<Operation, Type>::value;

} // namespace sycl

//===- functional.hpp - operations that combine values ---------------------------------------===//
#pragma once

#include <functional>
#include <limits>
#include <type_traits>

namespace sycl {

template <typename T = void> using plus = std::plus<T>;
template <typename T = void> using multiplies = std::multiplies<T>;
template <typename T = void> using bit_and = std::bit_and<T>;
template <typename T = void> using bit_or = std::bit_or<T>;
template <typename T = void> using bit_xor = std::bit_xor<T>;
template <typename T = void> using logical_and = std::logical_and<T>;
template <typename T = void> using logical_or = std::logical_or<T>;

template <typename T = void> struct minimum {
  constexpr T operator()(const T &left, const T &right) const {
    return right < left ? right : left;
  }
};
template <> struct minimum<void> {
  template <typename T> constexpr T operator()(const T &left, const T &right) const {
    return right < left ? right : left;
  }
};
template <typename T = void> struct maximum {
  constexpr T operator()(const T &left, const T &right) const {
    return left < right ? right : left;
  }
};
template <> struct maximum<void> {
  template <typename T> constexpr T operator()(const T &left, const T &right) const {
    return left < right ? right : left;
  }
};

namespace detail {

template <typename Operation, template <typename> typename Wanted> struct is_operation {
  static constexpr bool value = false;
};
template <typename T, template <typename> typename Wanted> struct is_operation<Wanted<T>, Wanted> {
  static constexpr bool value = true;
};
template <typename Operation>
inline constexpr bool is_plus = is_operation<Operation, std::plus>::value;
template <typename Operation>
inline constexpr bool is_minimum = is_operation<Operation, minimum>::value;
template <typename Operation>
inline constexpr bool is_maximum = is_operation<Operation, maximum>::value;

/// Whether an operation over `T` has an identity that is known without asking the program.
template <typename Operation, typename T>
inline constexpr bool has_identity =
    std::is_arithmetic_v<T> &&
    (is_plus<Operation> || is_minimum<Operation> || is_maximum<Operation> ||
     is_operation<Operation, std::multiplies>::value ||
     is_operation<Operation, std::bit_or>::value || is_operation<Operation, std::bit_xor>::value ||
     is_operation<Operation, std::bit_and>::value ||
     is_operation<Operation, std::logical_and>::value ||
     is_operation<Operation, std::logical_or>::value);

/// The value that changes nothing.
template <typename Operation, typename T> constexpr T identity() {
  static_assert(has_identity<Operation, T>, "the operation has no known identity");
  using limits = std::numeric_limits<T>;
  if constexpr (is_operation<Operation, std::multiplies>::value ||
                is_operation<Operation, std::logical_and>::value)
    return T(1);
  else if constexpr (is_operation<Operation, std::bit_and>::value)
    return static_cast<T>(~T(0));
  else if constexpr (is_minimum<Operation>)
    return limits::has_infinity ? limits::infinity() : (limits::max)();
  else if constexpr (is_maximum<Operation>)
    return limits::has_infinity ? -limits::infinity() : limits::lowest();
  else
    return T(0);
}

} // namespace detail

template <typename Operation, typename T> struct known_identity {
  static constexpr T value = detail::identity<Operation, T>();
};
template <typename Operation, typename T>
inline constexpr T known_identity_v = known_identity<Operation, T>::value;
template <typename Operation, typename T> struct has_known_identity {
  static constexpr bool value = detail::has_identity<Operation, T>;
};
template <typename Operation, typename T>
inline constexpr bool has_known_identity_v = has_known_identity<Operation, T>::value;

} // namespace sycl

//===- geometric.hpp - functions of points (SYCL 2020, 4.17.8) ------------------------------===//
#pragma once

#include <sycl/detail/builtins/common.hpp>
#include <sycl/detail/builtins/mathematics.hpp>

namespace sycl {
namespace detail {

/// A number, or two to four of them: the places of a point.
template <typename Type>
inline constexpr bool is_point =
    is_floating<typename argument<Type>::element> &&
    (!argument<Type>::is_several || (argument<Type>::count >= 2 && argument<Type>::count <= 4));
template <typename Type> using if_point = std::enable_if_t<is_point<Type>, int>;
template <typename First, typename Second>
using if_points =
    std::enable_if_t<is_point<First> && std::is_same_v<typename argument<First>::whole,
                                                       typename argument<Second>::whole>,
                     int>;
/// Points that have a cross product: of three places, or of four.
template <typename First, typename Second>
using if_spatial = std::enable_if_t<
    is_point<First> && (argument<First>::count >= 3) &&
        std::is_same_v<typename argument<First>::whole, typename argument<Second>::whole>,
    int>;
template <typename First>
using if_single_point =
    std::enable_if_t<is_point<First> && std::is_same_v<typename argument<First>::element, float>,
                     int>;

} // namespace detail

template <typename First, typename Second, detail::if_points<First, Second> = 0>
auto dot(const First &x, const Second &y) {
  using Type = detail::element_of_all<First, Second>;
  Type sum = static_cast<Type>(detail::element_at(x, 0) * detail::element_at(y, 0));
  for (int i = 1; i < detail::argument<First>::count; ++i)
    sum = static_cast<Type>(sum + detail::element_at(x, i) * detail::element_at(y, i));
  return sum;
}
/// Of points of three places; a fourth is 0.
template <typename First, typename Second, detail::if_spatial<First, Second> = 0>
auto cross(const First &x, const Second &y) {
  constexpr int count = detail::argument<First>::count;
  typename detail::argument<First>::whole result{};
  for (int i = 0; i < 3; ++i) {
    const int next = (i + 1) % 3, last = (i + 2) % 3;
    result[i] = x[next] * y[last] - x[last] * y[next];
  }
  if constexpr (count == 4)
    result[3] = 0;
  return result;
}
template <typename First, detail::if_point<First> = 0> auto length(const First &x) {
  if constexpr (!detail::argument<First>::is_several) {
    return detail::numbers::fabs(x);
  } else {
    using Type = typename detail::argument<First>::element;
    // Scaled, as squares overflow and vanish where lengths do not.
    Type most = 0;
    for (int i = 0; i < detail::argument<First>::count; ++i)
      most = detail::numbers::fmax(most, detail::numbers::fabs(static_cast<Type>(x[i])));
    const bool is_plain =
        most > Type(detail::numbers::sqrt(std::numeric_limits<Type>::min()) * Type(16)) &&
        most < Type(detail::numbers::sqrt(std::numeric_limits<Type>::max()) / Type(16));
    if (is_plain || !(most > Type(0)) || most > std::numeric_limits<Type>::max())
      return detail::numbers::sqrt(dot(x, x));
    Type sum = 0;
    for (int i = 0; i < detail::argument<First>::count; ++i) {
      const Type part = static_cast<Type>(x[i] / most);
      sum = static_cast<Type>(sum + part * part);
    }
    return static_cast<Type>(most * detail::numbers::sqrt(sum));
  }
}
template <typename First, typename Second, detail::if_points<First, Second> = 0>
auto distance(const First &x, const Second &y) {
  return length(
      detail::each_element([](auto a, auto b) { return static_cast<decltype(a)>(a - b); }, x, y));
}
template <typename First, detail::if_point<First> = 0> auto normalize(const First &x) {
  if constexpr (!detail::argument<First>::is_several) {
    return x != x ? x : detail::numbers::sign(x);
  } else {
    using Type = typename detail::argument<First>::element;
    const Type size = length(x);
    return detail::each_element(
        [=](Type a) { return size == Type(0) ? a : static_cast<Type>(a / size); }, x);
  }
}

// Functions that may be less exact. Ours are as exact as the others.
template <typename First, typename Second, detail::if_points<First, Second> = 0,
          detail::if_single_point<First> = 0>
auto fast_distance(const First &x, const Second &y) {
  return distance(x, y);
}
template <typename First, detail::if_single_point<First> = 0> auto fast_length(const First &x) {
  return length(x);
}
template <typename First, detail::if_single_point<First> = 0> auto fast_normalize(const First &x) {
  return normalize(x);
}

} // namespace sycl

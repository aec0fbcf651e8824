//===- common.hpp - functions of all numbers (SYCL 2020, 4.17.7) ----------------------------===//
#pragma once

#include <sycl/detail/builtins/arguments.hpp>

namespace sycl {
namespace detail::numbers {

template <typename Type> constexpr Type max(Type x, Type y) { return x < y ? y : x; }
template <typename Type> constexpr Type min(Type x, Type y) { return y < x ? y : x; }
/// What is not a number becomes the least one.
template <typename Type> constexpr Type clamp(Type x, Type low, Type high) {
  return min(x > low ? x : low, high);
}
template <typename Type> Type degrees(Type radians) {
  return static_cast<Type>(radians * Type(57.295779513082320877));
}
template <typename Type> Type radians(Type degrees) {
  return static_cast<Type>(degrees * Type(0.017453292519943295769));
}
template <typename Type> Type mix(Type x, Type y, Type by) {
  return static_cast<Type>(x + (y - x) * by);
}
template <typename Type> Type step(Type edge, Type x) { return x < edge ? Type(0) : Type(1); }
template <typename Type> Type smoothstep(Type low, Type high, Type x) {
  const Type place = clamp(static_cast<Type>((x - low) / (high - low)), Type(0), Type(1));
  return static_cast<Type>(place * place * (Type(3) - Type(2) * place));
}
/// 1, -1 or a zero of the sign of `x`; 0 for what is not a number.
template <typename Type> Type sign(Type x) {
  return x > Type(0) ? Type(1) : x < Type(0) ? Type(-1) : x == x ? x : Type(0);
}

} // namespace detail::numbers

PLSYCL_FUNCTION_2(max, if_number)
PLSYCL_FUNCTION_2(min, if_number)
PLSYCL_FUNCTION_3(clamp, if_number)
PLSYCL_REAL_FUNCTION_1(degrees)
PLSYCL_REAL_FUNCTION_1(radians)
PLSYCL_REAL_FUNCTION_1(sign)
PLSYCL_REAL_FUNCTION_3(mix)

// Edges of one number come first, but the template argument that programs may write is that of the
// elements they stand for.
PLSYCL_FUNCTION_2(step, if_alike)
PLSYCL_NUMBERS_2(step)
template <typename Several, detail::if_floats<Several> = 0>
constexpr auto step(detail::element_type_of<Several> edge, const Several &x) {
  return detail::each_element([](auto a, auto b) { return detail::numbers::step(a, b); }, edge, x);
}
PLSYCL_FUNCTION_3(smoothstep, if_alike)
PLSYCL_NUMBERS_3(smoothstep)
template <typename Several, detail::if_floats<Several> = 0>
constexpr auto smoothstep(detail::element_type_of<Several> low,
                          detail::element_type_of<Several> high, const Several &x) {
  return detail::each_element(
      [](auto a, auto b, auto c) { return detail::numbers::smoothstep(a, b, c); }, low, high, x);
}

} // namespace sycl

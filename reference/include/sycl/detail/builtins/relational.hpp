//===- relational.hpp - functions that compare and choose (SYCL 2020, 4.17.9) ---------------===//
#pragma once

#include <sycl/detail/builtins/arguments.hpp>

namespace sycl {
namespace detail {

/// What is true of each element: a bool for a number, bools for an array, all bits or none for a
/// vector.
template <typename Test, typename... Arguments>
auto each_truth(Test test, const Arguments &...arguments) {
  using Leading = leading<Arguments...>;
  using Element = typename Leading::element;
  if constexpr (is_vec<typename Leading::whole>) {
    using Truth = vec_truth<Element>;
    return each_element([=](auto... a) { return static_cast<Truth>(test(a...) ? -1 : 0); },
                        arguments...);
  } else {
    return each_element([=](auto... a) { return static_cast<bool>(test(a...)); }, arguments...);
  }
}

/// The bits that say what kind of number it is: of the exponent, and of all but the sign.
template <typename Type> constexpr bits_of<Type> exponent_bits() {
  constexpr int mantissa = std::numeric_limits<Type>::digits - 1;
  return static_cast<bits_of<Type>>(static_cast<bits_of<Type>>(~bits_of<Type>(0)) >> 1 >>
                                    mantissa << mantissa);
}
template <typename Type> bits_of<Type> to_bits(Type value) {
  bits_of<Type> bits;
  std::memcpy(&bits, static_cast<const void *>(&value), sizeof(bits));
  return bits;
}

namespace numbers {
template <typename Type> bool isnan(Type x) { return x != x; }
template <typename Type> bool isfinite(Type x) {
  return (to_bits(x) & exponent_bits<Type>()) != exponent_bits<Type>();
}
template <typename Type> bool isinf(Type x) { return !isfinite(x) && x == x; }
template <typename Type> bool isnormal(Type x) {
  return isfinite(x) && (to_bits(x) & exponent_bits<Type>()) != 0;
}
template <typename Type> bool signbit(Type x) { return to_bits(x) >> (sizeof(Type) * 8 - 1) != 0; }
template <typename Type> bool isequal(Type x, Type y) { return x == y; }
template <typename Type> bool isnotequal(Type x, Type y) { return x != y; }
template <typename Type> bool isgreater(Type x, Type y) { return x > y; }
template <typename Type> bool isgreaterequal(Type x, Type y) { return x >= y; }
template <typename Type> bool isless(Type x, Type y) { return x < y; }
template <typename Type> bool islessequal(Type x, Type y) { return x <= y; }
template <typename Type> bool islessgreater(Type x, Type y) { return x < y || x > y; }
template <typename Type> bool isordered(Type x, Type y) { return x == x && y == y; }
template <typename Type> bool isunordered(Type x, Type y) { return x != x || y != y; }
} // namespace numbers

} // namespace detail

#define PLSYCL_RELATION_1(NAME)                                                                    \
  template <typename First, detail::if_floating<First> = 0> auto NAME(const First &x) {            \
    return detail::each_truth([](auto a) { return detail::numbers::NAME(a); }, x);                 \
  }                                                                                                \
  template <int = 0> inline bool NAME(float x) { return detail::numbers::NAME(x); }                \
  template <int = 0> inline bool NAME(double x) { return detail::numbers::NAME(x); }               \
  template <int = 0> inline bool NAME(half x) { return detail::numbers::NAME(x); }
#define PLSYCL_RELATION_2(NAME)                                                                    \
  template <typename First, typename Second, detail::if_floating<First, Second> = 0>               \
  auto NAME(const First &x, const Second &y) {                                                     \
    return detail::each_truth([](auto a, auto b) { return detail::numbers::NAME(a, b); }, x, y);   \
  }                                                                                                \
  template <int = 0> inline bool NAME(float x, float y) { return detail::numbers::NAME(x, y); }    \
  template <int = 0> inline bool NAME(double x, double y) { return detail::numbers::NAME(x, y); }  \
  template <int = 0> inline bool NAME(half x, half y) { return detail::numbers::NAME(x, y); }
PLSYCL_RELATION_1(isfinite)
PLSYCL_RELATION_1(isinf)
PLSYCL_RELATION_1(isnan)
PLSYCL_RELATION_1(isnormal)
PLSYCL_RELATION_1(signbit)
PLSYCL_RELATION_2(isequal)
PLSYCL_RELATION_2(isgreater)
PLSYCL_RELATION_2(isgreaterequal)
PLSYCL_RELATION_2(isless)
PLSYCL_RELATION_2(islessequal)
PLSYCL_RELATION_2(islessgreater)
PLSYCL_RELATION_2(isnotequal)
PLSYCL_RELATION_2(isordered)
PLSYCL_RELATION_2(isunordered)
#undef PLSYCL_RELATION_2
#undef PLSYCL_RELATION_1

namespace detail {

/// Whether the highest bit of an element is set; a bool is its own.
template <typename Type> constexpr bool is_set(Type value) {
  if constexpr (std::is_same_v<Type, bool>)
    return value;
  else
    return static_cast<std::make_signed_t<Type>>(value) < 0;
}
template <typename Type>
using any_result = std::conditional_t<is_vec<typename argument<Type>::whole>, int, bool>;

/// What chooses between values of the kind of `First`: truth for each of an array, integers as wide
/// as the numbers of a vector.
template <typename First, typename Condition> constexpr bool is_choice() {
  using Chosen = argument<First>;
  using Choosing = argument<Condition>;
  using Truth = typename Choosing::element;
  if constexpr (!is_vec<typename Chosen::whole>)
    return Chosen::is_several &&
           std::is_same_v<typename Choosing::whole, typename Chosen::template of<bool>>;
  else if constexpr (is_vec<typename Choosing::whole>)
    return Choosing::count == Chosen::count && std::is_integral_v<Truth> &&
           sizeof(Truth) == sizeof(typename Chosen::element);
  else
    return false;
}
template <typename First, typename Second, typename Condition>
using if_choice = std::enable_if_t<
    std::is_same_v<typename argument<First>::whole, typename argument<Second>::whole> &&
        is_choice<First, Condition>(),
    int>;

} // namespace detail

/// Whether the highest bit of any element is set.
template <typename First, detail::if_integer_or_truth<First> = 0>
constexpr detail::any_result<First> any(const First &x) {
  bool found = false;
  for (int i = 0; i < detail::argument<First>::count; ++i)
    found = found || detail::is_set(detail::element_at(x, i));
  return found;
}
/// Whether the highest bit of all elements is set.
template <typename First, detail::if_integer_or_truth<First> = 0>
constexpr detail::any_result<First> all(const First &x) {
  bool found = true;
  for (int i = 0; i < detail::argument<First>::count; ++i)
    found = found && detail::is_set(detail::element_at(x, i));
  return found;
}

/// Bits of `then` where those of `condition` are set, of `otherwise` elsewhere.
template <typename First, typename Second, typename Third,
          detail::if_number<First, Second, Third> = 0>
auto bitselect(const First &otherwise, const Second &then, const Third &condition) {
  return detail::each_element(
      [](auto a, auto b, auto c) {
        const auto mask = detail::to_bits(c);
        const auto bits =
            static_cast<decltype(mask)>((detail::to_bits(a) & ~mask) | (detail::to_bits(b) & mask));
        std::memcpy(static_cast<void *>(&a), &bits, sizeof(a));
        return a;
      },
      otherwise, then, condition);
}

/// `then` where the condition holds: for a vector, where the highest bit of its element is set.
template <
    typename First, typename Condition,
    std::enable_if_t<detail::is_number<First> && std::is_convertible_v<Condition, bool>, int> = 0>
constexpr First select(const First &otherwise, const std::enable_if_t<true, First> &then,
                       const Condition &condition) {
  return static_cast<bool>(condition) ? then : otherwise;
}
template <typename First, typename Second, typename Condition,
          detail::if_choice<First, Second, Condition> = 0>
auto select(const First &otherwise, const Second &then, const Condition &condition) {
  return detail::each_place(
      [](auto a, auto b, auto c) { return detail::is_set(c) ? static_cast<decltype(a)>(b) : a; },
      otherwise, then, condition);
}

} // namespace sycl

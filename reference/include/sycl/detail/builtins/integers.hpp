//===- integers.hpp - functions of integers (SYCL 2020, 4.17.6) -----------------------------===//
#pragma once

#include <sycl/detail/builtins/arguments.hpp>

#include <cstdint>

namespace sycl {
namespace detail::numbers {

template <typename Type> constexpr Type abs(Type x) {
  if constexpr (std::is_signed_v<Type>)
    return static_cast<Type>(x < 0 ? 0 - static_cast<bits_of<Type>>(x)
                                   : static_cast<bits_of<Type>>(x));
  else
    return x;
}
template <typename Type> constexpr Type abs_diff(Type x, Type y) {
  using Unsigned = bits_of<Type>;
  return static_cast<Type>(x < y ? static_cast<Unsigned>(y) - static_cast<Unsigned>(x)
                                 : static_cast<Unsigned>(x) - static_cast<Unsigned>(y));
}
// By comparisons: not every SPIR-V writer knows LLVM's arithmetic with overflow.
template <typename Type> constexpr Type add_sat(Type x, Type y) {
  using limits = std::numeric_limits<Type>;
  if (y > Type(0) && x > limits::max() - y)
    return limits::max();
  if (y < Type(0) && x < limits::min() - y)
    return limits::min();
  return static_cast<Type>(x + y);
}

template <typename Type> constexpr Type sub_sat(Type x, Type y) {
  using limits = std::numeric_limits<Type>;
  if (y > Type(0) && x < limits::min() + y)
    return limits::min();
  if (y < Type(0) && x > limits::max() + y)
    return limits::max();
  return static_cast<Type>(x - y);
}

/// Half the sum, rounded down, without overflow.
template <typename Type> constexpr Type hadd(Type x, Type y) {
  return static_cast<Type>((x >> 1) + (y >> 1) + (x & y & 1));
}

/// Half the sum, rounded up, without overflow.
template <typename Type> constexpr Type rhadd(Type x, Type y) {
  return static_cast<Type>((x >> 1) + (y >> 1) + ((x | y) & 1));
}

/// How many bits are set.
template <typename Type> constexpr Type popcount(Type x) {
  auto bits = static_cast<std::make_unsigned_t<Type>>(x);
  int count = 0;
  for (; bits != 0; bits &= static_cast<std::make_unsigned_t<Type>>(bits - 1))
    ++count;
  return static_cast<Type>(count);
}

/// How many bits before the first one that is set; all of them for 0.
template <typename Type> constexpr Type clz(Type x) {
  using Unsigned = std::make_unsigned_t<Type>;
  const auto bits = static_cast<Unsigned>(x);
  int count = 0;
  for (Unsigned probe = static_cast<Unsigned>(Unsigned(1) << (sizeof(Type) * 8 - 1));
       probe != 0 && !(bits & probe); probe >>= 1)
    ++count;
  return static_cast<Type>(count);
}

/// How many bits behind the last one that is set; all of them for 0.
template <typename Type> constexpr Type ctz(Type x) {
  const auto bits = static_cast<std::make_unsigned_t<Type>>(x);
  int count = 0;
  for (; count < static_cast<int>(sizeof(Type) * 8) && !(bits >> count & 1);)
    ++count;
  return static_cast<Type>(count);
}

/// Turns the bits to the left; those that fall out come in again.
template <typename Type> constexpr Type rotate(Type x, Type by) {
  using Unsigned = std::make_unsigned_t<Type>;
  constexpr int width = sizeof(Type) * 8;
  const int left = static_cast<int>(static_cast<Unsigned>(by) % width);
  const auto bits = static_cast<Unsigned>(x);
  return static_cast<Type>(
      left == 0 ? bits : static_cast<Unsigned>(bits << left | bits >> (width - left)));
}

/// The upper half of a product.
template <typename Type> constexpr Type mul_hi(Type x, Type y) {
  constexpr int width = sizeof(Type) * 8;
  if constexpr (width < 64) {
    using Wide = std::conditional_t<std::is_signed_v<Type>, std::int64_t, std::uint64_t>;
    return static_cast<Type>(static_cast<Wide>(x) * static_cast<Wide>(y) >> width);
  } else {
    // In halves of 32 bits; a negative factor takes the other one off the upper half.
    const auto a = static_cast<std::uint64_t>(x), b = static_cast<std::uint64_t>(y);
    const std::uint64_t mask = 0xffffffff, a1 = a >> 32, b1 = b >> 32;
    const std::uint64_t low = (a & mask) * (b & mask), cross = a1 * (b & mask) + (low >> 32);
    const std::uint64_t middle = (a & mask) * b1 + (cross & mask);
    std::uint64_t high = a1 * b1 + (cross >> 32) + (middle >> 32);
    if (std::is_signed_v<Type> && x < Type(0))
      high -= b;
    if (std::is_signed_v<Type> && y < Type(0))
      high -= a;
    return static_cast<Type>(high);
  }
}

template <typename Type> constexpr Type mad_hi(Type x, Type y, Type z) {
  return static_cast<Type>(static_cast<bits_of<Type>>(mul_hi(x, y)) +
                           static_cast<bits_of<Type>>(z));
}
/// A product and a sum, or the end of the type that they are beyond.
template <typename Type> constexpr Type mad_sat(Type x, Type y, Type z) {
  using limits = std::numeric_limits<Type>;
  if constexpr (sizeof(Type) < 8) {
    using Wide = std::conditional_t<std::is_signed_v<Type>, std::int64_t, std::uint64_t>;
    const Wide exact = static_cast<Wide>(x) * static_cast<Wide>(y) + static_cast<Wide>(z);
    if (exact > static_cast<Wide>(limits::max()))
      return limits::max();
    return exact < static_cast<Wide>(limits::min()) ? limits::min() : static_cast<Type>(exact);
  } else if constexpr (std::is_signed_v<Type>) {
    // In two words: a sum that fits has a high one that only repeats the low one's sign.
    const auto product = static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y);
    const std::uint64_t low = product + static_cast<std::uint64_t>(z);
    const auto high = static_cast<std::int64_t>(static_cast<std::uint64_t>(mul_hi(x, y)) +
                                                (z < 0 ? ~std::uint64_t(0) : 0) + (low < product));
    const auto sum = static_cast<std::int64_t>(low);
    if (high == (sum < 0 ? -1 : 0))
      return static_cast<Type>(sum);
    return high < 0 ? limits::min() : limits::max();
  } else {
    return mul_hi(x, y) != 0 ? limits::max() : add_sat(static_cast<Type>(x * y), z);
  }
}
template <typename Type> constexpr Type mul24(Type x, Type y) {
  return static_cast<Type>(static_cast<bits_of<Type>>(x) * static_cast<bits_of<Type>>(y));
}
template <typename Type> constexpr Type mad24(Type x, Type y, Type z) {
  return static_cast<Type>(static_cast<bits_of<Type>>(mul24(x, y)) + static_cast<bits_of<Type>>(z));
}

} // namespace detail::numbers

namespace detail {
/// Integers of 32 bits.
template <typename... Arguments>
using if_word = std::enable_if_t<is_one_shape<Arguments...>() &&
                                     std::is_integral_v<element_of_all<Arguments...>> &&
                                     sizeof(element_of_all<Arguments...>) == 4,
                                 int>;
/// The lower halves of integers: unsigned, and of the upper ones' shape.
template <typename First, typename Second>
using if_halves =
    std::enable_if_t<std::is_integral_v<typename argument<First>::element> &&
                         sizeof(typename argument<First>::element) <= 4 &&
                         std::is_same_v<typename argument<Second>::whole,
                                        typename argument<First>::template of<
                                            bits_of<typename argument<First>::element>>>,
                     int>;
} // namespace detail

PLSYCL_FUNCTION_1(abs, if_integer)
/// DPC++ has it of floating-point numbers too.
template <typename First, detail::if_floating<First> = 0> auto abs(const First &x) {
  return detail::each_element([](auto a) { return a < decltype(a)(0) ? decltype(a)(-a) : a; }, x);
}
PLSYCL_FUNCTION_1(clz, if_integer)
PLSYCL_FUNCTION_1(ctz, if_integer)
PLSYCL_FUNCTION_1(popcount, if_integer)
PLSYCL_FUNCTION_2(abs_diff, if_integer)
PLSYCL_FUNCTION_2(add_sat, if_integer)
PLSYCL_FUNCTION_2(hadd, if_integer)
PLSYCL_FUNCTION_2(mul24, if_word)
PLSYCL_FUNCTION_2(mul_hi, if_integer)
PLSYCL_FUNCTION_2(rhadd, if_integer)
PLSYCL_FUNCTION_2(rotate, if_integer)
PLSYCL_FUNCTION_2(sub_sat, if_integer)
PLSYCL_FUNCTION_3(mad24, if_word)
PLSYCL_FUNCTION_3(mad_hi, if_integer)
PLSYCL_FUNCTION_3(mad_sat, if_integer)

/// Integers of twice the size, from their halves.
template <typename First, typename Second, detail::if_halves<First, Second> = 0>
constexpr auto upsample(const First &high, const Second &low) {
  return detail::each_place(
      [](auto upper, auto lower) {
        using Type = decltype(upper);
        constexpr int width = sizeof(Type) * 8;
        using Signed =
            std::conditional_t<width == 8, std::int16_t,
                               std::conditional_t<width == 16, std::int32_t, std::int64_t>>;
        using Wide =
            std::conditional_t<std::is_signed_v<Type>, Signed, std::make_unsigned_t<Signed>>;
        return static_cast<Wide>(
            static_cast<std::uint64_t>(upper) << width |
            static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<decltype(lower)>>(lower)));
      },
      high, low);
}

} // namespace sycl

//===- bfloat16_math.hpp - sycl_ext_oneapi_bfloat16_math_functions ---------------------------===//
//
// Functions of bfloat16 numbers, of vectors (also swizzled ones) and arrays of them: computed as
// float, and rounded.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/math.hpp>

namespace sycl {

namespace detail {

template <typename First, typename... Rest>
using if_bfloat16s = std::enable_if_t<
    std::is_same_v<typename argument<First>::element, ext::oneapi::bfloat16> &&
        (std::is_same_v<typename argument<First>::whole, typename argument<Rest>::whole> && ...),
    int>;

/// An operation on the numbers of each argument, as `Element`s in what is formed as the first.
template <typename Element, typename Operation, typename First, typename... Rest>
auto of_each_bfloat16(Operation operation, const First &first, const Rest &...rest) {
  if constexpr (argument<First>::is_several) {
    typename argument<First>::template of<Element> results{};
    for (int i = 0; i < argument<First>::count; ++i)
      results[i] = static_cast<Element>(operation(static_cast<float>(element_at(first, i)),
                                                  static_cast<float>(element_at(rest, i))...));
    return results;
  } else {
    return static_cast<Element>(operation(static_cast<float>(first), static_cast<float>(rest)...));
  }
}

/// `a * b + c`, rounded so that rounding it again to a bfloat16 is as if it had been rounded once:
/// what lies on the middle of two of them is moved to where the exact value lies.
inline float fma_for_bfloat16(float a, float b, float c) {
  const float sum = sycl::fma(a, b, c);
  std::uint32_t bits;
  std::memcpy(&bits, &sum, sizeof(bits));
  if ((bits & 0xffff) != 0x8000)
    return sum;
  const float product = a * b; // Of two bfloat16s it is exact, unless it underflows.
  const float added = sum - product;
  const float lost = (product - (sum - added)) + (c - added);
  if (lost == 0)
    return sum;
  bits += (lost > 0) == (sum > 0) ? 1 : -1;
  float moved;
  std::memcpy(&moved, &bits, sizeof(moved));
  return moved;
}

} // namespace detail

namespace ext::oneapi::experimental {

#define PLSYCL_OF_BFLOAT16(NAME)                                                                   \
  template <typename Type, sycl::detail::if_bfloat16s<Type> = 0> auto NAME(const Type &x) {        \
    return sycl::detail::of_each_bfloat16<bfloat16>([](float each) { return sycl::NAME(each); },   \
                                                    x);                                            \
  }
PLSYCL_OF_BFLOAT16(ceil)
PLSYCL_OF_BFLOAT16(cos)
PLSYCL_OF_BFLOAT16(exp)
PLSYCL_OF_BFLOAT16(exp10)
PLSYCL_OF_BFLOAT16(exp2)
PLSYCL_OF_BFLOAT16(fabs)
PLSYCL_OF_BFLOAT16(floor)
PLSYCL_OF_BFLOAT16(log)
PLSYCL_OF_BFLOAT16(log10)
PLSYCL_OF_BFLOAT16(log2)
PLSYCL_OF_BFLOAT16(rint)
PLSYCL_OF_BFLOAT16(rsqrt)
PLSYCL_OF_BFLOAT16(sin)
PLSYCL_OF_BFLOAT16(sqrt)
PLSYCL_OF_BFLOAT16(trunc)
#undef PLSYCL_OF_BFLOAT16

/// The other number where one is none.
template <typename First, typename Second, sycl::detail::if_bfloat16s<First, Second> = 0>
auto fmax(const First &x, const Second &y) {
  return sycl::detail::of_each_bfloat16<bfloat16>(
      [](float left, float right) { return sycl::fmax(left, right); }, x, y);
}
template <typename First, typename Second, sycl::detail::if_bfloat16s<First, Second> = 0>
auto fmin(const First &x, const Second &y) {
  return sycl::detail::of_each_bfloat16<bfloat16>(
      [](float left, float right) { return sycl::fmin(left, right); }, x, y);
}
/// Rounded once.
template <typename First, typename Second, typename Third,
          sycl::detail::if_bfloat16s<First, Second, Third> = 0>
auto fma(const First &a, const Second &b, const Third &c) {
  return sycl::detail::of_each_bfloat16<bfloat16>(
      [](float left, float right, float added) {
        return sycl::detail::fma_for_bfloat16(left, right, added);
      },
      a, b, c);
}

/// A bool, an array of them, or -1 for each element of a vector that is no number.
template <typename Type, sycl::detail::if_bfloat16s<Type> = 0> auto isnan(const Type &x) {
  const auto is_none = [](float each) { return sycl::isnan(each) != 0; };
  if constexpr (sycl::detail::is_marray<Type> || !sycl::detail::argument<Type>::is_several)
    return sycl::detail::of_each_bfloat16<bool>(is_none, x);
  else
    return sycl::detail::of_each_bfloat16<std::int16_t>(
        [=](float each) { return is_none(each) ? -1 : 0; }, x);
}

} // namespace ext::oneapi::experimental

} // namespace sycl

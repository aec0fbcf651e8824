//===- math.hpp - functions over numbers and vectors ----------------------------------------===//
//
// Host and device alike compute with the functions of C, which the device libraries bring to
// kernels; a half is computed as a float. Vectors go element by element.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/half.hpp>
#include <sycl/marray.hpp>
#include <sycl/vec.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace sycl {
namespace detail {

template <typename Type>
inline constexpr bool is_number = std::is_arithmetic_v<Type> || std::is_same_v<Type, half>;
template <typename Type> using if_floating = std::enable_if_t<is_floating<Type>, int>;
template <typename Type> using if_number = std::enable_if_t<is_number<Type>, int>;
template <typename Type> using if_integer = std::enable_if_t<std::is_integral_v<Type>, int>;

/// The type in which a floating-point number is computed.
template <typename Type>
using computed = std::conditional_t<std::is_same_v<Type, half>, float, Type>;
/// Keeps a parameter out of deduction: in `pow(x, 2)` the type of `x` counts.
template <typename Type> struct same {
  using type = Type;
};
template <typename Type> using same_t = typename same<Type>::type;

/// A vector of what `operation` makes of the elements that stand at one place of the vectors.
template <typename Operation, typename First, typename... Rest>
constexpr auto element_wise(Operation operation, const First &first, const Rest &...rest) {
  vec<decltype(operation(first[0], rest[0]...)), First::size()> result;
  for (int i = 0; i < static_cast<int>(First::size()); ++i)
    result[i] = operation(first[i], rest[i]...);
  return result;
}
/// The same of arrays.
template <typename Operation, typename Type, std::size_t Count, typename... Rest>
constexpr auto array_wise(Operation operation, const marray<Type, Count> &first,
                          const Rest &...rest) {
  marray<decltype(operation(first[0], rest[0]...)), Count> result;
  for (std::size_t i = 0; i < Count; ++i)
    result[i] = operation(first[i], rest[i]...);
  return result;
}

} // namespace detail

// A function of numbers that SYCL also has for arrays of them.
#define PLSYCL_FOR_ARRAYS_1(NAME)                                                                  \
  template <typename Type, std::size_t Count> auto NAME(const marray<Type, Count> &x) {            \
    return detail::array_wise([](Type a) { return NAME(a); }, x);                                  \
  }
#define PLSYCL_FOR_ARRAYS_2(NAME)                                                                  \
  template <typename Type, std::size_t Count>                                                      \
  auto NAME(const marray<Type, Count> &x, const detail::same_t<marray<Type, Count>> &y) {          \
    return detail::array_wise([](Type a, Type b) { return NAME(a, b); }, x, y);                    \
  }                                                                                                \
  template <typename Type, std::size_t Count>                                                      \
  auto NAME(const marray<Type, Count> &x, detail::same_t<Type> y) {                                \
    return NAME(x, marray<Type, Count>(y));                                                        \
  }
#define PLSYCL_FOR_ARRAYS_3(NAME)                                                                  \
  template <typename Type, std::size_t Count>                                                      \
  auto NAME(const marray<Type, Count> &x, const detail::same_t<marray<Type, Count>> &y,            \
            const detail::same_t<marray<Type, Count>> &z) {                                        \
    return detail::array_wise([](Type a, Type b, Type c) { return NAME(a, b, c); }, x, y, z);      \
  }                                                                                                \
  template <typename Type, std::size_t Count>                                                      \
  auto NAME(const marray<Type, Count> &x, detail::same_t<Type> y, detail::same_t<Type> z) {        \
    return NAME(x, marray<Type, Count>(y), marray<Type, Count>(z));                                \
  }

// A function of numbers that SYCL also has for vectors and arrays of them.
#define PLSYCL_FOR_VECTORS_1(NAME)                                                                 \
  PLSYCL_FOR_ARRAYS_1(NAME)                                                                        \
  template <typename Type, int Count> auto NAME(const vec<Type, Count> &x) {                       \
    return detail::element_wise([](Type a) { return NAME(a); }, x);                                \
  }
#define PLSYCL_FOR_VECTORS_2(NAME)                                                                 \
  PLSYCL_FOR_ARRAYS_2(NAME)                                                                        \
  template <typename Type, int Count>                                                              \
  auto NAME(const vec<Type, Count> &x, const detail::same_t<vec<Type, Count>> &y) {                \
    return detail::element_wise([](Type a, Type b) { return NAME(a, b); }, x, y);                  \
  }                                                                                                \
  template <typename Type, int Count>                                                              \
  auto NAME(const vec<Type, Count> &x, detail::same_t<Type> y) {                                   \
    return NAME(x, vec<Type, Count>(y));                                                           \
  }
#define PLSYCL_FOR_VECTORS_3(NAME)                                                                 \
  PLSYCL_FOR_ARRAYS_3(NAME)                                                                        \
  template <typename Type, int Count>                                                              \
  auto NAME(const vec<Type, Count> &x, const detail::same_t<vec<Type, Count>> &y,                  \
            const detail::same_t<vec<Type, Count>> &z) {                                           \
    return detail::element_wise([](Type a, Type b, Type c) { return NAME(a, b, c); }, x, y, z);    \
  }                                                                                                \
  template <typename Type, int Count>                                                              \
  auto NAME(const vec<Type, Count> &x, const detail::same_t<vec<Type, Count>> &y,                  \
            detail::same_t<Type> z) {                                                              \
    return NAME(x, y, vec<Type, Count>(z));                                                        \
  }                                                                                                \
  template <typename Type, int Count>                                                              \
  auto NAME(const vec<Type, Count> &x, detail::same_t<Type> y, detail::same_t<Type> z) {           \
    return NAME(x, vec<Type, Count>(y), vec<Type, Count>(z));                                      \
  }

// Functions that C has under the same name.
#define PLSYCL_MATH_1(NAME)                                                                        \
  template <typename Type, detail::if_floating<Type> = 0> Type NAME(Type x) {                      \
    return static_cast<Type>(std::NAME(static_cast<detail::computed<Type>>(x)));                   \
  }                                                                                                \
  PLSYCL_FOR_VECTORS_1(NAME)
#define PLSYCL_MATH_2(NAME)                                                                        \
  template <typename Type, detail::if_floating<Type> = 0>                                          \
  Type NAME(Type x, detail::same_t<Type> y) {                                                      \
    using Computed = detail::computed<Type>;                                                       \
    return static_cast<Type>(std::NAME(static_cast<Computed>(x), static_cast<Computed>(y)));       \
  }                                                                                                \
  PLSYCL_FOR_VECTORS_2(NAME)
PLSYCL_MATH_1(acos)
PLSYCL_MATH_1(acosh)
PLSYCL_MATH_1(asin)
PLSYCL_MATH_1(asinh)
PLSYCL_MATH_1(atan)
PLSYCL_MATH_1(atanh)
PLSYCL_MATH_1(cbrt)
PLSYCL_MATH_1(ceil)
PLSYCL_MATH_1(cos)
PLSYCL_MATH_1(cosh)
PLSYCL_MATH_1(erf)
PLSYCL_MATH_1(erfc)
PLSYCL_MATH_1(exp)
PLSYCL_MATH_1(exp2)
PLSYCL_MATH_1(expm1)
PLSYCL_MATH_1(fabs)
PLSYCL_MATH_1(floor)
PLSYCL_MATH_1(lgamma)
PLSYCL_MATH_1(log)
PLSYCL_MATH_1(log10)
PLSYCL_MATH_1(log1p)
PLSYCL_MATH_1(log2)
PLSYCL_MATH_1(logb)
PLSYCL_MATH_1(rint)
PLSYCL_MATH_1(round)
PLSYCL_MATH_1(sin)
PLSYCL_MATH_1(sinh)
PLSYCL_MATH_1(sqrt)
PLSYCL_MATH_1(tan)
PLSYCL_MATH_1(tanh)
PLSYCL_MATH_1(tgamma)
PLSYCL_MATH_1(trunc)
PLSYCL_MATH_2(atan2)
PLSYCL_MATH_2(copysign)
PLSYCL_MATH_2(fdim)
PLSYCL_MATH_2(fmax)
PLSYCL_MATH_2(fmin)
PLSYCL_MATH_2(fmod)
PLSYCL_MATH_2(hypot)
PLSYCL_MATH_2(pow)
PLSYCL_MATH_2(remainder)
#undef PLSYCL_MATH_1
#undef PLSYCL_MATH_2

template <typename Type, detail::if_floating<Type> = 0>
Type fma(Type x, detail::same_t<Type> y, detail::same_t<Type> z) {
  using Computed = detail::computed<Type>;
  return static_cast<Type>(
      std::fma(static_cast<Computed>(x), static_cast<Computed>(y), static_cast<Computed>(z)));
}
PLSYCL_FOR_VECTORS_3(fma)
template <typename Type, detail::if_floating<Type> = 0>
Type mad(Type x, detail::same_t<Type> y, detail::same_t<Type> z) {
  return x * y + z;
}
PLSYCL_FOR_VECTORS_3(mad)
template <typename Type, detail::if_floating<Type> = 0> Type rsqrt(Type x) {
  return Type(1) / sqrt(x);
}
PLSYCL_FOR_VECTORS_1(rsqrt)
template <typename Type, detail::if_floating<Type> = 0> Type exp10(Type x) {
  return pow(Type(10), x);
}
PLSYCL_FOR_VECTORS_1(exp10)
/// A power with an integer exponent.
template <typename Type, detail::if_floating<Type> = 0> Type pown(Type x, int y) {
  // A large exponent is not exact as a floating-point number, but whether it is odd is.
  const Type size = pow(fabs(x), static_cast<Type>(y));
  return (y & 1) != 0 && copysign(Type(1), x) < Type(0) ? -size : size;
}
/// A power of a number that is not negative.
template <typename Type, detail::if_floating<Type> = 0> Type powr(Type x, detail::same_t<Type> y) {
  return pow(x, y);
}
PLSYCL_FOR_VECTORS_2(powr)
template <typename Type, detail::if_floating<Type> = 0> Type ldexp(Type x, int k) {
  return static_cast<Type>(std::ldexp(static_cast<detail::computed<Type>>(x), k));
}
template <typename Type, detail::if_floating<Type> = 0> int ilogb(Type x) {
  return std::ilogb(static_cast<detail::computed<Type>>(x));
}

// Numbers of any type.
template <typename Type, detail::if_number<Type> = 0>
constexpr Type max(Type x, detail::same_t<Type> y) {
  return x < y ? y : x;
}
PLSYCL_FOR_VECTORS_2(max)
template <typename Type, detail::if_number<Type> = 0>
constexpr Type min(Type x, detail::same_t<Type> y) {
  return y < x ? y : x;
}
PLSYCL_FOR_VECTORS_2(min)
template <typename Type, detail::if_number<Type> = 0>
constexpr Type clamp(Type x, detail::same_t<Type> low, detail::same_t<Type> high) {
  return min(max(x, low), high);
}
PLSYCL_FOR_VECTORS_3(clamp)

// Common functions over floating-point numbers.
template <typename Type, detail::if_floating<Type> = 0> Type degrees(Type radians) {
  return radians * Type(57.29577951308232);
}
PLSYCL_FOR_VECTORS_1(degrees)
template <typename Type, detail::if_floating<Type> = 0> Type radians(Type degrees) {
  return degrees * Type(0.017453292519943295);
}
PLSYCL_FOR_VECTORS_1(radians)
template <typename Type, detail::if_floating<Type> = 0>
Type mix(Type x, detail::same_t<Type> y, detail::same_t<Type> by) {
  return x + (y - x) * by;
}
PLSYCL_FOR_VECTORS_3(mix)
template <typename Type, detail::if_floating<Type> = 0>
Type step(Type edge, detail::same_t<Type> x) {
  return x < edge ? Type(0) : Type(1);
}
PLSYCL_FOR_VECTORS_2(step)
template <typename Type, int Count>
auto step(detail::same_t<Type> edge, const vec<Type, Count> &x) {
  return step(vec<Type, Count>(edge), x);
}
template <typename Type, detail::if_floating<Type> = 0>
Type smoothstep(Type low, detail::same_t<Type> high, detail::same_t<Type> x) {
  const Type t = clamp((x - low) / (high - low), Type(0), Type(1));
  return t * t * (Type(3) - Type(2) * t);
}
PLSYCL_FOR_VECTORS_3(smoothstep)
template <typename Type, int Count>
auto smoothstep(detail::same_t<Type> low, detail::same_t<Type> high, const vec<Type, Count> &x) {
  return smoothstep(vec<Type, Count>(low), vec<Type, Count>(high), x);
}
/// 1, -1 or a zero of the sign of `x`; 0 for what is not a number.
template <typename Type, detail::if_floating<Type> = 0> Type sign(Type x) {
  return x > Type(0) ? Type(1) : x < Type(0) ? Type(-1) : x == x ? x : Type(0);
}
PLSYCL_FOR_VECTORS_1(sign)

// Integers.
template <typename Type, detail::if_integer<Type> = 0> constexpr Type abs(Type x) {
  if constexpr (std::is_signed_v<Type>)
    return static_cast<Type>(x < 0 ? -x : x);
  else
    return x;
}
template <typename Type, detail::if_floating<Type> = 0> Type abs(Type x) { return fabs(x); }
PLSYCL_FOR_VECTORS_1(abs)
template <typename Type, detail::if_integer<Type> = 0>
constexpr auto abs_diff(Type x, detail::same_t<Type> y) {
  using Unsigned = std::make_unsigned_t<Type>;
  return static_cast<Unsigned>(x < y ? static_cast<Unsigned>(y) - static_cast<Unsigned>(x)
                                     : static_cast<Unsigned>(x) - static_cast<Unsigned>(y));
}
PLSYCL_FOR_VECTORS_2(abs_diff)
// By comparisons: not every SPIR-V writer knows LLVM's arithmetic with overflow.
template <typename Type, detail::if_integer<Type> = 0>
constexpr Type add_sat(Type x, detail::same_t<Type> y) {
  using limits = std::numeric_limits<Type>;
  if (y > Type(0) && x > limits::max() - y)
    return limits::max();
  if (y < Type(0) && x < limits::min() - y)
    return limits::min();
  return static_cast<Type>(x + y);
}
PLSYCL_FOR_VECTORS_2(add_sat)
template <typename Type, detail::if_integer<Type> = 0>
constexpr Type sub_sat(Type x, detail::same_t<Type> y) {
  using limits = std::numeric_limits<Type>;
  if (y > Type(0) && x < limits::min() + y)
    return limits::min();
  if (y < Type(0) && x > limits::max() + y)
    return limits::max();
  return static_cast<Type>(x - y);
}
PLSYCL_FOR_VECTORS_2(sub_sat)
/// Half the sum, rounded down, without overflow.
template <typename Type, detail::if_integer<Type> = 0>
constexpr Type hadd(Type x, detail::same_t<Type> y) {
  return static_cast<Type>((x >> 1) + (y >> 1) + (x & y & 1));
}
PLSYCL_FOR_VECTORS_2(hadd)
/// Half the sum, rounded up, without overflow.
template <typename Type, detail::if_integer<Type> = 0>
constexpr Type rhadd(Type x, detail::same_t<Type> y) {
  return static_cast<Type>((x >> 1) + (y >> 1) + ((x | y) & 1));
}
PLSYCL_FOR_VECTORS_2(rhadd)
/// How many bits are set.
template <typename Type, detail::if_integer<Type> = 0> constexpr Type popcount(Type x) {
  auto bits = static_cast<std::make_unsigned_t<Type>>(x);
  int count = 0;
  for (; bits != 0; bits &= static_cast<std::make_unsigned_t<Type>>(bits - 1))
    ++count;
  return static_cast<Type>(count);
}
PLSYCL_FOR_VECTORS_1(popcount)
/// How many bits before the first one that is set; all of them for 0.
template <typename Type, detail::if_integer<Type> = 0> constexpr Type clz(Type x) {
  using Unsigned = std::make_unsigned_t<Type>;
  const auto bits = static_cast<Unsigned>(x);
  int count = 0;
  for (Unsigned probe = static_cast<Unsigned>(Unsigned(1) << (sizeof(Type) * 8 - 1));
       probe != 0 && !(bits & probe); probe >>= 1)
    ++count;
  return static_cast<Type>(count);
}
PLSYCL_FOR_VECTORS_1(clz)
/// How many bits behind the last one that is set; all of them for 0.
template <typename Type, detail::if_integer<Type> = 0> constexpr Type ctz(Type x) {
  const auto bits = static_cast<std::make_unsigned_t<Type>>(x);
  int count = 0;
  for (; count < static_cast<int>(sizeof(Type) * 8) && !(bits >> count & 1);)
    ++count;
  return static_cast<Type>(count);
}
PLSYCL_FOR_VECTORS_1(ctz)
/// Turns the bits to the left; those that fall out come in again.
template <typename Type, detail::if_integer<Type> = 0>
constexpr Type rotate(Type x, detail::same_t<Type> by) {
  using Unsigned = std::make_unsigned_t<Type>;
  constexpr int width = sizeof(Type) * 8;
  const int left = static_cast<int>(static_cast<Unsigned>(by) % width);
  const auto bits = static_cast<Unsigned>(x);
  return static_cast<Type>(
      left == 0 ? bits : static_cast<Unsigned>(bits << left | bits >> (width - left)));
}
PLSYCL_FOR_VECTORS_2(rotate)
/// The upper half of a product.
template <typename Type, detail::if_integer<Type> = 0>
constexpr Type mul_hi(Type x, detail::same_t<Type> y) {
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
PLSYCL_FOR_VECTORS_2(mul_hi)
template <typename Type, detail::if_integer<Type> = 0>
constexpr Type mad_hi(Type x, detail::same_t<Type> y, detail::same_t<Type> z) {
  return static_cast<Type>(mul_hi(x, y) + z);
}
PLSYCL_FOR_VECTORS_3(mad_hi)
template <typename Type, detail::if_integer<Type> = 0>
constexpr Type mul24(Type x, detail::same_t<Type> y) {
  return static_cast<Type>(x * y);
}
PLSYCL_FOR_VECTORS_2(mul24)

// Classes of floating-point numbers: bool for a number, -1 or 0 for each element of a vector.
#define PLSYCL_RELATION_1(NAME, EXPRESSION)                                                        \
  template <typename Type, detail::if_floating<Type> = 0> bool NAME(Type x) {                      \
    const auto a = static_cast<detail::computed<Type>>(x);                                         \
    return EXPRESSION;                                                                             \
  }                                                                                                \
  template <typename Type, int Count> auto NAME(const vec<Type, Count> &x) {                       \
    using Truth = detail::vec_truth<Type>;                                                         \
    return detail::element_wise([](Type a) { return static_cast<Truth>(NAME(a) ? -1 : 0); }, x);   \
  }
PLSYCL_RELATION_1(isnan, a != a)
PLSYCL_RELATION_1(isinf, std::fabs(a) == std::numeric_limits<decltype(a)>::infinity())
PLSYCL_RELATION_1(isfinite, std::fabs(a) < std::numeric_limits<decltype(a)>::infinity())
PLSYCL_RELATION_1(signbit, std::copysign(decltype(a)(1), a) < 0)
#undef PLSYCL_RELATION_1

template <typename Type, int Count> bool any(const vec<Type, Count> &x) {
  bool found = false;
  for (int i = 0; i < Count; ++i)
    found = found || x[i] < Type(0);
  return found;
}
template <typename Type, int Count> bool all(const vec<Type, Count> &x) {
  bool found = true;
  for (int i = 0; i < Count; ++i)
    found = found && x[i] < Type(0);
  return found;
}
template <typename Type, detail::if_number<Type> = 0>
constexpr Type select(Type otherwise, detail::same_t<Type> then, bool condition) {
  return condition ? then : otherwise;
}
/// Element by element: `then` where the highest bit of the condition's element is set.
template <typename Type, typename Condition, int Count>
vec<Type, Count> select(const vec<Type, Count> &otherwise,
                        const detail::same_t<vec<Type, Count>> &then,
                        const vec<Condition, Count> &condition) {
  static_assert(sizeof(Condition) == sizeof(Type) && std::is_integral_v<Condition>);
  using Signed = std::make_signed_t<Condition>;
  return detail::element_wise(
      [](Type a, Type b, Condition c) { return static_cast<Signed>(c) < 0 ? b : a; }, otherwise,
      then, condition);
}

// Geometry.
template <typename Type, detail::if_floating<Type> = 0> Type dot(Type x, detail::same_t<Type> y) {
  return x * y;
}
template <typename Type, int Count>
Type dot(const vec<Type, Count> &x, const detail::same_t<vec<Type, Count>> &y) {
  Type sum = x[0] * y[0];
  for (int i = 1; i < Count; ++i)
    sum += x[i] * y[i];
  return sum;
}
template <typename Type>
vec<Type, 3> cross(const vec<Type, 3> &x, const detail::same_t<vec<Type, 3>> &y) {
  return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
}
template <typename Type>
vec<Type, 4> cross(const vec<Type, 4> &x, const detail::same_t<vec<Type, 4>> &y) {
  return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0], Type(0)};
}
template <typename Type, detail::if_floating<Type> = 0> Type length(Type x) { return fabs(x); }
template <typename Type, int Count> Type length(const vec<Type, Count> &x) {
  return sqrt(dot(x, x));
}
template <typename Type> auto distance(const Type &x, const detail::same_t<Type> &y) {
  return length(x - y);
}
template <typename Type, detail::if_floating<Type> = 0> Type normalize(Type x) { return sign(x); }
template <typename Type, int Count> vec<Type, Count> normalize(const vec<Type, Count> &x) {
  const Type size = length(x);
  return size > Type(0) ? x / size : x;
}

#undef PLSYCL_FOR_VECTORS_1
#undef PLSYCL_FOR_ARRAYS_1
#undef PLSYCL_FOR_VECTORS_2
#undef PLSYCL_FOR_ARRAYS_2
#undef PLSYCL_FOR_VECTORS_3
#undef PLSYCL_FOR_ARRAYS_3

/// Functions that may be less exact, where the device is faster that way. Ours are as exact as the
/// others.
namespace native {
using sycl::cos;
using sycl::exp;
using sycl::exp10;
using sycl::exp2;
using sycl::log;
using sycl::log10;
using sycl::log2;
using sycl::powr;
using sycl::rsqrt;
using sycl::sin;
using sycl::sqrt;
using sycl::tan;
template <typename Type> Type divide(const Type &x, const detail::same_t<Type> &y) { return x / y; }
template <typename Type> Type recip(const Type &x) { return Type(1) / x; }
} // namespace native
namespace half_precision = native;

} // namespace sycl

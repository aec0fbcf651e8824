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

template <typename T>
inline constexpr bool is_floating = std::is_floating_point_v<T> || std::is_same_v<T, half>;
template <typename T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || std::is_same_v<T, half>;
template <typename T> using if_floating = std::enable_if_t<is_floating<T>, int>;
template <typename T> using if_number = std::enable_if_t<is_number<T>, int>;
template <typename T> using if_integer = std::enable_if_t<std::is_integral_v<T>, int>;

/// The type in which a floating-point number is computed.
template <typename T> using computed = std::conditional_t<std::is_same_v<T, half>, float, T>;
/// Keeps a parameter out of deduction: in `pow(x, 2)` the type of `x` counts.
template <typename T> struct same {
  using type = T;
};
template <typename T> using same_t = typename same<T>::type;

/// A vector of what `operation` makes of the elements that stand at one place of the vectors.
template <typename Operation, typename First, typename... Rest>
constexpr auto element_wise(Operation operation, const First &first, const Rest &...rest) {
  vec<decltype(operation(first[0], rest[0]...)), First::size()> result;
  for (int i = 0; i < static_cast<int>(First::size()); ++i)
    result[i] = operation(first[i], rest[i]...);
  return result;
}
/// The same of arrays.
template <typename Operation, typename T, std::size_t N, typename... Rest>
constexpr auto array_wise(Operation operation, const marray<T, N> &first, const Rest &...rest) {
  marray<decltype(operation(first[0], rest[0]...)), N> result;
  for (std::size_t i = 0; i < N; ++i)
    result[i] = operation(first[i], rest[i]...);
  return result;
}

} // namespace detail

// A function of numbers that SYCL also has for arrays of them.
#define PLSYCL_FOR_ARRAYS_1(NAME)                                                                  \
  template <typename T, std::size_t N> auto NAME(const marray<T, N> &x) {                          \
    return detail::array_wise([](T a) { return NAME(a); }, x);                                     \
  }
#define PLSYCL_FOR_ARRAYS_2(NAME)                                                                  \
  template <typename T, std::size_t N>                                                             \
  auto NAME(const marray<T, N> &x, const detail::same_t<marray<T, N>> &y) {                        \
    return detail::array_wise([](T a, T b) { return NAME(a, b); }, x, y);                          \
  }                                                                                                \
  template <typename T, std::size_t N> auto NAME(const marray<T, N> &x, detail::same_t<T> y) {     \
    return NAME(x, marray<T, N>(y));                                                               \
  }
#define PLSYCL_FOR_ARRAYS_3(NAME)                                                                  \
  template <typename T, std::size_t N>                                                             \
  auto NAME(const marray<T, N> &x, const detail::same_t<marray<T, N>> &y,                          \
            const detail::same_t<marray<T, N>> &z) {                                               \
    return detail::array_wise([](T a, T b, T c) { return NAME(a, b, c); }, x, y, z);               \
  }                                                                                                \
  template <typename T, std::size_t N>                                                             \
  auto NAME(const marray<T, N> &x, detail::same_t<T> y, detail::same_t<T> z) {                     \
    return NAME(x, marray<T, N>(y), marray<T, N>(z));                                              \
  }

// A function of numbers that SYCL also has for vectors and arrays of them.
#define PLSYCL_FOR_VECTORS_1(NAME)                                                                 \
  PLSYCL_FOR_ARRAYS_1(NAME)                                                                        \
  template <typename T, int N> auto NAME(const vec<T, N> &x) {                                     \
    return detail::element_wise([](T a) { return NAME(a); }, x);                                   \
  }
#define PLSYCL_FOR_VECTORS_2(NAME)                                                                 \
  PLSYCL_FOR_ARRAYS_2(NAME)                                                                        \
  template <typename T, int N> auto NAME(const vec<T, N> &x, const detail::same_t<vec<T, N>> &y) { \
    return detail::element_wise([](T a, T b) { return NAME(a, b); }, x, y);                        \
  }                                                                                                \
  template <typename T, int N> auto NAME(const vec<T, N> &x, detail::same_t<T> y) {                \
    return NAME(x, vec<T, N>(y));                                                                  \
  }
#define PLSYCL_FOR_VECTORS_3(NAME)                                                                 \
  PLSYCL_FOR_ARRAYS_3(NAME)                                                                        \
  template <typename T, int N>                                                                     \
  auto NAME(const vec<T, N> &x, const detail::same_t<vec<T, N>> &y,                                \
            const detail::same_t<vec<T, N>> &z) {                                                  \
    return detail::element_wise([](T a, T b, T c) { return NAME(a, b, c); }, x, y, z);             \
  }                                                                                                \
  template <typename T, int N>                                                                     \
  auto NAME(const vec<T, N> &x, const detail::same_t<vec<T, N>> &y, detail::same_t<T> z) {         \
    return NAME(x, y, vec<T, N>(z));                                                               \
  }                                                                                                \
  template <typename T, int N>                                                                     \
  auto NAME(const vec<T, N> &x, detail::same_t<T> y, detail::same_t<T> z) {                        \
    return NAME(x, vec<T, N>(y), vec<T, N>(z));                                                    \
  }

// Functions that C has under the same name.
#define PLSYCL_MATH_1(NAME)                                                                        \
  template <typename T, detail::if_floating<T> = 0> T NAME(T x) {                                  \
    return static_cast<T>(std::NAME(static_cast<detail::computed<T>>(x)));                         \
  }                                                                                                \
  PLSYCL_FOR_VECTORS_1(NAME)
#define PLSYCL_MATH_2(NAME)                                                                        \
  template <typename T, detail::if_floating<T> = 0> T NAME(T x, detail::same_t<T> y) {             \
    using C = detail::computed<T>;                                                                 \
    return static_cast<T>(std::NAME(static_cast<C>(x), static_cast<C>(y)));                        \
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

template <typename T, detail::if_floating<T> = 0>
T fma(T x, detail::same_t<T> y, detail::same_t<T> z) {
  using C = detail::computed<T>;
  return static_cast<T>(std::fma(static_cast<C>(x), static_cast<C>(y), static_cast<C>(z)));
}
PLSYCL_FOR_VECTORS_3(fma)
template <typename T, detail::if_floating<T> = 0>
T mad(T x, detail::same_t<T> y, detail::same_t<T> z) {
  return x * y + z;
}
PLSYCL_FOR_VECTORS_3(mad)
template <typename T, detail::if_floating<T> = 0> T rsqrt(T x) { return T(1) / sqrt(x); }
PLSYCL_FOR_VECTORS_1(rsqrt)
template <typename T, detail::if_floating<T> = 0> T exp10(T x) { return pow(T(10), x); }
PLSYCL_FOR_VECTORS_1(exp10)
/// A power with an integer exponent.
template <typename T, detail::if_floating<T> = 0> T pown(T x, int y) {
  // A large exponent is not exact as a floating-point number, but whether it is odd is.
  const T size = pow(fabs(x), static_cast<T>(y));
  return (y & 1) != 0 && copysign(T(1), x) < T(0) ? -size : size;
}
/// A power of a number that is not negative.
template <typename T, detail::if_floating<T> = 0> T powr(T x, detail::same_t<T> y) {
  return pow(x, y);
}
PLSYCL_FOR_VECTORS_2(powr)
template <typename T, detail::if_floating<T> = 0> T ldexp(T x, int k) {
  return static_cast<T>(std::ldexp(static_cast<detail::computed<T>>(x), k));
}
template <typename T, detail::if_floating<T> = 0> int ilogb(T x) {
  return std::ilogb(static_cast<detail::computed<T>>(x));
}

// Numbers of any type.
template <typename T, detail::if_number<T> = 0> constexpr T max(T x, detail::same_t<T> y) {
  return x < y ? y : x;
}
PLSYCL_FOR_VECTORS_2(max)
template <typename T, detail::if_number<T> = 0> constexpr T min(T x, detail::same_t<T> y) {
  return y < x ? y : x;
}
PLSYCL_FOR_VECTORS_2(min)
template <typename T, detail::if_number<T> = 0>
constexpr T clamp(T x, detail::same_t<T> low, detail::same_t<T> high) {
  return min(max(x, low), high);
}
PLSYCL_FOR_VECTORS_3(clamp)

// Common functions over floating-point numbers.
template <typename T, detail::if_floating<T> = 0> T degrees(T radians) {
  return radians * T(57.29577951308232);
}
PLSYCL_FOR_VECTORS_1(degrees)
template <typename T, detail::if_floating<T> = 0> T radians(T degrees) {
  return degrees * T(0.017453292519943295);
}
PLSYCL_FOR_VECTORS_1(radians)
template <typename T, detail::if_floating<T> = 0>
T mix(T x, detail::same_t<T> y, detail::same_t<T> by) {
  return x + (y - x) * by;
}
PLSYCL_FOR_VECTORS_3(mix)
template <typename T, detail::if_floating<T> = 0> T step(T edge, detail::same_t<T> x) {
  return x < edge ? T(0) : T(1);
}
PLSYCL_FOR_VECTORS_2(step)
template <typename T, int N> auto step(detail::same_t<T> edge, const vec<T, N> &x) {
  return step(vec<T, N>(edge), x);
}
template <typename T, detail::if_floating<T> = 0>
T smoothstep(T low, detail::same_t<T> high, detail::same_t<T> x) {
  const T t = clamp((x - low) / (high - low), T(0), T(1));
  return t * t * (T(3) - T(2) * t);
}
PLSYCL_FOR_VECTORS_3(smoothstep)
template <typename T, int N>
auto smoothstep(detail::same_t<T> low, detail::same_t<T> high, const vec<T, N> &x) {
  return smoothstep(vec<T, N>(low), vec<T, N>(high), x);
}
/// 1, -1 or a zero of the sign of `x`; 0 for what is not a number.
template <typename T, detail::if_floating<T> = 0> T sign(T x) {
  return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == x ? x : T(0);
}
PLSYCL_FOR_VECTORS_1(sign)

// Integers.
template <typename T, detail::if_integer<T> = 0> constexpr T abs(T x) {
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(x < 0 ? -x : x);
  else
    return x;
}
template <typename T, detail::if_floating<T> = 0> T abs(T x) { return fabs(x); }
PLSYCL_FOR_VECTORS_1(abs)
template <typename T, detail::if_integer<T> = 0> constexpr auto abs_diff(T x, detail::same_t<T> y) {
  using U = std::make_unsigned_t<T>;
  return static_cast<U>(x < y ? static_cast<U>(y) - static_cast<U>(x)
                              : static_cast<U>(x) - static_cast<U>(y));
}
PLSYCL_FOR_VECTORS_2(abs_diff)
// By comparisons: not every SPIR-V writer knows LLVM's arithmetic with overflow.
template <typename T, detail::if_integer<T> = 0> constexpr T add_sat(T x, detail::same_t<T> y) {
  using limits = std::numeric_limits<T>;
  if (y > T(0) && x > limits::max() - y)
    return limits::max();
  if (y < T(0) && x < limits::min() - y)
    return limits::min();
  return static_cast<T>(x + y);
}
PLSYCL_FOR_VECTORS_2(add_sat)
template <typename T, detail::if_integer<T> = 0> constexpr T sub_sat(T x, detail::same_t<T> y) {
  using limits = std::numeric_limits<T>;
  if (y > T(0) && x < limits::min() + y)
    return limits::min();
  if (y < T(0) && x > limits::max() + y)
    return limits::max();
  return static_cast<T>(x - y);
}
PLSYCL_FOR_VECTORS_2(sub_sat)
/// Half the sum, rounded down, without overflow.
template <typename T, detail::if_integer<T> = 0> constexpr T hadd(T x, detail::same_t<T> y) {
  return static_cast<T>((x >> 1) + (y >> 1) + (x & y & 1));
}
PLSYCL_FOR_VECTORS_2(hadd)
/// Half the sum, rounded up, without overflow.
template <typename T, detail::if_integer<T> = 0> constexpr T rhadd(T x, detail::same_t<T> y) {
  return static_cast<T>((x >> 1) + (y >> 1) + ((x | y) & 1));
}
PLSYCL_FOR_VECTORS_2(rhadd)
/// How many bits are set.
template <typename T, detail::if_integer<T> = 0> constexpr T popcount(T x) {
  auto bits = static_cast<std::make_unsigned_t<T>>(x);
  int count = 0;
  for (; bits != 0; bits &= static_cast<std::make_unsigned_t<T>>(bits - 1))
    ++count;
  return static_cast<T>(count);
}
PLSYCL_FOR_VECTORS_1(popcount)
/// How many bits before the first one that is set; all of them for 0.
template <typename T, detail::if_integer<T> = 0> constexpr T clz(T x) {
  using U = std::make_unsigned_t<T>;
  const auto bits = static_cast<U>(x);
  int count = 0;
  for (U probe = static_cast<U>(U(1) << (sizeof(T) * 8 - 1)); probe != 0 && !(bits & probe);
       probe >>= 1)
    ++count;
  return static_cast<T>(count);
}
PLSYCL_FOR_VECTORS_1(clz)
/// How many bits behind the last one that is set; all of them for 0.
template <typename T, detail::if_integer<T> = 0> constexpr T ctz(T x) {
  const auto bits = static_cast<std::make_unsigned_t<T>>(x);
  int count = 0;
  for (; count < static_cast<int>(sizeof(T) * 8) && !(bits >> count & 1);)
    ++count;
  return static_cast<T>(count);
}
PLSYCL_FOR_VECTORS_1(ctz)
/// Turns the bits to the left; those that fall out come in again.
template <typename T, detail::if_integer<T> = 0> constexpr T rotate(T x, detail::same_t<T> by) {
  using U = std::make_unsigned_t<T>;
  constexpr int width = sizeof(T) * 8;
  const int left = static_cast<int>(static_cast<U>(by) % width);
  const auto bits = static_cast<U>(x);
  return static_cast<T>(left == 0 ? bits : static_cast<U>(bits << left | bits >> (width - left)));
}
PLSYCL_FOR_VECTORS_2(rotate)
/// The upper half of a product.
template <typename T, detail::if_integer<T> = 0> constexpr T mul_hi(T x, detail::same_t<T> y) {
  constexpr int width = sizeof(T) * 8;
  if constexpr (width < 64) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>(static_cast<Wide>(x) * static_cast<Wide>(y) >> width);
  } else {
    // In halves of 32 bits; a negative factor takes the other one off the upper half.
    const auto a = static_cast<std::uint64_t>(x), b = static_cast<std::uint64_t>(y);
    const std::uint64_t mask = 0xffffffff, a1 = a >> 32, b1 = b >> 32;
    const std::uint64_t low = (a & mask) * (b & mask), cross = a1 * (b & mask) + (low >> 32);
    const std::uint64_t middle = (a & mask) * b1 + (cross & mask);
    std::uint64_t high = a1 * b1 + (cross >> 32) + (middle >> 32);
    if (std::is_signed_v<T> && x < T(0))
      high -= b;
    if (std::is_signed_v<T> && y < T(0))
      high -= a;
    return static_cast<T>(high);
  }
}
PLSYCL_FOR_VECTORS_2(mul_hi)
template <typename T, detail::if_integer<T> = 0>
constexpr T mad_hi(T x, detail::same_t<T> y, detail::same_t<T> z) {
  return static_cast<T>(mul_hi(x, y) + z);
}
PLSYCL_FOR_VECTORS_3(mad_hi)
template <typename T, detail::if_integer<T> = 0> constexpr T mul24(T x, detail::same_t<T> y) {
  return static_cast<T>(x * y);
}
PLSYCL_FOR_VECTORS_2(mul24)

// Classes of floating-point numbers: bool for a number, -1 or 0 for each element of a vector.
#define PLSYCL_RELATION_1(NAME, EXPRESSION)                                                        \
  template <typename T, detail::if_floating<T> = 0> bool NAME(T x) {                               \
    const auto a = static_cast<detail::computed<T>>(x);                                            \
    return EXPRESSION;                                                                             \
  }                                                                                                \
  template <typename T, int N> auto NAME(const vec<T, N> &x) {                                     \
    using Truth = detail::vec_truth<T>;                                                            \
    return detail::element_wise([](T a) { return static_cast<Truth>(NAME(a) ? -1 : 0); }, x);      \
  }
PLSYCL_RELATION_1(isnan, a != a)
PLSYCL_RELATION_1(isinf, std::fabs(a) == std::numeric_limits<decltype(a)>::infinity())
PLSYCL_RELATION_1(isfinite, std::fabs(a) < std::numeric_limits<decltype(a)>::infinity())
PLSYCL_RELATION_1(signbit, std::copysign(decltype(a)(1), a) < 0)
#undef PLSYCL_RELATION_1

template <typename T, int N> bool any(const vec<T, N> &x) {
  bool found = false;
  for (int i = 0; i < N; ++i)
    found = found || x[i] < T(0);
  return found;
}
template <typename T, int N> bool all(const vec<T, N> &x) {
  bool found = true;
  for (int i = 0; i < N; ++i)
    found = found && x[i] < T(0);
  return found;
}
template <typename T, detail::if_number<T> = 0>
constexpr T select(T otherwise, detail::same_t<T> then, bool condition) {
  return condition ? then : otherwise;
}
/// Element by element: `then` where the highest bit of the condition's element is set.
template <typename T, typename Condition, int N>
vec<T, N> select(const vec<T, N> &otherwise, const detail::same_t<vec<T, N>> &then,
                 const vec<Condition, N> &condition) {
  static_assert(sizeof(Condition) == sizeof(T) && std::is_integral_v<Condition>);
  using Signed = std::make_signed_t<Condition>;
  return detail::element_wise(
      [](T a, T b, Condition c) { return static_cast<Signed>(c) < 0 ? b : a; }, otherwise, then,
      condition);
}

// Geometry.
template <typename T, detail::if_floating<T> = 0> T dot(T x, detail::same_t<T> y) { return x * y; }
template <typename T, int N> T dot(const vec<T, N> &x, const detail::same_t<vec<T, N>> &y) {
  T sum = x[0] * y[0];
  for (int i = 1; i < N; ++i)
    sum += x[i] * y[i];
  return sum;
}
template <typename T> vec<T, 3> cross(const vec<T, 3> &x, const detail::same_t<vec<T, 3>> &y) {
  return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
}
template <typename T> vec<T, 4> cross(const vec<T, 4> &x, const detail::same_t<vec<T, 4>> &y) {
  return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0], T(0)};
}
template <typename T, detail::if_floating<T> = 0> T length(T x) { return fabs(x); }
template <typename T, int N> T length(const vec<T, N> &x) { return sqrt(dot(x, x)); }
template <typename T> auto distance(const T &x, const detail::same_t<T> &y) {
  return length(x - y);
}
template <typename T, detail::if_floating<T> = 0> T normalize(T x) { return sign(x); }
template <typename T, int N> vec<T, N> normalize(const vec<T, N> &x) {
  const T size = length(x);
  return size > T(0) ? x / size : x;
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
template <typename T> T divide(const T &x, const detail::same_t<T> &y) { return x / y; }
template <typename T> T recip(const T &x) { return T(1) / x; }
} // namespace native
namespace half_precision = native;

} // namespace sycl

//===- mathematics.hpp - mathematical functions (SYCL 2020, 4.17.5) -------------------------===//
//
// What C has is computed by C's functions, which the device libraries bring to kernels; a half as a
// float. What only OpenCL has, SPIR-V devices compute themselves; elsewhere it is made of the rest.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/builtins/arguments.hpp>
#include <sycl/detail/builtins/c_math.hpp>

#include <cstdint>

#if defined(__SYCL_DEVICE_ONLY__)
#define PLSYCL_OPENCL_1(NAME)                                                                      \
  extern float __spirv_ocl_##NAME(float);                                                          \
  extern double __spirv_ocl_##NAME(double);
#define PLSYCL_OPENCL_2(NAME, SECOND)                                                              \
  extern float __spirv_ocl_##NAME(float, SECOND(float));                                           \
  extern double __spirv_ocl_##NAME(double, SECOND(double));
#define PLSYCL_SAME(TYPE) TYPE
#define PLSYCL_INTEGER(TYPE) int
PLSYCL_OPENCL_1(cospi)
PLSYCL_OPENCL_1(exp10)
PLSYCL_OPENCL_1(sinpi)
#ifndef __NVPTX__
PLSYCL_OPENCL_1(acospi)
PLSYCL_OPENCL_1(asinpi)
PLSYCL_OPENCL_1(atanpi)
PLSYCL_OPENCL_1(rsqrt)
PLSYCL_OPENCL_1(tanpi)
PLSYCL_OPENCL_2(atan2pi, PLSYCL_SAME)
PLSYCL_OPENCL_2(pown, PLSYCL_INTEGER)
PLSYCL_OPENCL_2(powr, PLSYCL_SAME)
PLSYCL_OPENCL_2(rootn, PLSYCL_INTEGER)
#endif
#undef PLSYCL_INTEGER
#undef PLSYCL_SAME
#undef PLSYCL_OPENCL_2
#undef PLSYCL_OPENCL_1
#endif

namespace sycl {
namespace detail::numbers {

// C's.
#define PLSYCL_AS_C_1(NAME)                                                                        \
  template <typename Type> Type NAME(Type x) {                                                     \
    return static_cast<Type>(c_math::NAME(static_cast<computed<Type>>(x)));                        \
  }
#define PLSYCL_AS_C_2(NAME)                                                                        \
  template <typename Type> Type NAME(Type x, Type y) {                                             \
    return static_cast<Type>(                                                                      \
        c_math::NAME(static_cast<computed<Type>>(x), static_cast<computed<Type>>(y)));             \
  }
PLSYCL_AS_C_1(acos)
PLSYCL_AS_C_1(acosh)
PLSYCL_AS_C_1(asin)
PLSYCL_AS_C_1(asinh)
PLSYCL_AS_C_1(atan)
PLSYCL_AS_C_1(atanh)
PLSYCL_AS_C_1(cbrt)
PLSYCL_AS_C_1(ceil)
PLSYCL_AS_C_1(cos)
PLSYCL_AS_C_1(cosh)
PLSYCL_AS_C_1(erf)
PLSYCL_AS_C_1(erfc)
PLSYCL_AS_C_1(exp)
PLSYCL_AS_C_1(exp2)
PLSYCL_AS_C_1(expm1)
PLSYCL_AS_C_1(fabs)
PLSYCL_AS_C_1(floor)
PLSYCL_AS_C_1(lgamma)
PLSYCL_AS_C_1(log)
PLSYCL_AS_C_1(log10)
PLSYCL_AS_C_1(log1p)
PLSYCL_AS_C_1(log2)
PLSYCL_AS_C_1(logb)
PLSYCL_AS_C_1(rint)
PLSYCL_AS_C_1(round)
PLSYCL_AS_C_1(sin)
PLSYCL_AS_C_1(sinh)
PLSYCL_AS_C_1(sqrt)
PLSYCL_AS_C_1(tan)
PLSYCL_AS_C_1(tanh)
PLSYCL_AS_C_1(tgamma)
PLSYCL_AS_C_1(trunc)
PLSYCL_AS_C_2(atan2)
PLSYCL_AS_C_2(copysign)
PLSYCL_AS_C_2(fdim)
PLSYCL_AS_C_2(fmax)
PLSYCL_AS_C_2(fmin)
PLSYCL_AS_C_2(fmod)
PLSYCL_AS_C_2(hypot)
PLSYCL_AS_C_2(pow)
PLSYCL_AS_C_2(remainder)
#undef PLSYCL_AS_C_2
#undef PLSYCL_AS_C_1

template <typename Type> Type fma(Type x, Type y, Type z) {
  if constexpr (std::is_same_v<Type, half>) // The product is exact.
    return half_impl::narrowed_sum(static_cast<float>(x) * static_cast<float>(y), z);
  else
    return c_math::fma(x, y, z);
}
template <typename Type> Type mad(Type x, Type y, Type z) { return static_cast<Type>(x * y + z); }
template <typename Type> int ilogb(Type x) { return c_math::ilogb(static_cast<computed<Type>>(x)); }
template <typename Type> Type ldexp(Type x, int k) {
  return static_cast<Type>(c_math::ldexp(static_cast<computed<Type>>(x), k));
}

/// The next number of the type itself: a half's is not a float's.
template <typename Type> Type nextafter(Type x, Type y) {
  if constexpr (!std::is_same_v<Type, half>) {
    return c_math::nextafter(x, y);
  } else {
    if (x != x || y != y)
      return x != x ? x : y;
    if (x == y)
      return y;
    if (x == Type(0))
      return y > x ? std::numeric_limits<half>::denorm_min()
                   : -std::numeric_limits<half>::denorm_min();
    return neighbour(x, (y > x) == (x > Type(0)) ? 1 : -1);
  }
}

/// The one of the greater size, or fmax of both.
template <typename Type> Type maxmag(Type x, Type y) {
  const Type left = fabs(x), right = fabs(y);
  return left > right ? x : right > left ? y : fmax(x, y);
}
template <typename Type> Type minmag(Type x, Type y) {
  const Type left = fabs(x), right = fabs(y);
  return left < right ? x : right < left ? y : fmin(x, y);
}

// OpenCL's.
template <typename Type>
inline constexpr auto pi = static_cast<computed<Type>>(3.14159265358979323846L);
#if defined(__SYCL_DEVICE_ONLY__) && !defined(__NVPTX__)
#define PLSYCL_AS_OPENCL_1(NAME, ...)                                                              \
  template <typename Type> Type NAME(Type x) {                                                     \
    return static_cast<Type>(__spirv_ocl_##NAME(static_cast<computed<Type>>(x)));                  \
  }
#define PLSYCL_AS_OPENCL_2(NAME, SECOND, ...)                                                      \
  template <typename Type> Type NAME(Type x, SECOND y) {                                           \
    using Second = computed<SECOND>;                                                               \
    return static_cast<Type>(                                                                      \
        __spirv_ocl_##NAME(static_cast<computed<Type>>(x), static_cast<Second>(y)));               \
  }
#else
#define PLSYCL_AS_OPENCL_1(NAME, ...)                                                              \
  template <typename Type> Type NAME(Type given) {                                                 \
    using Computed = computed<Type>;                                                               \
    const auto x = static_cast<Computed>(given);                                                   \
    return static_cast<Type>(__VA_ARGS__);                                                         \
  }
#define PLSYCL_AS_OPENCL_2(NAME, SECOND, ...)                                                      \
  template <typename Type> Type NAME(Type given, SECOND other) {                                   \
    using Computed = computed<Type>;                                                               \
    const auto x = static_cast<Computed>(given);                                                   \
    const auto y = static_cast<computed<SECOND>>(other);                                           \
    return static_cast<Type>(__VA_ARGS__);                                                         \
  }

#if defined(__SYCL_DEVICE_ONLY__)
// PTX has an instruction for it, as exact as OpenCL wants it.
inline float inverse_root(float x) { return __nvvm_rsqrt_approx_f(x); }
inline double inverse_root(double x) { return 1 / c_math::sqrt(x); }
// A device library has these.
inline float sine_of_turns(float x) { return __spirv_ocl_sinpi(x); }
inline double sine_of_turns(double x) { return __spirv_ocl_sinpi(x); }
inline float cosine_of_turns(float x) { return __spirv_ocl_cospi(x); }
inline double cosine_of_turns(double x) { return __spirv_ocl_cospi(x); }
inline float power_of_ten(float x) { return __spirv_ocl_exp10(x); }
inline double power_of_ten(double x) { return __spirv_ocl_exp10(x); }
#else
template <typename Floating> Floating inverse_root(Floating x) { return 1 / c_math::sqrt(x); }
template <typename Floating> Floating power_of_ten(Floating x) {
  return c_math::pow(Floating(10), x);
}

/// The sine of pi times a number, exact where it is exact: what is taken off is whole turns.
template <typename Floating> Floating sine_of_turns(Floating x) {
  Floating rest = x - 2 * c_math::rint(x / 2);
  if (rest > Floating(0.5))
    rest = 1 - rest;
  else if (rest < Floating(-0.5))
    rest = -1 - rest;
  return rest == 0 ? c_math::copysign(Floating(0), x) : c_math::sin(pi<Floating> * rest);
}
template <typename Floating> Floating cosine_of_turns(Floating x) {
  const Floating rest = c_math::fabs(x - 2 * c_math::rint(x / 2));
  return rest == Floating(0.5) ? Floating(0) : c_math::sin(pi<Floating> * (Floating(0.5) - rest));
}
#endif

template <typename Floating> Floating whole_power(Floating x, int y) {
  const Floating magnitude = c_math::fabs(x);
  // A large exponent is not exact as a `float`: then the last part of it is one of its own.
  const bool is_exact = sizeof(Floating) > sizeof(float) || (-16777216 <= y && y <= 16777216);
  const int first = is_exact ? y : y / 256 * 256;
  Floating size = c_math::pow(magnitude, static_cast<Floating>(first));
  if (!is_exact)
    size *= c_math::pow(magnitude, static_cast<Floating>(y - first));
  return (y & 1) != 0 && c_math::copysign(Floating(1), x) < 0 ? -size : size;
}
/// e^(y ln x): no number where that is none, also of what pow knows the limit of.
template <typename Floating> Floating power_of_real(Floating x, Floating y) {
  const bool no_product = (y == 0 && (x == 0 || x - x != 0)) || (x == 1 && y - y != 0);
  if (!(x >= 0) || y != y || no_product)
    return std::numeric_limits<Floating>::quiet_NaN();
  return c_math::pow(c_math::fabs(x), y);
}
template <typename Floating> Floating whole_root(Floating x, int y) {
  const Floating magnitude = c_math::fabs(x), degree = static_cast<Floating>(y);
  const Floating part = 1 / degree;
  Floating size = c_math::pow(magnitude, part);
  // What rounding took from the exponent matters where the number is far from 1.
  if (size != 0 && size - size == 0)
    size += size * (c_math::fma(-part, degree, Floating(1)) / degree * c_math::log(magnitude));
  const bool negative = c_math::copysign(Floating(1), x) < 0;
  if (y == 0 || (negative && x != 0 && (y & 1) == 0))
    return std::numeric_limits<Floating>::quiet_NaN();
  return negative && (y & 1) != 0 ? -size : size;
}
#endif
PLSYCL_AS_OPENCL_1(acospi, c_math::acos(x) / pi<Computed>)
PLSYCL_AS_OPENCL_1(asinpi, c_math::asin(x) / pi<Computed>)
PLSYCL_AS_OPENCL_1(atanpi, c_math::atan(x) / pi<Computed>)
PLSYCL_AS_OPENCL_1(cospi, cosine_of_turns(x))
PLSYCL_AS_OPENCL_1(exp10, power_of_ten(x))
PLSYCL_AS_OPENCL_1(rsqrt, inverse_root(x))
PLSYCL_AS_OPENCL_1(sinpi, sine_of_turns(x))
PLSYCL_AS_OPENCL_1(tanpi, sine_of_turns(x) / cosine_of_turns(x))
PLSYCL_AS_OPENCL_2(atan2pi, Type, c_math::atan2(x, y) / pi<Computed>)
PLSYCL_AS_OPENCL_2(pown, int, whole_power<Computed>(x, y))
PLSYCL_AS_OPENCL_2(powr, Type, power_of_real<Computed>(x, y))
PLSYCL_AS_OPENCL_2(rootn, int, whole_root<Computed>(x, y))
#undef PLSYCL_AS_OPENCL_2
#undef PLSYCL_AS_OPENCL_1

} // namespace detail::numbers

PLSYCL_REAL_FUNCTION_1(acos)
PLSYCL_REAL_FUNCTION_1(acosh)
PLSYCL_REAL_FUNCTION_1(acospi)
PLSYCL_REAL_FUNCTION_1(asin)
PLSYCL_REAL_FUNCTION_1(asinh)
PLSYCL_REAL_FUNCTION_1(asinpi)
PLSYCL_REAL_FUNCTION_1(atan)
PLSYCL_REAL_FUNCTION_1(atanh)
PLSYCL_REAL_FUNCTION_1(atanpi)
PLSYCL_REAL_FUNCTION_1(cbrt)
PLSYCL_REAL_FUNCTION_1(ceil)
PLSYCL_REAL_FUNCTION_1(cos)
PLSYCL_REAL_FUNCTION_1(cosh)
PLSYCL_REAL_FUNCTION_1(cospi)
PLSYCL_REAL_FUNCTION_1(erf)
PLSYCL_REAL_FUNCTION_1(erfc)
PLSYCL_REAL_FUNCTION_1(exp)
PLSYCL_REAL_FUNCTION_1(exp10)
PLSYCL_REAL_FUNCTION_1(exp2)
PLSYCL_REAL_FUNCTION_1(expm1)
PLSYCL_REAL_FUNCTION_1(fabs)
PLSYCL_REAL_FUNCTION_1(floor)
PLSYCL_REAL_FUNCTION_1(ilogb)
PLSYCL_REAL_FUNCTION_1(lgamma)
PLSYCL_REAL_FUNCTION_1(log)
PLSYCL_REAL_FUNCTION_1(log10)
PLSYCL_REAL_FUNCTION_1(log1p)
PLSYCL_REAL_FUNCTION_1(log2)
PLSYCL_REAL_FUNCTION_1(logb)
PLSYCL_REAL_FUNCTION_1(rint)
PLSYCL_REAL_FUNCTION_1(round)
PLSYCL_REAL_FUNCTION_1(rsqrt)
PLSYCL_REAL_FUNCTION_1(sin)
PLSYCL_REAL_FUNCTION_1(sinh)
PLSYCL_REAL_FUNCTION_1(sinpi)
PLSYCL_REAL_FUNCTION_1(sqrt)
PLSYCL_REAL_FUNCTION_1(tan)
PLSYCL_REAL_FUNCTION_1(tanh)
PLSYCL_REAL_FUNCTION_1(tanpi)
PLSYCL_REAL_FUNCTION_1(tgamma)
PLSYCL_REAL_FUNCTION_1(trunc)
PLSYCL_REAL_FUNCTION_2(atan2)
PLSYCL_REAL_FUNCTION_2(atan2pi)
PLSYCL_REAL_FUNCTION_2(copysign)
PLSYCL_REAL_FUNCTION_2(fdim)
PLSYCL_REAL_FUNCTION_2(fmax)
PLSYCL_REAL_FUNCTION_2(fmin)
PLSYCL_REAL_FUNCTION_2(fmod)
PLSYCL_REAL_FUNCTION_2(hypot)
PLSYCL_REAL_FUNCTION_2(maxmag)
PLSYCL_REAL_FUNCTION_2(minmag)
PLSYCL_REAL_FUNCTION_2(nextafter)
PLSYCL_REAL_FUNCTION_2(pow)
PLSYCL_REAL_FUNCTION_2(powr)
PLSYCL_REAL_FUNCTION_2(remainder)
PLSYCL_REAL_FUNCTION_3(fma)
PLSYCL_REAL_FUNCTION_3(mad)

namespace detail {
/// An integer for each number, or one for all.
template <typename First, typename Second>
using if_integer_each = std::enable_if_t<
    std::is_same_v<typename argument<Second>::whole, typename argument<First>::template of<int>> ||
        std::is_convertible_v<const Second &, int>,
    int>;
} // namespace detail

#define PLSYCL_WITH_INTEGER(NAME)                                                                  \
  template <typename First, typename Second, detail::if_floating<First> = 0,                       \
            detail::if_integer_each<First, Second> = 0>                                            \
  auto NAME(const First &x, const Second &k) {                                                     \
    return detail::each_place([](auto a, int b) { return detail::numbers::NAME(a, b); }, x, k);    \
  }                                                                                                \
  template <int = 0> inline float NAME(float x, int k) { return detail::numbers::NAME(x, k); }     \
  template <int = 0> inline double NAME(double x, int k) { return detail::numbers::NAME(x, k); }   \
  template <int = 0> inline half NAME(half x, int k) { return detail::numbers::NAME(x, k); }
PLSYCL_WITH_INTEGER(ldexp)
PLSYCL_WITH_INTEGER(pown)
PLSYCL_WITH_INTEGER(rootn)
#undef PLSYCL_WITH_INTEGER

// With a second result behind a pointer.
namespace detail::with_pointer {

/// The part behind the point, below 1; the whole part goes to `whole`.
template <typename First, typename Pointer, if_floating<First> = 0>
auto fract(const First &x, Pointer whole) {
  return with_result_at(
      [](auto &floor_of, auto a) {
        using Type = decltype(a);
        floor_of = numbers::floor(a);
        const Type below = numbers::nextafter(Type(1), Type(0));
        const Type rest = static_cast<Type>(a - floor_of);
        if (a - a != a - a) // infinite or not a number
          return a != a ? a : numbers::copysign(Type(0), a);
        return numbers::fmin(rest, below);
      },
      whole, x);
}
/// The number as one from 0.5 on and below 1, times 2 to the power of `exponent`.
template <typename First, typename Pointer, if_floating<First> = 0>
auto frexp(const First &x, Pointer exponent) {
  return with_result_at(
      [](auto &power, auto a) {
        int found = 0;
        const auto size = c_math::frexp(static_cast<computed<decltype(a)>>(a), &found);
        power = found;
        return static_cast<decltype(a)>(size);
      },
      exponent, x);
}
template <typename First, typename Pointer, if_floating<First> = 0>
auto lgamma_r(const First &x, Pointer sign) {
  return with_result_at(
      [](auto &sign_of, auto a) {
        const bool odd =
            numbers::fabs(numbers::fmod(numbers::floor(a), decltype(a)(2))) == decltype(a)(1);
        const bool below = numbers::copysign(decltype(a)(1), a) < decltype(a)(0);
        sign_of = below && (odd || a == decltype(a)(0)) ? -1 : 1;
        return numbers::lgamma(a);
      },
      sign, x);
}
template <typename First, typename Pointer, if_floating<First> = 0>
auto modf(const First &x, Pointer whole) {
  return with_result_at(
      [](auto &towards_zero, auto a) {
        using Type = decltype(a);
        towards_zero = numbers::trunc(a);
        const bool infinite = numbers::fabs(a) > std::numeric_limits<Type>::max();
        return numbers::copysign(infinite ? Type(0) : static_cast<Type>(a - towards_zero), a);
      },
      whole, x);
}
/// The seven lowest bits of the whole number nearest to x / y, with the sign of x / y. (C's
/// function gives three of them.)
template <typename Floating> int lowest_of_quotient(Floating x, Floating y) {
  const Floating size = c_math::fabs(y), rest = c_math::fmod(c_math::fabs(x), 128 * size);
  const Floating nearest = c_math::rint((rest - c_math::remainder(rest, size)) / size);
  const int lowest = nearest <= 128 ? static_cast<int>(nearest) & 127 : 0; // 0 without a quotient
  return (x < 0) != (y < 0) ? -lowest : lowest;
}
template <typename First, typename Second, typename Pointer, if_floating<First, Second> = 0>
auto remquo(const First &x, const Second &y, Pointer quotient) {
  return with_result_at(
      [](auto &bits, auto a, auto b) {
        using Computed = computed<decltype(a)>;
        const auto number = static_cast<Computed>(a), divisor = static_cast<Computed>(b);
        bits = lowest_of_quotient(number, divisor);
        return static_cast<decltype(a)>(c_math::remainder(number, divisor));
      },
      quotient, x, y);
}
template <typename First, typename Pointer, if_floating<First> = 0>
auto sincos(const First &x, Pointer cosine) {
  return with_result_at(
      [](auto &cosine_of, auto a) {
        cosine_of = numbers::cos(a);
        return numbers::sin(a);
      },
      cosine, x);
}

} // namespace detail::with_pointer

// The template arguments that programs may write are those of SYCL 2020: numbers are not among
// them.
#define PLSYCL_WITH_POINTER(NAME, TYPE, CONDITION)                                                 \
  template <typename Pointer, detail::CONDITION<Pointer, TYPE> = 0>                                \
  TYPE NAME(TYPE x, Pointer second) {                                                              \
    return detail::with_pointer::NAME(x, second);                                                  \
  }
#define PLSYCL_WITH_POINTERS(NAME, CONDITION)                                                      \
  template <typename First, typename Pointer, detail::if_floats<First> = 0,                        \
            detail::CONDITION<Pointer, First> = 0>                                                 \
  auto NAME(const First &x, Pointer second) {                                                      \
    return detail::with_pointer::NAME(x, second);                                                  \
  }                                                                                                \
  PLSYCL_WITH_POINTER(NAME, float, CONDITION)                                                      \
  PLSYCL_WITH_POINTER(NAME, double, CONDITION)                                                     \
  PLSYCL_WITH_POINTER(NAME, half, CONDITION)
PLSYCL_WITH_POINTERS(fract, if_out_alike)
PLSYCL_WITH_POINTERS(frexp, if_out_integer)
PLSYCL_WITH_POINTERS(lgamma_r, if_out_integer)
PLSYCL_WITH_POINTERS(modf, if_out_alike)
PLSYCL_WITH_POINTERS(sincos, if_out_alike)
#undef PLSYCL_WITH_POINTERS
#undef PLSYCL_WITH_POINTER

#define PLSYCL_REMQUO(TYPE)                                                                        \
  template <typename Pointer, detail::if_out_integer<Pointer, TYPE> = 0>                           \
  TYPE remquo(TYPE x, TYPE y, Pointer quotient) {                                                  \
    return detail::with_pointer::remquo(x, y, quotient);                                           \
  }
template <typename First, typename Second, typename Pointer, detail::if_floats<First> = 0,
          detail::if_alike<First, Second> = 0, detail::if_out_integer<Pointer, First> = 0>
auto remquo(const First &x, const Second &y, Pointer quotient) {
  return detail::with_pointer::remquo(x, y, quotient);
}
PLSYCL_REMQUO(float)
PLSYCL_REMQUO(double)
PLSYCL_REMQUO(half)
#undef PLSYCL_REMQUO

namespace detail {
/// What has the bits of a floating-point number.
template <typename Type>
using if_code = std::enable_if_t<std::is_unsigned_v<element_type_of<Type>> &&
                                     !std::is_same_v<element_type_of<Type>, bool> &&
                                     (sizeof(element_type_of<Type>) > 1),
                                 int>;
} // namespace detail
/// Not a number, with the bits of a code where the number has room.
template <typename First, detail::if_code<First> = 0> auto nan(const First &code) {
  return detail::each_element(
      [](auto bits) {
        using Bits = decltype(bits);
        using Type = std::conditional_t<sizeof(Bits) == 2, half,
                                        std::conditional_t<sizeof(Bits) == 4, float, double>>;
        constexpr int digits = std::numeric_limits<Type>::digits - 2; // of the code
        const auto own = static_cast<std::uint64_t>(bits) & ((std::uint64_t(1) << digits) - 1);
        const auto quiet =
            (~std::uint64_t(0) << digits & (~std::uint64_t(0) >> (65 - 8 * sizeof(Bits)))) | own;
        const auto all = static_cast<detail::bits_of<Type>>(quiet);
        Type value;
        std::memcpy(static_cast<void *>(&value), &all, sizeof(value));
        return value;
      },
      code);
}
// For what converts to a code as well.
inline half nan(std::uint16_t code) { return nan<std::uint16_t>(code); }
inline float nan(std::uint32_t code) { return nan<std::uint32_t>(code); }
inline double nan(std::uint64_t code) { return nan<std::uint64_t>(code); }

} // namespace sycl

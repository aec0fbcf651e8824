//===- half.hpp - 16-bit floating point ------------------------------------------------------===//
//
// The device computes in its own 16-bit type; the host, whose compiler may have none, in float.
// Both store the IEEE 754 binary16 bits.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/aspects.hpp>
#include <sycl/bit_cast.hpp>
#include <sycl/detail/config.hpp>

#include <cstdint>
#include <istream>
#include <limits>
#include <ostream>
#include <type_traits>

namespace sycl {
namespace detail::half_impl {

constexpr std::uint32_t float_bits(float value) { return bit_cast<std::uint32_t>(value); }
constexpr float bits_float(std::uint32_t bits) { return bit_cast<float>(bits); }

/// Rounds to nearest, ties to even.
constexpr std::uint16_t from_float(float value) {
  const std::uint32_t bits = float_bits(value), sign = bits >> 16 & 0x8000;
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) // not a number: keep it quiet
    return static_cast<std::uint16_t>(sign | 0x7e00 | (magnitude >> 13 & 0x1ff));
  if (magnitude >= 0x477ff000) // rounds to 65536 or more
    return static_cast<std::uint16_t>(sign | 0x7c00);
  if (magnitude < 0x38800000) { // subnormal: let the adder of a float align and round
    const float shifted = bits_float(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (float_bits(shifted) - float_bits(0.5f)));
  }
  const std::uint32_t odd = magnitude >> 13 & 1;
  const std::uint32_t rebased = magnitude - (112u << 23) + 0xfff + odd;
  return static_cast<std::uint16_t>(sign | rebased >> 13);
}

constexpr float to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t magnitude = half & 0x7fff;
  if (magnitude >= 0x7c00) // infinity or not a number
    return bits_float(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  // Exact, also for subnormals: the exponent is moved by a multiplication.
  const float value = bits_float(magnitude << 13) * bits_float(0x77800000);
  return bits_float(sign | float_bits(value));
}

/// The float that rounds to a half as a wider number does: cut off behind its last bit, which says
/// whether anything was lost.
template <typename Type> constexpr float narrowed(Type value) {
  const float near = static_cast<float>(value);
  const auto back = static_cast<Type>(near);
  if (back == value || value != value)
    return near;
  const bool beyond = value < 0 ? back < value : back > value;
  return bits_float((float_bits(near) - (beyond ? 1 : 0)) | 1);
}

/// The same of a sum.
constexpr float narrowed_sum(float x, float y) {
  const float sum = x + y, part = sum - x, lost = (x - (sum - part)) + (y - part);
  if (!(lost < 0 || lost > 0)) // none, or there is no sum
    return sum;
  return bits_float((float_bits(sum) - ((lost < 0) != (sum < 0) ? 1 : 0)) | 1);
}

/// Needs aspect::fp16 (FEAT, "Changes to DPC++ headers").
class PLSYCL_USES_ASPECTS(sycl::aspect::fp16) half {
  template <typename Type>
  using if_wide =
      std::enable_if_t<std::is_floating_point_v<Type> && !std::is_same_v<Type, float>, int>;

public:
  half() = default;
#ifdef __SYCL_DEVICE_ONLY__
  constexpr half(float value) : bits(static_cast<_Float16>(value)) {}
  template <typename Type, if_wide<Type> = 0>
  constexpr half(Type value) : bits(static_cast<_Float16>(value)) {}
  constexpr operator float() const { return static_cast<float>(bits); }
#else
  constexpr half(float value) : bits(from_float(value)) {}
  template <typename Type, if_wide<Type> = 0> constexpr half(Type value) : half(narrowed(value)) {}
  constexpr operator float() const { return to_float(bits); }
#endif
  template <typename Type, std::enable_if_t<std::is_integral_v<Type>, int> = 0>
  constexpr half(Type value) : half(static_cast<float>(value)) {}

  constexpr half operator-() const { return half(-static_cast<float>(*this)); }
  constexpr half &operator++() { return *this += half(1.0f); }
  constexpr half &operator--() { return *this -= half(1.0f); }
  constexpr half operator++(int) {
    half before = *this;
    ++*this;
    return before;
  }
  constexpr half operator--(int) {
    half before = *this;
    --*this;
    return before;
  }

#ifdef __SYCL_DEVICE_ONLY__
#define PLSYCL_HALF_OPERATOR(OP)                                                                   \
  constexpr half &operator OP##=(const half & other) {                                             \
    bits = bits OP other.bits;                                                                     \
    return *this;                                                                                  \
  }                                                                                                \
  friend constexpr half operator OP(half left, const half &right) { return left OP## = right; }
#else
#define PLSYCL_HALF_OPERATOR(OP)                                                                   \
  constexpr half &operator OP##=(const half & other) {                                             \
    return *this = half(static_cast<float>(*this) OP static_cast<float>(other));                   \
  }                                                                                                \
  friend constexpr half operator OP(half left, const half &right) { return left OP## = right; }
#endif
  PLSYCL_HALF_OPERATOR(+)
  PLSYCL_HALF_OPERATOR(-)
  PLSYCL_HALF_OPERATOR(*)
  PLSYCL_HALF_OPERATOR(/)
#undef PLSYCL_HALF_OPERATOR

#define PLSYCL_HALF_COMPARISON(OP)                                                                 \
  friend constexpr bool operator OP(const half &left, const half &right) {                         \
    return static_cast<float>(left) OP static_cast<float>(right);                                  \
  }                                                                                                \
  template <typename Type, std::enable_if_t<std::is_arithmetic_v<Type>, int> = 0>                  \
  friend constexpr bool operator OP(const half &left, Type right) {                                \
    return static_cast<float>(left) OP right;                                                      \
  }                                                                                                \
  template <typename Type, std::enable_if_t<std::is_arithmetic_v<Type>, int> = 0>                  \
  friend constexpr bool operator OP(Type left, const half &right) {                                \
    return left OP static_cast<float>(right);                                                      \
  }
  PLSYCL_HALF_COMPARISON(==)
  PLSYCL_HALF_COMPARISON(!=)
  PLSYCL_HALF_COMPARISON(<)
  PLSYCL_HALF_COMPARISON(>)
  PLSYCL_HALF_COMPARISON(<=)
  PLSYCL_HALF_COMPARISON(>=)
#undef PLSYCL_HALF_COMPARISON

  // With a number of another type: a half and an integer give a half, with float or double theirs.
#define PLSYCL_HALF_MIXED(OP)                                                                      \
  template <typename Type, std::enable_if_t<std::is_integral_v<Type>, int> = 0>                    \
  friend constexpr half operator OP(const half &left, Type right) {                                \
    return left OP half(right);                                                                    \
  }                                                                                                \
  template <typename Type, std::enable_if_t<std::is_integral_v<Type>, int> = 0>                    \
  friend constexpr half operator OP(Type left, const half &right) {                                \
    return half(left) OP right;                                                                    \
  }                                                                                                \
  template <typename Type, std::enable_if_t<std::is_floating_point_v<Type>, int> = 0>              \
  friend constexpr Type operator OP(const half &left, Type right) {                                \
    return static_cast<float>(left) OP right;                                                      \
  }                                                                                                \
  template <typename Type, std::enable_if_t<std::is_floating_point_v<Type>, int> = 0>              \
  friend constexpr Type operator OP(Type left, const half &right) {                                \
    return left OP static_cast<float>(right);                                                      \
  }
  PLSYCL_HALF_MIXED(+)
  PLSYCL_HALF_MIXED(-)
  PLSYCL_HALF_MIXED(*)
  PLSYCL_HALF_MIXED(/)
#undef PLSYCL_HALF_MIXED

  friend std::ostream &operator<<(std::ostream &out, const half &value) {
    return out << static_cast<float>(value);
  }
  friend std::istream &operator>>(std::istream &in, half &value) {
    float read = 0;
    in >> read;
    value = half(read);
    return in;
  }

private:
#ifdef __SYCL_DEVICE_ONLY__
  _Float16 bits;
#else
  std::uint16_t bits;
#endif
};

static_assert(sizeof(half) == 2 && std::is_trivially_copyable_v<half>);

} // namespace detail::half_impl

using half = detail::half_impl::half;

namespace detail {
/// What std::numeric_limits says of every type of two bytes that is a part of float.
struct short_float_limits {
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = true;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr int radix = 2;
};
} // namespace detail

} // namespace sycl

template <> class std::numeric_limits<sycl::half> : public sycl::detail::short_float_limits {
public:
  static constexpr bool is_iec559 = true;
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int max_digits10 = 5;
  static constexpr int min_exponent = -13;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent = 16;
  static constexpr int max_exponent10 = 4;

  static constexpr sycl::half min() noexcept { return 6.103515625e-5f; }
  static constexpr sycl::half max() noexcept { return 65504.0f; }
  static constexpr sycl::half lowest() noexcept { return -65504.0f; }
  static constexpr sycl::half epsilon() noexcept { return 9.765625e-4f; }
  static constexpr sycl::half round_error() noexcept { return 0.5f; }
  static constexpr sycl::half denorm_min() noexcept { return 5.9604644775390625e-8f; }
  static constexpr sycl::half infinity() noexcept { return std::numeric_limits<float>::infinity(); }
  static constexpr sycl::half quiet_NaN() noexcept {
    return std::numeric_limits<float>::quiet_NaN();
  }
  static constexpr sycl::half signaling_NaN() noexcept {
    return sycl::bit_cast<sycl::half>(std::uint16_t(0x7d00));
  }
};

template <> struct std::hash<sycl::half> {
  std::size_t operator()(const sycl::half &value) const noexcept {
    return std::hash<float>()(static_cast<float>(value));
  }
};

//===- bfloat16.hpp - sycl_ext_oneapi_bfloat16 ----------------------------------------------===//
#pragma once

#include <sycl/half.hpp>

#include <cstdint>
#include <cstring>

namespace sycl::ext::oneapi {

/// The upper half of a float: 8 bits of exponent, 7 of mantissa. Computed as float.
class bfloat16 {
  template <typename Type>
  using with_number = std::conditional_t<std::is_floating_point_v<Type>, Type, bfloat16>;
  template <typename Type>
  static constexpr bool is_other = std::is_arithmetic_v<Type> || std::is_same_v<Type, half>;
  template <typename Type> static Type as_number(Type value) { return value; }
  static float as_number(const half &value) { return value; }

public:
  bfloat16() = default;
  bfloat16(float value) : bits(rounded(value)) {}
  bfloat16(const half &value) : bfloat16(static_cast<float>(value)) {}
  template <typename Type,
            std::enable_if_t<std::is_arithmetic_v<Type> && !std::is_same_v<Type, float>, int> = 0>
  explicit bfloat16(Type value) : bfloat16(static_cast<float>(value)) {}
  bfloat16 &operator=(float value) { return *this = bfloat16(value); }
  bfloat16 &operator=(const half &value) { return *this = bfloat16(value); }

  operator float() const {
    const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
  }
  operator half() const { return half(static_cast<float>(*this)); }
  explicit operator bool() const { return (bits & 0x7fff) != 0; }

  friend bfloat16 operator-(const bfloat16 &value) { return -static_cast<float>(value); }
  friend bfloat16 &operator++(bfloat16 &value) { return value += bfloat16(1.0f); }
  friend bfloat16 &operator--(bfloat16 &value) { return value -= bfloat16(1.0f); }
  friend bfloat16 operator++(bfloat16 &value, int) {
    const bfloat16 before = value;
    ++value;
    return before;
  }
  friend bfloat16 operator--(bfloat16 &value, int) {
    const bfloat16 before = value;
    --value;
    return before;
  }

  // With an integer or a half a bfloat16; with another floating-point number one of that type.
#define PLSYCL_BFLOAT16_OPERATOR(OP)                                                               \
  friend bfloat16 operator OP(const bfloat16 &left, const bfloat16 &right) {                       \
    return static_cast<float>(left) OP static_cast<float>(right);                                  \
  }                                                                                                \
  template <typename Type, std::enable_if_t<is_other<Type>, int> = 0>                              \
  friend with_number<Type> operator OP(const bfloat16 & left, Type right) {                        \
    return with_number<Type>(static_cast<float>(left) OP as_number(right));                        \
  }                                                                                                \
  template <typename Type, std::enable_if_t<is_other<Type>, int> = 0>                              \
  friend with_number<Type> operator OP(Type left, const bfloat16 & right) {                        \
    return with_number<Type>(as_number(left) OP static_cast<float>(right));                        \
  }                                                                                                \
  friend bfloat16 &operator OP##=(bfloat16 & left, const bfloat16 & right) {                       \
    return left = left OP right;                                                                   \
  }
  PLSYCL_BFLOAT16_OPERATOR(+)
  PLSYCL_BFLOAT16_OPERATOR(-)
  PLSYCL_BFLOAT16_OPERATOR(*)
  PLSYCL_BFLOAT16_OPERATOR(/)
#undef PLSYCL_BFLOAT16_OPERATOR
#define PLSYCL_BFLOAT16_COMPARISON(OP)                                                             \
  friend bool operator OP(const bfloat16 &left, const bfloat16 &right) {                           \
    return static_cast<float>(left) OP static_cast<float>(right);                                  \
  }                                                                                                \
  template <typename Type, std::enable_if_t<is_other<Type>, int> = 0>                              \
  friend bool operator OP(const bfloat16 &left, Type right) {                                      \
    return static_cast<float>(left) OP as_number(right);                                           \
  }                                                                                                \
  template <typename Type, std::enable_if_t<is_other<Type>, int> = 0>                              \
  friend bool operator OP(Type left, const bfloat16 &right) {                                      \
    return as_number(left) OP static_cast<float>(right);                                           \
  }
  PLSYCL_BFLOAT16_COMPARISON(==)
  PLSYCL_BFLOAT16_COMPARISON(!=)
  PLSYCL_BFLOAT16_COMPARISON(<)
  PLSYCL_BFLOAT16_COMPARISON(>)
  PLSYCL_BFLOAT16_COMPARISON(<=)
  PLSYCL_BFLOAT16_COMPARISON(>=)
#undef PLSYCL_BFLOAT16_COMPARISON

  friend std::ostream &operator<<(std::ostream &out, const bfloat16 &value) {
    return out << static_cast<float>(value);
  }
  friend std::istream &operator>>(std::istream &in, bfloat16 &value) {
    float read = 0;
    in >> read;
    value = bfloat16(read);
    return in;
  }

private:
  /// To nearest, ties to even.
  static std::uint16_t rounded(float value) {
    if (value != value)
      return 0x7fc1;
    std::uint32_t wide;
    std::memcpy(&wide, &value, sizeof(wide));
    return static_cast<std::uint16_t>((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
  }

  std::uint16_t bits;
};

static_assert(sizeof(bfloat16) == 2 && std::is_trivially_copyable_v<bfloat16>);

} // namespace sycl::ext::oneapi

template <>
class std::numeric_limits<sycl::ext::oneapi::bfloat16> : public sycl::detail::short_float_limits {
  using number = sycl::ext::oneapi::bfloat16;
  static constexpr number of_bits(std::uint16_t bits) noexcept {
    return sycl::bit_cast<number>(bits);
  }

public:
  static constexpr bool is_iec559 = true;
  static constexpr int digits = 8;
  static constexpr int digits10 = 2;
  static constexpr int max_digits10 = 4;
  static constexpr int min_exponent = std::numeric_limits<float>::min_exponent;
  static constexpr int min_exponent10 = std::numeric_limits<float>::min_exponent10;
  static constexpr int max_exponent = std::numeric_limits<float>::max_exponent;
  static constexpr int max_exponent10 = std::numeric_limits<float>::max_exponent10;

  static constexpr number min() noexcept { return of_bits(0x0080); }
  static constexpr number max() noexcept { return of_bits(0x7f7f); }
  static constexpr number lowest() noexcept { return of_bits(0xff7f); }
  static constexpr number epsilon() noexcept { return of_bits(0x3c00); }
  static constexpr number round_error() noexcept { return of_bits(0x3f00); }
  static constexpr number denorm_min() noexcept { return of_bits(0x0001); }
  static constexpr number infinity() noexcept { return of_bits(0x7f80); }
  static constexpr number quiet_NaN() noexcept { return of_bits(0x7fc0); }
  static constexpr number signaling_NaN() noexcept { return of_bits(0x7fa0); }
};

//===- format.hpp - numbers as text, on the device too ---------------------------------------===//
//
// Devices have no C library to ask. Numbers are written as C++'s streams write them; a float is
// computed as a float, because not every device has a double.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace sycl::detail {

/// How numbers are written.
struct text_format {
  enum class notation : unsigned char { general, fixed, scientific, hexadecimal };

  unsigned char base = 10;
  notation real = notation::general;
  bool shows_base = false;
  bool shows_plus = false;
  int precision = 6;
  int width = 0;
};

/// A few characters: the longest number there is.
class short_text {
public:
  void put(char character) {
    if (length < sizeof(characters))
      characters[length++] = character;
  }
  void put(const char *text) {
    for (; *text != '\0'; ++text)
      put(*text);
  }
  /// At least so many digits of a number.
  void put_number(std::uint64_t number, unsigned base, int at_least = 1) {
    char digits[64];
    int count = 0;
    for (; number != 0 || count < at_least; number /= base) {
      const auto digit = static_cast<char>(number % base);
      digits[count++] = static_cast<char>(digit < 10 ? '0' + digit : 'a' + digit - 10);
    }
    while (count > 0)
      put(digits[--count]);
  }

  char characters[96];
  std::size_t length = 0;
};

template <typename Type>
PLSYCL_OUT_OF_LINE void put_integer(short_text &out, Type number, const text_format &format) {
  auto magnitude = static_cast<std::uint64_t>(number);
  if (number < Type(0) && format.base == 10) {
    out.put('-');
    magnitude = ~magnitude + 1;
  } else {
    if (format.shows_plus && format.base == 10 && std::is_signed_v<Type>)
      out.put('+');
    if constexpr (sizeof(Type) < sizeof(std::uint64_t))
      magnitude &= (std::uint64_t(1) << (sizeof(Type) * 8)) - 1;
  }
  if (format.shows_base && magnitude != 0 && format.base != 10)
    out.put(format.base == 16 ? "0x" : "0");
  out.put_number(magnitude, format.base);
}

/// A positive number as `digits` decimal digits, `number` times 10 to the power of
/// `exponent - digits + 1`.
struct decimal {
  std::uint64_t number;
  int exponent;
};
inline std::uint64_t power_of_ten(int exponent) {
  std::uint64_t power = 1;
  for (; exponent > 0; --exponent)
    power *= 10;
  return power;
}
template <typename Floating> Floating scaled_by_ten(Floating value, int exponent) {
  // In steps that no type of number overflows at, with exact powers.
  for (; exponent >= 10; exponent -= 10)
    value *= Floating(1e10);
  for (; exponent <= -10; exponent += 10)
    value /= Floating(1e10);
  return exponent >= 0 ? value * static_cast<Floating>(power_of_ten(exponent))
                       : value / static_cast<Floating>(power_of_ten(-exponent));
}
template <typename Floating> decimal to_decimal(Floating value, int digits) {
  int exponent = 0;
  for (Floating left = value; left >= Floating(10); left /= Floating(10))
    ++exponent;
  for (Floating left = value; left < Floating(1); left *= Floating(10))
    --exponent;
  const std::uint64_t least = power_of_ten(digits - 1);
  auto number =
      static_cast<std::uint64_t>(scaled_by_ten(value, digits - 1 - exponent) + Floating(0.5));
  if (number < least) // The loops above have rounded, too.
    number =
        static_cast<std::uint64_t>(scaled_by_ten(value, digits - 1 - --exponent) + Floating(0.5));
  if (number >= least * 10) {
    number /= 10;
    ++exponent;
  }
  return {number, exponent};
}

inline void put_exponent(short_text &out, int exponent) {
  out.put('e');
  out.put(exponent < 0 ? '-' : '+');
  out.put_number(static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent), 10, 2);
}

/// `number` with a point before its last `after` digits; without the zeros at its end, if asked.
inline void put_with_point(short_text &out, std::uint64_t number, int after, bool trims) {
  for (; trims && after > 0 && number % 10 == 0; --after)
    number /= 10;
  const std::uint64_t unit = power_of_ten(after);
  out.put_number(number / unit, 10);
  if (after > 0) {
    out.put('.');
    out.put_number(number % unit, 10, after);
  }
}

template <typename Floating> void put_hexadecimal(short_text &out, Floating value) {
  int exponent = 0;
  for (; value != Floating(0) && value < Floating(1); value *= 2)
    --exponent;
  for (; value >= Floating(2); value /= 2)
    ++exponent;
  out.put(value == Floating(0) ? "0x0" : "0x1");
  value -= value == Floating(0) ? Floating(0) : Floating(1);
  if (value != Floating(0))
    out.put('.');
  for (; value != Floating(0);) {
    value *= 16;
    const auto digit = static_cast<unsigned>(value);
    out.put_number(digit, 16);
    value -= static_cast<Floating>(digit);
  }
  out.put('p');
  out.put(exponent < 0 ? '-' : '+');
  out.put_number(static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent), 10);
}

template <typename Floating>
PLSYCL_OUT_OF_LINE void put_real(short_text &out, Floating value, const text_format &format) {
  constexpr int most_digits = 17;
  bool negative = value < Floating(0);
  if (value == Floating(0)) {
    unsigned char bytes[sizeof(Floating)];
    std::memcpy(bytes, &value, sizeof(Floating));
    negative = bytes[sizeof(Floating) - 1] != 0; // little-endian, as all targets are
  }
  const Floating size = negative ? -value : value;
  if (negative)
    out.put('-');
  else if (format.shows_plus)
    out.put('+');
  if (value != value)
    return out.put("nan");
  if (size > std::numeric_limits<Floating>::max())
    return out.put("inf");
  using notation = text_format::notation;
  if (format.real == notation::hexadecimal)
    return put_hexadecimal(out, size);
  const int asked = format.precision < most_digits ? format.precision : most_digits;
  if (format.real == notation::fixed && size < Floating(1e18)) {
    // The whole part is exact; what is behind the point may round up to one.
    auto whole = static_cast<std::uint64_t>(size);
    const std::uint64_t unit = power_of_ten(asked);
    const Floating fraction = size - static_cast<Floating>(whole);
    auto digits =
        static_cast<std::uint64_t>(fraction * static_cast<Floating>(unit) + Floating(0.5));
    whole += digits >= unit;
    digits -= digits >= unit ? unit : 0;
    out.put_number(whole, 10);
    if (asked > 0) {
      out.put('.');
      out.put_number(digits, 10, asked);
    }
    return;
  }
  if (size == Floating(0)) {
    if (format.real != notation::scientific)
      return out.put('0');
    put_with_point(out, 0, asked, false);
    return put_exponent(out, 0);
  }
  if (format.real == notation::general) {
    const int digits = asked > 0 ? asked : 1;
    const decimal value_of = to_decimal(size, digits);
    if (value_of.exponent >= -4 && value_of.exponent < digits) {
      put_with_point(out, value_of.number, digits - 1 - value_of.exponent, true);
    } else {
      put_with_point(out, value_of.number, digits - 1, true);
      put_exponent(out, value_of.exponent);
    }
    return;
  }
  const decimal value_of = to_decimal(size, asked + 1);
  put_with_point(out, value_of.number, asked, false);
  put_exponent(out, value_of.exponent);
}

} // namespace sycl::detail

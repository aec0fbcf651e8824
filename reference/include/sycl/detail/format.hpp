//===- format.hpp - numbers as text, on the device too ---------------------------------------===//
//
// Devices have no C library to ask. Numbers are written as C++'s streams write them, to the last
// digit.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/detail/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
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
  /// Whether nothing was written since the width was said.
  bool pads_text = false;
  /// Digits of more than that are not written.
  static constexpr int most_precision = 200;
};

/// A few characters: the longest number there is.
class short_text {
public:
  /// A double in fixed notation.
  static constexpr std::size_t most = 2 + 309 + text_format::most_precision + 9;

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

  char characters[most];
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

/// A number that is neither infinite nor none: `mantissa` times 2 to the power of `exponent`, of
/// which the host's streams and these know every digit. No device has to have a `double` for it.
struct binary_number {
  std::uint64_t mantissa;
  int exponent;
};

/// What bits of a floating-point number say, which has so many of the mantissa.
constexpr binary_number binary_of(std::uint64_t bits, int mantissa_bits, int exponent_bits) {
  const std::uint64_t mantissa = bits & ((std::uint64_t(1) << mantissa_bits) - 1);
  const auto exponent =
      static_cast<int>((bits >> mantissa_bits) & ((std::uint64_t(1) << exponent_bits) - 1));
  const int least = 2 - (1 << (exponent_bits - 1)) - mantissa_bits;
  if (exponent == 0)
    return {mantissa, least};
  return {mantissa | std::uint64_t(1) << mantissa_bits, least + exponent - 1};
}

/// The decimal digits of a number that is not 0, the first of which is not 0 and stands for
/// 10 to the power of `exponent`.
class decimal_digits {
public:
  /// All up to so many of them, or to so many behind the point; what is more is rounded as the
  /// host's streams do it: to the nearest, and from the middle to an even digit.
  PLSYCL_OUT_OF_LINE decimal_digits(binary_number number, int wanted, bool behind_point) {
    split(number);
    write_whole();
    exponent = count - 1;
    while (count == 0)
      add_chunk();
    if (behind_point)
      wanted += exponent + 1;
    while (count <= wanted && part_words > 0)
      add_chunk();
    round(wanted);
  }

  /// The digit that stands for this power of ten.
  char at(int power) const {
    const int place = exponent - power;
    return place < 0 || place >= count ? '0' : static_cast<char>('0' + digits[place]);
  }
  /// The power of ten of the last digit that is not 0.
  int trimmed() const {
    int last = count;
    while (last > 1 && digits[last - 1] == 0)
      --last;
    return exponent - last + 1;
  }

  int exponent = 0;
  int count = 0;

private:
  static constexpr std::uint32_t chunk = 1'000'000'000;
  static constexpr int words_of_double = 34;

  /// The part before the point, the lowest word first, and that behind it, the highest word first.
  void split(binary_number number) {
    if (number.exponent >= 0) {
      whole_words = put_bits(whole, number.mantissa, number.exponent, false);
      return;
    }
    const int behind = -number.exponent;
    part_words = (behind + 31) / 32;
    const std::uint64_t before = behind < 64 ? number.mantissa >> behind : 0;
    whole_words = put_bits(whole, before, 0, false);
    put_bits(part, behind < 64 ? number.mantissa - (before << behind) : number.mantissa,
             part_words * 32 - behind, true);
    drop_zeros();
  }
  /// Puts `value` shifted to the left into words; gives their count.
  int put_bits(std::uint32_t *words, std::uint64_t value, int shift, bool highest_first) {
    const int all = highest_first ? part_words : shift / 32 + 3;
    for (int i = 0; i < all; ++i)
      words[i] = 0;
    int used = 0;
    for (int bit = 0; bit < 64; ++bit) {
      if (!(value >> bit & 1))
        continue;
      const int word = (bit + shift) / 32;
      words[highest_first ? all - 1 - word : word] |= std::uint32_t(1) << (bit + shift) % 32;
      used = word + 1;
    }
    return used;
  }
  /// The part behind the point ends where nothing but zeros is.
  void drop_zeros() {
    while (part_words > 0 && part[part_words - 1] == 0)
      --part_words;
  }

  void write_whole() {
    // From the last digit on, and turned around.
    while (whole_words > 0) {
      std::uint64_t rest = 0;
      for (int i = whole_words - 1; i >= 0; --i) {
        rest = rest << 32 | whole[i];
        whole[i] = static_cast<std::uint32_t>(rest / chunk);
        rest %= chunk;
      }
      while (whole_words > 0 && whole[whole_words - 1] == 0)
        --whole_words;
      for (int i = 0; i < 9; ++i, rest /= 10)
        digits[count++] = static_cast<unsigned char>(rest % 10);
    }
    while (count > 0 && digits[count - 1] == 0)
      --count;
    for (int i = 0; i < count / 2; ++i) {
      const unsigned char other = digits[i];
      digits[i] = digits[count - 1 - i];
      digits[count - 1 - i] = other;
    }
  }

  /// The next nine digits behind the point; no zeros before the first other digit.
  void add_chunk() {
    std::uint64_t next = 0;
    for (int i = part_words - 1; i >= 0; --i) {
      next += std::uint64_t(part[i]) * chunk;
      part[i] = static_cast<std::uint32_t>(next);
      next >>= 32;
    }
    drop_zeros();
    for (std::uint32_t unit = chunk / 10; unit > 0; unit /= 10) {
      const auto digit = static_cast<unsigned char>(next / unit % 10);
      if (count == 0 && digit == 0)
        --exponent;
      else
        digits[count++] = digit;
    }
  }

  void round(int wanted) {
    if (wanted >= count)
      return;
    if (wanted < 0) {
      count = 0;
      return;
    }
    bool is_more = part_words > 0;
    for (int i = wanted + 1; i < count; ++i)
      is_more = is_more || digits[i] != 0;
    const bool is_odd = wanted > 0 && digits[wanted - 1] % 2 != 0;
    const bool goes_up = digits[wanted] > 5 || (digits[wanted] == 5 && (is_more || is_odd));
    count = wanted;
    if (!goes_up)
      return;
    while (count > 0 && digits[count - 1] == 9)
      --count;
    if (count > 0) {
      ++digits[count - 1];
      return;
    }
    digits[count++] = 1;
    ++exponent;
  }

  int whole_words = 0, part_words = 0;
  std::uint32_t whole[words_of_double], part[words_of_double];
  unsigned char digits[short_text::most];
};

inline void put_exponent(short_text &out, int exponent, int at_least) {
  out.put(exponent < 0 ? '-' : '+');
  out.put_number(static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent), 10, at_least);
}

/// Digits with a point behind that of the power `point`, at least to that, up to the power `last`.
inline void put_digits(short_text &out, const decimal_digits &number, int point, int last) {
  for (int power = number.exponent > point ? number.exponent : point; power >= last; --power) {
    out.put(number.at(power));
    if (power == point && power != last)
      out.put('.');
  }
}

inline void put_hexadecimal(short_text &out, binary_number number) {
  constexpr int digits = 52;
  if (number.mantissa == 0)
    return out.put("0x0p+0");
  // One digit before the point, which is 0 where no exponent is small enough.
  for (; !(number.mantissa >> digits) && number.exponent > -1074; --number.exponent)
    number.mantissa <<= 1;
  out.put(number.mantissa >> digits ? "0x1" : "0x0");
  std::uint64_t behind = number.mantissa & ((std::uint64_t(1) << digits) - 1);
  int count = digits / 4;
  for (; count > 0 && behind % 16 == 0; --count)
    behind /= 16;
  if (count > 0) {
    out.put('.');
    out.put_number(behind, 16, count);
  }
  out.put('p');
  put_exponent(out, number.exponent + digits, 1);
}

/// A number without its sign.
PLSYCL_OUT_OF_LINE inline void put_magnitude(short_text &out, binary_number number,
                                             const text_format &format) {
  using notation = text_format::notation;
  if (format.real == notation::hexadecimal)
    return put_hexadecimal(out, number);
  int asked = format.precision < 0 ? 6 : format.precision;
  asked = asked < text_format::most_precision ? asked : text_format::most_precision;
  const bool is_general = format.real == notation::general;
  if (is_general && asked == 0)
    asked = 1;
  if (number.mantissa == 0) {
    out.put('0');
    for (int i = 0; i < asked && !is_general; ++i)
      out.put(i == 0 ? ".0" : "0");
    if (format.real == notation::scientific)
      out.put("e+00");
    return;
  }
  if (format.real == notation::fixed) {
    const decimal_digits digits(number, asked, true);
    return put_digits(out, digits, 0, -asked);
  }
  const decimal_digits digits(number, is_general ? asked : asked + 1, false);
  if (is_general && digits.exponent >= -4 && digits.exponent < asked) {
    const int last = digits.trimmed();
    return put_digits(out, digits, 0, last < 0 ? last : 0);
  }
  put_digits(out, digits, digits.exponent, is_general ? digits.trimmed() : digits.exponent - asked);
  out.put('e');
  put_exponent(out, digits.exponent, 2);
}

template <typename Floating>
void put_real(short_text &out, Floating value, const text_format &format) {
  using bits_type =
      std::conditional_t<sizeof(Floating) == sizeof(float), std::uint32_t, std::uint64_t>;
  constexpr int mantissa_bits = sizeof(Floating) == sizeof(float) ? 23 : 52;
  constexpr int all_bits = sizeof(bits_type) * 8;
  constexpr bits_type sign = bits_type(1) << (all_bits - 1);
  constexpr bits_type infinite = sign - (bits_type(1) << mantissa_bits);
  // By its bits: fast mathematics has no numbers that are none.
  bits_type bits;
  std::memcpy(&bits, &value, sizeof(bits));
  const bits_type size = bits & ~sign;
  if (bits != size)
    out.put('-');
  else if (format.shows_plus)
    out.put('+');
  if (size >= infinite)
    return out.put(size > infinite ? "nan" : "inf");
  put_magnitude(out, binary_of(size, mantissa_bits, all_bits - 1 - mantissa_bits), format);
}

} // namespace sycl::detail

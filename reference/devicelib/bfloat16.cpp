//===- bfloat16.cpp - conversions of 16-bit floating-point numbers --------------------------===//
//
// For devices that compute in neither type: the numbers travel as their bits.
//
//===----------------------------------------------------------------------------------------===//

#include "device.h"

using bits16 = unsigned short;
using bits32 = unsigned int;

namespace {
bits32 bits_of(float x) { return __builtin_bit_cast(bits32, x); }
float float_of(bits32 bits) { return __builtin_bit_cast(float, bits); }

/// `value` without its lowest `count` bits, rounded to nearest, ties to even.
bits32 rounded(bits32 value, unsigned count) {
  const bits32 half = (bits32(1) << (count - 1)) - 1;
  return (value + half + ((value >> count) & 1)) >> count;
}

bits16 to_bfloat16(float x) {
  const bits32 bits = bits_of(x);
  const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
  // A quiet NaN stays one even when its payload lies in the bits that go.
  return static_cast<bits16>(is_nan ? (bits >> 16) | 0x40 : rounded(bits, 16));
}

float from_bfloat16(bits16 bits) { return float_of(bits32(bits) << 16); }

bits16 to_half(float x) {
  const bits32 bits = bits_of(x);
  const bits32 sign = (bits >> 16) & 0x8000;
  const bits32 size = bits & 0x7fffffff;
  if (size > 0x7f800000)
    return static_cast<bits16>(sign | 0x7e00 | ((size >> 13) & 0x3ff));
  if (size >= 0x47800000) // 2^16 and above
    return static_cast<bits16>(sign | 0x7c00);
  if (size >= 0x38800000) // normal halves; rounding may carry into infinity
    return static_cast<bits16>(sign | (rounded(size, 13) - (bits32(112) << 10)));
  if (size < 0x33000000) // less than half of the smallest half
    return static_cast<bits16>(sign);
  const bits32 mantissa = (size & 0x7fffff) | 0x800000;
  return static_cast<bits16>(sign | rounded(mantissa, 126 - (size >> 23)));
}

float from_half(bits16 bits) {
  const bits32 sign = bits32(bits & 0x8000) << 16;
  const bits32 exponent = (bits >> 10) & 0x1f;
  const bits32 mantissa = bits & 0x3ff;
  if (exponent == 0x1f)
    return float_of(sign | 0x7f800000 | (mantissa << 13));
  if (exponent != 0)
    return float_of(sign | ((exponent + 112) << 23) | (mantissa << 13));
  // 2^-24 a unit; the product is exact.
  const float size = static_cast<float>(mantissa) * 0x1p-24f;
  return float_of(sign | bits_of(size));
}
} // namespace

DEVICE_API bits16 __devicelib_ConvertFToBF16INTEL(const float &x) { return to_bfloat16(x); }
DEVICE_API float __devicelib_ConvertBF16ToFINTEL(const bits16 &bits) { return from_bfloat16(bits); }
DEVICE_API bits16 __truncsfbf2(float x) { return to_bfloat16(x); }
DEVICE_API bits16 __gnu_f2h_ieee(float x) { return to_half(x); }
DEVICE_API float __gnu_h2f_ieee(bits16 bits) { return from_half(bits); }

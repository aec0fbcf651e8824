//===- math.hpp - functions of sycl_ext_intel_math --------------------------------------------===//
//
// Those that SYCL's own functions or integer arithmetic give: rounding, roots, and what integers do
// bit by bit. The vendor's conversions with a rounding mode and its packed integers are not there.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/half.hpp>
#include <sycl/math.hpp>

#include <cstdint>

namespace sycl::ext::intel::math {

#define PLSYCL_OF_ONE(NAME, FUNCTION)                                                              \
  inline float NAME##f(float value) { return sycl::FUNCTION(value); }                              \
  inline float NAME(float value) { return sycl::FUNCTION(value); }                                 \
  inline double NAME(double value) { return sycl::FUNCTION(value); }                               \
  inline half NAME(half value) { return sycl::FUNCTION(value); }
PLSYCL_OF_ONE(ceil, ceil)
PLSYCL_OF_ONE(floor, floor)
PLSYCL_OF_ONE(rint, rint)
PLSYCL_OF_ONE(trunc, trunc)
PLSYCL_OF_ONE(sqrt, sqrt)
PLSYCL_OF_ONE(rsqrt, rsqrt)
PLSYCL_OF_ONE(fabs, fabs)
#undef PLSYCL_OF_ONE

inline float abs(float value) { return sycl::fabs(value); }
inline double abs(double value) { return sycl::fabs(value); }
inline half abs(half value) { return sycl::fabs(value); }

inline float invf(float value) { return 1.0F / value; }
inline float inv(float value) { return 1.0F / value; }
inline double inv(double value) { return 1.0 / value; }
inline half inv(half value) { return half(1.0F) / value; }

#define PLSYCL_OF_TWO(NAME)                                                                        \
  inline float NAME##f(float left, float right) { return sycl::NAME(left, right); }                \
  inline float NAME(float left, float right) { return sycl::NAME(left, right); }                   \
  inline double NAME(double left, double right) { return sycl::NAME(left, right); }                \
  inline half NAME(half left, half right) { return sycl::NAME(left, right); }
PLSYCL_OF_TWO(copysign)
PLSYCL_OF_TWO(fmax)
PLSYCL_OF_TWO(fmin)
#undef PLSYCL_OF_TWO

inline float fmaf(float x, float y, float z) { return sycl::fma(x, y, z); }
inline double fma(double x, double y, double z) { return sycl::fma(x, y, z); }

/// What is nearest between 0 and 1; 0 for what is no number.
inline float saturatef(float value) { return value > 0.0F ? (value < 1.0F ? value : 1.0F) : 0.0F; }
inline float saturate(float value) { return saturatef(value); }

// ---- bits of integers ----

inline int clz(int value) { return sycl::clz(value); }
inline int clzll(long long value) { return static_cast<int>(sycl::clz(value)); }
inline int popc(unsigned value) { return static_cast<int>(sycl::popcount(value)); }
inline int popcll(unsigned long long value) { return static_cast<int>(sycl::popcount(value)); }
/// The place of the lowest bit that is set, counted from 1; 0 where none is.
inline int ffs(int value) { return value ? static_cast<int>(sycl::ctz(value)) + 1 : 0; }
inline int ffsll(long long value) { return value ? static_cast<int>(sycl::ctz(value)) + 1 : 0; }
/// The bits in the other order.
inline unsigned brev(unsigned value) {
  unsigned turned = 0;
  for (int i = 0; i < 32; ++i)
    turned |= (value >> i & 1u) << (31 - i);
  return turned;
}
inline unsigned long long brevll(unsigned long long value) {
  unsigned long long turned = 0;
  for (int i = 0; i < 64; ++i)
    turned |= (value >> i & 1u) << (63 - i);
  return turned;
}
/// Four bytes out of the eight of `y` and, below, `x`; each by three bits of `choice`.
inline unsigned byte_perm(unsigned x, unsigned y, unsigned choice) {
  const std::uint64_t all = static_cast<std::uint64_t>(y) << 32 | x;
  unsigned chosen = 0;
  for (int i = 0; i < 4; ++i)
    chosen |= static_cast<unsigned>(all >> (choice >> 4 * i & 7u) * 8 & 0xFFu) << 8 * i;
  return chosen;
}

// ---- arithmetic of integers ----

inline int hadd(int left, int right) { return sycl::hadd(left, right); }
inline unsigned uhadd(unsigned left, unsigned right) { return sycl::hadd(left, right); }
inline int rhadd(int left, int right) { return sycl::rhadd(left, right); }
inline unsigned urhadd(unsigned left, unsigned right) { return sycl::rhadd(left, right); }
inline int mul24(int left, int right) { return sycl::mul24(left, right); }
inline unsigned umul24(unsigned left, unsigned right) { return sycl::mul24(left, right); }
inline int mulhi(int left, int right) { return sycl::mul_hi(left, right); }
inline unsigned umulhi(unsigned left, unsigned right) { return sycl::mul_hi(left, right); }
inline long long mul64hi(long long left, long long right) { return sycl::mul_hi(left, right); }
inline unsigned long long umul64hi(unsigned long long left, unsigned long long right) {
  return sycl::mul_hi(left, right);
}
/// |left - right| + sum.
inline unsigned sad(int left, int right, unsigned sum) { return sycl::abs_diff(left, right) + sum; }
inline unsigned usad(unsigned left, unsigned right, unsigned sum) {
  return sycl::abs_diff(left, right) + sum;
}

} // namespace sycl::ext::intel::math

//===- cmath.cpp - the C mathematics library in single precision ----------------------------===//

#include "device.h"

#define REAL float
#define NAME(FUNCTION) FUNCTION##f
#include "cmath.inc"

// What <cstdlib> counts among the arithmetic of integers.

DEVICE_API int abs(int x) { return x < 0 ? -x : x; }
DEVICE_API long labs(long x) { return x < 0 ? -x : x; }
DEVICE_API long long llabs(long long x) { return x < 0 ? -x : x; }

namespace {
/// The C standard's `div_t` and its kin.
template <typename Integer> struct division {
  Integer quot;
  Integer rem;
};
} // namespace

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage"
DEVICE_API division<int> div(int x, int y) { return {x / y, x % y}; }
DEVICE_API division<long> ldiv(long x, long y) { return {x / y, x % y}; }
DEVICE_API division<long long> lldiv(long long x, long long y) { return {x / y, x % y}; }
#pragma clang diagnostic pop

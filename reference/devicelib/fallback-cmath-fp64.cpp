//===- fallback-cmath-fp64.cpp - double precision under the names that DPC++'s wrappers call ===//

#include "device.h"

#define REAL double
#define NAME(FUNCTION) __devicelib_##FUNCTION
#include "cmath.inc"

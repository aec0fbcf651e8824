//===- fallback-cmath.cpp - single precision under the names that DPC++'s wrappers call -----===//

#include "device.h"

#define REAL float
#define NAME(FUNCTION) __devicelib_##FUNCTION##f
#include "cmath.inc"

#define INTEGER_NAME(FUNCTION) __devicelib_##FUNCTION
#include "integers.inc"

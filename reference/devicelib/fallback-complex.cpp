//===- fallback-complex.cpp - complex arithmetic under the names that DPC++'s wrappers call -===//

#include "device.h"

#define REAL float
#define NAME(FUNCTION) __devicelib_##FUNCTION##f
#define MULTIPLY __devicelib___mulsc3
#define DIVIDE __devicelib___divsc3
#include "complex.inc"

//===- fallback-complex-fp64.cpp - the same in double precision -----------------------------===//

#include "device.h"

#define REAL double
#define NAME(FUNCTION) __devicelib_##FUNCTION
#define MULTIPLY __devicelib___muldc3
#define DIVIDE __devicelib___divdc3
#include "complex.inc"

//===- complex-fp64.cpp - complex arithmetic in double precision ----------------------------===//

#include "device.h"

#define REAL double
#define NAME(FUNCTION) FUNCTION
#define MULTIPLY __muldc3
#define DIVIDE __divdc3
#include "complex.inc"

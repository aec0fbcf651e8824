//===- complex.cpp - complex arithmetic in single precision ---------------------------------===//

#include "device.h"

#define REAL float
#define NAME(FUNCTION) FUNCTION##f
#define MULTIPLY __mulsc3
#define DIVIDE __divsc3
#include "complex.inc"

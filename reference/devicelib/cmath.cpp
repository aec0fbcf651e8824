//===- cmath.cpp - the C mathematics library in single precision ----------------------------===//

#include "device.h"

#define REAL float
#define NAME(FUNCTION) FUNCTION##f
#include "cmath.inc"

#define INTEGER_NAME(FUNCTION) FUNCTION
#include "integers.inc"

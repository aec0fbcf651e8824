//===- cmath.cpp - the C mathematics library in single precision ----------------------------===//

#include "device.h"

#define REAL float
#define NAME(FUNCTION) FUNCTION##f
#include "cmath.inc"

#ifdef __NVPTX__
#define LIBDEVICE(FUNCTION) __nv_##FUNCTION##f
#include "nvptx.inc"
#endif

#define INTEGER_NAME(FUNCTION) FUNCTION
#include "integers.inc"

//===- cmath-fp64.cpp - the C mathematics library in double precision -----------------------===//

#include "device.h"

#define REAL double
#define NAME(FUNCTION) FUNCTION
#include "cmath.inc"

#ifdef __NVPTX__
#define LIBDEVICE(FUNCTION) __nv_##FUNCTION
#include "nvptx.inc"
#endif

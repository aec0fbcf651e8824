//===- fallback-cstring.cpp - memory under the names that DPC++'s wrappers call --------------===//

#include "device.h"

#define NAME(FUNCTION) __devicelib_##FUNCTION
#include "memory.inc"

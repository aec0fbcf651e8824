//===- device.h - what all device libraries share -------------------------------------------===//
//
// The libraries define the C functions that C++ code in kernels calls without knowing that it runs
// on a device. They are compiled to bitcode like device code itself and linked as far as they are
// needed, or imported by ThinLTO, which takes no weak definitions: these are none. What a device
// can compute by itself is left to it: the `__spirv_ocl_*` functions are the names under which
// every SPIR-V writer knows the instructions of OpenCL's extended set.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

/// A function that device code may call under its C name.
#define DEVICE_API extern "C"

using size_type = __SIZE_TYPE__;

/// Reports a failed assertion with the work-item's global and local id, and ends the program.
DEVICE_API void __devicelib_assert_fail(const char *condition, const char *file, int line,
                                        const char *function, size_type global0, size_type global1,
                                        size_type global2, size_type local0, size_type local1,
                                        size_type local2);

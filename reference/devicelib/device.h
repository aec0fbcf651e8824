//===- device.h - what all device libraries share -------------------------------------------===//
//
// The libraries define the C functions that C++ code in kernels calls without knowing that it runs
// on a device. They are compiled to bitcode like device code itself and linked as far as they are
// needed. What a device can compute by itself is left to it: the `__spirv_ocl_*` functions are the
// names under which every SPIR-V writer knows the instructions of OpenCL's extended set.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

/// A function that device code may call under its C name.
#define DEVICE_API extern "C"

using size_type = __SIZE_TYPE__;

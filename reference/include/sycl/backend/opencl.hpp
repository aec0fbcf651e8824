//===- opencl.hpp - objects of SYCL as OpenCL knows them (SYCL 2020, "OpenCL backend") -------===//
//
// With OpenCL's own names, where the system has its headers: they are what programs hand over.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#if __has_include(<CL/cl.h>)
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#endif
#include <sycl/backend.hpp>

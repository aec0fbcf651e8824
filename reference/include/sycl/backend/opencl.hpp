//===- opencl.hpp - objects of SYCL as OpenCL knows them (SYCL 2020, "OpenCL backend") -------===//
#pragma once

#include <sycl/backend.hpp>

//===- byte.hpp - sycl_khr_split_headers: byte (deprecated) ---------------------------------===//
#pragma once

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/opencl_types.hpp>

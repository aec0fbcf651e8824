//===- math.hpp - sycl_khr_split_headers: all built-in functions ----------------------------===//
#pragma once

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/math.hpp>

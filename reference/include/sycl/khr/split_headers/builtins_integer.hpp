//===- builtins_integer.hpp - sycl_khr_split_headers: functions of integers -----------------===//
#pragma once

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/math.hpp>

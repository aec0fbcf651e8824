//===- half.hpp - sycl_khr_split_headers: half ----------------------------------------------===//
#pragma once

#include <sycl/half.hpp>
#include <sycl/khr/split_headers/version.hpp>

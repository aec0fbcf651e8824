//===- reduction.hpp - sycl_khr_split_headers: reductions -----------------------------------===//
#pragma once

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/reduction.hpp>

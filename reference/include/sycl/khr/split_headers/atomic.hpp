//===- atomic.hpp - sycl_khr_split_headers: atomic operations and fences --------------------===//
#pragma once

#include <sycl/atomic.hpp>
#include <sycl/khr/split_headers/version.hpp>
#include <sycl/legacy_atomic.hpp>

//===- functional.hpp - sycl_khr_split_headers: function objects ----------------------------===//
#pragma once

#include <sycl/functional.hpp>
#include <sycl/khr/split_headers/version.hpp>

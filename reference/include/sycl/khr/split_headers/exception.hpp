//===- exception.hpp - sycl_khr_split_headers: errors ---------------------------------------===//
#pragma once

#include <sycl/exception.hpp>
#include <sycl/khr/split_headers/version.hpp>

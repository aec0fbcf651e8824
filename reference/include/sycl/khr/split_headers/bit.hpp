//===- bit.hpp - sycl_khr_split_headers: bit_cast -------------------------------------------===//
#pragma once

#include <sycl/bit_cast.hpp>
#include <sycl/khr/split_headers/version.hpp>

//===- marray.hpp - sycl_khr_split_headers: marray ------------------------------------------===//
#pragma once

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/marray.hpp>

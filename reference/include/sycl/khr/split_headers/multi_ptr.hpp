//===- multi_ptr.hpp - sycl_khr_split_headers: pointers of address spaces -------------------===//
#pragma once

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/multi_ptr.hpp>

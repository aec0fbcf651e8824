//===- version.hpp - sycl_khr_split_headers: what there is ----------------------------------===//
#pragma once

#include <sycl/detail/config.hpp>
#include <sycl/feature_test.hpp>

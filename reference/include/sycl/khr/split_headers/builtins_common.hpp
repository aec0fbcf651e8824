//===- builtins_common.hpp - sycl_khr_split_headers: common functions -----------------------===//
#pragma once

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/math.hpp>

//===- builtins_relational.hpp - sycl_khr_split_headers: relational functions ---------------===//
#pragma once

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/math.hpp>

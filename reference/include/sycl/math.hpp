//===- math.hpp - built-in functions of numbers, vectors and arrays (SYCL 2020, 4.17) -------===//
#pragma once

#include <sycl/detail/builtins/common.hpp>
#include <sycl/detail/builtins/geometric.hpp>
#include <sycl/detail/builtins/integers.hpp>
#include <sycl/detail/builtins/less_exact.hpp>
#include <sycl/detail/builtins/mathematics.hpp>
#include <sycl/detail/builtins/relational.hpp>

#include <sycl/detail/builtins/undefine.hpp>

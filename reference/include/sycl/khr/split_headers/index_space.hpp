//===- index_space.hpp - sycl_khr_split_headers: ids, ranges and items ----------------------===//
#pragma once

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/nd_item.hpp>

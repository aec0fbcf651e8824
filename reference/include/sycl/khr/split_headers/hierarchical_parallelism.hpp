//===- hierarchical_parallelism.hpp - sycl_khr_split_headers: hierarchical parallelism
//-----------===//
#pragma once

#include <sycl/h_item.hpp>
#include <sycl/khr/split_headers/version.hpp>

//===- builtins_geometric.hpp - sycl_khr_split_headers: geometric functions -----------------===//
#pragma once

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/math.hpp>

//===- context.hpp - sycl_khr_split_headers: contexts ---------------------------------------===//
#pragma once

#include <sycl/context.hpp>
#include <sycl/khr/split_headers/version.hpp>

//===- accessor.hpp - sycl_khr_split_headers: accessors of buffers and of local memory ------===//
#pragma once

#include <sycl/host_accessor.hpp>
#include <sycl/khr/split_headers/version.hpp>

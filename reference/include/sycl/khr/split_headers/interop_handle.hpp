//===- interop_handle.hpp - sycl_khr_split_headers: interop handles -------------------------===//
#pragma once

#include <sycl/interop_handle.hpp>
#include <sycl/khr/split_headers/version.hpp>

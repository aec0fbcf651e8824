//===- stream.hpp - sycl_khr_split_headers: streams -----------------------------------------===//
#pragma once

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/stream.hpp>

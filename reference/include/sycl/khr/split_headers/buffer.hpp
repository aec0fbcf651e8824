//===- buffer.hpp - sycl_khr_split_headers: buffers -----------------------------------------===//
#pragma once

#include <sycl/buffer.hpp>
#include <sycl/khr/split_headers/version.hpp>

//===- kernel_handler.hpp - sycl_khr_split_headers: kernel handlers -------------------------===//
#pragma once

#include <sycl/kernel_handler.hpp>
#include <sycl/khr/split_headers/version.hpp>

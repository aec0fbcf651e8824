//===- platform.hpp - sycl_khr_split_headers: platforms -------------------------------------===//
#pragma once

#include <sycl/device.hpp>
#include <sycl/khr/split_headers/version.hpp>

//===- device.hpp - sycl_khr_split_headers: devices and their selectors ---------------------===//
#pragma once

#include <sycl/device.hpp>
#include <sycl/khr/split_headers/version.hpp>

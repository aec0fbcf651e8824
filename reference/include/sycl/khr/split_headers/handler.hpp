//===- handler.hpp - sycl_khr_split_headers: command groups ---------------------------------===//
#pragma once

#include <sycl/handler.hpp>
#include <sycl/khr/split_headers/version.hpp>

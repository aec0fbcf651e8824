//===- span.hpp - sycl_khr_split_headers: span ----------------------------------------------===//
#pragma once

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/span.hpp>

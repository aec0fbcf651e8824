//===- image.hpp - sycl_khr_split_headers: images and their accessors -----------------------===//
#pragma once

#include <sycl/image_accessor.hpp>
#include <sycl/khr/split_headers/version.hpp>

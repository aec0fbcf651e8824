//===- property_list.hpp - sycl_khr_split_headers: property lists ---------------------------===//
#pragma once

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/property_list.hpp>

//===- usm.hpp - sycl_khr_split_headers: unified shared memory ------------------------------===//
#pragma once

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/usm.hpp>

//===- kernel_bundle.hpp - sycl_khr_split_headers: kernel bundles ---------------------------===//
#pragma once

#include <sycl/kernel_bundle.hpp>
#include <sycl/khr/split_headers/version.hpp>

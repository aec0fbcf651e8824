//===- backend.hpp - sycl_khr_split_headers: objects as drivers know them -------------------===//
#pragma once

#include <sycl/backend.hpp>
#include <sycl/khr/split_headers/version.hpp>

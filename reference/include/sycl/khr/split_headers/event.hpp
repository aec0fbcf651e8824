//===- event.hpp - sycl_khr_split_headers: events -------------------------------------------===//
#pragma once

#include <sycl/event.hpp>
#include <sycl/khr/split_headers/version.hpp>

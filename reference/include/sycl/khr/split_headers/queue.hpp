//===- queue.hpp - sycl_khr_split_headers: queues -------------------------------------------===//
#pragma once

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/queue.hpp>

//===- sycl.hpp - the SYCL 2020 interface ---------------------------------------------------===//
#pragma once

#include <sycl/host_accessor.hpp>
#include <sycl/queue.hpp>
#include <sycl/usm.hpp>

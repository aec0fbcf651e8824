//===- usm_properties.hpp - properties of memory (sycl_ext_intel_runtime_buffer_location) ----===//
#pragma once

#include <sycl/ext/hints.hpp>

//===- pipes.hpp - the name that programs for FPGAs have for a pipe --------------------------===//
#pragma once

#include <sycl/ext/intel/pipes.hpp>

namespace sycl {
using ext::intel::pipe;
} // namespace sycl

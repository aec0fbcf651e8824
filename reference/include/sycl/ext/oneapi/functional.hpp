//===- functional.hpp - operations under the names from before SYCL 2020 took them up -------===//
#pragma once

#include <sycl/functional.hpp>

namespace sycl::ext::oneapi {
using sycl::bit_and;
using sycl::bit_or;
using sycl::bit_xor;
using sycl::maximum;
using sycl::minimum;
using sycl::multiplies;
using sycl::plus;
} // namespace sycl::ext::oneapi

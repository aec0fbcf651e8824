//===- atomic_ref.hpp - atomics under the names from before SYCL 2020 took them up ----------===//
#pragma once

#include <sycl/atomic.hpp>

namespace sycl::ext::oneapi {
using sycl::atomic_fence;
using sycl::atomic_ref;
using sycl::memory_order;
using sycl::memory_scope;
} // namespace sycl::ext::oneapi

//===- atomic_fence.hpp - fences under DPC++'s name
#pragma once

#include <sycl/atomic.hpp>

//===- atomic_ref.hpp - atomics under DPC++'s name
#pragma once

#include <sycl/atomic.hpp>

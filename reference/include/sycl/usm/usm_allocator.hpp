//===- usm_allocator.hpp - an allocator of unified shared memory under DPC++'s name
#pragma once

#include <sycl/usm.hpp>

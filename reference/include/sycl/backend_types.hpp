//===- backend_types.hpp - backends under DPC++'s name
#pragma once

#include <sycl/detail/backend_types.hpp>

//===- half_type.hpp - half under DPC++'s name
#pragma once

#include <sycl/half.hpp>
